import { Cron } from 'croner';

const aliases = new Set(['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']);

/** The schedule that never comes by itself. */
export const manual = 'manual';

/** Whether `schedule` is `manual`, an alias, or five cron fields that match some day. */
export function isSchedule(schedule: unknown): schedule is string {
  if (typeof schedule !== 'string') return false;
  if (schedule === manual || aliases.has(schedule)) return true;
  if (schedule.length > 256 || schedule.trim().split(/\s+/).length !== 5) return false;
  try {
    return new Cron(schedule, { paused: true, mode: '5-part' }).nextRun() !== null;
  } catch {
    return false;
  }
}

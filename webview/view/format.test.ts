import { describe, expect, it } from 'vitest';
import {
  barWidth,
  formatCount,
  formatDuration,
  formatPercent,
  formatRate,
  formatSize,
  formatUptime,
} from './format.js';

describe('what people read', () => {
  it('has times in the unit that fits', () => {
    const seconds = [0, 0.0000004, 0.00084, 0.0082, 0.6664, 0.9996, 1.2, 12.34, 59.99, 125, 3780, 187_200];
    expect(seconds.map(formatDuration)).toEqual([
      '0 ms',
      '1 µs',
      '840 µs',
      '8.2 ms',
      '666 ms',
      '1.00 s',
      '1.20 s',
      '12.3 s',
      '1 min 00 s',
      '2 min 05 s',
      '1 h 03 min',
      '2 d 4 h',
    ]);
    expect([59.9, 61, -5].map(formatUptime)).toEqual(['59 s', '1 min 01 s', '0 s']);
  });

  it('has sizes, counts and shares', () => {
    expect([0, 999, 48_213, 602_400_000, 3.2e12].map(formatSize)).toEqual([
      '0 B',
      '999 B',
      '48.2 KB',
      '602 MB',
      '3.2 TB',
    ]);
    expect([0, 1204, 1_284_311].map(formatCount)).toEqual(['0', '1,204', '1.3M']);
    expect([0.42, 32.14, 2480.4].map(formatRate)).toEqual(['0.4', '32.1', '2,480']);
    expect([0, 0.52, 64.4, 100].map(formatPercent)).toEqual(['0%', '0.5%', '64%', '100%']);
    expect([0, NaN, 0.0001, 0.5, 3].map(barWidth)).toEqual(['0%', '0%', '0.50%', '50.00%', '100.00%']);
  });
});

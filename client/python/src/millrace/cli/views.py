"""What is shown of a task and of an upload."""

from __future__ import annotations

import time
from typing import cast

from ..client import MillraceClient
from ..generated.models import TaskState, TaskStatus, UploadProgress
from .io import Output, is_live
from .run import ExitCode, Run, to_json
from .style import LiveBlock, Style, bytes_text, plain

__all__ = ['UploadView', 'exit_code_of', 'status_lines', 'watch_status']

_STATES = {state.value: state.name.lower() for state in TaskState}
_BAR = 24
_REDRAW = 0.05


async def watch_status(run: Run, client: MillraceClient, token: str) -> ExitCode:
    """Show the status of a task until it has ended.

    Redrawn on a terminal, one line for each change elsewhere, one JSON object a line with --json. The exit code is that
    of the task's end.
    """
    block = LiveBlock(run.io.stdout) if is_live(run.io, run.io.stdout) and not run.json else None
    last = ''

    def show(status: TaskStatus) -> None:
        nonlocal last
        if run.json:
            run.print(f'{to_json(status, None)}\n')
        elif block is not None:
            block.update(status_lines(status, run.style))
        else:
            line = _summary_line(status)
            if line != last:
                run.print(f'{line}\n')
            last = line

    status = await client.get_task_status(token, timeout=run.timeout)
    show(status)
    if not status['completed']:
        async with client.events(token, ['summary']) as events:
            async for event in events:
                if event['event'] != 'apaevt_status_update':
                    continue
                status = cast(TaskStatus, event['body'])
                show(status)
                if status['completed']:
                    break
    return exit_code_of(status)


def exit_code_of(status: TaskStatus) -> ExitCode:
    """Return what the end of a task means for the shell."""
    return ExitCode.FAILED if status['completed'] and status['exitCode'] != 0 else ExitCode.OK


def status_lines(status: TaskStatus, style: Style) -> list[str]:
    """Return the whole status."""
    metrics = status['metrics']
    names = [part for part in (status['name'], status['project_id'], status['source']) if part]
    counts = f'{status["completedCount"]} done, {status["failedCount"]} failed, {status["totalCount"]} in all'
    rows = [
        ('state', _state_text(status, style)),
        ('task', plain(' · '.join(names))),
        ('now', plain(status['currentObject'] or status['status'])),
        ('objects', counts),
        ('data', f'{bytes_text(status["completedSize"])} of {bytes_text(status["totalSize"])}'),
        ('rate', f'{status["rateCount"]}/s, {bytes_text(status["rateSize"])}/s'),
        ('load', f'{metrics["cpu_percent"]:.0f} % CPU, {metrics["cpu_memory_mb"]:.0f} MB'),
        ('tokens', f'{status["tokens"]["total"]:.2f}'),
    ]
    if status['completed']:
        rows.append(('exit', plain(f'{status["exitCode"]} {status["exitMessage"]}'.strip())))
    return [
        *(f'{name.ljust(8)} {text}' for name, text in rows),
        *(f'error    {plain(text)}' for text in status['errors'][-3:]),
        *(f'warning  {plain(text)}' for text in status['warnings'][-3:]),
    ]


def _summary_line(status: TaskStatus) -> str:
    counts = f'{status["completedCount"]} done, {status["failedCount"]} failed'
    return plain(f'{_state_name(status)}: {status["status"] or "no status"} ({counts})')


def _state_name(status: TaskStatus) -> str:
    return _STATES.get(status['state'], str(status['state']))


def _state_text(status: TaskStatus, style: Style) -> str:
    name = _state_name(status)
    if status['state'] == TaskState.RUNNING:
        return style.green(name)
    return style.red(name) if status['completed'] and status['exitCode'] != 0 else style.bold(name)


class UploadView:
    """The progress of an upload on a terminal: a bar for all, and one for each file under way."""

    def __init__(self, output: Output, count: int, total: int) -> None:
        """Take the number of files and of their bytes."""
        self._block = LiveBlock(output)
        self._count = count
        self._total = total
        self._active: dict[str, UploadProgress] = {}
        self._done = 0
        self._failed = 0
        self._done_bytes = 0
        self._drawn = 0.0

    def progress(self, body: UploadProgress) -> None:
        """Take note of an event."""
        if body['action'] in ('complete', 'error'):
            self._active.pop(body['filepath'], None)
            self._done += 1
            self._done_bytes += body['file_size']
            self._failed += body['action'] == 'error'
        else:
            self._active[body['filepath']] = body
        now = time.monotonic()
        if now - self._drawn >= _REDRAW or self._done >= self._count:
            self._drawn = now
            self._draw()

    def end(self) -> None:
        """Take the bars away; the results follow."""
        self._block.clear()

    def _draw(self) -> None:
        sent = self._done_bytes + sum(body['bytes_sent'] for body in self._active.values())
        failed = f', {self._failed} failed' if self._failed else ''
        files = f'{self._done}/{self._count} files, {bytes_text(sent)} of {bytes_text(self._total)}{failed}'
        rows = [(sent, self._total, files)]
        rows += [(body['bytes_sent'], body['file_size'], plain(body['filepath'])) for body in self._active.values()]
        self._block.update([f'{_bar(part, whole)} {text}' for part, whole, text in rows])


def _bar(part: int, whole: int) -> str:
    full = _BAR if whole == 0 else min(_BAR, int(part / whole * _BAR + 0.5))
    return f'[{"#" * full}{" " * (_BAR - full)}]'

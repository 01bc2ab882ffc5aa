"""The command `millrace`."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import AuthenticationError, ConnectionError, MillraceError, error_text
from ..generated.commands import PROGRAM
from . import data_commands as data
from . import task_commands as tasks
from .io import Input, Io, Output
from .node import run_on_node
from .parser import Stop, read_command_line
from .run import CommandError, ExitCode, Run

__all__ = ['main', 'run_command']

_COMMANDS: dict[tuple[str, ...], Callable[..., Any]] = {
    ('start',): tasks.start,
    ('send',): data.send,
    ('upload',): data.upload,
    ('pipe',): data.pipe,
    ('chat',): data.chat,
    ('status',): tasks.status,
    ('events',): tasks.events,
    ('list',): tasks.list_tasks,
    ('stop',): tasks.stop,
    ('validate',): tasks.validate,
    ('lint',): run_on_node,
    ('format',): run_on_node,
    ('language-server',): run_on_node,
    ('services',): tasks.services,
    ('init',): run_on_node,
    ('completion',): tasks.completion,
    ('store', 'dir'): tasks.store_dir,
    ('store', 'type'): tasks.store_type,
    ('store', 'write'): tasks.store_write,
    ('store', 'rm'): tasks.store_rm,
    ('store', 'mkdir'): tasks.store_mkdir,
    ('store', 'stat'): tasks.store_stat,
}


def main() -> None:
    """Run the command line of this process."""
    io = Io(
        Input(0, os.isatty(0)),
        Output(sys.stdout.buffer, sys.stdout.isatty()),
        Output(sys.stderr.buffer, sys.stderr.isatty()),
        os.environ,
    )
    code: int
    try:
        code = asyncio.run(_interruptible(sys.argv[1:], io))
    except KeyboardInterrupt:
        code = ExitCode.INTERRUPTED
    except BrokenPipeError:
        # A reader such as `head` that has seen enough is no failure; what is left must not be written at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = ExitCode.OK
    sys.exit(code)


async def _interruptible(args: Sequence[str], io: Io) -> int:
    """The first Ctrl-C lets the command clean up, the second does not wait for that."""
    loop = asyncio.get_running_loop()
    work = asyncio.ensure_future(run_command(args, io))
    interrupted = False

    def interrupt(*_: object) -> None:
        nonlocal interrupted
        if interrupted:
            os._exit(ExitCode.INTERRUPTED)
        interrupted = True
        loop.call_soon_threadsafe(work.cancel)

    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, interrupt)
    try:
        code = await work
    except asyncio.CancelledError:
        return ExitCode.INTERRUPTED
    return ExitCode.INTERRUPTED if interrupted else code


async def run_command(args: Sequence[str], io: Io) -> int:
    """Run one command line, without the program's name, and return the exit code."""
    try:
        line = read_command_line(PROGRAM, args, io.env, io.stdout.columns)
    except Stop as stop:
        io.stdout.write(stop.out)
        io.stderr.write(stop.err)
        return ExitCode.USAGE if stop.failed else ExitCode.OK
    run = Run(io, line)
    try:
        code: int | None = await _COMMANDS[line.trail](run, *line.operands)
        return ExitCode.OK if code is None else code
    except BrokenPipeError:
        raise
    except CommandError as error:
        return _fail(io, str(error), error.hint, error.exit_code)
    except MillraceError as error:
        return _fail(io, error.message, error.hint, _exit_code_of(error))
    except Exception as error:
        return _fail(io, error_text(error), '', ExitCode.FAILED)
    finally:
        await run.end()


def _exit_code_of(error: MillraceError) -> ExitCode:
    if isinstance(error, AuthenticationError):
        return ExitCode.NOT_AUTHENTICATED
    return ExitCode.NO_CONNECTION if isinstance(error, ConnectionError) else ExitCode.FAILED


def _fail(io: Io, message: str, hint: str, code: ExitCode) -> ExitCode:
    advice = f'  → {hint}\n' if hint else ''
    io.stderr.write(f'error: {message}\n{advice}')
    return code


if __name__ == '__main__':
    main()

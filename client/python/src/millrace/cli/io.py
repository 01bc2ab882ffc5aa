"""What a command touches outside itself."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import threading
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO

__all__ = ['Input', 'Io', 'Output', 'execute', 'is_live']


class Output:
    """A stream that takes text as UTF-8, whatever the locale says."""

    def __init__(self, stream: BinaryIO, tty: bool) -> None:
        self._stream = stream
        self.tty = tty

    @property
    def columns(self) -> int:
        """Characters in a line of the terminal."""
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or 80
        except (OSError, ValueError):
            return 80

    def write(self, data: str | bytes) -> None:
        """Write at once."""
        self._stream.write(data.encode('utf-8', 'replace') if isinstance(data, str) else data)
        self._stream.flush()


class Input:
    """Standard input, read on a thread, because it may never say more."""

    def __init__(self, descriptor: int, tty: bool) -> None:
        self._descriptor = descriptor
        self.tty = tty

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield the bytes as they come."""
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[bytes] = asyncio.Queue()
        wanted = threading.Semaphore(4)

        def read() -> None:
            piece = b'.'
            while piece:
                wanted.acquire()
                try:
                    # Not through the buffered stream, whose lock would be held when the process ends.
                    piece = os.read(self._descriptor, 65536)
                except OSError:
                    piece = b''
                try:
                    loop.call_soon_threadsafe(queue.put_nowait, piece)
                except RuntimeError:
                    return

        threading.Thread(target=read, name='stdin', daemon=True).start()
        while piece := await queue.get():
            wanted.release()
            yield piece

    async def all(self) -> bytes:
        """Return everything."""
        return b''.join([piece async for piece in self.pieces()])

    async def lines(self) -> AsyncIterator[str]:
        """Yield the lines without their line ends."""
        rest = b''
        async for piece in self.pieces():
            *lines, rest = (rest + piece).split(b'\n')
            for line in lines:
                yield line.removesuffix(b'\r').decode('utf-8', 'replace')
        if rest:
            yield rest.decode('utf-8', 'replace')


def execute(command: Sequence[str], env: Mapping[str, str]) -> int:
    """Run a program in place of this process. On Windows, which cannot do that, return the exit code of the program."""
    if os.name != 'nt':
        os.execve(command[0], list(command), env)
    # Ctrl-C goes to both: the program says what becomes of it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return subprocess.call(command, env=env)


@dataclass
class Io:
    """The streams and the variables of a process, and how it gives way to another program."""

    stdin: Input
    stdout: Output
    stderr: Output
    env: Mapping[str, str]
    execute: Callable[[Sequence[str], Mapping[str, str]], int] = execute


def is_live(io: Io, output: Output) -> bool:
    """Whether cursor moves and colours may be written to an output."""
    return output.tty and not io.env.get('NO_COLOR') and io.env.get('TERM') != 'dumb'

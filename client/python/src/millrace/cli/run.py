"""One execution of a command: its options, its client, and what is to be undone at its end."""

from __future__ import annotations

import asyncio
import contextlib
import enum
import json
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from ..client import MillraceClient
from ..errors import MillraceError, TimeoutError
from ..generated.models import PipelineResult, StartInfo
from ..question import Answer
from ..results import result_keys
from .io import Io, is_live
from .parser import CommandLine
from .style import Style, plain

__all__ = ['CommandError', 'ExitCode', 'Run', 'UsageError', 'to_json']

_CLEAN_UP_SECONDS = 10.0
"""How long each step of the clean-up waits for the server; also for the answer to a start."""
_ANSWER_SECONDS = 60
"""How long an answer may take that a server gives at once."""


class ExitCode(enum.IntEnum):
    """Exit codes of the command, as `millrace --help` tells them."""

    OK = 0
    FAILED = 1
    USAGE = 2
    NO_CONNECTION = 3
    NOT_AUTHENTICATED = 4
    SOME_FILES_FAILED = 5
    INTERRUPTED = 130


class CommandError(Exception):
    """A command cannot do what it is to do."""

    exit_code = ExitCode.FAILED

    def __init__(self, message: str, hint: str) -> None:
        """Take what is wrong and what to do."""
        super().__init__(message)
        self.hint = hint


class UsageError(CommandError):
    """The command line is wrong in a way that only the command itself can see."""

    exit_code = ExitCode.USAGE


class Run:
    """One execution of a command."""

    def __init__(self, io: Io, line: CommandLine) -> None:
        self.io = io
        self.line = line
        self.options = line.options
        self.json = bool(line.options.get('json'))
        self.style = Style(is_live(io, io.stdout))
        self._token_given = line.token_given
        self._cleanups: list[Callable[[], Awaitable[Any]]] = []

    def print(self, text: str) -> None:
        """Write to standard output."""
        self.io.stdout.write(text)

    def print_json(self, value: Any) -> None:
        """Write a value as JSON."""
        self.print(f'{to_json(value)}\n')

    def note(self, text: str) -> None:
        """Write a remark that is no result, so it goes to standard error, and nowhere with --json."""
        if not self.json:
            self.io.stderr.write(text)

    @property
    def timeout(self) -> float:
        """How long the server may take to answer what it answers at once: seconds, 0 for ever."""
        return float(self.options.get('timeout', _ANSWER_SECONDS))

    @property
    def _work_timeout(self) -> float:
        """The same for work, which takes as long as the pipeline does."""
        return float(self.options.get('timeout', 0))

    async def connect(self) -> MillraceClient:
        """Return a connected client for what the server answers at once; it is disconnected when the command ends."""
        return await self._connect(self.timeout)

    async def connect_for_work(self) -> MillraceClient:
        """Return the same for work."""
        return await self._connect(self._work_timeout)

    async def _connect(self, request_timeout: float) -> MillraceClient:
        uri, key = self.options.get('uri'), self.options.get('apikey')
        client = MillraceClient(uri, key, request_timeout=request_timeout, client_name='millrace CLI')
        self.at_end(client.disconnect)
        await client.connect()
        return client

    @property
    def has_token(self) -> bool:
        """Whether a task is named."""
        return bool(self.options.get('token'))

    @property
    def token(self) -> str:
        """The token of --token or MILLRACE_TOKEN."""
        if not self.has_token:
            hint = 'Pass --token TOKEN or set MILLRACE_TOKEN; `millrace list` shows tokens.'
            raise UsageError('No task was named', hint)
        return str(self.options['token'])

    async def task(self, client: MillraceClient) -> str:
        """Return the token to work with: --token, or of a task started from --pipeline that ends with the command."""
        pipeline = self.options.get('pipeline')
        if pipeline is None:
            if self.has_token:
                return self.token
            hint = 'Pass --token TOKEN of a running task, or --pipeline FILE to start one.'
            raise UsageError('No task was named', hint)
        return await self.start_task(
            client,
            filepath=pipeline,
            source=self.options.get('source'),
            threads=self.options.get('threads'),
            # A token of the environment names the task that other commands are about, not a new one.
            token=self.token if self._token_given else None,
        )

    async def start_task(self, client: MillraceClient, **options: Any) -> str:
        """Start a task that ends with the command, also when the command is interrupted or gives up waiting."""
        answer = asyncio.ensure_future(client.use(**options, timeout=0))
        self.at_end(lambda: _end_started(client, answer))
        return (await self._heard(answer))['token']

    async def leave_task(self, client: MillraceClient, **options: Any) -> StartInfo:
        """Start a task that stays, unless the command ends before anybody can know of it."""
        answer = asyncio.ensure_future(client.use(**options, timeout=0))
        try:
            return await self._heard(answer)
        except BaseException:
            # A task that was joined is not ours.
            if not options.get('use_existing'):
                self.at_end(lambda: _end_started(client, answer))
            raise

    async def _heard(self, answer: asyncio.Future[StartInfo]) -> StartInfo:
        """Wait for the answer to a start, which goes on when nobody waits any more: only it says what to end."""
        timeout = self._work_timeout
        try:
            return await asyncio.wait_for(asyncio.shield(answer), timeout or None)
        except MillraceError:
            raise
        except asyncio.TimeoutError as cause:
            raise TimeoutError('timeout', f'The start was not answered within {timeout:g} s') from cause

    def at_end(self, cleanup: Callable[[], Awaitable[Any]]) -> None:
        """Run `cleanup` at the end, the latest first. Its failure is nobody's concern any more."""
        self._cleanups.append(cleanup)

    async def end(self) -> None:
        """Clean up."""
        while self._cleanups:
            with contextlib.suppress(Exception):
                await asyncio.wait_for(self._cleanups.pop()(), _CLEAN_UP_SECONDS)

    def show_result(self, result: PipelineResult) -> ExitCode:
        """Show what a pipeline made: texts as they are, everything else as JSON."""
        if self.json:
            self.print_json(result)
        else:
            items = [item for key in result_keys(result) for item in _as_list(result.get(key))]
            for item in items:
                self.print(f'{(plain(item) if isinstance(item, str) else to_json(item)).rstrip()}\n')
            if not items and 'error' not in result:
                self.note('The pipeline returned nothing: no response component got data of this type.\n')
        return self.show_error(result)

    def show_answers(self, result: PipelineResult) -> ExitCode:
        """Show the answers of a chat."""
        if self.json:
            return self.show_result(result)
        for answer in Answer.of(result):
            self.print(f'{plain(answer.text).rstrip()}\n')
        return self.show_error(result)

    def show_error(self, result: PipelineResult) -> ExitCode:
        """Show why an object failed, if it did."""
        error = result.get('error')
        if error is None:
            return ExitCode.OK
        where = f'{error["component"]}: ' if error.get('component') is not None else ''
        self.io.stderr.write(f'error: {plain(where + error["message"])}\n')
        return ExitCode.FAILED


async def _end_started(client: MillraceClient, answer: asyncio.Future[StartInfo]) -> None:
    """End a task whether or not somebody waited for the answer to its start: only that says what to end."""
    await client.terminate((await answer)['token'])


def to_json(value: Any, indent: int | None = 2) -> str:
    """Return JSON as the TypeScript command writes it."""
    separators = (',', ':') if indent is None else (',', ': ')
    return json.dumps(value, indent=indent, ensure_ascii=False, separators=separators)


def _as_list(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list) else [value]

"""Objects that are written piece by piece."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Generator, Mapping
from types import TracebackType
from typing import Any

from .connection import Connection, Exchange
from .core.protocol import Reply
from .errors import MillraceError, create_error, error_text
from .generated.limits import DEFAULT_MIME_TYPE
from .generated.models import EventMessage, PipelineResult
from .monitors import Monitors, Subscription, is_of_task
from .results import read_result
from .tasks import defined

__all__ = ['Data', 'DataPipe', 'MessageListener', 'bytes_of']

Data = str | bytes | bytearray | memoryview
MessageListener = Callable[[str, dict[str, Any]], Any]
"""Called with the type and the data of what a component says while it works."""

_DEFAULT_WINDOW = 4
_GIVE_UP_SECONDS = 10.0
"""How long giving an object up waits for the server."""


class DataPipe:
    """One object on its way into a running pipeline: `open`, any number of `write`, `close`.

    As an `async with` block it opens itself, and closes itself when the block did not; a block that raises gives the
    object up, as `abandon` does::

        async with client.pipe(token, {'name': 'log.txt'}, 'text/plain') as pipe:
            await pipe.write('one')
            result = await pipe.close()

    A pipe occupies one of the task's parallel instances from `open` to `close`, so always close it, also after a
    failure; or `abandon` it when the object will not be complete.
    """

    def __init__(
        self,
        connection: Connection,
        monitors: Monitors,
        name: str,
        *,
        token: str,
        objinfo: Mapping[str, Any] | None = None,
        mime_type: str | None = None,
        provider: str | None = None,
        on_event: MessageListener | None = None,
        window: int | None = None,
        on_progress: Callable[[int], None] | None = None,
        timeout: float | None = None,
    ) -> None:
        """Take a name that differs from that of every other pipe of the connection, and the seconds of each request."""
        self._connection = connection
        self._monitors = monitors
        self._name = name
        self._token = token
        self._object = dict(objinfo or {})
        self._mime_type = mime_type or DEFAULT_MIME_TYPE
        self._provider = provider
        self._on_event = on_event
        self._on_progress = on_progress
        self._timeout = timeout
        self._window = _DEFAULT_WINDOW if window is None else max(1, window)
        self._state = 'new'
        # How later messages name this pipe; the number in its events.
        self._address: dict[str, Any] = {}
        self._pipe_id: Any = None
        self._opening: Exchange | None = None
        self._failure: MillraceError | None = None
        self._in_flight: set[asyncio.Future[Reply]] = set()
        self._acknowledged = 0
        self._result: PipelineResult | None = None
        self._stop_listening: Callable[[], None] | None = None
        self._subscription: Subscription | None = None

    def __await__(self) -> Generator[None, None, DataPipe]:
        """Return itself: programs written for a `pipe` that is a coroutine function go on working."""
        yield from ()
        return self

    @property
    def bytes_written(self) -> int:
        """Bytes the pipeline has taken in so far."""
        return self._acknowledged

    @property
    def is_open(self) -> bool:
        """Whether it takes data."""
        return self._state == 'open'

    @property
    def result(self) -> PipelineResult | None:
        """What `close` returned, None before."""
        return self._result

    async def open(self) -> DataPipe:
        """Open the pipe. Waits while all pipes of the task are busy.

        Raises:
            TaskError: the pipeline is not running; PipeError: the pipe is refused.
        """
        await self._begin()
        try:
            await self._opened()
            if self._on_event is not None:
                await self._follow(self._on_event)
        except BaseException:
            if self._state == 'open':
                await self.abandon()
            raise
        return self

    async def open_ahead(self) -> DataPipe:
        """Open the pipe without waiting for the reply where the server allows that; a refusal comes out of `close`."""
        if not self._pipelined or self._on_event is not None:
            return await self.open()
        await self._begin()
        return self

    async def write(self, buffer: Data) -> None:
        """Write one chunk: bytes, or text that is sent as UTF-8.

        Returns when the next may follow, which is before the pipeline has processed this one: an error of the pipeline
        comes out of a later `write` or is the `error` of the result that `close` returns.

        Raises:
            PipeError: the pipe is not open or an earlier write failed.
            ArgumentError: neither text nor bytes; also a ValueError.
        """
        data = bytes_of(buffer)
        if self._state != 'open':
            raise self._failure or _not_open()
        window = self._window if self._pipelined else 1
        while len(self._in_flight) >= window:
            await asyncio.wait(self._in_flight, return_when=asyncio.FIRST_COMPLETED)
        self._raise_if_failed()
        exchange = await self._start({'subcommand': 'write'}, data)
        future, size = exchange.future, len(data)
        self._in_flight.add(future)
        future.add_done_callback(lambda done: self._written(done, size))
        if window == 1:
            await asyncio.wait({future})
        self._raise_if_failed()

    async def close(self) -> PipelineResult:
        """End the object and wait for the pipeline. When a component failed the result carries `error`.

        Raises:
            PipeError, TaskError, ConnectionError: there is no result.
        """
        if self._state != 'open':
            if self._result is not None:
                return self._result
            raise self._failure or _not_open()
        self._state = 'closed'
        try:
            if not self._pipelined and self._in_flight:
                await asyncio.wait(self._in_flight)
            closing = await self._start({'subcommand': 'close'})
            await self._opened()
            reply = await closing.reply()
            if self._in_flight:
                await asyncio.wait(self._in_flight)
            result = read_result(reply.body)
            if 'error' not in result:
                self._raise_if_failed()
            self._result = result
            return result
        finally:
            await self._stop_events()

    async def abandon(self, reason: str | None = None) -> None:
        """Give the object up: it counts as failed, and the pipe is free again. Raises nothing, within ten seconds.

        No component takes what has come so far for the whole. Servers of others know no such thing; there the object
        ends where it is.

        Args:
            reason: shown as the object's error, at most 500 characters of it.
        """
        if self._state != 'open':
            return
        self._state = 'closed'
        # Whoever gives up does not wait for a server that says nothing.
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._given_up(reason), _GIVE_UP_SECONDS)

    async def __aenter__(self) -> DataPipe:
        return await self.open()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self.is_open:
            await self.close()
        else:
            # A cancellation has nothing to say.
            await self.abandon(error_text(error) if isinstance(error, Exception) else None)

    @property
    def _pipelined(self) -> bool:
        return self._connection.dialect == 'spec'

    async def _begin(self) -> None:
        if self._state != 'new':
            raise create_error('invalid_argument', 'This pipe was opened before; make a new one')
        # Our servers let the sender name the pipe, so that messages may follow before the reply.
        if self._pipelined:
            self._address = {'pipe': self._name}
        opening: dict[str, Any] = {'subcommand': 'open', 'object': self._object, 'mimeType': self._mime_type}
        if self._provider is not None:
            opening['provider'] = self._provider
        self._state = 'open'
        try:
            self._opening = await self._start(opening, late=self._abandon_late)
        except BaseException:
            self._state = 'closed'
            raise
        self._opening.future.add_done_callback(self._refused)

    async def _opened(self) -> None:
        if self._opening is None:
            return
        opening, self._opening = self._opening, None
        try:
            body = (await opening.reply()).body
        except BaseException:
            self._state = 'closed'
            raise
        self._pipe_id = body.get('pipe_id') if isinstance(body, dict) else None
        if not self._pipelined:
            if not isinstance(self._pipe_id, int):
                raise create_error('pipe_failed', 'The server opened no pipe')
            self._address = {'pipe_id': self._pipe_id}

    async def _abandon_late(self, reply: Reply) -> None:
        """Nobody waited for an open that then succeeded: nobody else would free the pipe."""
        if not self._pipelined and isinstance(reply.body, dict):
            self._address = {'pipe_id': reply.body.get('pipe_id')}
        await self._give_up(None)

    async def _given_up(self, reason: str | None) -> None:
        # A pipe that cannot be given up went with its task or its connection.
        with contextlib.suppress(MillraceError):
            await self._give_up(reason)
        await self._stop_events()

    async def _give_up(self, reason: str | None) -> None:
        how = {'subcommand': 'abandon', **defined(reason=reason)} if self._pipelined else {'subcommand': 'close'}
        await (await self._start(how)).reply()

    async def _follow(self, on_event: MessageListener) -> None:
        token, pipe_id = self._token, self._pipe_id

        def hear(event: EventMessage) -> Any:
            body = event.get('body')
            if event['event'] != 'apaevt_sse' or not isinstance(body, dict) or body.get('pipe_id') != pipe_id:
                return None
            if not is_of_task(event, token, self._connection.task_ids.get(token)):
                return None
            kind, data = body.get('type'), body.get('data')
            return on_event(kind if isinstance(kind, str) else '', data if isinstance(data, dict) else {})

        self._stop_listening = self._connection.listen(hear)
        if isinstance(pipe_id, int):
            self._subscription = await self._monitors.subscribe({'token': token, 'pipeId': pipe_id}, ['sse'])

    async def _stop_events(self) -> None:
        if self._stop_listening is not None:
            self._stop_listening()
        if self._subscription is not None:
            await self._subscription.dispose()

    async def _start(self, args: dict[str, Any], data: bytes | None = None, late: Any = None) -> Exchange:
        request = {**args, **self._address, 'token': self._token}
        return await self._connection.start(self._connection.command('process'), request, data, late, self._timeout)

    def _refused(self, opening: asyncio.Future[Reply]) -> None:
        error = None if opening.cancelled() else opening.exception()
        if isinstance(error, MillraceError):
            # What went wrong first explains why the writes behind it were refused.
            self._state = 'closed'
            self._failure = error

    def _written(self, done: asyncio.Future[Reply], size: int) -> None:
        self._in_flight.discard(done)
        error = None if done.cancelled() else done.exception()
        if error is None:
            self._acknowledged += size
            if self._on_progress is not None:
                self._on_progress(self._acknowledged)
        elif self._failure is None and isinstance(error, MillraceError):
            self._failure = error

    def _raise_if_failed(self) -> None:
        if self._failure is not None:
            raise self._failure


def bytes_of(data: object) -> bytes:
    """Return the bytes of a text or of something bytes-like.

    Raises:
        ArgumentError: it is neither; also a ValueError.
    """
    if isinstance(data, str):
        return data.encode('utf-8', 'replace')
    if isinstance(data, bytes):
        return data
    if isinstance(data, bytearray | memoryview):
        return bytes(data)
    raise create_error('invalid_argument', 'The data must be a string or bytes')


def _not_open() -> MillraceError:
    return create_error('pipe_not_found', 'The pipe is not open')

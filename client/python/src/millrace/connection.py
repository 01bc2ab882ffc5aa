"""The asyncio side: one login on one socket at a time, which in persist mode comes back by itself."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from .core.protocol import Reply
from .core.retry import RetryPolicy
from .errors import CancelledError, MillraceError, create_error, to_millrace_error
from .generated.limits import COMMAND_PREFIX, Dialect
from .generated.models import ConnectResult, EventMessage
from .socket import NORMAL_CLOSURE, Exchange, LateReply, Socket

__all__ = ['Connection', 'EventListener', 'Exchange', 'Hooks', 'LateReply', 'Settings']

EventListener = Callable[[EventMessage], Any]
EndListener = Callable[['MillraceError | None'], None]
_DEAUTH_TIMEOUT = 1.0
_OFFLINE_HINT = 'Call `connect()` first; with `persist` the client reconnects by itself.'


@dataclass
class Hooks:
    """What the client's owner wants to hear. Each may be a function or a coroutine function."""

    connected: Callable[[ConnectResult], Any] | None = None
    disconnected: Callable[[str, bool], Any] | None = None
    connect_error: Callable[[MillraceError], Any] | None = None


@dataclass
class Settings:
    """How a connection behaves. Times in seconds, 0 for no limit."""

    url: str
    client_name: str
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    request_timeout: float = 0
    connect_timeout: float = 30


class Connection:
    """What the groups of operations need: requests, events, and the names of the tasks that were started here."""

    def __init__(self, settings: Settings, hooks: Hooks, restore: Callable[[], Awaitable[None]]) -> None:
        """Take what runs after each login and before `hooks.connected`, to restore what the server forgot."""
        self.task_ids: dict[str, str] = {}
        self._settings = settings
        self._hooks = hooks
        self._restore = restore
        self._listeners: list[EventListener] = []
        self._end_listeners: list[EndListener] = []
        self._background: set[asyncio.Future[Any]] = set()
        self._credential = ''
        self._next_seq = 1
        # The open socket, also while the login is still under way; and the one that takes requests.
        self._socket: Socket | None = None
        self._ready: Socket | None = None
        self._online: Socket | None = None
        self._result: ConnectResult = {}
        self._connecting: asyncio.Task[ConnectResult] | None = None
        self._waiting = 0
        self._leaving: asyncio.Task[None] | None = None

    @property
    def dialect(self) -> Dialect:
        """Dialect of the connected server."""
        return 'spec' if self._ready is None else self._ready.protocol.dialect

    @property
    def online(self) -> bool:
        """Whether the login is done and the connection stands."""
        return self._online is not None

    async def connect(self, credential: str) -> ConnectResult:
        """Open the socket and log in; calls while connecting share one attempt."""
        if self._leaving is not None:
            await asyncio.wait({self._leaving})
        if self._online is not None:
            return self._result
        self._credential = credential
        attempt = self._connecting or self._start_connecting(0)
        self._waiting += 1
        try:
            await asyncio.wait({attempt})
        except asyncio.CancelledError:
            if self._waiting == 1:
                attempt.cancel()
                await asyncio.wait({attempt})
            raise
        finally:
            self._waiting -= 1
        if attempt.cancelled():
            raise create_error('cancelled', 'Connecting was cancelled')
        return attempt.result()

    async def disconnect(self) -> None:
        """Log out and close. Requests under way fail with `connection_lost`. Safe to call at any time."""
        if self._connecting is not None:
            attempt = self._connecting
            attempt.cancel()
            await asyncio.wait({attempt})
        if self._leaving is None and self._online is not None:
            self._leaving = asyncio.create_task(self._leave(self._online), name='millrace leaving')
        if self._leaving is not None:
            await asyncio.shield(self._leaving)
        own = asyncio.current_task()
        rest = {task for task in self._background if task is not own}
        if rest:
            await asyncio.wait(rest, timeout=_DEAUTH_TIMEOUT)

    async def start(
        self,
        command: str,
        args: Mapping[str, Any] | None = None,
        data: bytes | bytearray | memoryview | None = None,
        late: LateReply | None = None,
        timeout: float | None = None,
    ) -> Exchange:
        """Send a command as it is written; return when the next message may follow."""
        if self._ready is None:
            hint = 'It is being restored; try again in a moment.' if self._connecting is not None else _OFFLINE_HINT
            raise create_error('connection_lost', 'Not connected to the server', hint=hint)
        seconds = self._settings.request_timeout if timeout is None else timeout
        return await self._ready.start(command, args or {}, data, late, seconds)

    async def request(
        self,
        command: str,
        args: Mapping[str, Any] | None = None,
        *,
        data: bytes | bytearray | memoryview | None = None,
        timeout: float | None = None,
        late: LateReply | None = None,
    ) -> Reply:
        """Send a command as it is written and wait for the reply, `timeout` seconds at most.

        Raises:
            TimeoutError: there was no reply in time.
        """
        return await (await self.start(command, args, data, late, timeout)).reply()

    async def call(
        self,
        name: str,
        args: Mapping[str, Any] | None = None,
        *,
        data: bytes | bytearray | memoryview | None = None,
        timeout: float | None = None,
        late: LateReply | None = None,
    ) -> Reply:
        """Send an extension command; the prefix of the server's dialect is put before `name`."""
        return await self.request(self.command(name), args, data=data, timeout=timeout, late=late)

    def command(self, name: str) -> str:
        """Return the full name of an extension command."""
        return COMMAND_PREFIX[self.dialect] + name

    def listen(self, listener: EventListener) -> Callable[[], None]:
        """Hear the events of the server and of the client itself, in order. Returns what stops listening."""
        return _added(self._listeners, listener)

    def listen_end(self, listener: EndListener) -> Callable[[], None]:
        """Hear when the connection has ended and will not come back by itself.

        The listener gets the reason, or None after a `disconnect`.
        """
        return _added(self._end_listeners, listener)

    def emit(self, event: EventMessage) -> None:
        """Pass an event to all listeners."""
        for listener in tuple(self._listeners):
            self._tell(listener, event)

    def spawn(self, work: Awaitable[Any]) -> None:
        """Do work that nobody waits for; what goes wrong goes to the loop's handler."""
        task = asyncio.ensure_future(work)
        self._background.add(task)
        task.add_done_callback(self._finished)

    def closed(self, socket: Socket, code: int, reason: str) -> None:
        """A socket is gone. In persist mode a lost login is restored; a first attempt is its caller's."""
        self._drop(socket)
        # Who leaves has no use for the connection, and says so itself.
        if self._online is not socket or self._leaving is not None:
            return
        self._online = None
        if self._settings.retry.persist:
            self._start_connecting(1)
        else:
            self._ended(create_error('connection_lost', f'The connection was lost: {reason}'))
        self._tell(self._hooks.disconnected, reason, code != NORMAL_CLOSURE)

    def _start_connecting(self, failures: int) -> asyncio.Task[ConnectResult]:
        attempt = asyncio.create_task(self._establish(failures), name='millrace connecting')
        self._connecting = attempt

        def done(task: asyncio.Task[ConnectResult]) -> None:
            self._connecting = None
            if task.cancelled():
                self._ended(None)
            elif (error := task.exception()) is not None:
                self._ended(to_millrace_error(error))

        attempt.add_done_callback(done)
        return attempt

    async def _establish(self, failures: int) -> ConnectResult:
        loop = asyncio.get_running_loop()
        began = loop.time()
        policy = self._settings.retry
        last: MillraceError | None = None
        while True:
            if failures > 0:
                delay = policy.delay(failures, loop.time() - began)
                await asyncio.sleep(delay or 0)
                if delay is None or policy.delay(failures, loop.time() - began) is None:
                    raise self._report(_gave_up(policy, last)) from last
            remaining = policy.remaining(loop.time() - began)
            timeout = self._settings.connect_timeout
            try:
                return await self._attempt(timeout if remaining is None else min(timeout, remaining))
            except MillraceError as error:
                last = self._report(error)
                if not policy.worth_retrying(error):
                    raise
                failures += 1

    async def _attempt(self, timeout: float) -> ConnectResult:
        """One socket: open, log in, find the dialect, restore. Within `timeout` seconds or not at all."""
        socket = Socket(self, self._next_seq)
        try:
            try:
                result = await asyncio.wait_for(self._log_in(socket), timeout)
            except MillraceError:
                raise
            except asyncio.TimeoutError as cause:
                message = f'Could not connect to {self._settings.url} within {_number(timeout)} s'
                raise create_error('connection_failed', message) from cause
        except BaseException:
            self._drop(socket)
            socket.lose(create_error('connection_lost'))
            await socket.close(NORMAL_CLOSURE, '')
            raise
        self._online = socket
        self._result = result
        self._tell(self._hooks.connected, result)
        return result

    async def _log_in(self, socket: Socket) -> ConnectResult:
        await socket.open(self._settings.url)
        self._socket = socket
        logged_in = await socket.log_in(self._credential, self._settings.client_name)
        self._ready = socket
        await self._restore()
        if self._socket is not socket:
            raise create_error('connection_lost')
        return cast(ConnectResult, logged_in.result)

    async def _leave(self, socket: Socket) -> None:
        self._ready = None
        with contextlib.suppress(MillraceError):
            await (await socket.start('deauth', {}, timeout=_DEAUTH_TIMEOUT)).reply()
        self._online = None
        self._drop(socket)
        socket.lose(create_error('connection_lost', 'The client was disconnected'))
        await socket.close(NORMAL_CLOSURE, 'Disconnected by request')
        self._leaving = None
        self._ended(None)
        self._tell(self._hooks.disconnected, 'Disconnected by request', False)

    def _drop(self, socket: Socket) -> None:
        self._next_seq = max(self._next_seq, socket.protocol.next_seq)
        if self._socket is socket:
            self._socket = self._ready = None

    def _report(self, error: MillraceError) -> MillraceError:
        self._tell(self._hooks.connect_error, error)
        return error

    def _ended(self, reason: MillraceError | None) -> None:
        for listener in tuple(self._end_listeners):
            listener(None if isinstance(reason, CancelledError) else reason)

    def _tell(self, callback: Callable[..., Any] | None, *args: Any) -> None:
        # A callback that raises must not break the connection, nor may its error vanish: the loop's handler gets it.
        if callback is None:
            return
        try:
            outcome = callback(*args)
        except Exception as error:
            self._unhandled(error)
            return
        if inspect.isawaitable(outcome):
            self.spawn(outcome)

    def _finished(self, task: asyncio.Future[Any]) -> None:
        self._background.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._unhandled(error)

    def _unhandled(self, error: BaseException) -> None:
        context = {'message': 'A callback of the Millrace client raised', 'exception': error}
        asyncio.get_running_loop().call_exception_handler(context)


def _gave_up(policy: RetryPolicy, cause: MillraceError | None) -> MillraceError:
    reason = '' if cause is None else f': {cause.message}'
    return create_error('connection_failed', f'Gave up reconnecting after {_number(policy.max_retry_time)} s{reason}')


def _number(seconds: float) -> str:
    return f'{seconds:g}'


def _added(listeners: list[Any], listener: Any) -> Callable[[], None]:
    # Wrapped, because one function may listen twice, and stopping one must not stop the other.
    def call(*args: Any) -> Any:
        return listener(*args)

    def stop() -> None:
        if call in listeners:
            listeners.remove(call)

    listeners.append(call)
    return stop

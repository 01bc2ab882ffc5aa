"""One WebSocket with its conversation: moves messages between the protocol without I/O and `websockets`."""

from __future__ import annotations

import asyncio
import contextlib
import errno
from collections.abc import Awaitable, Callable, Mapping
from socket import gaierror
from typing import Any, Protocol, cast
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from .core import protocol as core
from .core.address import is_loopback
from .core.protocol import Reply
from .errors import MillraceError, create_error, error_text
from .generated.limits import MESSAGE_BYTES
from .generated.models import EventMessage
from .version import __version__

__all__ = ['NORMAL_CLOSURE', 'Exchange', 'LateReply', 'Owner', 'Socket']

LateReply = Callable[[Reply], Awaitable[Any]]
"""Releases what a request made that nobody waited for any more."""

NORMAL_CLOSURE = 1000
_PROTOCOL_ERROR = 1002
_CLOSE_TIMEOUT = 0.5
_PING_INTERVAL = 15.0
_PONG_TIMEOUT = 30.0
_WRITE_LIMIT = 4 * 1024 * 1024


class Owner(Protocol):
    """What a socket tells whoever made it."""

    def emit(self, event: EventMessage) -> None:
        """An event of the server came."""

    def spawn(self, work: Awaitable[Any]) -> None:
        """Some work is to be done that nobody waits for."""

    def closed(self, socket: Socket, code: int, reason: str) -> None:
        """The socket is gone, and all its requests have failed."""


class Exchange:
    """A request that was handed to the socket."""

    def __init__(self, socket: Socket, seq: int, late: LateReply | None) -> None:
        self.future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._socket = socket
        self._seq = seq
        self._late = late
        _quiet(self.future)

    async def reply(self) -> Reply:
        """Wait for the reply, once. Cancelling this leaves the server to itself."""
        try:
            await asyncio.wait({self.future})
        except asyncio.CancelledError:
            self.abandon()
            raise
        return self.future.result()

    def abandon(self) -> None:
        """Stop waiting; a reply that comes nevertheless, or has come just now, is given to `late`."""
        if not self.future.done():
            self._socket.abandon(self._seq, self._late)
        elif self._late is not None and not self.future.cancelled() and self.future.exception() is None:
            self._socket.release(self._late, self.future.result())

    def expire(self, error: MillraceError) -> None:
        """The time is over: fail, and stop waiting."""
        if not self.future.done():
            self.abandon()
            self.future.set_exception(error)


class Socket:
    """One WebSocket, used once."""

    def __init__(self, owner: Owner, first_seq: int) -> None:
        self.protocol = core.Protocol(first_seq)
        self._owner = owner
        self._login: asyncio.Future[core.LoggedIn] = asyncio.get_running_loop().create_future()
        self._exchanges: dict[int, Exchange] = {}
        self._late: dict[int, LateReply] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._ws: ClientConnection | None = None
        self._reader: asyncio.Task[None] | None = None
        _quiet(self._login)

    async def open(self, url: str) -> None:
        """Open the WebSocket.

        Raises:
            ConnectionError: `connection_failed`.
        """
        try:
            self._ws = await connect(
                url,
                max_size=MESSAGE_BYTES,
                compression=None,
                open_timeout=None,
                ping_interval=_PING_INTERVAL,
                ping_timeout=_PONG_TIMEOUT,
                close_timeout=_CLOSE_TIMEOUT,
                write_limit=_WRITE_LIMIT,
                proxy=None if is_loopback(url) else True,
            )
        except (OSError, WebSocketException, EOFError, ValueError) as cause:
            raise create_error('connection_failed', f'Could not connect to {url}: {_reason(cause, url)}') from cause
        self._reader = asyncio.create_task(self._read(self._ws), name='millrace reader')

    async def log_in(self, credential: str, client_name: str) -> core.LoggedIn:
        """Log in and find the server's dialect.

        Raises:
            AuthenticationError: the key is refused; ConnectionError: the socket is lost meanwhile.
        """
        await self._send(self.protocol.login(credential, client_name, __version__))
        return await self._login

    async def start(
        self,
        command: str,
        args: Mapping[str, Any],
        data: bytes | bytearray | memoryview | None = None,
        late: LateReply | None = None,
        timeout: float = 0,
    ) -> Exchange:
        """Send a request; return when the next may follow. `timeout` in seconds, 0 for never."""
        request = self.protocol.request(command, args, data)
        return await self._hand_over(request, f'{command} was not answered within {timeout:g} s', late, timeout)

    async def ask(self, command: str, timeout: float) -> Reply:
        """Send a request that needs no login and wait for its reply."""
        text = f'The server did not answer within {timeout:g} s'
        exchange = await self._hand_over(self.protocol.anonymous(command), text, None, timeout)
        return await exchange.reply()

    async def _hand_over(
        self, request: core.Request, too_late: str, late: LateReply | None, timeout: float
    ) -> Exchange:
        exchange = Exchange(self, request.seq, late)
        self._exchanges[request.seq] = exchange
        try:
            if timeout <= 0:
                await self._send(request.message)
            else:
                error = create_error('timeout', too_late)
                timer = asyncio.get_running_loop().call_later(timeout, exchange.expire, error)
                exchange.future.add_done_callback(lambda _: timer.cancel())
                sending = asyncio.ensure_future(self._send(request.message))
                both: set[asyncio.Future[Any]] = {sending, exchange.future}
                await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
                if sending.done():
                    sending.result()
                else:
                    sending.cancel()
        except MillraceError as lost:
            self._settle(request.seq, lost)
        except asyncio.CancelledError:
            exchange.abandon()
            raise
        return exchange

    def abandon(self, seq: int, late: LateReply | None) -> None:
        """Nobody waits for the reply any more."""
        self._exchanges.pop(seq, None)
        self.protocol.abandon(seq)
        if late is not None:
            self._late[seq] = late

    def release(self, late: LateReply, reply: Reply) -> None:
        """Undo what a request made that nobody waits for."""
        self._owner.spawn(_released(late, reply))

    def lose(self, error: MillraceError) -> None:
        """Fail every request that waits."""
        self._late.clear()
        self._handle(self.protocol.lost(error))

    async def close(self, code: int, reason: str) -> None:
        """Close the WebSocket, after half a second at the latest, and end its reader."""
        if self._timer is not None:
            self._timer.cancel()
        if self._ws is not None:
            with contextlib.suppress(OSError, WebSocketException):
                await self._ws.close(code, reason)
        reader, self._reader = self._reader, None
        if reader is not None and reader is not asyncio.current_task():
            reader.cancel()
            await asyncio.wait({reader})

    async def _send(self, message: str | bytes) -> None:
        if self._ws is None:
            raise create_error('connection_lost')
        try:
            await self._ws.send(message)
        except (ConnectionClosed, OSError) as cause:
            raise create_error('connection_lost', f'The connection was lost: {error_text(cause)}') from cause

    async def _read(self, ws: ClientConnection) -> None:
        code, reason = _PROTOCOL_ERROR, ''
        try:
            while True:
                self._handle(self.protocol.receive(await ws.recv()))
                for message in self.protocol.take_outgoing():
                    await self._send(message)
        except ConnectionClosed as closed:
            frame = closed.rcvd or closed.sent
            code = 1006 if frame is None else frame.code
            reason = '' if frame is None else frame.reason
        except MillraceError as error:
            reason = error.message
            self._owner.spawn(self.close(_PROTOCOL_ERROR, 'Invalid message'))
        said = reason or f'closed with code {code}'
        self.lose(create_error('connection_lost', f'The connection was lost: {said}'))
        self._owner.closed(self, code, said)

    def _handle(self, outputs: list[core.Output]) -> None:
        broken: MillraceError | None = None
        for output in outputs:
            match output:
                case core.Replied(seq, reply):
                    self._settle(seq, reply)
                case core.Failed(seq, error):
                    self._settle(seq, error)
                case core.Happened(event):
                    self._owner.emit(cast(EventMessage, event))
                case core.LoggedIn():
                    if self._timer is not None:
                        self._timer.cancel()
                    if not self._login.done():
                        self._login.set_result(output)
                case core.LoginFailed(error):
                    if not self._login.done():
                        self._login.set_exception(error)
                case core.Dropped(seq, reply):
                    late = self._late.pop(seq, None)
                    if late is not None:
                        self.release(late, reply)
                case core.Timer(seconds):
                    self._timer = asyncio.get_running_loop().call_later(seconds, self._dialect_unanswered)
                case core.Broken(error):
                    broken = error
        if broken is not None:
            raise broken

    def _dialect_unanswered(self) -> None:
        self._handle(self.protocol.dialect_unanswered())

    def _settle(self, seq: int, outcome: Reply | MillraceError) -> None:
        exchange = self._exchanges.pop(seq, None)
        if exchange is None or exchange.future.done():
            return
        if isinstance(outcome, Reply):
            exchange.future.set_result(outcome)
        else:
            exchange.future.set_exception(outcome)


def _reason(cause: BaseException, url: str) -> str:
    """Say why there is no connection, in the words that other programs use."""
    address = urlsplit(url)
    if isinstance(cause, gaierror):
        return f'getaddrinfo ENOTFOUND {address.hostname}'
    name = errno.errorcode.get(cause.errno or 0) if isinstance(cause, OSError) else None
    return error_text(cause) if name is None else f'connect {name} {address.hostname}:{address.port}'


async def _released(late: LateReply, reply: Reply) -> None:
    # What cannot be released went with its connection.
    with contextlib.suppress(MillraceError):
        await late(reply)


def _quiet(future: asyncio.Future[Any]) -> None:
    """A failure that nobody awaits, because an earlier one explains it, is no news for the log."""
    future.add_done_callback(lambda done: None if done.cancelled() else done.exception() and None)

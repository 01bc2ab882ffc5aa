"""One socket's conversation: the login, the pairing of requests with replies, the events. Without I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from ..errors import MillraceError, create_error, error_of_response, error_text
from ..generated.limits import COMMAND_PREFIX, MESSAGE_BYTES, Dialect
from .frames import decode_frame, encode_binary_frame, encode_text_frame

__all__ = [
    'Broken',
    'Dropped',
    'Failed',
    'Happened',
    'LoggedIn',
    'LoginFailed',
    'Output',
    'Phase',
    'Protocol',
    'Replied',
    'Reply',
    'Request',
    'Timer',
]


class Phase(Enum):
    """Where the conversation is."""

    NEW = 'new'
    AUTHENTICATING = 'authenticating'
    FINDING_DIALECT = 'finding dialect'
    READY = 'ready'
    ENDED = 'ended'


@dataclass(frozen=True)
class Reply:
    """What a successful response carries: its body and, for binary responses, the payload."""

    body: Any
    payload: bytes | None = None


@dataclass(frozen=True)
class Request:
    """A request to send: its number and the message."""

    seq: int
    message: str | bytes


@dataclass(frozen=True)
class Replied:
    """The reply to request `seq`."""

    seq: int
    reply: Reply


@dataclass(frozen=True)
class Failed:
    """Request `seq` was refused, or its connection is gone."""

    seq: int
    error: MillraceError


@dataclass(frozen=True)
class Happened:
    """An event of the server, as it came."""

    event: dict[str, Any]


@dataclass(frozen=True)
class LoggedIn:
    """The login is done; requests may be made. `result` is what the server says about itself and the user."""

    result: dict[str, Any]
    dialect: Dialect


@dataclass(frozen=True)
class LoginFailed:
    """The login was refused."""

    error: MillraceError


@dataclass(frozen=True)
class Broken:
    """The server sent what is no message. Whoever waits would wait for ever, so the socket is given up."""

    error: MillraceError


@dataclass(frozen=True)
class Dropped:
    """A reply that nobody waits for any more: its request was abandoned."""

    seq: int
    reply: Reply


@dataclass(frozen=True)
class Timer:
    """Call `dialect_unanswered` after so many seconds, unless `LoggedIn` came before."""

    seconds: float


Output = Replied | Failed | Happened | LoggedIn | LoginFailed | Broken | Dropped | Timer

DIALECT_SECONDS = 5.0
"""A server that does not answer our ping within this time does not know it."""


class Protocol:
    """The client's side of one socket.

    Make one for each socket, with the first number of the last one's `next_seq`, because numbers are never used twice.
    Send what `login` and `request` return, and what `take_outgoing` has after each `receive`.
    """

    def __init__(self, first_seq: int = 1) -> None:
        self.phase = Phase.NEW
        self.dialect: Dialect = 'spec'
        self.next_seq = first_seq
        self._waiting: dict[int, str] = {}
        self._abandoned: set[int] = set()
        self._outgoing: list[str | bytes] = []
        self._login: int | None = None
        self._ping: int | None = None
        self._result: dict[str, Any] = {}

    @property
    def waiting(self) -> int:
        """How many requests wait for a reply."""
        return len(self._waiting)

    def login(self, credential: str, client_name: str, client_version: str) -> str | bytes:
        """Begin the login and return its message; `LoggedIn` or `LoginFailed` follows from `receive`."""
        self.phase = Phase.AUTHENTICATING
        given = {'auth': credential, 'clientName': client_name, 'clientVersion': client_version}
        request = self._request('auth', given, None)
        self._login = request.seq
        return request.message

    def anonymous(self, command: str) -> Request:
        """Make a request that needs no login; before one, or without one."""
        return self._request(command, {}, None)

    def request(self, command: str, args: Mapping[str, Any], data: bytes | bytearray | memoryview | None) -> Request:
        """Make a request of a command as it is written.

        Raises:
            ArgumentError: `args` cannot be written as JSON.
            ConnectionError: the login is not done, or the connection is over.
        """
        if self.phase is not Phase.READY:
            raise create_error('connection_lost', 'Not connected to the server')
        return self._request(command, args, data)

    def command(self, name: str) -> str:
        """Return the command of an extension: its name behind the prefix of the server's dialect."""
        return COMMAND_PREFIX[self.dialect] + name

    def abandon(self, seq: int) -> None:
        """Nobody waits for the reply of `seq` any more; should it come, it is `Dropped`."""
        if self._waiting.pop(seq, None) is not None:
            self._abandoned.add(seq)

    def dialect_unanswered(self) -> list[Output]:
        """Take it that a server that leaves our ping without an answer does not know it."""
        if self._ping is None or self.phase is not Phase.FINDING_DIALECT:
            return []
        self.abandon(self._ping)
        return [self._found('peer')]

    def receive(self, data: str | bytes) -> list[Output]:
        """Take one message of the server and return what follows from it, in order."""
        if self.phase is Phase.ENDED:
            return []
        try:
            header, payload = decode_frame(data, MESSAGE_BYTES)
        except MillraceError as error:
            return self._break(error)
        kind = header.get('type')
        if kind == 'event':
            return [Happened(header)] if isinstance(header.get('event'), str) else []
        if kind != 'response':
            return []
        return self._respond(header, payload)

    def take_outgoing(self) -> list[str | bytes]:
        """Return the messages that `receive` wants sent, once."""
        outgoing, self._outgoing = self._outgoing, []
        return outgoing

    def lost(self, error: MillraceError) -> list[Output]:
        """The socket is gone: no reply will come any more."""
        if self.phase is Phase.ENDED:
            return []
        outputs: list[Output] = []
        if self.phase in (Phase.AUTHENTICATING, Phase.FINDING_DIALECT):
            outputs.append(LoginFailed(error))
        self.phase = Phase.ENDED
        own = (self._login, self._ping)
        outputs.extend(Failed(seq, error) for seq in self._waiting if seq not in own)
        self._waiting.clear()
        self._abandoned.clear()
        return outputs

    def _request(self, command: str, args: Mapping[str, Any], data: bytes | bytearray | memoryview | None) -> Request:
        seq = self.next_seq
        header = {'type': 'request', 'seq': seq, 'command': command, 'arguments': args}
        try:
            message = encode_text_frame(header) if data is None else encode_binary_frame(header, data)
        except (TypeError, ValueError, RecursionError) as cause:
            text = f'The arguments of {command} cannot be written as JSON: {error_text(cause)}'
            raise create_error('invalid_argument', text) from cause
        self.next_seq += 1
        self._waiting[seq] = command
        return Request(seq, message)

    def _respond(self, header: dict[str, Any], payload: bytes | None) -> list[Output]:
        seq = header.get('request_seq')
        if not isinstance(seq, int) or isinstance(seq, bool):
            return []
        reply = Reply(header.get('body'), payload)
        if seq in self._abandoned:
            self._abandoned.discard(seq)
            return [] if header.get('success') is False else [Dropped(seq, reply)]
        command = self._waiting.pop(seq, None)
        if command is None:
            return []
        if seq == self._login:
            return self._authenticated(header)
        refused = header.get('success') is False
        if seq == self._ping:
            return [self._found('peer' if refused else 'spec')] if self.phase is Phase.FINDING_DIALECT else []
        return [Failed(seq, error_of_response(command, header)) if refused else Replied(seq, reply)]

    def _authenticated(self, header: dict[str, Any]) -> list[Output]:
        # Only a login needs an explicit success; elsewhere a missing one counts as success.
        if header.get('success') is not True:
            self.phase = Phase.ENDED
            return [LoginFailed(error_of_response('auth', header))]
        body = header.get('body')
        self._result = body if isinstance(body, dict) else {}
        self.phase = Phase.FINDING_DIALECT
        # A server that refuses our ping does not know our commands; then it is spoken to as existing clients do.
        ping = self._request(f'{COMMAND_PREFIX["spec"]}ping', {}, None)
        self._ping = ping.seq
        self._outgoing.append(ping.message)
        return [Timer(DIALECT_SECONDS)]

    def _found(self, dialect: Dialect) -> LoggedIn:
        self.dialect = dialect
        self.phase = Phase.READY
        return LoggedIn(self._result, dialect)

    def _break(self, error: MillraceError) -> list[Output]:
        lost = create_error('connection_lost', f'The connection was lost: {error.message}')
        lost.__cause__ = error
        return [*self.lost(lost), Broken(lost)]

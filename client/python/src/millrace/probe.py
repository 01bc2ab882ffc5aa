"""What servers say about themselves to anybody."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping
from typing import Any

from .errors import AuthenticationError, ConnectionError, MillraceError, TimeoutError, create_error
from .generated.limits import COMMAND_PREFIX
from .generated.models import EventMessage, ServerInfo
from .socket import NORMAL_CLOSURE, Socket

__all__ = ['probe', 'server_info_of']


class _Nobody:
    """The owner of a socket that asks one question."""

    def __init__(self) -> None:
        self._work: set[asyncio.Future[Any]] = set()

    def emit(self, event: EventMessage) -> None:
        """Hear nothing."""

    def spawn(self, work: Awaitable[Any]) -> None:
        """Do it, whatever comes of it."""
        self._work.add(asyncio.ensure_future(work))

    def closed(self, socket: Socket, code: int, reason: str) -> None:
        """Need no telling: the question has failed."""

    async def end(self) -> None:
        """Wait for the work."""
        if self._work:
            await asyncio.wait(self._work)


async def probe(url: str, timeout: float) -> ServerInfo:
    """Ask a server without logging in, on a socket of its own.

    Raises:
        ConnectionError: there is no server, or it did not answer; ServerError: `unsupported`.
    """
    for prefix in COMMAND_PREFIX.values():
        owner = _Nobody()
        socket = Socket(owner, 1)
        try:
            await asyncio.wait_for(socket.open(url), timeout)
            body = (await socket.ask(f'{prefix}public_probe', timeout)).body
            if body is not None:
                return server_info_of(body)
        except (asyncio.TimeoutError, TimeoutError) as cause:
            message = f'{url} did not answer within {timeout:g} s'
            raise create_error('connection_failed', message) from cause
        except ConnectionError as error:
            # A server may close because it does not know the question; but what is no message is no answer to it.
            if error.code == 'connection_failed' or isinstance(error.__cause__, MillraceError):
                raise
        except AuthenticationError:
            raise
        except MillraceError:
            # Refused in this dialect.
            continue
        finally:
            await socket.close(NORMAL_CLOSURE, '')
            await owner.end()
    raise create_error('unsupported', 'The server does not tell about itself')


def server_info_of(body: Any) -> ServerInfo:
    """Return the facts of an answer, with every field there."""
    given: Mapping[str, Any] = body if isinstance(body, Mapping) else {}
    version = given.get('version')
    text = version.get('version') if isinstance(version, Mapping) else version
    capabilities, apps, platform = given.get('capabilities'), given.get('apps'), given.get('platform')
    return {
        'version': text if isinstance(text, str) else '',
        'capabilities': capabilities if isinstance(capabilities, list) else [],
        'platform': platform if isinstance(platform, str) else '',
        'apps': apps if isinstance(apps, list) else [],
    }

"""Addresses as people write them."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from ..errors import MillraceError, create_error
from ..generated.limits import DEFAULT_PORT, SOCKET_PATH

DEFAULT_ADDRESS = f'http://127.0.0.1:{DEFAULT_PORT}'
_SCHEMES = {'http': 'ws', 'https': 'wss', 'ws': 'ws', 'wss': 'wss'}
_HINT = 'Write it like http://127.0.0.1:5565 or host:port.'


def socket_address(given: str) -> str:
    """Return the socket address for `http(s)://`, `ws(s)://` or a bare `host[:port]`.

    `http` becomes `ws` and `https` becomes `wss`. The port is 5565 when none is given. Path, query and user name are
    dropped; the service always lives at `/task/service`.

    Raises:
        ArgumentError: it is not an address.
    """
    text = given.strip()
    full = text if re.match(r'[a-z][a-z0-9+.-]*://', text, re.IGNORECASE) else f'http://{text}'
    try:
        parts = urlsplit(full)
        host, port = parts.hostname, parts.port
    except ValueError as cause:
        raise _refused(given, 'is not an address') from cause
    scheme = _SCHEMES.get(parts.scheme.lower())
    if scheme is None or not host:
        raise _refused(given, 'is not an http, https, ws or wss address')
    if re.search(r'[\s<>"%^`{|}\\]', host):
        raise _refused(given, 'is not an address')
    name = f'[{host}]' if ':' in host else host
    return f'{scheme}://{name}:{DEFAULT_PORT if port is None else port}{SOCKET_PATH}'


def is_loopback(address: str) -> bool:
    """Whether a socket address leads to this machine."""
    host = urlsplit(address).hostname or ''
    return host in ('localhost', '::1') or re.fullmatch(r'127(\.\d+){3}', host) is not None


def _refused(given: str, why: str) -> MillraceError:
    return create_error('invalid_argument', f'"{given}" {why}', hint=_HINT)

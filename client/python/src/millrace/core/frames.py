"""The binary form of messages: JSON as text, or a JSON header, one line feed and a payload."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..errors import MillraceError, create_error


class Frame(NamedTuple):
    """A message as it came off the socket: the header object and, for binary messages, the payload."""

    header: dict[str, Any]
    payload: bytes | None = None


def decode_frame(data: str | bytes, max_header: int) -> Frame:
    """Split a WebSocket message; `max_header` bounds its JSON part, in bytes.

    Text is JSON. Binary is a JSON header, one line feed and the payload; binary without a line feed is read as JSON.

    Raises:
        MillraceError: `too_large` or `invalid_message`.
    """
    if isinstance(data, str):
        _check_size(len(data), max_header)
        return Frame(_parse_header(data))
    split = data.find(b'\n')
    header = data if split < 0 else data[:split]
    _check_size(len(header), max_header)
    try:
        text = header.decode()
    except UnicodeDecodeError as cause:
        raise create_error('invalid_message', 'The message header is not valid UTF-8') from cause
    return Frame(_parse_header(text), None if split < 0 else data[split + 1 :])


def encode_text_frame(header: Mapping[str, Any]) -> str:
    """Return the text of a message without payload.

    Raises:
        TypeError, ValueError: a value cannot be written as JSON.
    """
    return json.dumps(header, ensure_ascii=False, separators=(',', ':'), allow_nan=False)


def encode_binary_frame(header: Mapping[str, Any], payload: bytes | bytearray | memoryview) -> bytes:
    """Return the bytes of a binary message: header, line feed, payload."""
    return b'\n'.join((encode_text_frame(header).encode(), payload))


def _parse_header(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as cause:
        raise create_error('invalid_message', f'The message is not valid JSON: {cause}') from cause
    if not isinstance(value, dict):
        raise create_error('invalid_message', 'The message is not a JSON object')
    return value


def _check_size(size: int, limit: int) -> None:
    if size > limit:
        raise _too_large(size, limit)


def _too_large(size: int, limit: int) -> MillraceError:
    return create_error('too_large', f'The message header has {size} bytes; at most {limit} are accepted')

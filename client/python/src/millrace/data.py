"""Sending objects, and asking questions, which are objects too."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .connection import Connection
from .errors import MillraceError, create_error
from .generated.limits import DEFAULT_MIME_TYPE, QUESTION_MIME_TYPE
from .generated.models import PipelineResult, QuestionData
from .mime_types import is_textual, mime_type_of
from .monitors import Monitors
from .pipes import Data, DataPipe, MessageListener, bytes_of
from .question import Question, make_question
from .results import read_result
from .tasks import checked_token, defined

__all__ = ['CHUNK_SIZE', 'DataSender', 'SentObject', 'settle_failed_pipe', 'size_of']

CHUNK_SIZE = 1024 * 1024
"""Bytes per write of an upload."""


class SentObject(NamedTuple):
    """What travels with one object."""

    token: str
    objinfo: Mapping[str, Any]
    mime_type: str
    provider: str | None = None


class DataSender:
    """Sends objects into running pipelines."""

    def __init__(self, connection: Connection, monitors: Monitors) -> None:
        self._connection = connection
        self._monitors = monitors
        self._pipes = 0
        self._asked = 0

    def pipe(
        self,
        token: str,
        objinfo: Mapping[str, Any] | None = None,
        mime_type: str | None = None,
        provider: str | None = None,
        on_event: MessageListener | None = None,
        window: int | None = None,
        on_progress: Callable[[int], None] | None = None,
        timeout: float | None = None,
    ) -> DataPipe:
        """Make a pipe."""
        self._pipes += 1
        return DataPipe(
            self._connection,
            self._monitors,
            f'pipe {self._pipes}',
            token=checked_token(token),
            objinfo=objinfo,
            mime_type=mime_type,
            provider=provider,
            on_event=on_event,
            window=window,
            on_progress=on_progress,
            timeout=timeout,
        )

    async def send(
        self,
        token: str,
        data: Data,
        objinfo: Mapping[str, Any] | None,
        mime_type: str | None,
        timeout: float | None,
    ) -> PipelineResult:
        """Send one text, which is `text/plain` unless told otherwise, or bytes, which go by the name's extension."""
        payload = bytes_of(data)
        info = {**(objinfo or {}), 'size': size_of(len(payload))}
        name = info.get('name')
        guessed = mime_type_of(name) if isinstance(name, str) else DEFAULT_MIME_TYPE
        chosen = mime_type or ('text/plain' if isinstance(data, str) else guessed)
        return await self.send_bytes(payload, SentObject(checked_token(token), info, chosen), timeout)

    async def send_bytes(self, payload: bytes, about: SentObject, timeout: float | None = None) -> PipelineResult:
        """Send bytes in one message when the server knows that and the data is small, else through a pipe."""
        if self._connection.dialect == 'peer' or len(payload) > CHUNK_SIZE:
            return await self._through_pipe(payload, about, timeout)
        args = {
            'subcommand': 'send',
            'token': about.token,
            'object': about.objinfo,
            'mimeType': about.mime_type,
            **defined(provider=about.provider),
        }
        reply = await self._connection.call('process', args, data=payload, timeout=timeout)
        if not isinstance(reply.body, dict):
            raise create_error('pipe_failed', 'The server returned no result')
        return read_result(reply.body)

    async def chat(
        self, token: str, question: object, on_event: MessageListener | None, timeout: float | None
    ) -> PipelineResult:
        """Ask one question."""
        payload = json.dumps(_question_of(question), ensure_ascii=False).encode()
        self._asked += 1
        about = SentObject(checked_token(token), {'name': f'Question {self._asked}'}, QUESTION_MIME_TYPE, 'chat')
        if on_event is None:
            return await self.send_bytes(payload, about, timeout)
        pipe = await self.pipe(*about, on_event=on_event, timeout=timeout).open()
        return await self._write_all(pipe, [payload])

    async def _through_pipe(self, payload: bytes, about: SentObject, timeout: float | None) -> PipelineResult:
        # Every write of a textual type is an item of its own, so cutting it would change what the pipeline sees.
        whole = is_textual(about.mime_type)
        starts = [0] if whole else range(0, len(payload), CHUNK_SIZE)
        size = len(payload) if whole else CHUNK_SIZE
        pipe = await self.pipe(*about, timeout=timeout).open_ahead()
        return await self._write_all(pipe, [payload[start : start + size] for start in starts])

    async def _write_all(self, pipe: DataPipe, pieces: list[bytes]) -> PipelineResult:
        try:
            try:
                for piece in pieces:
                    await pipe.write(piece)
            except MillraceError as error:
                return await settle_failed_pipe(pipe, error)
            return await pipe.close()
        except BaseException:
            await pipe.abandon()
            raise


async def settle_failed_pipe(pipe: DataPipe, error: MillraceError) -> PipelineResult:
    """After a failed write: the result tells what happened when there is one that carries the error.

    Without one the write's own error is raised. Either way the pipe is free again.
    """
    if not pipe.is_open:
        raise error
    result = await pipe.close()
    if 'error' not in result:
        raise error
    return result


def size_of(length: int) -> int:
    """Return the size to tell: the parser of servers skips objects of size 0."""
    return max(1, length)


def _question_of(given: object) -> QuestionData:
    if isinstance(given, Question):
        return given.to_dict()
    if isinstance(given, str) and given:
        return Question(given).to_dict()
    if isinstance(given, Mapping):
        return make_question(given)
    raise create_error('invalid_argument', 'The question must be a Question, a mapping or a text that is not empty')

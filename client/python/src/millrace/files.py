"""Uploading several files at a time."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple, cast

from .connection import Connection
from .data import CHUNK_SIZE, DataSender, SentObject, settle_failed_pipe, size_of
from .errors import FileNotFoundError, MillraceError, create_error, error_text
from .generated.limits import UPLOAD_EVENT
from .generated.models import PipelineResult, UploadProgress, UploadResult
from .mime_types import is_textual, mime_type_of
from .tasks import checked_token

__all__ = ['DEFAULT_CONCURRENCY', 'FileEntry', 'FileSender']

FilePath = str | os.PathLike[str]
FileEntry = FilePath | tuple[FilePath, Mapping[str, Any]] | tuple[FilePath, Mapping[str, Any], str]
"""A path, a pair (path, facts about the object) or a triple (path, facts, MIME type)."""

DEFAULT_CONCURRENCY = 5


class _File(NamedTuple):
    path: Path
    filepath: str
    size: int
    objinfo: dict[str, Any]
    mime_type: str


class _Upload:
    """How far one file is."""

    def __init__(self, connection: Connection, file: _File) -> None:
        self.sent = 0
        self._connection = connection
        self._file = file
        self._began = time.monotonic()

    def facts(self) -> dict[str, Any]:
        return {
            'filepath': self._file.filepath,
            'bytes_sent': self.sent,
            'file_size': self._file.size,
            'upload_time': time.monotonic() - self._began,
        }

    def tell(self, action: Literal['open', 'write', 'close']) -> None:
        self.emit({'action': action, **self.facts()})

    def report(self, sent: int) -> None:
        if sent != self.sent:
            self.sent = sent
            self.tell('write')

    def emit(self, body: Mapping[str, Any]) -> None:
        progress = cast(UploadProgress, body)
        self._connection.emit({'type': 'event', 'seq': 0, 'event': UPLOAD_EVENT, 'body': progress})


class FileSender:
    """Uploads files."""

    def __init__(self, connection: Connection, data: DataSender) -> None:
        self._connection = connection
        self._data = data

    async def send_files(self, files: Sequence[FileEntry], token: str, concurrency: int) -> list[UploadResult]:
        """Upload every file; one result each, in order."""
        checked_token(token)
        found = [_look_up(entry) for entry in files]
        results: list[UploadResult | None] = [None] * len(found)
        queue = iter(enumerate(found))

        async def work() -> None:
            for index, file in queue:
                results[index] = await self._upload(file, token)

        workers = [asyncio.ensure_future(work()) for _ in range(max(1, min(concurrency, len(found))))]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
        return cast('list[UploadResult]', results)

    async def _upload(self, file: _File, token: str) -> UploadResult:
        """Upload one file. What goes wrong is in the result."""
        upload = _Upload(self._connection, file)
        about = SentObject(token, {**file.objinfo, 'size': size_of(file.size)}, file.mime_type)
        outcome: dict[str, Any]
        try:
            upload.tell('open')
            whole = file.size <= CHUNK_SIZE and self._connection.dialect == 'spec'
            result = await (self._send_whole if whole else self._send_stream)(file, about, upload)
            error = result.get('error')
            if error is None:
                outcome = {'action': 'complete', **upload.facts(), 'result': result}
            else:
                outcome = {'action': 'error', **upload.facts(), 'result': result, 'error': error['message']}
        except (MillraceError, OSError) as thrown:
            outcome = {'action': 'error', **upload.facts(), 'error': error_text(thrown)}
        upload.emit(outcome)
        return cast(UploadResult, outcome)

    async def _send_whole(self, file: _File, about: SentObject, upload: _Upload) -> PipelineResult:
        with await _open(file) as stream:
            payload = b''.join([chunk async for chunk in _chunks(stream, file, at_lines=False)])
        upload.tell('close')
        result = await self._data.send_bytes(payload, about)
        upload.report(len(payload))
        return result

    async def _send_stream(self, file: _File, about: SentObject, upload: _Upload) -> PipelineResult:
        # What was read of a file that changes meanwhile is not the file: the pipe is then left by the error.
        with await _open(file) as stream:
            async with self._data.pipe(*about, on_progress=upload.report) as pipe:
                async for chunk in _chunks(stream, file, is_textual(about.mime_type)):
                    try:
                        await pipe.write(chunk)
                    except MillraceError as error:
                        return await settle_failed_pipe(pipe, error)
                upload.tell('close')
                return await pipe.close()


async def _open(file: _File) -> BinaryIO:
    try:
        return await asyncio.to_thread(file.path.open, 'rb')
    except OSError as cause:
        raise _missing(file.filepath) from cause


async def _chunks(stream: BinaryIO, file: _File, at_lines: bool) -> AsyncIterator[bytes]:
    """The bytes of a file in pieces of at most `CHUNK_SIZE`.

    There are no more of them than there were at first: a file that somebody writes to would never end. With `at_lines`
    a piece ends after its last line feed when it has one, so that neither a line nor a character is cut.

    Raises:
        ArgumentError: the file has changed meanwhile.
    """
    begin = os.fstat(stream.fileno())
    left = begin.st_size
    if left != file.size:
        raise _changed(file)
    rest = b''
    while left > 0:
        piece = await asyncio.to_thread(stream.read, min(left, CHUNK_SIZE - len(rest)))
        if not piece:
            raise _changed(file)
        left -= len(piece)
        whole = rest + piece
        if len(whole) < CHUNK_SIZE:
            rest = whole
            continue
        cut = (whole.rfind(b'\n') + 1 if at_lines else 0) or len(whole)
        rest = whole[cut:]
        yield whole[:cut]
    end = os.fstat(stream.fileno())
    if (end.st_size, end.st_mtime_ns) != (begin.st_size, begin.st_mtime_ns):
        raise _changed(file)
    if rest:
        yield rest


def _changed(file: _File) -> MillraceError:
    message = f'The file changed while it was sent: {file.filepath}'
    return create_error('invalid_argument', message, hint='Send it again when nobody writes to it.')


def _missing(filepath: str) -> FileNotFoundError:
    return FileNotFoundError('file_not_found', f'File not found: {filepath}', filename=filepath)


def _look_up(entry: FileEntry) -> _File:
    """Look a path up, so that a wrong one is told before anything is sent."""
    given = entry if isinstance(entry, tuple) else (entry,)
    if not 1 <= len(given) <= 3 or not isinstance(given[0], str | os.PathLike):
        raise create_error('invalid_argument', 'Each file must be a path, (path, objinfo) or (path, objinfo, mimetype)')
    filepath = os.fspath(given[0])
    objinfo = dict(given[1] or {}) if len(given) > 1 else {}
    path = Path(filepath)
    try:
        size = path.stat().st_size
    except OSError as cause:
        raise _missing(filepath) from cause
    if not path.is_file():
        raise FileNotFoundError('file_not_found', f'Not a file: {filepath}', filename=filepath)
    objinfo = {**objinfo, 'name': objinfo['name'] if isinstance(objinfo.get('name'), str) else path.name}
    mime_type = (given[2] if len(given) > 2 else None) or mime_type_of(path.name)
    return _File(path, filepath, size, objinfo, mime_type)

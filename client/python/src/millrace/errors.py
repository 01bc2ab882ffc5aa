"""What goes wrong, as one tree of exceptions.

Every exception is a :class:`MillraceError` with a `code` of the table of errors, a `message` saying what is wrong
and a `hint` that says what to do. Decide on `code` or on the class. Each class is also the usual Python exception of
its kind, so that `except ValueError`, `except FileNotFoundError`, `except json.JSONDecodeError` and
`except RuntimeError` do what one expects.
"""

from __future__ import annotations

import builtins
import errno
import json
from collections.abc import Mapping
from typing import Any

from .generated.table import ERROR_TABLE, ErrorCode

__all__ = [
    'ArgumentError',
    'AuthenticationError',
    'CancelledError',
    'ConnectionError',
    'ErrorCode',
    'FileNotFoundError',
    'MillraceError',
    'NotFoundError',
    'PipeError',
    'PipelineError',
    'PipelineSyntaxError',
    'RefusedArgumentError',
    'ServerError',
    'TaskError',
    'TimeoutError',
    'ValidationError',
]


class MillraceError(Exception):
    """An error with a code from the table. `message` is what a person reads, `hint` says what to do."""

    code: ErrorCode
    message: str
    hint: str

    def __init__(self, code: ErrorCode, message: str | None = None, *, hint: str | None = None) -> None:
        """Take the usual message and hint of the code where none is given."""
        entry = ERROR_TABLE[code]
        self.code = code
        self.message = entry.message if message is None else message
        self.hint = entry.hint if hint is None else hint
        # Not the next class in line, which may be one that wants more arguments.
        Exception.__init__(self, self.message)

    def __str__(self) -> str:
        return self.message

    def __repr__(self) -> str:
        return f'{type(self).__name__}({self.code!r}, {self.message!r})'

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.code, self.message, self.hint)


class AuthenticationError(MillraceError):
    """The key is refused, or it may not do this. Codes `auth_*`, `not_authenticated`, `permission_denied`."""


class ConnectionError(MillraceError, RuntimeError, builtins.ConnectionError):
    """No connection, or it was lost while a request was waiting. Codes `connection_failed`, `connection_lost`.

    A request that was waiting may have been carried out.
    """


class TimeoutError(MillraceError, RuntimeError, builtins.TimeoutError):
    """No reply within the request's timeout. Code `timeout`."""


class CancelledError(MillraceError, RuntimeError):
    """The client was disconnected while it was connecting. Code `cancelled`.

    A task that asyncio cancels gets `asyncio.CancelledError` as everywhere.
    """


class ValidationError(MillraceError):
    """An argument or a pipeline is wrong; one of the four classes below."""


class ArgumentError(ValidationError, ValueError):
    """An argument is wrong. Code `invalid_argument`."""


class RefusedArgumentError(ArgumentError, RuntimeError):
    """The server refused an argument. Code `invalid_argument`."""


class PipelineError(ValidationError, RuntimeError):
    """The server refused the pipeline. Codes `pipeline_invalid`, `source_*`, `provider_unknown`."""


class PipelineSyntaxError(ValidationError, json.JSONDecodeError):
    """A pipeline file is not JSON5. Code `pipeline_syntax`; `lineno` and `colno` count from 1."""

    def __init__(
        self,
        code: ErrorCode = 'pipeline_syntax',
        message: str | None = None,
        *,
        hint: str | None = None,
        doc: str = '',
        pos: int = 0,
    ) -> None:
        """Take the text of the file and the place in it, counted in characters from 0."""
        MillraceError.__init__(self, code, message, hint=hint)
        self.msg = self.message
        self.doc = doc
        self.pos = pos
        self.lineno = doc.count('\n', 0, pos) + 1
        self.colno = pos - doc.rfind('\n', 0, pos)


class TaskError(MillraceError, RuntimeError):
    """The task could not be started or does not take the request. Codes `start_failed`, `task_*`, `token_required`."""


class PipeError(MillraceError, RuntimeError):
    """A pipe could not be opened, written or closed. Codes `pipe_*`, `component_failed`."""


class ServerError(MillraceError, RuntimeError):
    """The server refused for another reason, for example `internal`, `too_many`, `unsupported`, `store_failed`."""


class NotFoundError(MillraceError, LookupError):
    """Something named by the caller does not exist. Codes `not_found`, `service_unknown`, `file_not_found`."""


class FileNotFoundError(NotFoundError, builtins.FileNotFoundError):
    """A local or stored file does not exist. Code `file_not_found`."""

    def __init__(
        self,
        code: ErrorCode = 'file_not_found',
        message: str | None = None,
        *,
        hint: str | None = None,
        filename: str | None = None,
    ) -> None:
        """Take the path as the caller wrote it."""
        super().__init__(code, message, hint=hint)
        self.errno = errno.ENOENT
        self.filename = filename


_CLASSES: Mapping[ErrorCode, type[MillraceError]] = {
    'not_authenticated': AuthenticationError,
    'auth_missing': AuthenticationError,
    'auth_invalid': AuthenticationError,
    'auth_too_many': AuthenticationError,
    'permission_denied': AuthenticationError,
    'connection_lost': ConnectionError,
    'connection_failed': ConnectionError,
    'timeout': TimeoutError,
    'cancelled': CancelledError,
    'invalid_argument': ArgumentError,
    'pipeline_invalid': PipelineError,
    'pipeline_syntax': PipelineSyntaxError,
    'source_missing': PipelineError,
    'source_ambiguous': PipelineError,
    'provider_unknown': PipelineError,
    'token_required': TaskError,
    'task_unknown': TaskError,
    'task_exists': TaskError,
    'task_ended': TaskError,
    'task_stopping': TaskError,
    'task_failed': TaskError,
    'start_failed': TaskError,
    'pipe_not_found': PipeError,
    'pipe_failed': PipeError,
    'pipe_abandoned': PipeError,
    'component_failed': PipeError,
    'not_found': NotFoundError,
    'service_unknown': NotFoundError,
    'file_not_found': FileNotFoundError,
}


def create_error(code: ErrorCode, message: str | None = None, *, hint: str | None = None) -> MillraceError:
    """Make the error of the class that belongs to `code`."""
    return _CLASSES.get(code, ServerError)(code, message, hint=hint)


# Servers without error codes say only a text; the command then tells what kind of failure it is.
_FALLBACK_CODES: Mapping[str, ErrorCode] = {
    'auth': 'auth_invalid',
    'execute': 'start_failed',
    'restart': 'start_failed',
    'terminate': 'task_failed',
    'process': 'pipe_failed',
    'validate': 'pipeline_invalid',
    'services': 'service_unknown',
    'store': 'store_failed',
}
_CODES_BY_TEXT: Mapping[str, ErrorCode] = {entry.message: code for code, entry in ERROR_TABLE.items()}


def error_of_response(command: str, response: Mapping[str, Any]) -> MillraceError:
    """Make the error that a failed response stands for."""
    message = response.get('message')
    text = message if isinstance(message, str) and message else None
    code = response.get('code')
    known = code if isinstance(code, str) and code in ERROR_TABLE else _code_of(command, text or '')
    hint = response.get('hint')
    given = text or f'The server refused {command} without saying why'
    if known == 'invalid_argument':
        return RefusedArgumentError(known, given, hint=hint if isinstance(hint, str) else None)
    return create_error(known, given, hint=hint if isinstance(hint, str) else None)


def error_text(thrown: BaseException) -> str:
    """Return a text for whatever was raised, never empty."""
    return str(thrown) or type(thrown).__name__


def to_millrace_error(thrown: BaseException, fallback: ErrorCode = 'internal') -> MillraceError:
    """Return whatever was raised as a MillraceError; foreign errors become `fallback` and keep their text."""
    if isinstance(thrown, MillraceError):
        return thrown
    error = create_error(fallback, error_text(thrown))
    error.__cause__ = thrown
    return error


def _code_of(command: str, message: str) -> ErrorCode:
    known = _CODES_BY_TEXT.get(message)
    if known is not None:
        return known
    _, extension, rest = command.partition('ext_')
    name = rest if extension else command
    return _FALLBACK_CODES.get(name, 'deployment_failed' if name.startswith('deploy_') else 'internal')


def _restore(cls: type[MillraceError], code: ErrorCode, message: str, hint: str) -> MillraceError:
    return cls(code, message, hint=hint)

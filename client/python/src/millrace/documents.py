"""Pipeline files: JSON or JSON5."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import json5

from .errors import FileNotFoundError, MillraceError, PipelineSyntaxError, create_error, error_text
from .generated.limits import JSON_DEPTH

__all__ = ['LoadedPipeline', 'load_pipeline', 'parse_pipeline', 'unwrap_pipeline']


class LoadedPipeline(NamedTuple):
    """A pipeline file that was read: its content and the name of the file without its endings."""

    pipeline: Any
    name: str


def load_pipeline(filepath: str | Path) -> LoadedPipeline:
    """Read a pipeline file.

    The name is the file's, without `.pipe`, `.pipe.json`, `.pipe.json5`, `.json` or `.json5`.

    Raises:
        FileNotFoundError: it does not exist or cannot be read.
        PipelineSyntaxError: it is not JSON5; also a `json.JSONDecodeError`.
    """
    path = Path(filepath)
    try:
        text = path.read_bytes().decode('utf-8', 'replace')
    except OSError as cause:
        missing = isinstance(cause, OSError) and cause.errno == 2
        message = f'File not found: {filepath}' if missing else f'Cannot read {filepath}: {cause.strerror or cause}'
        raise FileNotFoundError('file_not_found', message, filename=str(filepath)) from cause
    try:
        pipeline = parse_pipeline(text)
    except PipelineSyntaxError as error:
        message = f'{filepath}: {error.message}'
        raise PipelineSyntaxError(message=message, hint=error.hint, doc=error.doc, pos=error.pos) from error
    return LoadedPipeline(pipeline, re.sub(r'(\.pipe)?(\.json5?)?$', '', path.name, flags=re.IGNORECASE) or path.name)


def parse_pipeline(given: str) -> Any:
    """Read the text of a pipeline file and unwrap it. It is checked for depth, not for structure.

    Raises:
        PipelineSyntaxError: it is empty, nested too deeply or not JSON5; the message names line and column.
    """
    source = given.removeprefix('\ufeff')
    if not source.strip():
        raise _broken('it is empty')
    _check_depth(source)
    for text in (source, _as_json(source)):
        # JSON is read many times faster, and almost everything can be.
        with contextlib.suppress(ValueError):
            return unwrap_pipeline(json.loads(text))
    try:
        value = json5.loads(source)
    except (ValueError, RecursionError) as cause:
        raise _syntax_error(source, cause) from cause
    return unwrap_pipeline(value)


def unwrap_pipeline(value: Any) -> Any:
    """Return the pipeline inside a `{"pipeline": {…}}` wrapper; any other value as it is."""
    wrapped = isinstance(value, Mapping) and isinstance(value.get('pipeline'), Mapping) and 'components' not in value
    return value['pipeline'] if wrapped else value


def checked_pipeline(value: Any) -> Mapping[str, Any]:
    """Unwrap a pipeline that the caller passed.

    Raises:
        ArgumentError: it is not a mapping.
    """
    pipeline = unwrap_pipeline(value)
    if not isinstance(pipeline, Mapping):
        raise create_error('invalid_argument', 'The pipeline must be an object')
    return pipeline


def _syntax_error(source: str, cause: BaseException) -> MillraceError:
    text = error_text(cause)
    place = re.search(r':(\d+) .* at column (\d+)$', text, re.DOTALL)
    if place is None:
        return _broken(text[:200])
    line, column = int(place[1]), int(place[2])
    before = source.split('\n')[: line - 1]
    pos = min(len(source), sum(len(each) + 1 for each in before) + column - 1)
    if 'end of input' in text or pos >= len(source):
        return _broken('unexpected end of the file', source, pos)
    character = source[pos]
    if character in '\r\n':
        return _broken('unexpected line break', source, pos)
    return _broken("unexpected '\"'" if character == '"' else f'unexpected "{character}"', source, pos)


def _broken(what: str, source: str = '', pos: int | None = None) -> PipelineSyntaxError:
    if pos is None:
        return PipelineSyntaxError(message=f'Broken pipeline file: {what}')
    error = PipelineSyntaxError(doc=source, pos=pos)
    where = f' at line {error.lineno}, column {error.colno}'
    return PipelineSyntaxError(message=f'Broken pipeline file: {what}{where}', doc=source, pos=pos)


# What JSON5 has beside JSON and is usual: white space, comments, strings without escapes of their own, names.
_WORDS = re.compile(
    r'(?P<blank>[\t\n\v\f\r \u00a0\u2028\u2029\ufeff]+|//[^\n\r\u2028\u2029]*|/\*.*?\*/)'
    r'|(?P<string>"(?:[^"\\\n\r]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*")'
    r"|(?P<single>'[^'\"\\\n\r]*')|(?P<name>[A-Za-z_$][A-Za-z0-9_$]*)|(?P<number>[-+.0-9A-Za-z]+)|(?P<mark>[{}\[\]:,])",
    re.DOTALL,
)


def _as_json(source: str) -> str:
    """Return the same value as JSON, or what is no JSON when it has something unusual or is wrong."""
    words: list[str] = []
    last = ''
    position = 0
    while position < len(source):
        found = _WORDS.match(source, position)
        if found is None:
            return ''
        position = found.end()
        word, kind = found[0], found.lastgroup
        if kind == 'blank':
            continue
        if last == ',' and word in '}]' and len(words) > 1 and words[-2] not in ('[', '{', ','):
            words.pop()
        if word == ':' and last == 'name':
            words[-1] = f'"{words[-1]}"'
        words.append(f'"{word[1:-1]}"' if kind == 'single' else word)
        last = 'name' if kind == 'name' else word
    return ' '.join(words)


# Strings and comments, which may hold brackets that count for nothing, and the brackets that count.
_TOKENS = re.compile(
    r'"(?:\\.|[^"\\])*(?:"|$)|\'(?:\\.|[^\'\\])*(?:\'|$)|//[^\n\r\u2028\u2029]*|/\*.*?(?:\*/|$)|[{}\[\]]', re.DOTALL
)


def _check_depth(source: str) -> None:
    """Count brackets outside strings and comments, so that no parser sees a text that is nested too deeply."""
    depth = 0
    for token in _TOKENS.finditer(source):
        if token[0] in '{[':
            depth += 1
            if depth > JSON_DEPTH:
                raise _broken(f'nested deeper than {JSON_DEPTH} levels', source, token.start())
        elif token[0] in '}]':
            depth -= 1

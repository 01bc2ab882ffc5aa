"""Variables: what `.env` and the process say, and putting them into pipelines."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dotenv import dotenv_values

from .generated.limits import VARIABLE_PREFIXES

__all__ = ['Environment', 'substitute']


class Environment:
    """What the environment says: the process's variables win over those of `.env` in the working directory."""

    def __init__(self, process: Mapping[str, str] | None = None, folder: str | Path | None = None) -> None:
        """Take `os.environ` and the working directory where nothing is given."""
        self._process = os.environ if process is None else process
        self._file = Path.cwd() / '.env' if folder is None else Path(folder) / '.env'

    def pipeline_variables(self) -> dict[str, str]:
        """Return the variables that may be put into pipelines, read anew each time."""
        return {name: value for name, value in {**self._read(), **self._process}.items() if is_variable_name(name)}

    def get(self, name: str) -> str | None:
        """Return one variable, None when it is not set or empty."""
        return self._process.get(name) or self._read().get(name) or None

    def _read(self) -> dict[str, str]:
        try:
            text = self._file.read_text('utf-8', 'replace')
        except OSError:
            return {}
        values = dotenv_values(stream=io.StringIO(text.removeprefix('\ufeff')), interpolate=False)
        return {name: value or '' for name, value in values.items()}


def is_variable_name(name: str) -> bool:
    """Whether a name has one of the prefixes that may be put into pipelines."""
    return name.startswith(VARIABLE_PREFIXES)


def substitute(value: Any, variables: Mapping[str, str]) -> Any:
    """Return a copy with `${NAME}` replaced in every string value; keys stay.

    One pass: what a variable contains is never expanded again. What has no value, or no prefix of ours, stays as
    written, for the server's own variables.
    """
    if isinstance(value, str):
        return _expand(value, lambda name: variables.get(name) if is_variable_name(name) else None)
    if isinstance(value, Mapping):
        return {key: substitute(member, variables) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [substitute(member, variables) for member in value]
    return value


def _expand(text: str, look_up: Callable[[str], str | None]) -> str:
    # By hand: a regular expression takes quadratic time on a text of many `${` without a `}`.
    start = text.find('${')
    parts: list[str] = []
    done = 0
    while start >= 0:
        end = text.find('}', start + 2)
        if end < 0:
            break
        found = look_up(text[start + 2 : end])
        parts += (text[done:start], text[start : end + 1] if found is None else found)
        done = end + 1
        start = text.find('${', done)
    return ''.join((*parts, text[done:])) if parts else text

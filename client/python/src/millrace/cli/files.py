"""Files of this machine that the command line names."""

from __future__ import annotations

import glob
import os
import re
from pathlib import Path
from typing import NamedTuple

from ..errors import FileNotFoundError
from .run import UsageError

__all__ = ['Found', 'find_files', 'read_named_file']


class Found(NamedTuple):
    """A file to send. `name` has the folders below the one that was named."""

    file: str
    name: str
    size: int


def read_named_file(file: str) -> bytes:
    """Return the bytes of a file.

    Raises:
        FileNotFoundError: it cannot be read.
    """
    try:
        return Path(file).read_bytes()
    except OSError as cause:
        missing = cause.errno == 2
        message = f'File not found: {file}' if missing else f'Cannot read {file}: {cause.strerror or cause}'
        raise FileNotFoundError('file_not_found', message, filename=file) from cause


def find_files(operands: list[str]) -> list[Found]:
    """Return the files that paths, folders and patterns stand for; each once, in the order given.

    Raises:
        UsageError: one of them stands for no file.
    """
    found: dict[Path, Found] = {}
    for operand in operands:
        path = Path(operand)
        if path.is_file():
            matches = [_described(operand, path.name)]
            found[path.absolute()] = matches[0]
            continue
        matches = _in_folder(operand) if path.is_dir() else _by_pattern(operand)
        for match in matches:
            found.setdefault(Path(match.file).absolute(), match)
    return list(found.values())


def _in_folder(folder: str) -> list[Found]:
    names: list[str] = []
    for base, folders, files in os.walk(folder):
        folders[:] = [each for each in folders if not each.startswith('.')]
        below = Path(base).relative_to(folder)
        names += [(below / each).as_posix() for each in files if not each.startswith('.')]
    if not names:
        raise UsageError(f'There are no files in {folder}', 'Name another folder.')
    return [_described(os.path.normpath(Path(folder, name)), name) for name in sorted(names)]


def _by_pattern(operand: str) -> list[Found]:
    dynamic = re.search(r'[*?\[\]{}()!]', operand) is not None
    matches = [name for pattern in _alternatives(operand) for name in glob.glob(pattern, recursive=True)]  # noqa: PTH207
    files = sorted({name for name in matches if Path(name).is_file()}) if dynamic else []
    if not files:
        raise UsageError(f'File not found: {operand}', 'Check the path or the pattern.')
    return [_described(name, Path(name).name) for name in files]


def _alternatives(pattern: str) -> list[str]:
    """The patterns that `{a,b}` stands for."""
    braces = re.search(r'\{([^{}]*,[^{}]*)\}', pattern)
    if braces is None:
        return [pattern]
    before, after = pattern[: braces.start()], pattern[braces.end() :]
    return [each for word in braces[1].split(',') for each in _alternatives(before + word + after)]


def _described(file: str, name: str) -> Found:
    return Found(file, name, Path(file).stat().st_size)

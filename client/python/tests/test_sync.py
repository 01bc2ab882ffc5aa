"""The synchronous twin, against the real engine."""

import inspect
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import ECHO, Server

import millrace
from millrace import ConnectionError, DataPipe, MillraceClient, SyncDataPipe, SyncMillraceClient
from millrace.store import Deployments, FileStore, ServerVariables
from millrace.sync import SyncDeployments, SyncFileStore, SyncServerVariables


@pytest.mark.parametrize(
    ('original', 'twin'),
    [
        (MillraceClient, SyncMillraceClient),
        (DataPipe, SyncDataPipe),
        (FileStore, SyncFileStore),
        (Deployments, SyncDeployments),
        (ServerVariables, SyncServerVariables),
    ],
)
def test_has_the_methods_of_its_original_with_the_same_parameters(original: type, twin: type) -> None:
    def methods(cls: type) -> dict[str, Any]:
        return {name: member for name, member in vars(cls).items() if not name.startswith('_') and callable(member)}

    assert methods(original).keys() == methods(twin).keys()
    for name, member in methods(original).items():
        assert inspect.signature(member).parameters == inspect.signature(methods(twin)[name]).parameters, name
        assert not inspect.iscoroutinefunction(methods(twin)[name])
        assert methods(twin)[name].__doc__


def test_does_what_the_original_does(server: Server, tmp_path: Path) -> None:
    (tmp_path / 'a.txt').write_text('a')
    with SyncMillraceClient(server.url, server.key) as client:
        token = client.use(ECHO, pipelineTraceLevel='summary')['token']
        assert client.send(token, 'x')['text'] == ['x\n\n']
        with client.pipe(token, {'name': 'p'}, 'text/plain') as pipe:
            pipe.write('one')
            pipe.write(b'two')
        assert pipe.result is not None and pipe.result['text'] == ['one\n\ntwo\n\n']
        with pytest.raises(ZeroDivisionError), client.pipe(token, {'name': 'half'}, 'text/plain') as pipe:
            pipe.write(str(1 // 0))
        assert client.get_task_status(token)['failedCount'] == 1
        with client.events(token, ['flow']) as events:
            client.send(token, 'x')
            assert next(event for event in events if event['body']['op'] == 'end')
        with client.subscribe(token, ['summary']):
            pass
        assert client.send_files(['a.txt'], token)[0]['action'] == 'complete'
        assert client.store.write('sync.txt', 'y' * 10) == 10
        assert list(client.store.stream('sync.txt')) == [b'y' * 10]
        client.store.remove('sync.txt')
        assert client.get_task_status(token)['state'] == 3
        client.terminate(token)
        with pytest.raises(RuntimeError):
            client.send(token, 'x')
        with pytest.raises(ValueError, match='string or bytes'):
            client.send(token, 5)  # type: ignore[arg-type]


def test_its_callbacks_may_use_it(server: Server) -> None:
    seen: list[Any] = []
    called = threading.Event()

    def connected(_: Any) -> None:
        seen.append(client.ping())
        called.set()

    def disconnected(*reason: Any) -> None:
        seen.append(reason)
        with pytest.raises(ConnectionError):
            client.ping()
        seen.append('refused')

    client = SyncMillraceClient(server.url, server.key, on_connected=connected, on_disconnected=disconnected)
    before = set(threading.enumerate())
    with client:
        assert called.wait(20)
    assert isinstance(seen[0], float)
    assert seen[1:] == [('Disconnected by request', False), 'refused']
    assert set(threading.enumerate()) == before


def test_many_threads_share_one(server: Server) -> None:
    with SyncMillraceClient(server.url, server.key) as client:
        token = client.use(ECHO)['token']
        answers: dict[int, str] = {}

        def send(number: int) -> None:
            answers[number] = client.send(token, str(number))['text'][0].strip()

        threads = [threading.Thread(target=send, args=(number,)) for number in range(50)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        client.terminate(token)
    assert answers == {number: str(number) for number in range(50)}


def test_leaves_no_thread_behind_and_connects_again(server: Server) -> None:
    before = set(threading.enumerate())
    client = SyncMillraceClient(server.url, server.key)
    for _ in range(3):
        with client:
            client.ping()
        assert set(threading.enumerate()) == before
    with pytest.raises(millrace.AuthenticationError):
        SyncMillraceClient(server.url, 'wrong').__enter__()
    assert set(threading.enumerate()) == before
    client.disconnect()


def test_a_program_that_forgets_to_disconnect_still_ends(server: Server) -> None:
    program = f"""
from millrace import SyncMillraceClient
client = SyncMillraceClient({server.url!r}, {server.key!r})
client.connect()
print(client.connected)
"""
    done = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, 'True\n', '')


@pytest.mark.skipif(sys.platform == 'win32', reason='signals of Windows reach a whole console')
def test_an_interrupt_ends_the_waiting(server: Server) -> None:
    with SyncMillraceClient(server.url, server.key) as client:
        with client.events('*', ['task']) as events:
            timer = threading.Timer(0.3, lambda: signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT))
            timer.start()
            began = time.monotonic()
            with pytest.raises(KeyboardInterrupt):
                for _ in events:
                    pass
            assert time.monotonic() - began < 10
        assert client.ping() >= 0

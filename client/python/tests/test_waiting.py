"""What takes seconds or minutes, on a clock that leaps over them."""

import asyncio
import io
import json
import math
import re
from pathlib import Path

import pytest
from conftest import ECHO
from fake_clock import run_leaping
from fake_server import FakeServer, eventually

from millrace import ConnectionError, MillraceClient, MillraceError, TimeoutError
from millrace.cli.io import Input, Io, Output
from millrace.cli.main import run_command
from millrace.cli.run import ExitCode


def now() -> float:
    return asyncio.get_running_loop().time()


def rest() -> list[str]:
    """The coroutines that go on when their client and their server have ended."""
    return [str(task) for task in asyncio.all_tasks() - {asyncio.current_task()}]


@pytest.mark.parametrize('silent', [False, True])
@pytest.mark.parametrize('seconds', [0.1, 1, 5, 60, 600])
def test_the_retry_time_is_kept_to_a_tenth(seconds: float, silent: bool) -> None:
    """The server is gone, or there and silent."""

    async def lose() -> float:
        errors: list[MillraceError] = []
        async with FakeServer().running() as server:
            client = MillraceClient(
                server.url, 'key', persist=True, max_retry_time=seconds, on_connect_error=errors.append
            )
            await client.connect()
            events = await client.events('*', ['task']).open()
            assert server.server is not None
            if silent:
                server.silent.add('auth')
            else:
                server.server.close(close_connections=False)
            lost = now()
            server.drop()
            with pytest.raises(ConnectionError) as caught:
                await anext(events)
            took = now() - lost
            await client.disconnect()
        assert str(caught.value).startswith(f'Gave up reconnecting after {seconds:g} s')
        assert errors[-1] is caught.value
        assert rest() == []
        return took

    assert 0.9 * seconds < run_leaping(lose()) < 1.1 * seconds


def test_comes_back_from_every_restart_within_2_s_with_its_subscriptions_and_keeps_nothing() -> None:
    restarts = 60

    async def live() -> list[float]:
        server = FakeServer()
        back = asyncio.Event()
        waits: list[float] = []
        async with server.running():
            url = server.url
            client = MillraceClient(url, 'key', persist=True, on_connected=lambda _: back.set())
            await client.connect()
            await client.subscribe('*', ['task'])
        for restart in range(restarts):
            back.clear()
            # Down for anything up to 2 s.
            await asyncio.sleep(restart * 37 % 200 / 100)
            async with server.running(int(url.rpartition(':')[2])):
                began = now()
                await back.wait()
                waits.append(now() - began)
                assert len(server.connections) == 1
        await client.disconnect()
        assert server.commands().count('mrext_monitor') == restarts + 1
        assert rest() == []
        return waits

    assert max(run_leaping(live())) < 2


def test_giving_an_object_up_waits_ten_seconds_for_the_server_and_no_longer() -> None:
    async def give_up() -> float:
        async with FakeServer().running() as server:
            server.answers['process'] = lambda _: {'pipe_id': 1}
            client = MillraceClient(server.url, 'key')
            await client.connect()
            pipe = await client.pipe('token', on_event=lambda *_: None).open()
            server.silent.add('process')
            began = now()
            await pipe.abandon()
            took = now() - began
            await client.disconnect()
        assert rest() == []
        return took

    assert math.isclose(run_leaping(give_up()), 10, abs_tol=0.9)


@pytest.mark.parametrize('kind', ['send', 'a large send', 'chat', 'chat with events'])
def test_the_timeout_of_one_call_counts_for_every_way_it_takes(kind: str) -> None:
    """The server opens the pipe and says nothing more."""

    async def wait() -> float:
        async with FakeServer().running() as server:
            client = MillraceClient(server.url, 'key')
            await client.connect()
            server.silent.add('process')
            began = now()
            with pytest.raises(TimeoutError) as caught:
                if kind == 'send':
                    await client.send('token', 'x', timeout=3)
                elif kind == 'a large send':
                    await client.send('token', b'x' * 2_000_000, timeout=3)
                elif kind == 'chat':
                    await client.chat(token='token', question='x', timeout=3)
                else:
                    await client.chat(token='token', question='x', timeout=3, on_event=lambda *_: None)
            assert caught.value.code == 'timeout'
            took = now() - began
            await client.disconnect()
        assert rest() == []
        return took

    assert math.isclose(run_leaping(wait()), 3, abs_tol=0.9)


@pytest.mark.parametrize('command', [['send', '--pipeline', 'echo.pipe', 'x'], ['start', 'echo.pipe']])
def test_an_interrupted_command_waits_ten_seconds_for_its_task_and_no_longer(
    command: list[str], tmp_path: Path
) -> None:
    (tmp_path / 'echo.pipe').write_text(json.dumps(ECHO))

    async def interrupt() -> float:
        out = io.BytesIO()
        streams = Io(Input(0, True), Output(out, False), Output(out, False), {})
        async with FakeServer().running() as server:
            server.silent.add('execute')
            work = asyncio.ensure_future(run_command([*command, '--uri', server.url, '--apikey', 'key'], streams))
            await eventually(lambda: 'execute' in server.commands())
            began = now()
            work.cancel()
            await asyncio.wait({work})
            took = now() - began
            assert work.cancelled()
        assert server.commands()[-2:] == ['execute', 'deauth']
        assert (out.getvalue(), rest()) == (b'', [])
        return took

    assert math.isclose(run_leaping(interrupt()), 10, abs_tol=0.9)


def test_a_command_waits_half_a_minute_for_a_server_that_says_nothing_and_ends_with_its_code() -> None:
    async def connect() -> tuple[int, float]:
        out, err = io.BytesIO(), io.BytesIO()
        streams = Io(Input(0, True), Output(out, False), Output(err, False), {})
        async with FakeServer().running() as server:
            server.silent.add('auth')
            began = now()
            code = await run_command(['list', '--uri', server.url, '--apikey', 'key'], streams)
            took = now() - began
        assert (out.getvalue(), rest()) == (b'', [])
        assert re.fullmatch(r'error: Could not connect to .+ within 30 s\n  → .+\n', err.getvalue().decode())
        return code, took

    code, took = run_leaping(connect())
    assert (code, round(took)) == (ExitCode.NO_CONNECTION, 30)


async def ask(folder: Path, words: str, silent: str, seconds: float) -> tuple[int | None, str]:
    """What a command says of a server that never answers one of its requests, and that it ends after so many seconds.

    One that ends never, for all that can be seen, has no exit code.
    """
    (folder / 'echo.pipe').write_text(json.dumps(ECHO))
    out = io.BytesIO()
    streams = Io(Input(0, True), Output(out, False), Output(out, False), {})
    async with FakeServer().running() as server:
        server.silent = {silent, 'deauth'}
        began = now()
        work = asyncio.ensure_future(
            run_command([*words.split(), '--uri', server.url, '--apikey', 'key'], streams),
        )
        await asyncio.wait({work}, timeout=600)
        took = now() - began
        if not work.done():
            work.cancel()
            await asyncio.wait({work})
            assert seconds == math.inf
            return None, out.getvalue().decode()
    assert rest() == []
    # The good-bye takes a second.
    assert math.isclose(took, seconds + 1, abs_tol=0.9)
    return work.result(), out.getvalue().decode()


def late(command: str, seconds: int) -> str:
    hint = 'Raise the timeout, or check that the server is reachable.'
    return f'error: {command} was not answered within {seconds} s\n  → {hint}\n'


@pytest.mark.parametrize(
    ('words', 'command'),
    [
        ('list', 'mrext_get_tasks'),
        ('status --once --token T', 'mrext_get_task_status'),
        ('status --token T', 'mrext_get_task_status'),
        ('events', 'mrext_monitor'),
        ('stop --token T', 'terminate'),
        ('services', 'mrext_services'),
        ('validate echo.pipe', 'mrext_validate'),
        ('store dir', 'mrext_store'),
    ],
)
def test_a_command_gives_the_server_a_minute_for_an_answer_or_the_time_of_its_option(
    words: str, command: str, tmp_path: Path
) -> None:
    silent = command.removeprefix('mrext_')
    assert run_leaping(ask(tmp_path, words, silent, 60)) == (ExitCode.FAILED, late(command, 60))
    assert run_leaping(ask(tmp_path, f'{words} --timeout 1', silent, 1)) == (ExitCode.FAILED, late(command, 1))
    assert run_leaping(ask(tmp_path, f'{words} --timeout 0', silent, math.inf)) == (None, '')


@pytest.mark.parametrize('words', ['send --token T x', 'chat --token T x', 'upload --token T echo.pipe'])
def test_a_command_gives_the_work_of_a_pipeline_all_the_time_unless_the_option_is_given(
    words: str, tmp_path: Path
) -> None:
    assert run_leaping(ask(tmp_path, words, 'process', math.inf)) == (None, '')
    code, said = run_leaping(ask(tmp_path, f'{words} --timeout 3', 'process', 3))
    assert code == (ExitCode.SOME_FILES_FAILED if words.startswith('upload') else ExitCode.FAILED)
    assert 'mrext_process was not answered within 3 s\n' in said


def test_a_command_gives_a_start_all_the_time_unless_the_option_is_given(tmp_path: Path) -> None:
    assert run_leaping(ask(tmp_path, 'start echo.pipe', 'execute', math.inf)) == (None, '')
    # Ten seconds more, for the answer that says which task to end.
    told = run_leaping(ask(tmp_path, 'start echo.pipe --timeout 3', 'execute', 13))
    assert told == (ExitCode.FAILED, late('The start', 3))


def test_an_interrupted_command_does_not_wait_for_a_server_that_says_nothing_any_more() -> None:
    async def interrupt() -> float:
        out = io.BytesIO()
        streams = Io(Input(0, True), Output(out, False), Output(out, False), {})
        async with FakeServer().running() as server:
            server.silent |= {'get_tasks', 'deauth'}
            arguments = ['list', '--uri', server.url, '--apikey', 'key']
            work = asyncio.ensure_future(run_command(arguments, streams))
            await eventually(lambda: server.commands()[-1:] == ['mrext_get_tasks'])
            began = now()
            work.cancel()
            await asyncio.wait({work})
            took = now() - began
            assert work.cancelled()
        assert (out.getvalue(), rest()) == (b'', [])
        return took

    assert run_leaping(interrupt()) < 3

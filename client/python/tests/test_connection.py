"""The connection, against servers of a few lines that misbehave."""

import asyncio
import time
from typing import Any

import pytest
from fake_server import CuttingProxy, FakeServer, eventually

from millrace import AuthenticationError, ConnectionError, MillraceClient, MillraceError, PipeError, TimeoutError


async def test_tells_its_callbacks_which_may_be_coroutines() -> None:
    calls: list[Any] = []

    async def connected(result: Any) -> None:
        calls.append(('connected', result['userId']))

    async with FakeServer().running() as server:
        server.answers['auth'] = lambda _: {'userId': 'u'}
        client = MillraceClient(
            server.url,
            'key',
            on_connected=connected,
            on_disconnected=lambda reason, error: calls.append((reason, error)),
            on_event=lambda event: calls.append(event['event']),
        )
        async with client:
            await server.event('output', {})
            await eventually(lambda: 'output' in calls)
        assert calls == [('connected', 'u'), 'output', ('Disconnected by request', False)]
        assert server.commands() == ['auth', 'mrext_ping', 'deauth']


async def test_a_callback_that_raises_does_not_break_the_connection() -> None:
    problems: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: problems.append(context['exception']))

    def explode(_: Any) -> None:
        raise ZeroDivisionError

    async with FakeServer().running() as server, MillraceClient(server.url, 'key', on_connected=explode) as client:
        await client.ping()
    assert [type(problem) for problem in problems] == [ZeroDivisionError]


async def test_speaks_the_dialect_of_servers_that_know_no_other() -> None:
    async with FakeServer('peer').running() as server:
        async with MillraceClient(server.url, 'key') as client:
            await client.ping()
        assert server.commands() == ['auth', 'mrext_ping', 'rrext_ping', 'deauth']


async def test_sends_through_a_pipe_where_the_server_has_no_other_way() -> None:
    async with FakeServer('peer').running() as server:
        server.answers['process'] = lambda args: {
            'open': {'pipe_id': 3},
            'close': {'objectId': 'o', 'result_types': {'text': 'text'}, 'text': ['t']},
        }.get(args['subcommand'])
        async with MillraceClient(server.url, 'key') as client:
            result = await client.send('token', 'data')
        assert result['result_types'] == ['text']
        steps = [request['arguments'] for request in server.requests if 'process' in request['command']]
        assert [step['subcommand'] for step in steps] == ['open', 'write', 'close']
        assert steps[1]['pipe_id'] == 3


async def test_a_key_that_is_missing_or_refused_is_an_authentication_error() -> None:
    async with FakeServer().running() as server:
        server.answers['auth'] = lambda _: {'message': 'Invalid API key', 'code': 'auth_invalid'}
        errors: list[MillraceError] = []
        client = MillraceClient(server.url, 'key', persist=True, on_connect_error=errors.append)
        with pytest.raises(AuthenticationError) as caught:
            await client.connect()
        assert (caught.value.code, errors) == ('auth_invalid', [caught.value])
        with pytest.raises(AuthenticationError) as caught:
            await MillraceClient(server.url).connect()
        assert caught.value.code == 'auth_missing'


async def test_without_a_server_it_is_a_connection_error() -> None:
    with pytest.raises(ConnectionError) as caught:
        await MillraceClient('127.0.0.1:9', 'key').connect()
    assert caught.value.code == 'connection_failed'
    assert str(caught.value) == 'Could not connect to ws://127.0.0.1:9/task/service: connect ECONNREFUSED 127.0.0.1:9'
    with pytest.raises(ConnectionError) as caught:
        await MillraceClient('127.0.0.1:9', 'key').ping()
    assert caught.value.code == 'connection_lost'
    assert caught.value.hint.startswith('Call `connect()` first')


async def test_what_is_no_websocket_server_is_a_connection_error() -> None:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n')
        writer.close()

    server = await asyncio.start_server(answer, '127.0.0.1', 0)
    port = server.sockets[0].getsockname()[1]
    with pytest.raises(ConnectionError) as caught:
        await MillraceClient(f'127.0.0.1:{port}', 'key').connect()
    assert caught.value.code == 'connection_failed'
    server.close()


@pytest.mark.parametrize('silent', ['auth', 'nothing at all'])
async def test_a_server_that_never_answers_ends_the_attempt_in_time(silent: str) -> None:
    async def listen_only(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await reader.read()

    async with FakeServer().running() as server:
        server.silent.add('auth')
        mute = await asyncio.start_server(listen_only, '127.0.0.1', 0)
        url = server.url if silent == 'auth' else f'http://127.0.0.1:{mute.sockets[0].getsockname()[1]}'
        began = time.monotonic()
        with pytest.raises(ConnectionError, match=r'within 0\.1 s'):
            await MillraceClient(url, 'key', connect_timeout=0.1).connect()
        assert time.monotonic() - began < 5
        mute.close()


async def test_a_request_without_an_answer_is_a_timeout_and_leaves_the_others_alone() -> None:
    async with FakeServer().running() as server:
        server.silent.add('services')
        async with MillraceClient(server.url, 'key', request_timeout=0.3) as client:
            with pytest.raises(TimeoutError) as caught:
                await client.get_services()
            assert str(caught.value) == 'mrext_services was not answered within 0.3 s'
            await client.call('ping', timeout=20)
            waiting = asyncio.ensure_future(client.call('services', timeout=0))
            await asyncio.sleep(0.5)
            assert not waiting.done()
            waiting.cancel()


async def test_every_write_of_a_pipe_has_its_timeout_too() -> None:
    async with FakeServer().running() as server:
        server.answers['process'] = lambda args: {'pipe_id': 1}
        async with MillraceClient(server.url, 'key', request_timeout=1) as client:
            pipe = await client.pipe('token', window=1).open()
            server.silent.add('process')
            with pytest.raises(TimeoutError):
                await pipe.write('x')
            await pipe.abandon()


async def test_a_task_whose_start_was_given_up_is_ended() -> None:
    async with FakeServer().running() as server:
        release = server.held['execute'] = asyncio.Event()
        server.answers['execute'] = lambda _: {'token': 'tk_late'}
        async with MillraceClient(server.url, 'key') as client:
            with pytest.raises(TimeoutError):
                await client.use({'components': []}, timeout=0.05)
            release.set()
            await eventually(lambda: 'terminate' in server.commands())
            assert server.requests[-1]['arguments'] == {'token': 'tk_late'}


async def test_a_task_is_ended_whose_caller_left_in_the_moment_of_the_answer() -> None:
    async with FakeServer().running() as server:
        server.answers['execute'] = lambda _: {'token': 'tk_late'}
        async with MillraceClient(server.url, 'key') as client:
            starting = asyncio.ensure_future(client.use({'components': []}))
            # Told of the answer before the caller is, as its reader tells it.
            plain_settle = client._connection._socket._settle  # type: ignore[union-attr]

            def settle(seq: int, outcome: Any) -> None:
                plain_settle(seq, outcome)
                if getattr(outcome, 'body', None) == {'token': 'tk_late'}:
                    starting.cancel()

            client._connection._socket._settle = settle  # type: ignore[union-attr,method-assign]
            with pytest.raises(asyncio.CancelledError):
                await starting
            await eventually(lambda: 'terminate' in server.commands())
            assert server.requests[-1]['arguments'] == {'token': 'tk_late'}


def steps(server: FakeServer) -> list[str]:
    return [each['arguments']['subcommand'] for each in server.requests if each['command'].endswith('process')]


async def test_an_object_is_given_up_with_a_reason_once() -> None:
    async with FakeServer().running() as server, MillraceClient(server.url, 'key') as client:
        server.answers['process'] = lambda _: {'pipe_id': 1}
        pipe = await client.pipe('token').open()
        await pipe.abandon('read no further')
        await pipe.abandon('again')
        assert steps(server) == ['open', 'abandon']
        assert server.requests[-1]['arguments']['reason'] == 'read no further'
        with pytest.raises(PipeError):
            await pipe.write('x')


async def test_a_block_that_raises_gives_its_object_up() -> None:
    async with FakeServer().running() as server, MillraceClient(server.url, 'key') as client:
        server.answers['process'] = lambda _: {'pipe_id': 1}
        with pytest.raises(KeyError):
            async with client.pipe('token') as pipe:
                await pipe.write('half')
                raise KeyError('no more')
        assert steps(server) == ['open', 'write', 'abandon']
        assert server.requests[-1]['arguments']['reason'] == "'no more'"


async def test_a_block_that_is_cancelled_gives_its_object_up_without_a_reason() -> None:
    async with FakeServer().running() as server, MillraceClient(server.url, 'key') as client:
        server.answers['process'] = lambda _: {'pipe_id': 1}

        async def half() -> None:
            async with client.pipe('token') as pipe:
                await pipe.write('half')
                await asyncio.Event().wait()

        work = asyncio.ensure_future(half())
        await eventually(lambda: steps(server) == ['open', 'write'])
        work.cancel()
        await asyncio.wait({work})
        assert steps(server) == ['open', 'write', 'abandon']
        assert 'reason' not in server.requests[-1]['arguments']


async def test_a_server_that_knows_no_giving_up_is_told_to_close() -> None:
    async with FakeServer('peer').running() as server, MillraceClient(server.url, 'key') as client:
        server.answers['process'] = lambda _: {'pipe_id': 1}
        pipe = await client.pipe('token').open()
        await pipe.abandon('read no further')
        assert steps(server) == ['open', 'close']


async def test_a_pipe_that_opens_after_its_caller_left_is_given_up() -> None:
    async with FakeServer().running() as server, MillraceClient(server.url, 'key') as client:
        server.answers['process'] = lambda _: {'pipe_id': 1}
        release = server.held['process'] = asyncio.Event()
        opening = asyncio.ensure_future(client.pipe('token').open())
        await eventually(lambda: steps(server) == ['open'])
        opening.cancel()
        await asyncio.wait({opening})
        release.set()
        await eventually(lambda: steps(server) == ['open', 'abandon'])


async def test_disconnect_fails_what_waits_and_a_client_connects_again() -> None:
    async with FakeServer().running() as server:
        server.silent.add('services')
        client = MillraceClient(server.url, 'key')
        await client.connect()
        waiting = asyncio.ensure_future(client.get_services())
        await eventually(lambda: 'mrext_services' in server.commands())
        await client.disconnect()
        with pytest.raises(ConnectionError, match='disconnected'):
            await waiting
        await client.disconnect()
        await client.connect()
        await client.ping()
        await client.disconnect()


async def test_a_connection_that_is_lost_while_it_is_left_is_not_restored() -> None:
    told: list[Any] = []
    async with FakeServer().running() as server:
        server.silent.add('deauth')
        client = MillraceClient(
            server.url, 'key', persist=True, on_disconnected=lambda reason, error: told.append((reason, error))
        )
        await client.connect()
        leaving = asyncio.ensure_future(client.disconnect())
        await eventually(lambda: 'deauth' in server.commands())
        server.drop()
        await leaving
        assert 'millrace connecting' not in [task.get_name() for task in asyncio.all_tasks()]
        assert (client.connected, told) == (False, [('Disconnected by request', False)])
        server.silent.clear()
        await client.connect()
        await client.disconnect()


async def test_calls_while_connecting_share_one_attempt_which_disconnect_ends() -> None:
    async with FakeServer().running() as server:
        client = MillraceClient(server.url, 'key')
        await asyncio.gather(*(client.connect() for _ in range(5)))
        assert server.commands().count('auth') == 1
        await client.disconnect()
        server.silent.add('auth')
        attempt = asyncio.ensure_future(client.connect())
        await eventually(lambda: server.commands().count('auth') == 2)
        await client.disconnect()
        with pytest.raises(MillraceError) as caught:
            await attempt
        assert caught.value.code == 'cancelled'


@pytest.mark.parametrize('direction', ['to client', 'to server'])
async def test_a_session_cut_at_every_byte_ends_in_a_typed_error_or_not_at_all(direction: str) -> None:
    async with FakeServer().running() as server:
        server.answers['process'] = lambda _: {'objectId': 'o'}

        async def session(url: str) -> None:
            client = MillraceClient(url, 'key', connect_timeout=5)
            try:
                await client.connect()
                await client.send('token', 'data')
            finally:
                await client.disconnect()

        whole = CuttingProxy(server.url)
        async with whole.running() as url:
            await session(url)
        total = whole.passed[direction]
        assert total > 300
        outcomes = set()
        for cut in range(total):
            async with CuttingProxy(server.url, direction, cut).running() as url:
                try:
                    await session(url)
                    outcomes.add('done')
                except MillraceError as error:
                    outcomes.add(error.code)
        # Only what is said while leaving may be lost without anybody noticing.
        assert outcomes == {'done', 'connection_lost', 'connection_failed'}
        assert [task for task in asyncio.all_tasks() if 'millrace' in task.get_name()] == []


async def test_comes_back_by_itself_and_restores_its_subscriptions() -> None:
    events: list[str] = []
    async with FakeServer().running() as server:
        client = MillraceClient(server.url, 'key', persist=True, on_event=lambda event: events.append(event['event']))

        def restored(times: int) -> bool:
            return client.connected and server.commands().count('mrext_monitor') == times

        async with client, await client.subscribe('*', ['task']):
            for losses in range(1, 6):
                server.drop()
                await eventually(lambda times=losses + 1: restored(times))
            await server.event('apaevt_task', {})
            await eventually(lambda: events == ['apaevt_task'])


async def test_while_it_is_away_requests_say_so() -> None:
    async with FakeServer().running() as server:
        client = MillraceClient(server.url, 'key', persist=True)
        await client.connect()
        server.drop()
        await eventually(lambda: not client.connected)
        with pytest.raises(ConnectionError) as caught:
            await client.ping()
        assert caught.value.hint == 'It is being restored; try again in a moment.'
        await client.disconnect()


async def test_events_wait_for_a_slow_reader_and_say_what_they_lost() -> None:
    async with FakeServer().running() as server:
        async with MillraceClient(server.url, 'key') as client, client.events(types=['task'], capacity=3) as events:
            for number in range(5):
                await server.event('apaevt_task', {'n': number})
            await client.ping()
            found = [(await anext(events)) for _ in range(4)]
            assert [event['body'] for event in found] == [{'dropped': 2}, {'n': 2}, {'n': 3}, {'n': 4}]
        assert server.requests[-2]['arguments'] == {'token': '*', 'types': []}


async def test_a_disconnect_just_ends_the_events() -> None:
    async with FakeServer().running() as server:
        client = MillraceClient(server.url, 'key')
        await client.connect()
        events = await client.events('*', ['task']).open()
        await client.disconnect()
        assert [event async for event in events] == []


async def test_a_refused_pipe_says_why() -> None:
    async with FakeServer().running() as server:
        server.answers['process'] = lambda args: {'message': 'No', 'code': 'pipe_failed'}
        async with MillraceClient(server.url, 'key') as client:
            for opening in (client.pipe('token').open, client.pipe('token').open_ahead):
                with pytest.raises(PipeError) as caught:
                    pipe = await opening()
                    await pipe.write('x')
                    await pipe.close()
                assert caught.value.code == 'pipe_failed'

"""Every operation, against the real engine of this repository."""

import asyncio
import builtins
import contextlib
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from conftest import ECHO, Server, engine

from millrace import (
    AuthenticationError,
    ConnectionError,
    MillraceClient,
    MillraceError,
    NotFoundError,
    PipeError,
    TaskStatus,
    UploadResult,
)


@contextlib.asynccontextmanager
async def running(server: Server, pipeline: Any = ECHO, **options: Any) -> AsyncIterator[tuple[MillraceClient, str]]:
    """A client with a task that ends with the block."""
    async with MillraceClient(server.url, server.key) as client:
        token = (await client.use(pipeline, **options))['token']
        try:
            yield client, token
        finally:
            await client.terminate(token)


class TestUse:
    async def test_returns_a_token_and_more(self, server: Server) -> None:
        async with MillraceClient(server.url, server.key) as client:
            started = await client.use(ECHO)
            assert started['token'].startswith('tk_')
            assert (started['source'], started['provider']) == ('in', 'webhook')
            await client.terminate(started['token'])

    async def test_passes_every_parameter_on(self, server: Server) -> None:
        pipeline = {**ECHO, 'source': 'elsewhere', 'project_id': 'parameters'}
        options: dict[str, Any] = {
            'token': 'of-my-own',
            'source': 'in',
            'threads': 3,
            'args': ['one'],
            'ttl': 0,
            'pipelineTraceLevel': 'metadata',
            'name': 'A name',
        }
        async with running(server, pipeline, **options) as (client, token):
            assert token == 'of-my-own'
            status = await client.get_task_status(token)
            assert (status['name'], status['source'], status['project_id']) == ('A name.in', 'in', 'parameters')
            assert await client.get_token('parameters', 'in') == token
            assert await client.get_pipeline(token) == {**pipeline, 'source': 'in'}
            with pytest.raises(RuntimeError) as caught:
                await client.use(pipeline, token=token, source='in')
            assert isinstance(caught.value, MillraceError) and caught.value.code == 'task_exists'
            joined = await client.use(pipeline, token=token, source='in', use_existing=True)
            assert joined['token'] == token

    async def test_reads_a_file_and_puts_variables_in(self, server: Server, tmp_path: Path) -> None:
        (tmp_path / '.env').write_text('SERVICE_KEY=from_file\n')
        text = json.dumps(ECHO).replace('"config": {}', '"config": {"laneName": "${SERVICE_KEY}"}')
        file = tmp_path / 'my.pipe.json5'
        file.write_text(f'// a comment\n{text}')
        async with MillraceClient(server.url, server.key) as client:
            for env, key in ((None, 'from_file'), ({'SERVICE_KEY': 'given'}, 'given')):
                token = (await client.use(filepath=file, env=env))['token']
                assert (await client.get_task_status(token))['name'] == 'my.in'
                result: Any = await client.send(token, 'x')
                assert result[key] == ['x\n\n']
                await client.terminate(token)

    async def test_says_what_is_wrong(self, server: Server, tmp_path: Path) -> None:
        (tmp_path / 'broken.pipe').write_text('{')
        async with MillraceClient(server.url, server.key) as client:
            with pytest.raises(ValueError, match='Pass a pipeline or a filepath'):
                await client.use()
            with pytest.raises(builtins.FileNotFoundError):
                await client.use(filepath='none.pipe')
            with pytest.raises(json.JSONDecodeError):
                await client.use(filepath='broken.pipe')
            with pytest.raises(RuntimeError, match='nonsense'):
                await client.use({'source': 'a', 'components': [{'id': 'a', 'provider': 'nonsense', 'config': {}}]})
            with pytest.raises(RuntimeError):
                await client.use(ECHO, threads=1000)
            with pytest.raises(ValueError, match='must be an object'):
                await client.use([1])  # type: ignore[arg-type]

    async def test_restart_puts_another_pipeline_under_the_token(self, server: Server) -> None:
        other = json.loads(json.dumps(ECHO).replace('"config": {}', '"config": {"laneName": "other"}'))
        async with running(server) as (client, token):
            await client.restart(other, token=token)
            result: Any = await client.send(token, 'x')
            assert result['other'] == ['x\n\n']
            with pytest.raises(RuntimeError, match='Pass the token'):
                await client.restart(other)


class TestSend:
    async def test_texts_and_bytes(self, server: Server) -> None:
        async with running(server) as (client, token):
            result = await client.send(token, 'Grüße')
            assert (result['text'], result['result_types'], result['path']) == (['Grüße\n\n'], ['text'], '')
            given = {'name': 'folder/a.txt'}
            for data in (b'raw', bytearray(b'raw'), memoryview(b'raw')):
                result = await client.send(token, data, given)
                assert (result['text'], result['name'], result['path']) == (['raw\n\n'], 'folder/a.txt', 'folder')
            assert 'text' not in await client.send(token, b'raw', None, 'image/png')
            large = 'line\n' * 600_000
            assert len((await client.send(token, large))['text'][0]) == len(large) + 2

    async def test_a_thousand_at_once(self, server: Server) -> None:
        async with running(server) as (client, token):
            results = await asyncio.gather(*(client.send(token, f'number {n}') for n in range(1000)))
            assert [result['text'][0].strip() for result in results] == [f'number {n}' for n in range(1000)]

    async def test_what_is_neither_text_nor_bytes_is_a_value_error(self, server: Server) -> None:
        async with running(server) as (client, token):
            for data in (5, None, ['x'], {'a': 1}):
                with pytest.raises(ValueError, match='string or bytes'):
                    await client.send(token, data)  # type: ignore[arg-type]
                async with client.pipe(token) as pipe:
                    with pytest.raises(ValueError, match='string or bytes'):
                        await pipe.write(data)  # type: ignore[arg-type]

    async def test_to_what_is_not_running_is_a_runtime_error(self, server: Server) -> None:
        async with running(server) as (client, token):
            await client.terminate(token)
            with pytest.raises(RuntimeError):
                await client.send(token, 'x')
            with pytest.raises(RuntimeError):
                await client.pipe(token).open()
            for wrong in ('nobody', ''):
                with pytest.raises(RuntimeError):
                    await client.send(wrong, 'x')
                with pytest.raises(RuntimeError):
                    await client.get_task_status(wrong)


class TestPipe:
    async def test_is_a_block_that_opens_and_closes_itself(self, server: Server) -> None:
        async with running(server) as (client, token):
            async with client.pipe(token, {'name': 'p.txt'}, 'text/plain') as pipe:
                for word in ('one', b'two', 'three'):
                    await pipe.write(word)
                result = await pipe.close()
            assert result['text'] == ['one\n\ntwo\n\nthree\n\n']
            assert pipe.result == result and pipe.bytes_written == 11 and not pipe.is_open
            async with client.pipe(token, mime_type='text/plain', provider='webhook') as pipe:
                await pipe.write('x')
            assert pipe.result is not None and pipe.result['text'] == ['x\n\n']

    async def test_may_be_awaited_as_if_a_coroutine_made_it(self, server: Server) -> None:
        async with running(server) as (client, token):
            async with await client.pipe(token, mime_type='text/plain') as pipe:
                await pipe.write('x')
                assert (await pipe.close())['text'] == ['x\n\n']
            opened = await (await client.pipe(token)).open()
            await opened.close()

    async def test_is_freed_when_its_block_fails(self, server: Server) -> None:
        async with running(server, threads=1) as (client, token):
            for _ in range(3):
                with pytest.raises(ZeroDivisionError):
                    async with client.pipe(token):
                        raise ZeroDivisionError
            assert (await client.send(token, 'still there'))['text'] == ['still there\n\n']

    async def test_says_what_is_wrong(self, server: Server) -> None:
        async with running(server) as (client, token):
            with pytest.raises(RuntimeError, match='not open'):
                await client.pipe(token).write('x')
            with pytest.raises(PipeError):
                await client.pipe(token, provider='chat').open()
            pipe = await client.pipe(token).open()
            with pytest.raises(ValueError, match='opened before'):
                await pipe.open()
            await pipe.close()


class TestSendFiles:
    async def test_takes_paths_pairs_and_triples_and_tells_its_progress(self, server: Server, tmp_path: Path) -> None:
        files = [tmp_path / name for name in ('a.txt', 'b.bin', 'c.txt')]
        for file in files:
            file.write_text(file.name)
        (tmp_path / 'large.txt').write_text('line\n' * 500_000)
        events: list[Any] = []
        async with running(server) as (client, token):
            stop = client.listen(lambda event: events.append(event['body']))
            results = await client.send_files(
                [files[0], (str(files[2]), {'name': 'renamed.txt'}), (files[1], {}, 'text/plain'), 'large.txt'], token
            )
            stop()
        assert [(each['action'], each['result']['name']) for each in results] == [
            ('complete', 'a.txt'),
            ('complete', 'renamed.txt'),
            ('complete', 'b.bin'),
            ('complete', 'large.txt'),
        ]
        assert results[2]['result']['text'] == ['b.bin\n\n']
        assert (results[3]['bytes_sent'], results[3]['file_size']) == (2_500_000, 2_500_000)
        assert set(results[0]) == set(UploadResult.__annotations__) - {'error'}
        steps = [body['action'] for body in events if body['filepath'] == 'large.txt']
        assert steps[0] == 'open' and steps[-1] == 'complete' and steps.count('write') >= 1
        shares = [body['bytes_sent'] / body['file_size'] for body in events if body['filepath'] == 'large.txt']
        assert shares == sorted(shares) and shares[-1] == 1

    async def test_a_path_that_does_not_exist_is_told_before_anything_is_sent(
        self, server: Server, tmp_path: Path
    ) -> None:
        (tmp_path / 'a.txt').write_text('a')
        async with running(server) as (client, token):
            for wrong in ('none.txt', str(tmp_path)):
                with pytest.raises(builtins.FileNotFoundError) as caught:
                    await client.send_files(['a.txt', wrong], token)
                assert caught.value.filename == wrong
            assert (await client.get_task_status(token))['totalCount'] == 0

    async def test_a_file_that_fails_is_a_result(self, server: Server, tmp_path: Path) -> None:
        (tmp_path / 'a.txt').write_text('a')
        async with running(server) as (client, token):
            await client.terminate(token)
            (result,) = await client.send_files(['a.txt'], token)
            assert (result['action'], bool(result['error'])) == ('error', True)

    async def test_a_file_that_changes_meanwhile_is_a_result_that_says_so(self, server: Server, tmp_path: Path) -> None:
        changes: dict[str, Any] = {
            'grows': lambda file: os.truncate(file, 25 * 1024 * 1024),
            'shrinks': lambda file: os.truncate(file, 2 * 1024 * 1024),
            'empty': lambda file: os.truncate(file, 0),
            'anew': lambda file: file.write_bytes(bytes(24 * 1024 * 1024)),
        }
        async with running(server) as (client, token):
            for name, change in changes.items():
                file = tmp_path / f'{name}.bin'
                file.write_bytes(b'a' * 24 * 1024 * 1024)
                pending = [change]

                def hear(event: Any, file: Path = file, pending: list[Any] = pending) -> None:
                    if event['body'].get('action') == 'write' and pending:
                        pending.pop()(file)

                stop = client.listen(hear)
                (result,) = await client.send_files([file], token)
                stop()
                assert result['action'] == 'error'
                assert result['error'] == f'The file changed while it was sent: {file}'
                assert result['bytes_sent'] <= result['file_size']
            status = await client.get_task_status(token)
            assert (status['completedCount'], status['failedCount']) == (0, len(changes))
            assert any('The file changed while it was sent' in error for error in status['errors'])

    async def test_a_file_that_grows_without_end_is_read_no_further_than_it_was(
        self, server: Server, tmp_path: Path
    ) -> None:
        file = tmp_path / 'endless.bin'
        file.write_bytes(bytes(8 * 1024 * 1024))

        def hear(event: Any) -> None:
            if event['body'].get('action') == 'write':
                with file.open('ab') as more:
                    more.write(bytes(2 * 1024 * 1024))

        async with running(server) as (client, token):
            client.listen(hear)
            (result,) = await client.send_files([file], token)
        assert (result['action'], result['file_size']) == ('error', 8 * 1024 * 1024)
        assert result['bytes_sent'] <= result['file_size']

    async def test_a_file_that_has_gone_is_a_result(self, server: Server, tmp_path: Path) -> None:
        files = [tmp_path / f'{number}.txt' for number in range(3)]
        for file in files:
            file.write_text(file.name)
        async with running(server) as (client, token):
            client.listen(lambda _: files[1].unlink(missing_ok=True))
            results = await client.send_files(files, token, concurrency=1)
        assert [each['action'] for each in results] == ['complete', 'error', 'complete']
        assert results[1]['error'] == f'File not found: {files[1]}'

    async def test_every_chunk_is_told(self, server: Server, tmp_path: Path) -> None:
        (tmp_path / 'large.bin').write_bytes(bytes(3 * 1024 * 1024))
        written: list[int] = []

        def hear(event: Any) -> None:
            if event['body'].get('action') == 'write':
                written.append(event['body']['bytes_sent'])

        async with running(server) as (client, token):
            client.listen(hear)
            await client.send_files(['large.bin'], token)
        assert written == [1024 * 1024, 2 * 1024 * 1024, 3 * 1024 * 1024]

    def test_ten_thousand_and_few_at_a_time(self, server: Server, tmp_path: Path) -> None:
        files = [tmp_path / f'{number}.txt' for number in range(10_000)]
        for file in files:
            file.write_text(file.stem)
        active: set[str] = set()
        most = 0

        def hear(event: Any) -> None:
            nonlocal most
            body = event['body']
            (active.discard if body['action'] in ('complete', 'error') else active.add)(body['filepath'])
            most = max(most, len(active))

        async def upload() -> tuple[list[UploadResult], TaskStatus]:
            async with running(server) as (client, token):
                client.listen(hear)
                return await client.send_files(files, token, concurrency=7), await client.get_task_status(token)

        results, status = asyncio.run(upload())
        assert [each['filepath'] for each in results] == [str(file) for file in files]
        assert [each['result']['text'] for each in results] == [[f'{file.stem}\n\n'] for file in files]
        assert (status['completedCount'], status['failedCount']) == (10_000, 0)
        assert (most, active) == (7, set())

    async def test_a_large_sparse_file_stays_out_of_memory(self, server: Server, tmp_path: Path) -> None:
        import tracemalloc

        with (tmp_path / 'large.bin').open('wb') as file:
            file.truncate(64 * 1024 * 1024)
        async with running(server) as (client, token):
            tracemalloc.start()
            (result,) = await client.send_files(['large.bin'], token)
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
        assert (result['action'], result['bytes_sent']) == ('complete', 64 * 1024 * 1024)
        assert peak < 24 * 1024 * 1024


class TestQuestionsAboutTasks:
    async def test_the_status_has_every_field_of_the_model(self, server: Server) -> None:
        async with running(server, pipelineTraceLevel='full') as (client, token):
            await client.send(token, 'x')
            status = await client.get_task_status(token)
            assert set(get_type_hints(TaskStatus)) <= set(status)
            for name, hint in get_type_hints(TaskStatus).items():
                if hint in (int, str, bool):
                    assert type(status[name]) is hint, name  # type: ignore[literal-required]
            assert (status['state'], status['completedCount'], status['errors']) == (3, 1, [])
            assert token in [task['token'] for task in await client.get_tasks()]
        async with MillraceClient(server.url, server.key) as client:
            status = await client.get_task_status(token)
            assert (status['state'], status['completed'], status['exitCode']) == (6, True, 0)

    async def test_validation(self, server: Server) -> None:
        async with MillraceClient(server.url, server.key) as client:
            assert (await client.validate(ECHO))['errors'] == []
            assert (await client.validate({**ECHO, 'source': 'none'}, 'in'))['resolved'] == {
                'id': 'in',
                'provider': 'webhook',
            }
            broken = await client.validate({'components': [{'id': 'a', 'provider': 'nonsense', 'config': {}}]})
            assert broken['errors'] and all(isinstance(message, str) for message in broken['errors'])
            component = await client.validate_component({'id': 'a', 'provider': 'webhook', 'config': {}})
            assert component['errors'] == []


class TestEvents:
    async def test_follow_an_object_through_the_components(self, server: Server) -> None:
        steps: list[Any] = []
        async with (
            running(server, pipelineTraceLevel='summary') as (client, token),
            client.events(token, ['flow']) as events,
        ):
            await client.send(token, 'x', {'name': 'followed'})
            async for event in events:
                steps.append(event['body'])
                if event['body']['op'] == 'end':
                    break
        assert (steps[0]['op'], steps[0]['pipes'][0]) == ('begin', 'followed')

    async def test_are_those_asked_for_whatever_else_the_client_subscribed_to(
        self, server: Server, tmp_path: Path
    ) -> None:
        (tmp_path / 'a.txt').write_text('a')
        async with (
            running(server, pipelineTraceLevel='summary') as (client, token),
            client.events(token, ['flow']) as flow,
            client.events(token, ['summary', 'flow']) as both,
        ):
            await client.send_files(['a.txt'], token)
            names = set()
            async for event in both:
                names.add(event['event'])
                if event['event'] == 'apaevt_flow' and event['body']['op'] == 'end':
                    break
            assert names == {'apaevt_flow', 'apaevt_status_update'}
            async for event in flow:
                assert event['event'] == 'apaevt_flow'
                if event['body']['op'] == 'end':
                    break

    async def test_come_to_listeners_while_subscribed(self, server: Server) -> None:
        seen: list[str] = []
        async with running(server) as (client, token):
            client.listen(lambda event: seen.append(event['event']))
            async with await client.subscribe(token, ['summary']):
                await client.ping()
                assert 'apaevt_status_update' in seen
            with pytest.raises(RuntimeError):
                await client.subscribe('nobody', ['summary'])


class TestTheServer:
    async def test_files(self, server: Server) -> None:
        async with MillraceClient(server.url, server.key) as client:
            store = client.store
            data = bytes(range(256)) * 40_000
            assert await store.write('folder/a.bin', data) == len(data)
            assert await store.read('folder/a.bin') == data
            assert [len(piece) async for piece in store.stream('folder/a.bin')] == [4194304, 4194304, 1851392]
            await store.rename('folder/a.bin', 'folder/b.txt')
            assert [entry['name'] for entry in await store.list('folder')] == ['b.txt']
            await store.write('folder/b.txt', 'Grüße')
            assert await store.read_text('folder/b.txt') == 'Grüße'
            assert (await store.stat('folder/b.txt'))['size'] == 7
            await store.mkdir('folder/sub')
            with pytest.raises(RuntimeError):
                await store.rmdir('folder')
            await store.remove('folder/b.txt')
            await store.rmdir('folder', True)
            assert await store.stat('folder') == {'exists': False}
            with pytest.raises(builtins.FileNotFoundError):
                await store.read('folder/b.txt')

    async def test_deployments(self, server: Server) -> None:
        async with MillraceClient(server.url, server.key) as client:
            deployments = client.deployments
            added = await deployments.add({**ECHO, 'project_id': 'nightly'}, '@daily')
            assert (added['schedule'], added['state']) == ('@daily', 'active')
            await deployments.update('nightly', schedule='manual')
            assert (await deployments.status('nightly'))['schedule'] == 'manual'
            assert 'nightly' in [each['pipeline'].get('project_id') for each in await deployments.list()]
            await deployments.remove('nightly')
            with pytest.raises(MillraceError):
                await deployments.status('nightly')

    async def test_variables(self, server: Server) -> None:
        async with MillraceClient(server.url, server.key) as client:
            await client.env.set({'SERVICE_SECRET': 's'})
            assert await client.env.keys() == ['SERVICE_SECRET']
            assert await client.env.get() == {'SERVICE_SECRET': 's'}
            await client.env.set({})

    async def test_providers_and_facts(self, server: Server) -> None:
        async with MillraceClient(server.url, server.key) as client:
            assert 'webhook' in (await client.get_services())['services']
            assert (await client.get_service('webhook'))['title']
            with pytest.raises(NotFoundError):
                await client.get_service('nonsense')
            assert await client.ping() < 10
            assert 'overview' in await client.dashboard() or await client.dashboard()
            info = await client.get_server_info()
            reply = await client.request('mrext_ping')
            assert reply.payload is None
        assert await MillraceClient(server.url).get_server_info() == info

    async def test_a_wrong_key(self, server: Server) -> None:
        with pytest.raises(AuthenticationError) as caught:
            await MillraceClient(server.url, 'wrong').connect()
        assert caught.value.code == 'auth_invalid'

    async def test_comes_back_after_a_restart_of_the_server(self, tmp_path: Path) -> None:
        with engine(tmp_path / 'data') as first:
            port = int(first.url.rsplit(':', 1)[1].strip('/'))
            back = asyncio.Event()
            client = MillraceClient(first.url, first.key, persist=True, on_connected=lambda _: back.set())
            await client.connect()
            back.clear()
        with pytest.raises(ConnectionError):
            await client.ping()
        with engine(tmp_path / 'data', port):
            await asyncio.wait_for(back.wait(), 60)
            await client.ping()
            await client.disconnect()

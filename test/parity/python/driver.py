"""Runs the calls of the parity list with the Python client.

Reads one JSON object a line from standard input, `{"call": {…}, "folder": "…"}` or `{"cli": [args], "input": base64}`,
and answers each with one line on standard output.
"""

import asyncio
import base64
import io
import json
import os
import sys
import tempfile
from pathlib import Path

from millrace import MillraceClient, MillraceError
from millrace.cli.io import Input, Io, Output
from millrace.cli.main import run_command

URI, KEY = sys.argv[1:3]
clients = {}


async def client_of(auth):
    if auth not in clients:
        client = MillraceClient(URI, auth)
        await client.connect()
        clients[auth] = client
    return clients[auth]


async def connect(_client, call, _folder):
    told = []
    client = MillraceClient(
        call.get('uri', URI),
        call.get('auth', KEY),
        on_connected=lambda _: told.append('connected'),
        on_disconnected=lambda _, has_error: told.append(f'disconnected {str(has_error).lower()}'),
        on_connect_error=lambda error: told.append(f'error {error.code}'),
    )
    try:
        await client.connect()
    finally:
        await client.disconnect()
    await asyncio.sleep(0)
    return {'told': told}


async def use(client, call, folder):
    given = {key: value for key, value in call.items() if key not in ('op', 'auth', 'file', 'useExisting')}
    if 'useExisting' in call:
        given['use_existing'] = call['useExisting']
    if 'file' in call:
        given['filepath'] = Path(folder) / call['file']
    return await client.use(**given)


async def restart(client, call, _folder):
    names = {'projectId': 'project_id'}
    given = {names.get(key, key): value for key, value in call.items() if key not in ('op', 'auth')}
    return await client.restart(given.pop('pipeline'), **given)


async def send(client, call, _folder):
    data = base64.b64decode(call['base64']) if 'base64' in call else call['data']
    return await client.send(call['token'], data, call.get('objinfo'), call.get('mimetype'))


async def send_files(client, call, folder):
    def entry(given):
        if isinstance(given, str):
            return os.path.join(folder, given)
        path = os.path.join(folder, given['file'])
        facts = given.get('objinfo', {})
        return (path, facts, given['mimetype']) if 'mimetype' in given else (path, facts)

    seen = []

    def listener(message):
        if message['event'] == 'apaevt_status_upload':
            body = message['body']
            seen.append({key: body[key] for key in ('action', 'filepath', 'bytes_sent', 'file_size')})

    stop = client.listen(listener)
    try:
        results = await client.send_files([entry(each) for each in call['files']], call['token'])
    finally:
        stop()
    return {'results': results, 'events': seen} if call.get('events') else results


async def pipe(client, call, _folder):
    made = client.pipe(call['token'], call.get('objinfo'), call.get('mimeType'), call.get('provider'))
    misuse = call.get('misuse')
    if misuse != 'not opened':
        await made.open()
    for chunk in call['chunks']:
        await made.write(chunk.encode() if isinstance(chunk, str) else chunk)
    result = await made.close()
    if misuse == 'closed twice':
        await made.close()
    if misuse == 'write after close':
        await made.write(b'late')
    return result


async def events(client, call, _folder):
    seen = []

    def listener(message):
        body = message.get('body') or {}
        what = body.get('op') or body.get('action')
        seen.append(' '.join(part for part in (message['event'], what) if part))

    stop = client.listen(listener)
    subscription = await client.subscribe({'token': call['token']}, call['types'])
    try:
        await client.send(call['token'], call['data'], {'name': 'watched'})
        for _ in range(500):
            if call['until'] in seen:
                break
            await asyncio.sleep(0.01)
        return sorted(set(seen))
    finally:
        stop()
        await subscription.dispose()


async def server_info(client, _call, _folder):
    info = await client.get_server_info()
    return {'capabilities': info['capabilities'], 'apps': info['apps']}


async def services(client, _call, _folder):
    return sorted((await client.get_services())['services'])


async def ping(client, _call, _folder):
    await client.ping()


OPERATIONS = {
    'serverInfo': server_info,
    'ping': ping,
    'use': use,
    'status': lambda client, call, _: client.get_task_status(call['token']),
    'terminate': lambda client, call, _: client.terminate(call['token']),
    'restart': restart,
    'tasks': lambda client, _call, _: client.get_tasks(),
    'token': lambda client, call, _: client.get_token(call['projectId'], call['source']),
    'pipeline': lambda client, call, _: client.get_pipeline(call['token']),
    'send': send,
    'sendFiles': send_files,
    'pipe': pipe,
    'events': events,
    'chat': lambda client, call, _: client.chat(token=call['token'], question=call['question']),
    'validate': lambda client, call, _: client.validate(call['pipeline'], call.get('source')),
    'validateComponent': lambda client, call, _: client.validate_component(call['component']),
    'services': services,
    'service': lambda client, call, _: client.get_service(call['name']),
    'store.write': lambda client, call, _: client.store.write(call['path'], call['data']),
    'store.read': lambda client, call, _: client.store.read_text(call['path']),
    'store.list': lambda client, call, _: client.store.list(*([call['path']] if 'path' in call else [])),
    'store.stat': lambda client, call, _: client.store.stat(call['path']),
    'store.mkdir': lambda client, call, _: client.store.mkdir(call['path']),
    'store.rmdir': lambda client, call, _: client.store.rmdir(call['path'], call.get('recursive', False)),
    'store.remove': lambda client, call, _: client.store.remove(call['path']),
    'store.rename': lambda client, call, _: client.store.rename(call['from'], call['to']),
    'deployments.add': lambda client, call, _: client.deployments.add(
        call['pipeline'], *([call['schedule']] if 'schedule' in call else [])
    ),
    'deployments.list': lambda client, _call, _: client.deployments.list(),
    'deployments.status': lambda client, call, _: client.deployments.status(call['projectId']),
    'deployments.update': lambda client, call, _: client.deployments.update(
        call['projectId'], schedule=call['schedule']
    ),
    'deployments.remove': lambda client, call, _: client.deployments.remove(call['projectId']),
    'variables.set': lambda client, call, _: client.env.set(call['env']),
    'variables.get': lambda client, _call, _: client.env.get(),
    'variables.keys': lambda client, _call, _: client.env.keys(),
}


async def run(call, folder):
    try:
        if call['op'] == 'connect':
            return {'value': await connect(None, call, folder)}
        if call['op'] not in OPERATIONS:
            return {'absent': True}
        client = await client_of(call.get('auth', KEY))
        return {'value': await OPERATIONS[call['op']](client, call, folder)}
    except MillraceError as error:
        classes = [each.__name__ for each in type(error).__mro__]
        return {'error': {'code': error.code, 'message': error.message, 'hint': error.hint, 'classes': classes}}


async def command(args, data):
    stdout, stderr = io.BytesIO(), io.BytesIO()
    with tempfile.TemporaryFile() as stdin:
        stdin.write(data)
        stdin.seek(0)
        streams = Io(Input(stdin.fileno(), False), Output(stdout, False), Output(stderr, False), {})
        code = int(await run_command(args, streams))
    return {'code': code, 'stdout': stdout.getvalue().decode(), 'stderr': stderr.getvalue().decode()}


async def main():
    while line := await asyncio.to_thread(sys.stdin.readline):
        asked = json.loads(line)
        if 'cli' in asked:
            answer = await command(asked['cli'], base64.b64decode(asked['input']))
        else:
            answer = await run(asked['call'], asked['folder'])
        sys.stdout.write(json.dumps(answer) + '\n')
        sys.stdout.flush()
    for client in clients.values():
        await client.disconnect()


asyncio.run(main())

"""Starting, asking about, restarting and ending tasks."""

import asyncio
import inspect
import json
import os

from common import connected, context, echo, main, op


def two_sources():
    pipeline = echo('two-sources')
    pipeline['components'][0]['config'] = {'mode': 'Source', 'name': 'First'}
    pipeline['components'].append({'id': 'chat_1', 'provider': 'chat', 'config': {'mode': 'Source', 'name': 'Second'}})
    return pipeline


def named_lane(project, name):
    pipeline = echo(project)
    pipeline['components'][1].update(provider='response_text', config={'laneName': name})
    return pipeline


async def work():
    async with connected() as c:
        takes = inspect.signature(c.use).parameters

        await op('use', lambda: c.use(pipeline=echo('use')))
        await op('use wrapped', lambda: c.use(pipeline={'pipeline': echo('wrapped')}, token='PY-wrapped'))
        options = {'threads': 3, 'ttl': 120, 'args': ['--verbose']}
        if 'name' in takes:
            options['name'] = 'My name'
        if 'pipelineTraceLevel' in takes:
            options['pipelineTraceLevel'] = 'full'
        await op('use options', lambda: c.use(pipeline=echo('options'), token='PY-options', **options))
        await op('status options', lambda: status_after_send(c, 'PY-options'))

        path = os.path.join(context['folder'], 'from-file.pipe')
        with open(path, 'w') as file:
            json.dump(echo('file'), file)
        await op('use filepath', lambda: c.use(filepath=path, token='PY-file'))
        await op('use missing file', lambda: c.use(filepath=path + '.none'))
        await op('use nothing', lambda: c.use())
        await op('use source', lambda: c.use(pipeline=two_sources(), source='chat_1', token='PY-source'))
        await op('use unknown source', lambda: c.use(pipeline=two_sources(), source='nowhere', token='PY-nowhere'))
        unknown = echo('unknown')
        unknown['components'][1]['provider'] = 'no_such_provider'
        await op('use unknown provider', lambda: c.use(pipeline=unknown, token='PY-unknown'))

        await op('use twice', lambda: c.use(pipeline=echo('use'), token='PY-options'))
        await op('use existing', lambda: c.use(pipeline=echo('other'), token='PY-options', use_existing=True))
        await op('use sixteen', lambda: sixteen(c))

        await op('use variable', lambda: variable(c, {}))
        if 'env' in takes:
            await op('use env', lambda: variable(c, {'env': {'ROCKETRIDE_LANE': 'from_argument'}}))

        if hasattr(c, 'get_task_token'):
            await op('token', lambda: c.get_task_token('options', 'webhook_1'))
            await op('token of nothing', lambda: c.get_task_token('options', 'nowhere'))
            await op('pipeline', lambda: c.get_task_pipeline('PY-variable'))
        if hasattr(c, 'restart'):
            await op('restart', lambda: restarted(c, {}))
            await op('restart by token', lambda: restarted(c, {'token': 'PY-options'}))
        if hasattr(c, 'get_tasks'):
            await op('tasks', c.get_tasks)
            await op('task page', lambda: c.list_tasks(page('PY-')))
            await op('all tasks', c.list_tasks)

        await op('unknown token', lambda: c.get_task_status('nobody'))
        await op('terminate unknown', lambda: c.terminate('nobody'))
        await op('terminate', lambda: c.terminate('PY-options'))
        await op('status after the end', lambda: c.get_task_status('PY-options'))
        await op('send after the end', lambda: c.send('PY-options', 'late', mimetype='text/plain'))


def page(search):
    return {'page': 1, 'page_size': 2, 'search': search, 'sort': [{'field': 'projectId', 'dir': 'desc'}]}


async def status_after_send(c, token):
    await c.send(token, 'four', mimetype='text/plain')
    return await c.get_task_status(token)


async def sixteen(c):
    started = await asyncio.gather(
        *[c.use(pipeline=echo('sixteen'), token='PY-16', use_existing=True) for _ in range(16)]
    )
    return [entry['token'] for entry in started]


async def variable(c, options):
    await c.use(pipeline=named_lane('variable', '${ROCKETRIDE_LANE}'), token='PY-variable', **options)
    result = await c.send('PY-variable', 'text', mimetype='text/plain')
    await c.terminate('PY-variable')
    return result


async def restarted(c, options):
    await c.restart(project_id='options', source='webhook_1', pipeline=named_lane('options', 'again'), **options)
    return await c.send('PY-options', 'text', mimetype='text/plain')


main(work)

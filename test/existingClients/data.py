"""Sending data: texts, bytes, files, pipes and questions."""

import inspect
import os

from common import connected, context, echo, main, op
from rocketride import Question


def named(name, content):
    path = os.path.join(context['folder'], name)
    with open(path, 'wb') as file:
        file.write(content)
    return path


def chat():
    model = {'apikey': 'sk-scripted', 'base_url': context['model'], 'model': 'scripted', 'modelTotalTokens': 8192}
    return {
        'project_id': 'chat',
        'source': 'chat_1',
        'components': [
            {'id': 'chat_1', 'provider': 'chat', 'config': {'mode': 'Source'}},
            {
                'id': 'llm_1',
                'provider': 'llm_openai_api',
                'config': {'profile': 'custom', 'custom': model},
                'input': [{'lane': 'questions', 'from': 'chat_1'}],
            },
            {
                'id': 'answers_1',
                'provider': 'response_answers',
                'config': {'laneName': 'answers'},
                'input': [{'lane': 'answers', 'from': 'llm_1'}],
            },
        ],
    }


async def work():
    progress = []

    async def on_event(message):
        if message['event'] == 'apaevt_status_upload':
            progress.append(message['body'])

    async with connected(on_event=on_event) as c:
        token = (await c.use(pipeline=echo('data'), token='PY-data'))['token']

        def send(data, **more):
            return lambda: c.send(token, data, **more)

        await op('text', send('Hällo', mimetype='text/plain'))
        await op('bytes', send(b'raw\n\nbytes', mimetype='text/plain'))
        await op('objinfo', send('x', objinfo={'name': 'folder/note.txt'}, mimetype='text/plain'))
        await op('no type', send('dropped'))
        await op('empty', send('', mimetype='text/plain'))
        await op('neither', send(7))
        await op('big', lambda: big(c, token))

        a, b = named('a.txt', b'first'), named('b.txt', b'second')
        await op('paths', lambda: c.send_files([a, b], token))
        await op('tuples', lambda: c.send_files([(a, {'name': 'renamed.txt'})], token))
        await op('triples', lambda: c.send_files([(a, {'name': 'blank.txt '}, 'text/plain')], token))
        await op('missing path', lambda: c.send_files([a + '.none'], token))
        await op('progress', lambda: now(progress))
        many = [named(f'many-{number}.txt', b'x' * number) for number in range(1, 101)]
        await op('many', lambda: sizes(c, many, token))

        await op('pipe', lambda: pipe(c, token))
        await op('pipe by hand', lambda: pipe_by_hand(c, token))
        await op('pipe without open', lambda: unopened(c, token))
        await op('pipe of a dead task', lambda: pipe(c, 'nobody'))
        await op('wrong provider', lambda: pipe(c, token, provider='chat'))
        if 'on_sse' in inspect.signature(c.pipe).parameters:
            await op('pipe with on_sse', lambda: pipe(c, token, on_sse=ignore))

        chat_token = (await c.use(pipeline=chat(), token='PY-chat'))['token']
        question = Question()
        question.addInstruction('Tone', 'Be brief')
        question.addExample('ping', 'pong')
        question.addContext('The sky is green')
        question.addQuestion('Which colour has the sky?')
        await op('chat', lambda: c.chat(token=chat_token, question=question))
        structured = Question(expectJson=True)
        structured.addQuestion('As JSON?')
        await op('chat json', lambda: c.chat(token=chat_token, question=structured))
        await op('chat without question', lambda: c.chat(token=chat_token, question=None))


async def now(value):
    return value


async def ignore(*_):
    pass


async def big(c, token):
    text = 'ü' * 10_000_000
    result = await c.send(token, text, mimetype='text/plain')
    return {'same': result['text'] == [text + '\n\n'], 'bytes': len(text.encode())}


async def sizes(c, paths, token):
    return [entry['bytes_sent'] for entry in await c.send_files(paths, token)]


async def pipe(c, token, **more):
    async with await c.pipe(token, objinfo={'name': 'pipe.txt'}, mime_type='text/plain', **more) as opened:
        await opened.write(b'one')
        await opened.write(b'two')
        await opened.write(b'three')
        return await opened.close()


async def unopened(c, token):
    return await (await c.pipe(token, mime_type='text/plain')).write(b'x')


async def pipe_by_hand(c, token):
    handle = await c.pipe(token, mime_type='text/plain')
    await handle.open()
    number, opened = handle.pipe_id, handle.is_opened
    await handle.write(b'x')
    result = await handle.close()
    return {'number': number, 'opened': opened, 'text': result['text']}


main(work)

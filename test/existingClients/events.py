"""Subscriptions: replay, task and status events, flow, output, and taking them back."""

from common import connected, echo, main, op, until


async def work():
    events = []

    async def on_event(message):
        events.append(message)

    def seen(kind):
        return [message for message in events if message['event'] == kind]

    async with connected(on_event=on_event) as c:
        traced = {'pipelineTraceLevel': 'full'} if hasattr(c, 'add_monitor') else {}
        await c.use(pipeline=echo('events'), token='PY-events', **traced)

        async def subscribe(types, kind):
            events.clear()
            await c.set_events('PY-events', types)
            await until(lambda: seen(kind))
            return seen(kind)[:1]

        await op('summary', lambda: subscribe(['summary'], 'apaevt_status_update'))
        await op('task', lambda: subscribe(['task'], 'apaevt_task'))

        async def after_send():
            events.clear()
            await c.send('PY-events', 'hello', mimetype='text/plain')
            await until(lambda: any(e['body']['completedCount'] == 1 for e in seen('apaevt_status_update')))
            return seen('apaevt_status_update')[-1]['body']

        await c.set_events('PY-events', ['summary', 'flow', 'output', 'detail'])
        await op('status after a send', after_send)

        async def silence():
            await c.set_events('PY-events', [])
            events.clear()
            await c.send('PY-events', 'hello', mimetype='text/plain')
            await c.ping()
            return [message['event'] for message in events]

        await op('unsubscribed', silence)
        await op('unknown token', lambda: c.set_events('nobody', ['summary']))

        async def life():
            """A task's events as somebody who watches all tasks sees them."""
            await c.add_monitor({'token': '*'}, ['task', 'dashboard'])
            events.clear()
            await c.use(pipeline=echo('life'), token='PY-life')
            await c.terminate('PY-life')
            await until(lambda: any(e['body'].get('action') == 'end' for e in seen('apaevt_task')))
            await c.remove_monitor({'token': '*'}, ['task', 'dashboard'])
            return seen('apaevt_task')

        async def flow():
            key = {'project_id': 'events', 'source': 'webhook_1'}
            await c.add_monitor(key, ['flow'])
            events.clear()
            await c.send('PY-events', 'hello', objinfo={'name': 'flow.txt'}, mimetype='text/plain')
            await until(lambda: any(e['body']['op'] == 'end' for e in seen('apaevt_flow')))
            await c.remove_monitor(key, ['flow'])
            return [message['body'] for message in seen('apaevt_flow')]

        if traced:
            await op('life', life)
            await op('flow', flow)
            await op('clear', c.clear_all_monitors if hasattr(c, 'clear_all_monitors') else c.ping)


main(work)

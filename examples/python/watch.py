"""Sends a text and shows how it travels: which component had it, and the counts of the task.

    python examples/python/watch.py [TEXT]

The server and the key come from MILLRACE_URI and MILLRACE_APIKEY.
"""

import asyncio
import sys

from millrace import MillraceClient


async def follow(events):
    """Prints the flow of one object."""
    async for event in events:
        body = event['body']
        if body['op'] == 'enter':
            print(f'{body["pipes"][-1]}: {body["trace"]["lane"]}')
        if body['op'] == 'end':
            return


async def main(text='Call Ada on +44 20 7946 0958'):
    async with MillraceClient() as client:
        task = await client.use(filepath='examples/pipelines/anonymize.pipe.json', pipelineTraceLevel='summary')
        token = task['token']
        try:
            # Leaving the block unsubscribes.
            async with client.events(token, ['flow']) as events:
                result, _ = await asyncio.gather(client.send(token, text, {'name': 'note.txt'}), follow(events))
            print(result['masked'])
            status = await client.get_task_status(token)
            print(f'{status["completedCount"]} done, {status["failedCount"]} failed')
        finally:
            await client.terminate(token)


asyncio.run(main(*sys.argv[1:]))

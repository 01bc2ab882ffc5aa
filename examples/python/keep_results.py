"""Sends every file of a folder and keeps each result in the file store of the server. A file that has a result already is
left out: run it again after a failure, and it goes on where it stopped.

    python examples/python/keep_results.py [FOLDER] [PIPELINE]

The server and the key come from MILLRACE_URI and MILLRACE_APIKEY.
"""

import asyncio
import json
import sys
from pathlib import Path

from millrace import MillraceClient


async def main(folder='examples/documents', pipeline='examples/pipelines/documents.pipe.json'):
    files = sorted(path for path in Path(folder).iterdir() if path.is_file())
    async with MillraceClient() as client:
        done = {entry['name'] for entry in await client.store.list('results')}
        left = [path for path in files if f'{path.name}.json' not in done]
        task = await client.use(filepath=pipeline)
        try:
            for upload in await client.send_files(left, task['token']):
                if upload['action'] == 'error':
                    print(f'{upload["filepath"]}: {upload["error"]}', file=sys.stderr)
                else:
                    name = Path(upload['filepath']).name
                    await client.store.write(f'results/{name}.json', json.dumps(upload['result']))
        finally:
            await client.terminate(task['token'])
        print(f'{len(left)} sent, {len(files) - len(left)} had a result already')


asyncio.run(main(*sys.argv[1:]))

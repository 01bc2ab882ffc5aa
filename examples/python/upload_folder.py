"""Sends every file of a folder through a pipeline, five at a time, and tells what became of each.

    python examples/python/upload_folder.py [FOLDER] [PIPELINE]

The server and the key come from MILLRACE_URI and MILLRACE_APIKEY.
"""

import asyncio
import sys
from pathlib import Path

from millrace import MillraceClient


def progress(event):
    """Called with every event; only uploads are of interest here."""
    body = event['body']
    if event['event'] == 'apaevt_status_upload' and body['action'] == 'write' and sys.stderr.isatty():
        percent = round(100 * body['bytes_sent'] / body['file_size'])
        print(f'\r{Path(body["filepath"]).name} {percent} %', end='\033[K', file=sys.stderr)


async def main(folder='examples/documents', pipeline='examples/pipelines/documents.pipe.json'):
    files = sorted(path for path in Path(folder).iterdir() if path.is_file())
    async with MillraceClient(on_event=progress) as client:
        task = await client.use(filepath=pipeline)
        try:
            for upload in await client.send_files(files, task['token']):
                name = Path(upload['filepath']).name
                if upload['action'] == 'error':
                    outcome = f'failed: {upload["error"]}'
                else:
                    outcome = f'{len(upload["result"].get("documents", []))} pieces'
                print(f'{name:24} {upload["upload_time"]:.2f} s  {outcome}')
        finally:
            await client.terminate(task['token'])


asyncio.run(main(*sys.argv[1:]))

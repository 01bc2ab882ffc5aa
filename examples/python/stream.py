"""Streams standard input into a pipeline as one object, however large it is. Without asyncio.

    python examples/python/stream.py < README.md

The server and the key come from MILLRACE_URI and MILLRACE_APIKEY.
"""

import sys

from millrace import SyncMillraceClient

with SyncMillraceClient() as client:
    token = client.use(filepath='examples/pipelines/echo.pipe.json')['token']
    try:
        with client.pipe(token, {'name': 'stdin'}, 'text/plain') as pipe:
            while piece := sys.stdin.buffer.read(256 * 1024):
                pipe.write(piece)
            result = pipe.close()
        print(f'{len("".join(result["text"]))} characters came back')
    finally:
        client.terminate(token)

"""A Python client that comes back. It writes a line of JSON once it has subscribed, and after each login from then on.

Each line has the resident memory in MB and the numbers of open files and of coroutines, as they were at the login. The
end of standard input ends it.
"""

import asyncio
import json
import sys
from pathlib import Path

from millrace import MillraceClient


def resident():
    status = Path('/proc/self/status')
    lines = status.read_text().splitlines() if status.exists() else []
    return sum(int(line.split()[1]) / 1024 for line in lines if line.startswith('VmRSS'))


def files():
    folder = Path('/proc/self/fd')
    return len(list(folder.iterdir())) if folder.exists() else 0


async def main(uri, key):
    first = []
    subscribed = False

    def connected(_):
        facts = json.dumps({'memory': resident(), 'files': files(), 'tasks': len(asyncio.all_tasks())})
        if subscribed:
            print(facts, flush=True)
        else:
            first.append(facts)

    async with MillraceClient(uri, key, persist=True, on_connected=connected) as client:
        await client.subscribe('*', ['task'])
        subscribed = True
        print(*first, flush=True)
        await asyncio.to_thread(sys.stdin.read)
        assert client.connected


asyncio.run(main(*sys.argv[1:]))

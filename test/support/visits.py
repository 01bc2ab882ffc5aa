"""Visits bad servers with the Python client and its synchronous twin, at the same time.

Reads one JSON object a line from standard input, `{"what": …, "url": …}` with one of `visits`, and answers each with one
line on standard output: what became of it by the name of the class, and everything that is left.
"""

import asyncio
import gc
import json
import logging
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from millrace import MillraceClient, SyncMillraceClient

noise = []


class Noise(logging.Handler):
    """What the event loops log: exceptions that nobody retrieved, tasks that were destroyed."""

    def emit(self, record):
        noise.append(record.getMessage())


class Awaitable:
    """A synchronous client whose methods may be awaited, so that each visit is written once."""

    def __init__(self, client):
        self._client = client

    def __getattr__(self, name):
        async def method(*args):
            return getattr(self._client, name)(*args)

        return method


async def failure(work):
    try:
        return {'nothing': repr(await work)}
    except Exception as error:
        code, hint = getattr(error, 'code', None), getattr(error, 'hint', None)
        return {'name': type(error).__name__, 'code': code, 'hint': hint}


async def log_in(client):
    said = [await failure(client.connect()), await failure(client.get_server_info())]
    await client.disconnect()
    return said


async def stalled(client):
    await client.connect()
    said = [await failure(client.get_tasks()), await failure(client.use({'components': []}))]
    await client.disconnect()
    return said


async def confused(client):
    await client.connect()
    said = [await client.get_tasks(), await client.get_tasks()]
    await client.disconnect()
    return said


# Only who waits in vain waits for half a second; the others have the time that a busy machine needs.
visits = {
    'refused': (log_in, 30, 30),
    'unheard': (log_in, 0.5, 0.5),
    'stalled': (stalled, 30, 0.5),
    'confused': (confused, 30, 30),
}


async def visited(visit, client):
    """What a visit says, its seconds, and the coroutines that go on behind it."""
    began = time.monotonic()
    said = await visit(client)
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    return {'said': said, 'seconds': time.monotonic() - began, 'left': [str(task) for task in rest]}


def sockets():
    """Sockets of this process (Linux)."""
    folder = Path('/proc/self/fd')
    links = [str(link.readlink()) for link in folder.iterdir() if link.is_symlink()] if folder.exists() else []
    return {link for link in links if link.startswith('socket:')}


def visit_with_both(what, url):
    visit, connect_timeout, request_timeout = visits[what]
    options = {'uri': url, 'auth': 'a key', 'connect_timeout': connect_timeout, 'request_timeout': request_timeout}
    clients = {'Python': MillraceClient(**options), 'Python, synchronous': Awaitable(SyncMillraceClient(**options))}
    with ThreadPoolExecutor() as threads:
        work = {name: threads.submit(asyncio.run, visited(visit, client)) for name, client in clients.items()}
    answers = {name: done.result() for name, done in work.items()}
    del work, clients
    gc.collect()
    threads_left = [thread.name for thread in threading.enumerate() if thread is not threading.current_thread()]
    for answer in answers.values():
        answer['left'] += [*threads_left, *(sockets() - own_sockets), *noise]
    noise.clear()
    return answers


own_sockets = sockets()
logging.getLogger('asyncio').addHandler(Noise())
warnings.simplefilter('always', ResourceWarning)
warnings.showwarning = lambda message, *_: noise.append(str(message))
threading.excepthook = sys.unraisablehook = lambda told: noise.append(repr(told.exc_value))
for line in sys.stdin:
    print(json.dumps(visit_with_both(**json.loads(line))), flush=True)

"""A server of a few lines in this process, which answers as the test says."""

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Callable
from typing import Any, cast

from websockets.asyncio.server import Server, ServerConnection, serve

Answer = Callable[[dict[str, Any]], Any]


async def eventually(check: Any) -> None:
    until = time.monotonic() + 30
    while not check():
        assert time.monotonic() < until, 'it did not happen in time'
        await asyncio.sleep(0.005)


class FakeServer:
    """Answers each command by its name without prefix: a body, an error as a dict with `message`, or nothing at all."""

    def __init__(self, dialect: str = 'spec') -> None:
        self.dialect = dialect
        self.requests: list[dict[str, Any]] = []
        self.answers: dict[str, Answer] = {}
        self.silent: set[str] = set()
        # Commands that are answered when their event is set; those after them do not wait.
        self.held: dict[str, asyncio.Event] = {}
        self.waiting: set[asyncio.Task[None]] = set()
        self.connections: set[ServerConnection] = set()
        self.server: Server | None = None

    @property
    def url(self) -> str:
        assert self.server is not None
        return f'http://127.0.0.1:{next(iter(self.server.sockets)).getsockname()[1]}'

    def commands(self) -> list[str]:
        return [request['command'] for request in self.requests]

    async def handle(self, connection: ServerConnection) -> None:
        self.connections.add(connection)
        try:
            async for message in connection:
                await self.answer(connection, message)
        finally:
            self.connections.discard(connection)

    async def answer(self, connection: ServerConnection, message: str | bytes) -> None:
        head = message.split('\n')[0] if isinstance(message, str) else message.split(b'\n')[0]
        request = json.loads(head)
        self.requests.append(request)
        command = request['command']
        foreign = command.startswith('mrext_') and self.dialect == 'peer'
        name = command.partition('ext_')[2] or command
        if name in self.silent:
            return
        if name in self.held:
            waiting = asyncio.create_task(self.reply_later(self.held[name], connection, request, name, foreign))
            self.waiting.add(waiting)
            waiting.add_done_callback(self.waiting.discard)
        else:
            await self.reply(connection, request, name, foreign)

    async def reply_later(self, event: asyncio.Event, *args: Any) -> None:
        await event.wait()
        await self.reply(*args)

    async def reply(self, connection: ServerConnection, request: dict[str, Any], name: str, foreign: bool) -> None:
        command = request['command']
        reply = {'type': 'response', 'seq': 1, 'request_seq': request['seq'], 'command': command, 'success': True}
        body = self.answers[name](request.get('arguments', {})) if name in self.answers else {}
        if foreign:
            reply |= {'success': False, 'message': 'Invalid command'}
        elif isinstance(body, dict) and 'message' in body:
            reply |= {'success': False, **body}
        else:
            reply['body'] = body
        await connection.send(json.dumps(reply))

    async def event(self, name: str, body: Any, task: str | None = None) -> None:
        message = {'type': 'event', 'seq': 1, 'event': name, 'body': body, **({'id': task} if task else {})}
        for connection in self.connections:
            await connection.send(json.dumps(message))

    def drop(self) -> None:
        """Cuts every connection without a good-bye."""
        for connection in self.connections:
            cast(asyncio.WriteTransport, connection.transport).abort()

    @contextlib.asynccontextmanager
    async def running(self, port: int = 0) -> AsyncIterator['FakeServer']:
        async with serve(self.handle, '127.0.0.1', port, ping_interval=None, max_size=None) as server:
            self.server = server
            try:
                yield self
            finally:
                self.drop()


class CuttingProxy:
    """Passes bytes on between a client and a server, and cuts after so many of one direction."""

    def __init__(self, target: str, direction: str = 'to client', cut_after: int | None = None) -> None:
        self.host, port = target.removeprefix('http://').split(':')
        self.port = int(port)
        self.limits = {direction: cut_after}
        self.passed = {'to client': 0, 'to server': 0}

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[str]:
        server = await asyncio.start_server(self.connect, '127.0.0.1', 0)
        try:
            yield f'http://127.0.0.1:{server.sockets[0].getsockname()[1]}'
        finally:
            server.close()

    async def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        up_reader, up_writer = await asyncio.open_connection(self.host, self.port)
        both = {
            asyncio.ensure_future(self.carry(up_reader, writer, 'to client')),
            asyncio.ensure_future(self.carry(reader, up_writer, 'to server')),
        }
        _, pending = await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        for rest in pending:
            rest.cancel()
        writer.transport.abort()
        up_writer.transport.abort()

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, direction: str) -> None:
        limit = self.limits.get(direction)
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                if limit is not None:
                    data = data[: max(0, limit - self.passed[direction])]
                self.passed[direction] += len(data)
                writer.write(data)
                await writer.drain()
                if limit is not None and self.passed[direction] >= limit:
                    return

"""Events as an asynchronous iterator."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from typing import cast

from .connection import Connection
from .errors import MillraceError
from .generated.limits import EVENT_TYPES, UPLOAD_EVENT
from .generated.models import EventMessage, MonitorType
from .monitors import MonitorKey, Monitors, Subscription, is_under

__all__ = ['DEFAULT_CAPACITY', 'EventStream']

DEFAULT_CAPACITY = 10_000


class EventStream(AsyncIterator[EventMessage]):
    """Subscribes and yields events until it is closed.

    As an `async with` block it subscribes at once and unsubscribes at the end; without one it subscribes with the first
    event asked for, and `aclose` unsubscribes. When the reader is so slow that events had to go, the next one is
    `apaevt_lost` with `{'dropped': number}`.
    """

    def __init__(
        self,
        connection: Connection,
        monitors: Monitors,
        key: MonitorKey,
        types: Iterable[MonitorType],
        capacity: int,
    ) -> None:
        self._connection = connection
        self._monitors = monitors
        self._key = key
        self._types = [each.lower() for each in types]
        self._queue: deque[EventMessage] = deque()
        self._capacity = capacity
        self._dropped = 0
        self._news = asyncio.Event()
        self._over = False
        self._lost: MillraceError | None = None
        self._subscription: Subscription | None = None
        self._stops: list[Callable[[], None]] = []

    async def open(self) -> EventStream:
        """Subscribe, once.

        Raises:
            TaskError: `task_unknown` when the token is of no task; ConnectionError: not connected.
        """
        if not self._stops and not self._over:
            self._stops = [self._connection.listen(self._take), self._connection.listen_end(self._end)]
            try:
                self._subscription = await self._monitors.subscribe(self._key, cast('list[MonitorType]', self._types))
            except BaseException:
                await self.aclose()
                raise
        return self

    async def aclose(self) -> None:
        """Unsubscribe and end the iteration. Safe to call twice."""
        self._over = True
        for stop in self._stops:
            stop()
        self._news.set()
        subscription, self._subscription = self._subscription, None
        if subscription is not None:
            await subscription.dispose()

    async def __aenter__(self) -> EventStream:
        return await self.open()

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __aiter__(self) -> EventStream:
        return self

    async def __anext__(self) -> EventMessage:
        """Return the next event.

        Raises:
            ConnectionError: the connection is lost for good; after a `disconnect` the iteration just ends.
        """
        await self.open()
        while True:
            if self._dropped > 0:
                dropped, self._dropped = self._dropped, 0
                return {'type': 'event', 'seq': 0, 'event': 'apaevt_lost', 'body': {'dropped': dropped}}
            if self._queue:
                return self._queue.popleft()
            if self._over:
                await self.aclose()
                if self._lost is not None:
                    lost, self._lost = self._lost, None
                    raise lost
                raise StopAsyncIteration
            self._news.clear()
            await self._news.wait()

    def _take(self, event: EventMessage) -> None:
        if not self._is_wanted(event['event']) or not is_under(event, self._key, self._connection.task_ids):
            return
        self._queue.append(event)
        if len(self._queue) > self._capacity:
            self._queue.popleft()
            self._dropped += 1
        self._news.set()

    def _is_wanted(self, name: str) -> bool:
        # Others of this client may have subscribed to more under the same key.
        kind = EVENT_TYPES.get(name)
        return name != UPLOAD_EVENT and (kind is None or kind in self._types or 'all' in self._types)

    def _end(self, reason: MillraceError | None) -> None:
        self._over = True
        self._lost = reason
        self._news.set()

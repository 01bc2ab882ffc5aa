"""Subscriptions: counts who wants which events, and keeps the server's subscriptions equal to the sum."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, TypedDict

from .connection import Connection
from .errors import MillraceError, create_error
from .generated.models import EventMessage, MonitorType

__all__ = ['MonitorKey', 'Monitors', 'Subscription', 'TaskKey', 'is_of_task', 'is_under']


class TaskKey(TypedDict, total=False):
    """What to hear about: one task by `token`, or by `projectId` and `source` (`*` for all sources)."""

    token: str
    projectId: str
    source: str
    pipeId: int


MonitorKey = str | TaskKey
"""`'*'` for everything, the token of a task, or a `TaskKey`."""


class Subscription:
    """Ends with `dispose`, or as an `async with` block; types that others still use stay."""

    def __init__(self, monitors: Monitors, watch: _Watch, types: list[str]) -> None:
        self._monitors = monitors
        self._watch = watch
        self._types = types
        self._active = True

    async def dispose(self) -> None:
        """End this subscription. Safe to call twice."""
        if self._active:
            self._active = False
            await self._monitors.release(self._watch, self._types)

    async def __aenter__(self) -> Subscription:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.dispose()


class _Watch:
    """All subscriptions under one key, as the server knows the key: one merged list of types."""

    def __init__(self, key: str, args: dict[str, Any]) -> None:
        self.key = key
        self.args = args
        self.counts: Counter[str] = Counter()
        self.told: list[str] = []
        # Messages about one key must not overtake each other, because each replaces the one before.
        self.turn = asyncio.Lock()


class Monitors:
    """The subscriptions of one client."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._watches: dict[str, _Watch] = {}

    async def subscribe(self, key: MonitorKey, types: Iterable[MonitorType]) -> Subscription:
        """Subscribe and return when the server has confirmed. The subscription survives reconnects.

        Raises:
            TaskError: `task_unknown` when the token is of no task; ConnectionError: not connected.
        """
        args = _arguments(key)
        name = json.dumps(args, sort_keys=True)
        wanted = sorted({each.lower() for each in types})
        watch = self._watches.setdefault(name, _Watch(name, args))
        watch.counts.update(wanted)
        subscription = Subscription(self, watch, wanted)
        try:
            await self._tell(watch)
        except BaseException:
            await subscription.dispose()
            raise
        return subscription

    async def release(self, watch: _Watch, types: list[str]) -> None:
        """Take back what a subscription wanted."""
        watch.counts -= Counter(types)
        # The task or the connection may be gone, and with them the subscription.
        with contextlib.suppress(MillraceError):
            await self._tell(watch)
        # Not before: whoever subscribes meanwhile must queue behind this message, which would end their subscription.
        if not watch.counts and self._watches.get(watch.key) is watch:
            del self._watches[watch.key]

    async def restore(self) -> None:
        """Tell a server that knows nothing yet. A key whose task is gone is left to its owner."""
        watches = list(self._watches.values())
        for watch in watches:
            watch.told = []
        await asyncio.gather(*(self._tell(watch) for watch in watches), return_exceptions=True)

    async def _tell(self, watch: _Watch) -> None:
        async with watch.turn:
            types = sorted(watch.counts)
            if types == watch.told:
                return
            await self._connection.call('monitor', {**watch.args, 'types': types})
            watch.told = types


def _arguments(key: MonitorKey) -> dict[str, Any]:
    if isinstance(key, str):
        key = {'token': key}
    given: dict[str, Any] = {name: value for name, value in key.items() if value is not None}
    if given.get('token'):
        return {name: given[name] for name in ('token', 'pipeId') if name in given}
    if not given.get('projectId'):
        raise create_error('token_required')
    return {'source': '*', **given}


def is_of_task(event: EventMessage, token: str, known: str | None) -> bool:
    """Whether an event is of a task.

    Servers call a task by the first characters of its token, without prefix, and its source. `known` is how they call
    this one, if it was started here; without it two tasks whose tokens begin alike cannot be told apart.
    """
    body = event.get('body')
    own = body.get('__id') if isinstance(body, Mapping) else None
    name = event.get('id', own)
    if not isinstance(name, str) or not name:
        return True
    return name == known if known is not None else name.startswith(f'{re.sub("^[tp]k_", "", token)[:8]}.')


def is_under(event: EventMessage, key: MonitorKey, task_ids: Mapping[str, str]) -> bool:
    """Whether an event belongs to what `key` stands for."""
    if key == '*':
        return True
    wanted = _arguments(key)
    body = event.get('body')
    about: Mapping[str, Any] = body if isinstance(body, Mapping) else {}
    pipe = wanted.get('pipeId')
    if pipe is not None and about.get('pipe_id', about.get('id', pipe)) != pipe:
        return False
    if 'token' in wanted:
        return wanted['token'] == '*' or is_of_task(event, wanted['token'], task_ids.get(wanted['token']))
    project = about.get('project_id', about.get('projectId'))
    if project is None:
        return True
    return project == wanted['projectId'] and wanted['source'] in ('*', about.get('source'))

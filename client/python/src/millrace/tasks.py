"""Starting, watching and ending tasks."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from typing import Any, cast

from .connection import Connection
from .core.protocol import Reply
from .documents import checked_pipeline, load_pipeline
from .environment import Environment, substitute
from .errors import create_error
from .generated.models import Pipeline, StartInfo, TaskListing, TaskStatus, TraceLevel, ValidationResult
from .results import read_validation

__all__ = ['PipelineInput', 'Tasks', 'checked_token', 'defined']

PipelineInput = Pipeline | Mapping[str, Any]
"""A pipeline as a mapping: checked by the server, so that any JSON may be passed."""

_STATUS_TIMEOUT = 15.0


class Tasks:
    """The tasks of one client."""

    def __init__(self, connection: Connection, environment: Environment, env: Mapping[str, str]) -> None:
        self._connection = connection
        self._environment = environment
        self._env = env

    async def use(
        self,
        *,
        pipeline: PipelineInput | None,
        filepath: str | os.PathLike[str] | None,
        token: str | None,
        source: str | None,
        threads: int | None,
        use_existing: bool | None,
        args: Sequence[str] | None,
        ttl: int | None,
        trace_level: TraceLevel | None,
        name: str | None,
        env: Mapping[str, str] | None,
        timeout: float | None,
    ) -> StartInfo:
        """Start a pipeline."""
        given: Any = pipeline
        if given is None:
            if filepath is None or not os.fspath(filepath):
                raise create_error('invalid_argument', 'Pass a pipeline or a filepath')
            loaded = await asyncio.to_thread(load_pipeline, os.fspath(filepath))
            given, name = loaded.pipeline, name or _name_of(loaded.pipeline) or loaded.name
        prepared = self._prepare(given, env)
        if source:
            prepared['source'] = source
        request = {
            'pipeline': prepared,
            'args': list(args or ()),
            **defined(
                token=token,
                threads=threads,
                useExisting=use_existing,
                ttl=ttl,
                pipelineTraceLevel=trace_level,
                name=name,
            ),
        }
        # Nobody will hear of a task whose start was given up, so it is ended.
        reply = await self._connection.request('execute', request, timeout=timeout, late=self._terminate_late)
        return self._remember(reply)

    async def restart(
        self,
        pipeline: PipelineInput,
        *,
        token: str | None,
        project_id: str | None,
        source: str | None,
        env: Mapping[str, str] | None,
    ) -> StartInfo:
        """Put another pipeline under a running task."""
        if token is None and (project_id is None or source is None):
            raise create_error('token_required', 'Pass the token of the task, or its project_id and source')
        named = defined(token=token, projectId=project_id, source=source)
        request = {**named, 'pipeline': self._prepare(pipeline, env)}
        return self._remember(await self._connection.request('restart', request))

    async def terminate(self, token: str) -> None:
        """End a task."""
        await self._connection.request('terminate', {'token': checked_token(token)})
        self._connection.task_ids.pop(token, None)

    async def status(self, token: str, timeout: float | None) -> TaskStatus:
        """Return the status of a task."""
        args = {'token': checked_token(token)}
        seconds = _STATUS_TIMEOUT if timeout is None else timeout
        reply = await self._connection.call('get_task_status', args, timeout=seconds)
        if not isinstance(reply.body, dict):
            raise create_error('internal', 'The server returned no status')
        return cast(TaskStatus, reply.body)

    async def running(self) -> list[TaskListing]:
        """Return the running tasks of this key."""
        body = (await self._connection.call('get_tasks')).body
        tasks = body.get('tasks') if isinstance(body, dict) else None
        return tasks if isinstance(tasks, list) else []

    async def token(self, project_id: str, source: str) -> str:
        """Return the token of the task of a project and source."""
        body = (await self._connection.call('get_token', {'projectId': project_id, 'source': source})).body
        token = body.get('token') if isinstance(body, dict) else None
        if not isinstance(token, str):
            raise create_error('task_unknown')
        return token

    async def pipeline(self, token: str) -> Pipeline:
        """Return the pipeline of a task as it was sent."""
        body = (await self._connection.call('get_pipeline', {'token': checked_token(token)})).body
        return cast(Pipeline, body.get('pipeline') if isinstance(body, dict) else body)

    async def validate(self, pipeline: PipelineInput, source: str | None) -> ValidationResult:
        """Check a pipeline."""
        args = {'pipeline': self._prepare(pipeline, None), **defined(source=source)}
        return read_validation((await self._connection.call('validate', args)).body)

    async def validate_component(self, component: Mapping[str, Any]) -> ValidationResult:
        """Let one component check its own settings."""
        own = dict(component)
        spec = self._connection.dialect == 'spec'
        args = {'component': own} if spec else {'pipeline': {'version': 1, 'component': own}}
        return read_validation((await self._connection.call('validate', args)).body)

    def _prepare(self, given: Any, env: Mapping[str, str] | None) -> dict[str, Any]:
        """Return a copy with the variables put in; those without a value stay as written, for the server's own."""
        variables = {**self._environment.pipeline_variables(), **self._env, **(env or {})}
        return cast('dict[str, Any]', substitute(checked_pipeline(given), variables))

    def _remember(self, reply: Reply) -> StartInfo:
        body = reply.body
        if not isinstance(body, dict) or not isinstance(body.get('token'), str) or not body['token']:
            raise create_error('start_failed', 'The server did not return a task token')
        if isinstance(body.get('id'), str):
            self._connection.task_ids[body['token']] = body['id']
        return cast(StartInfo, body)

    async def _terminate_late(self, reply: Reply) -> None:
        if isinstance(reply.body, dict) and isinstance(reply.body.get('token'), str):
            await self._connection.request('terminate', {'token': reply.body['token']})


def _name_of(pipeline: Any) -> str | None:
    name = pipeline.get('name') if isinstance(pipeline, Mapping) else None
    return name if isinstance(name, str) else None


def checked_token(token: object) -> str:
    """Return the token.

    Raises:
        TaskError: `token_required`.
    """
    if not isinstance(token, str) or not token:
        raise create_error('token_required')
    return token


def defined(**members: Any) -> dict[str, Any]:
    """Return the members that have a value, because absent and null differ on the wire."""
    return {name: value for name, value in members.items() if value is not None}

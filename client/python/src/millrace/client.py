"""The asynchronous client."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from .connection import Connection, Hooks, Settings
from .core.address import DEFAULT_ADDRESS, socket_address
from .core.protocol import Reply
from .core.retry import RetryPolicy
from .data import DataSender
from .environment import Environment
from .errors import MillraceError, create_error
from .events import DEFAULT_CAPACITY, EventStream
from .files import DEFAULT_CONCURRENCY, FileEntry, FileSender
from .generated.models import (
    ConnectResult,
    EventMessage,
    MonitorType,
    Pipeline,
    PipelineResult,
    QuestionData,
    ServerInfo,
    ServiceCatalogue,
    ServiceDefinition,
    StartInfo,
    TaskListing,
    TaskStatus,
    TraceLevel,
    UploadResult,
    ValidationResult,
)
from .monitors import MonitorKey, Monitors, Subscription
from .pipes import Data, DataPipe, MessageListener
from .probe import probe, server_info_of
from .question import Question
from .store import Deployments, FileStore, ServerVariables, Services
from .tasks import PipelineInput, Tasks

__all__ = ['MillraceClient']

DEFAULT_CONNECT_TIMEOUT = 30.0


class MillraceClient:
    """A connection to a server and everything that can be done through it, for asyncio.

    A client is one socket: make one and share it, requests do not wait for each other. As an `async with` block it
    connects and disconnects itself::

        async with MillraceClient() as client:
            started = await client.use(filepath='my.pipe')
            result = await client.send(started['token'], 'Hello')

    Methods that talk to the server raise a ConnectionError when there is no connection or it is lost, a TimeoutError
    after `request_timeout`, an AuthenticationError when the key does not allow it, and otherwise the error that the
    server names; decide on `code`. All times are seconds, all sizes bytes.
    """

    store: FileStore
    """Files kept on the server."""
    deployments: Deployments
    """Pipelines kept on the server."""
    env: ServerVariables
    """Variables the server itself puts into pipelines."""

    def __init__(
        self,
        uri: str | None = None,
        auth: str | None = None,
        *,
        env: Mapping[str, str] | None = None,
        persist: bool = False,
        max_retry_time: float = 0,
        request_timeout: float = 0,
        connect_timeout: float = DEFAULT_CONNECT_TIMEOUT,
        client_name: str = 'Millrace Python client',
        on_connected: Callable[[ConnectResult], Any] | None = None,
        on_disconnected: Callable[[str, bool], Any] | None = None,
        on_connect_error: Callable[[MillraceError], Any] | None = None,
        on_event: Callable[[EventMessage], Any] | None = None,
    ) -> None:
        """Make a client; nothing is sent before `connect`.

        Args:
            uri: `http(s)://`, `ws(s)://` or `host[:port]`, port 5565 when none is given. `MILLRACE_URI` of the process
                or of `.env` when absent.
            auth: the API key. `MILLRACE_APIKEY` when absent.
            env: variables for `${SERVICE_…}`, `${MILLRACE_…}` and `${ROCKETRIDE_…}` in pipelines, over those of the
                process and of `.env`.
            persist: reconnect by itself when the connection is lost: after 0.25 s, 0.25 s more after each failure, at
                most 15 s apart. A refused key ends it.
            max_retry_time: seconds since the loss after which reconnecting ends; 0 means never.
            request_timeout: seconds every request may take; 0 means no limit.
            connect_timeout: seconds for opening the connection and logging in.
            client_name: shown in the server's list of connections.
            on_connected: called after each login, also after a reconnect, with what the server said.
            on_disconnected: called after each loss and after `disconnect` with the reason, and whether it is an error.
            on_connect_error: called after each attempt to connect that failed, with the error.
            on_event: called with every event of the server, and with upload progress.

        The callbacks may be functions or coroutine functions.

        Raises:
            ArgumentError: `uri` is no address; also a ValueError.
        """
        self._environment = Environment()
        self._auth = auth
        self._url = socket_address(uri or self._environment.get('MILLRACE_URI') or DEFAULT_ADDRESS)
        self._connect_timeout = connect_timeout
        settings = Settings(
            url=self._url,
            client_name=client_name,
            retry=RetryPolicy(persist, max_retry_time),
            request_timeout=request_timeout,
            connect_timeout=connect_timeout,
        )
        hooks = Hooks(on_connected, on_disconnected, on_connect_error)
        self._connection = Connection(settings, hooks, lambda: self._monitors.restore())
        self._monitors = Monitors(self._connection)
        self._tasks = Tasks(self._connection, self._environment, env or {})
        self._data = DataSender(self._connection, self._monitors)
        self._files = FileSender(self._connection, self._data)
        self._services = Services(self._connection)
        self.store = FileStore(self._connection)
        self.deployments = Deployments(self._connection)
        self.env = ServerVariables(self._connection)
        if on_event is not None:
            self._connection.listen(on_event)

    @property
    def url(self) -> str:
        """The address of the socket."""
        return self._url

    @property
    def connected(self) -> bool:
        """Whether the client is logged in."""
        return self._connection.online

    async def connect(self, *, auth: str | None = None) -> ConnectResult:
        """Connect and log in. Does nothing when connected.

        With `persist` it keeps trying until it succeeds, the key is refused or `max_retry_time` is over.

        Args:
            auth: used instead of the client's key.

        Raises:
            AuthenticationError: the key is missing or refused; ConnectionError: there is no server.
        """
        # An empty key is one that is missing: it does not stand for another one.
        given = auth if auth is not None else self._auth
        key = given if given is not None else self._environment.get('MILLRACE_APIKEY')
        if not key:
            raise create_error('auth_missing')
        return await self._connection.connect(key)

    async def disconnect(self) -> None:
        """Log out and close the socket. Requests under way fail with `connection_lost`. Safe to call at any time."""
        await self._connection.disconnect()

    async def __aenter__(self) -> MillraceClient:
        await self.connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.disconnect()

    async def use(
        self,
        pipeline: PipelineInput | None = None,
        *,
        filepath: str | os.PathLike[str] | None = None,
        token: str | None = None,
        source: str | None = None,
        threads: int | None = None,
        use_existing: bool | None = None,
        args: Sequence[str] | None = None,
        ttl: int | None = None,
        pipelineTraceLevel: TraceLevel | None = None,
        name: str | None = None,
        env: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> StartInfo:
        """Start a pipeline and return `{'token': …, …}` when it takes data. Variables are put in before it is sent.

        Args:
            pipeline: the pipeline, or `filepath`.
            filepath: a JSON or JSON5 file.
            token: token for the task; the server makes one when absent.
            source: id of the entry component, in place of the pipeline's own `source`.
            threads: objects worked on at once, 1 to 64; the server chooses when absent.
            use_existing: join the running task of the same token instead of failing with `task_exists`.
            args: arguments for the pipeline.
            ttl: seconds without work after which the task ends; 0 means never.
            pipelineTraceLevel: what is recorded of each object: `none`, `metadata`, `summary` or `full`.
            name: display name; when absent that of the pipeline, or else of its file.
            env: variables for `${SERVICE_…}`, over those of the client.
            timeout: seconds, in place of the client's `request_timeout`; 0 means no limit.

        Raises:
            ArgumentError: neither `pipeline` nor `filepath`; also a ValueError.
            FileNotFoundError: the file does not exist.
            PipelineSyntaxError: the file is not JSON5; also a `json.JSONDecodeError`.
            TaskError, PipelineError: the server cannot start it; also a RuntimeError.
        """
        return await self._tasks.use(
            pipeline=pipeline,
            filepath=filepath,
            token=token,
            source=source,
            threads=threads,
            use_existing=use_existing,
            args=args,
            ttl=ttl,
            trace_level=pipelineTraceLevel,
            name=name,
            env=env,
            timeout=timeout,
        )

    async def send(
        self,
        token: str,
        data: Data,
        objinfo: Mapping[str, Any] | None = None,
        mimetype: str | None = None,
        *,
        timeout: float | None = None,
    ) -> PipelineResult:
        """Send one object and return what the pipeline made of it. When a component failed the result has `error`.

        Args:
            token: of a running task.
            data: text, or bytes.
            objinfo: about the object: `name`, `url`, …
            mimetype: chooses the lane; when absent `text/plain` for text, by the extension of `objinfo['name']` for
                bytes.
            timeout: seconds, in place of the client's `request_timeout`.

        Raises:
            ArgumentError: `data` is neither text nor bytes; also a ValueError.
            TaskError: the pipeline is not running; PipeError: the send failed. Both also a RuntimeError.
        """
        return await self._data.send(token, data, objinfo, mimetype, timeout)

    async def send_files(
        self, files: Sequence[FileEntry], token: str, *, concurrency: int = DEFAULT_CONCURRENCY
    ) -> list[UploadResult]:
        """Upload files, some at a time, and return one result for each, in the order given.

        A file that fails is a result with `action` `'error'`. Progress comes as `apaevt_status_upload` events to
        `on_event` and `listen`; the percentage is `bytes_sent / file_size`.

        Args:
            files: paths, pairs (path, objinfo) or triples (path, objinfo, MIME type).
            token: of a running task.
            concurrency: files under way at once.

        Raises:
            FileNotFoundError: a path is no file; nothing was sent then.
        """
        return await self._files.send_files(files, token, concurrency)

    def pipe(
        self,
        token: str,
        objinfo: Mapping[str, Any] | None = None,
        mime_type: str | None = None,
        provider: str | None = None,
        *,
        on_event: MessageListener | None = None,
        window: int | None = None,
    ) -> DataPipe:
        """Make a pipe for one object that is written piece by piece; use it as an `async with` block.

        Args:
            token: of a running task.
            objinfo: about the object: `name`, `size` in bytes, `url`, …
            mime_type: chooses the lane the bytes enter on; `application/octet-stream` when absent.
            provider: must be the provider of the pipeline's source when given.
            on_event: called with the type and the data of what components say while they work on this object.
            window: writes that may be under way at once, 4 when absent; 1 makes `write` wait for the pipeline.
        """
        return self._data.pipe(token, objinfo, mime_type, provider, on_event, window)

    async def chat(
        self,
        *,
        token: str,
        question: Question | QuestionData | Mapping[str, Any] | str,
        on_event: MessageListener | None = None,
        timeout: float | None = None,
    ) -> PipelineResult:
        """Ask a pipeline whose source is a chat. The answers are in `answers` of the result; `Answer.of` reads them.

        Args:
            token: of a task whose source is a `chat` component.
            question: a Question, its fields, or simply the text.
            on_event: called with what components say while they answer, for example pieces of the answer as they come.
            timeout: seconds, in place of the client's `request_timeout`.

        Raises:
            ArgumentError: there is no question; PipeError: the pipeline is no chat.
        """
        return await self._data.chat(token, question, on_event, timeout)

    async def validate(self, pipeline: PipelineInput, source: str | None = None) -> ValidationResult:
        """Check the structure of a pipeline without starting it. Problems are in the result.

        Raises:
            PipelineError: the server cannot tell which component is the source; also a RuntimeError.
        """
        return await self._tasks.validate(pipeline, source)

    async def validate_component(self, component: Mapping[str, Any]) -> ValidationResult:
        """Let one component check its own settings."""
        return await self._tasks.validate_component(component)

    async def get_task_status(self, token: str, *, timeout: float | None = None) -> TaskStatus:
        """Return the status of a task; of one that has ended, for five more minutes.

        Args:
            token: of the task.
            timeout: seconds, in place of 15; 0 means no limit.

        Raises:
            TaskError: `task_unknown`; also a RuntimeError.
        """
        return await self._tasks.status(token, timeout)

    async def terminate(self, token: str) -> None:
        """End a task and return when it has ended."""
        await self._tasks.terminate(token)

    async def restart(
        self,
        pipeline: PipelineInput,
        *,
        token: str | None = None,
        project_id: str | None = None,
        source: str | None = None,
        env: Mapping[str, str] | None = None,
    ) -> StartInfo:
        """Start a running task again with another pipeline; the token stays.

        The task is named by `token`, or by `project_id` and `source`.
        """
        return await self._tasks.restart(pipeline, token=token, project_id=project_id, source=source, env=env)

    async def get_tasks(self) -> list[TaskListing]:
        """Return the running tasks of this key."""
        return await self._tasks.running()

    async def get_token(self, project_id: str, source: str) -> str:
        """Return the token of the task of a project and source.

        Raises:
            TaskError: `task_unknown`.
        """
        return await self._tasks.token(project_id, source)

    async def get_pipeline(self, token: str) -> Pipeline:
        """Return the pipeline of a task as it was sent.

        Raises:
            TaskError: `task_unknown`.
        """
        return await self._tasks.pipeline(token)

    async def ping(self) -> float:
        """Ask the server for a sign of life; return the seconds it took."""
        began = time.monotonic()
        await self._connection.call('ping')
        return time.monotonic() - began

    async def get_server_info(self) -> ServerInfo:
        """Return what the server says about itself; needs neither a login nor a key."""
        if self.connected:
            return server_info_of((await self._connection.call('public_probe')).body)
        return await probe(self._url, self._connect_timeout)

    async def get_services(self) -> ServiceCatalogue:
        """Return the providers of the server."""
        return await self._services.list()

    async def get_service(self, name: str) -> ServiceDefinition:
        """Return one provider.

        Raises:
            NotFoundError: `service_unknown`.
        """
        return await self._services.get(name)

    async def dashboard(self) -> dict[str, Any]:
        """Return connections, tasks and load of the server."""
        return cast('dict[str, Any]', (await self._connection.call('dashboard')).body)

    async def subscribe(self, key: MonitorKey, types: Iterable[MonitorType]) -> Subscription:
        """Subscribe to events; they come to `on_event` and `listen`.

        The subscription is counted, merged with others and restored after a reconnect. Dispose it.

        Args:
            key: `'*'` for everything, a token, or `{'projectId': …, 'source': …}`.
            types: `detail`, `summary`, `output`, `flow`, `task`, `sse`, `dashboard` or `all`.
        """
        return await self._monitors.subscribe(key, types)

    def events(
        self, key: MonitorKey = '*', types: Iterable[MonitorType] = ('all',), *, capacity: int = DEFAULT_CAPACITY
    ) -> EventStream:
        """Return events as an asynchronous iterator; leaving its `async with` block unsubscribes.

        Args:
            key: see `subscribe`.
            types: see `subscribe`.
            capacity: events kept for a slow reader; the oldest go first.
        """
        return EventStream(self._connection, self._monitors, key, types, capacity)

    def listen(self, listener: Callable[[EventMessage], Any]) -> Callable[[], None]:
        """Hear every event of the server and upload progress. Returns the function that stops listening."""
        return self._connection.listen(listener)

    async def request(
        self,
        command: str,
        args: Mapping[str, Any] | None = None,
        *,
        data: bytes | None = None,
        timeout: float | None = None,
    ) -> Reply:
        """Send a command as it stands, for example one of DAP, and return its body and binary payload."""
        return await self._connection.request(command, args, data=data, timeout=timeout)

    async def call(
        self,
        name: str,
        args: Mapping[str, Any] | None = None,
        *,
        data: bytes | None = None,
        timeout: float | None = None,
    ) -> Reply:
        """Send an extension command by its name without the maker's prefix."""
        return await self._connection.call(name, args, data=data, timeout=timeout)

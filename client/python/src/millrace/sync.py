"""The synchronous twin: the same classes with the same methods, which block.

Generated from the asynchronous classes by `python tools/make_sync.py`. Do not edit.
"""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, TypeVar

from .client import DEFAULT_CONNECT_TIMEOUT, MillraceClient
from .core.protocol import Reply
from .errors import MillraceError
from .events import DEFAULT_CAPACITY, EventStream
from .files import DEFAULT_CONCURRENCY, FileEntry
from .generated.models import (
    ConnectResult,
    Deployment,
    EventMessage,
    MonitorType,
    Pipeline,
    PipelineResult,
    QuestionData,
    ServerInfo,
    ServiceCatalogue,
    ServiceDefinition,
    StartInfo,
    StoreStat,
    TaskListing,
    TaskStatus,
    TraceLevel,
    UploadResult,
    ValidationResult,
)
from .monitors import MonitorKey, Subscription
from .pipes import Data, DataPipe, MessageListener
from .portal import Portal
from .question import Question
from .store import DeploymentList, Deployments, FileStore, ServerVariables, StoreEntries
from .tasks import PipelineInput

__all__ = [
    'SyncDataPipe',
    'SyncDeployments',
    'SyncEventStream',
    'SyncFileStore',
    'SyncMillraceClient',
    'SyncServerVariables',
    'SyncSubscription',
]

T = TypeVar('T')


class SyncDataPipe:
    """One object on its way into a running pipeline: `open`, any number of `write`, `close`.

    As a `with` block it opens itself, and closes itself when the block did not; a block that raises gives the
    object up, as `abandon` does::

        with client.pipe(token, {'name': 'log.txt'}, 'text/plain') as pipe:
            pipe.write('one')
            result = pipe.close()

    A pipe occupies one of the task's parallel instances from `open` to `close`, so always close it, also after a
    failure; or `abandon` it when the object will not be complete.
    """

    def __init__(self, portal: Portal, inner: DataPipe) -> None:
        self._portal = portal
        self._inner = inner

    @property
    def bytes_written(self) -> int:
        """Bytes the pipeline has taken in so far."""
        return self._inner.bytes_written

    @property
    def is_open(self) -> bool:
        """Whether it takes data."""
        return self._inner.is_open

    @property
    def result(self) -> PipelineResult | None:
        """What `close` returned, None before."""
        return self._inner.result

    def open(self) -> SyncDataPipe:
        """Open the pipe. Waits while all pipes of the task are busy.

        Raises:
            TaskError: the pipeline is not running; PipeError: the pipe is refused.
        """
        self._portal.run(self._inner.open())
        return self

    def open_ahead(self) -> SyncDataPipe:
        """Open the pipe without waiting for the reply where the server allows that; a refusal comes out of `close`."""
        self._portal.run(self._inner.open_ahead())
        return self

    def write(self, buffer: Data) -> None:
        """Write one chunk: bytes, or text that is sent as UTF-8.

        Returns when the next may follow, which is before the pipeline has processed this one: an error of the pipeline
        comes out of a later `write` or is the `error` of the result that `close` returns.

        Raises:
            PipeError: the pipe is not open or an earlier write failed.
            ArgumentError: neither text nor bytes; also a ValueError.
        """
        self._portal.run(self._inner.write(buffer))

    def close(self) -> PipelineResult:
        """End the object and wait for the pipeline. When a component failed the result carries `error`.

        Raises:
            PipeError, TaskError, ConnectionError: there is no result.
        """
        return self._portal.run(self._inner.close())

    def abandon(self, reason: str | None = None) -> None:
        """Give the object up: it counts as failed, and the pipe is free again. Raises nothing, within ten seconds.

        No component takes what has come so far for the whole. Servers of others know no such thing; there the object
        ends where it is.

        Args:
            reason: shown as the object's error, at most 500 characters of it.
        """
        self._portal.run(self._inner.abandon(reason))

    def __enter__(self) -> SyncDataPipe:
        return self.open()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._portal.run(self._inner.__aexit__(kind, error, trace))


class SyncEventStream(Iterator[EventMessage]):
    """Subscribes and yields events until it is closed.

    As a `with` block it subscribes at once and unsubscribes at the end; without one it subscribes with the first
    event asked for, and `close` unsubscribes. When the reader is so slow that events had to go, the next one is
    `apaevt_lost` with `{'dropped': number}`.
    """

    def __init__(self, portal: Portal, inner: EventStream) -> None:
        self._portal = portal
        self._inner = inner

    def open(self) -> SyncEventStream:
        """Subscribe, once.

        Raises:
            TaskError: `task_unknown` when the token is of no task; ConnectionError: not connected.
        """
        self._portal.run(self._inner.open())
        return self

    def close(self) -> None:
        """Unsubscribe and end the iteration. Safe to call twice."""
        self._portal.run(self._inner.aclose())

    def __enter__(self) -> SyncEventStream:
        return self.open()

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> SyncEventStream:
        return self

    def __next__(self) -> EventMessage:
        event = self._portal.run(_next(self._inner))
        if event is None:
            raise StopIteration
        return event


class SyncSubscription:
    """Ends with `dispose`, or as a `with` block; types that others still use stay."""

    def __init__(self, portal: Portal, inner: Subscription) -> None:
        self._portal = portal
        self._inner = inner

    def dispose(self) -> None:
        """End this subscription. Safe to call twice."""
        self._portal.run(self._inner.dispose())

    def __enter__(self) -> SyncSubscription:
        return self

    def __exit__(self, *_: object) -> None:
        self.dispose()


class SyncFileStore:
    """Files kept on the server, for the key that is logged in. Paths are relative and written with `/`.

    Every method raises ServerError `store_failed` when the server refuses, FileNotFoundError where a file is missing.
    """

    def __init__(self, portal: Portal, inner: FileStore) -> None:
        self._portal = portal
        self._inner = inner

    def read(self, path: str) -> bytes:
        """Return the whole file."""
        return self._portal.run(self._inner.read(path))

    def read_text(self, path: str) -> str:
        """Return the whole file as UTF-8 text."""
        return self._portal.run(self._inner.read_text(path))

    def write(self, path: str, data: Data) -> int:
        """Write a file, replacing one that is there. Folders on the way are made. Returns the bytes written."""
        return self._portal.run(self._inner.write(path, data))

    def list(self, path: str = '') -> StoreEntries:
        """Return what is in a folder, sorted by name; nothing for a folder that does not exist. The root when empty."""
        return self._portal.run(self._inner.list(path))

    def stat(self, path: str) -> StoreStat:
        """Return what a path is; `exists` is False for one that does not exist."""
        return self._portal.run(self._inner.stat(path))

    def mkdir(self, path: str) -> None:
        """Make a folder."""
        self._portal.run(self._inner.mkdir(path))

    def rmdir(self, path: str, recursive: bool = False) -> None:
        """Delete a folder; `recursive` with everything in it, else it must be empty."""
        self._portal.run(self._inner.rmdir(path, recursive))

    def remove(self, path: str) -> None:
        """Delete a file."""
        self._portal.run(self._inner.remove(path))

    def rename(self, old_path: str, new_path: str) -> None:
        """Give a file or folder another path, which must not exist."""
        self._portal.run(self._inner.rename(old_path, new_path))

    def stream(self, path: str) -> Iterator[bytes]:
        """Yield the file in pieces of at most 4 MiB."""
        pieces = self._inner.stream(path)
        try:
            while (piece := self._portal.run(_next(pieces))) is not None:
                yield piece
        finally:
            self._portal.run(_close(pieces))


class SyncDeployments:
    """Pipelines kept on the server, one per project id.

    Every method raises ServerError `deployment_failed` when refused.
    """

    def __init__(self, portal: Portal, inner: Deployments) -> None:
        self._portal = portal
        self._inner = inner

    def add(self, pipeline: PipelineInput, schedule: str = 'manual') -> Deployment:
        """Keep a pipeline, which needs a `project_id` that has no deployment yet; variables stay unsubstituted.

        `schedule` is `manual`, `@daily` and its like, or five cron fields.
        """
        return self._portal.run(self._inner.add(pipeline, schedule))

    def list(self) -> DeploymentList:
        """Return all deployments."""
        return self._portal.run(self._inner.list())

    def status(self, project_id: str) -> Deployment:
        """Return one deployment."""
        return self._portal.run(self._inner.status(project_id))

    def update(self, project_id: str, *, pipeline: PipelineInput | None = None, schedule: str | None = None) -> None:
        """Change the pipeline, the schedule or both."""
        self._portal.run(self._inner.update(project_id, pipeline=pipeline, schedule=schedule))

    def remove(self, project_id: str) -> None:
        """Forget a deployment."""
        self._portal.run(self._inner.remove(project_id))


class SyncServerVariables:
    """Variables the server puts into pipelines. Their values are secrets: show the names only."""

    def __init__(self, portal: Portal, inner: ServerVariables) -> None:
        self._portal = portal
        self._inner = inner

    def keys(self) -> list[str]:
        """Return the names."""
        return self._portal.run(self._inner.keys())

    def get(self) -> dict[str, str]:
        """Return the variables."""
        return self._portal.run(self._inner.get())

    def set(self, env: Mapping[str, str]) -> None:
        """Replace the whole set."""
        self._portal.run(self._inner.set(env))


class SyncMillraceClient:
    """A connection to a server and everything that can be done through it.

    A client is one socket: make one and share it, requests do not wait for each other. As a `with` block it
    connects and disconnects itself::

        with SyncMillraceClient() as client:
            started = client.use(filepath='my.pipe')
            result = client.send(started['token'], 'Hello')

    Methods that talk to the server raise a ConnectionError when there is no connection or it is lost, a TimeoutError
    after `request_timeout`, an AuthenticationError when the key does not allow it, and otherwise the error that the
    server names; decide on `code`. All times are seconds, all sizes bytes.
    """

    store: SyncFileStore
    """Files kept on the server."""
    deployments: SyncDeployments
    """Pipelines kept on the server."""
    env: SyncServerVariables
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

        Raises:
            ArgumentError: `uri` is no address; also a ValueError.
        """
        portal = self._portal = Portal()
        self._inner = MillraceClient(
            uri,
            auth,
            env=env,
            persist=persist,
            max_retry_time=max_retry_time,
            request_timeout=request_timeout,
            connect_timeout=connect_timeout,
            client_name=client_name,
            on_connected=portal.callback(on_connected),
            on_disconnected=portal.callback(on_disconnected),
            on_connect_error=portal.callback(on_connect_error),
            on_event=portal.callback(on_event),
        )
        self.store = SyncFileStore(portal, self._inner.store)
        self.deployments = SyncDeployments(portal, self._inner.deployments)
        self.env = SyncServerVariables(portal, self._inner.env)

    def __enter__(self) -> SyncMillraceClient:
        try:
            self.connect()
        except BaseException:
            self.disconnect()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.disconnect()

    def disconnect(self) -> None:
        """Log out and close the socket. Requests under way fail with `connection_lost`. Safe to call at any time."""
        try:
            self._portal.run(self._inner.disconnect())
        finally:
            self._portal.close()

    @property
    def url(self) -> str:
        """The address of the socket."""
        return self._inner.url

    @property
    def connected(self) -> bool:
        """Whether the client is logged in."""
        return self._inner.connected

    def connect(self, *, auth: str | None = None) -> ConnectResult:
        """Connect and log in. Does nothing when connected.

        With `persist` it keeps trying until it succeeds, the key is refused or `max_retry_time` is over.

        Args:
            auth: used instead of the client's key.

        Raises:
            AuthenticationError: the key is missing or refused; ConnectionError: there is no server.
        """
        return self._portal.run(self._inner.connect(auth=auth))

    def use(
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
        return self._portal.run(
            self._inner.use(
                pipeline,
                filepath=filepath,
                token=token,
                source=source,
                threads=threads,
                use_existing=use_existing,
                args=args,
                ttl=ttl,
                pipelineTraceLevel=pipelineTraceLevel,
                name=name,
                env=env,
                timeout=timeout,
            )
        )

    def send(
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
        return self._portal.run(self._inner.send(token, data, objinfo, mimetype, timeout=timeout))

    def send_files(
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
        return self._portal.run(self._inner.send_files(files, token, concurrency=concurrency))

    def chat(
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
        return self._portal.run(self._inner.chat(token=token, question=question, on_event=on_event, timeout=timeout))

    def validate(self, pipeline: PipelineInput, source: str | None = None) -> ValidationResult:
        """Check the structure of a pipeline without starting it. Problems are in the result.

        Raises:
            PipelineError: the server cannot tell which component is the source; also a RuntimeError.
        """
        return self._portal.run(self._inner.validate(pipeline, source))

    def validate_component(self, component: Mapping[str, Any]) -> ValidationResult:
        """Let one component check its own settings."""
        return self._portal.run(self._inner.validate_component(component))

    def get_task_status(self, token: str, *, timeout: float | None = None) -> TaskStatus:
        """Return the status of a task; of one that has ended, for five more minutes.

        Args:
            token: of the task.
            timeout: seconds, in place of 15; 0 means no limit.

        Raises:
            TaskError: `task_unknown`; also a RuntimeError.
        """
        return self._portal.run(self._inner.get_task_status(token, timeout=timeout))

    def terminate(self, token: str) -> None:
        """End a task and return when it has ended."""
        self._portal.run(self._inner.terminate(token))

    def restart(
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
        return self._portal.run(
            self._inner.restart(pipeline, token=token, project_id=project_id, source=source, env=env)
        )

    def get_tasks(self) -> list[TaskListing]:
        """Return the running tasks of this key."""
        return self._portal.run(self._inner.get_tasks())

    def get_token(self, project_id: str, source: str) -> str:
        """Return the token of the task of a project and source.

        Raises:
            TaskError: `task_unknown`.
        """
        return self._portal.run(self._inner.get_token(project_id, source))

    def get_pipeline(self, token: str) -> Pipeline:
        """Return the pipeline of a task as it was sent.

        Raises:
            TaskError: `task_unknown`.
        """
        return self._portal.run(self._inner.get_pipeline(token))

    def ping(self) -> float:
        """Ask the server for a sign of life; return the seconds it took."""
        return self._portal.run(self._inner.ping())

    def get_server_info(self) -> ServerInfo:
        """Return what the server says about itself; needs neither a login nor a key."""
        return self._portal.run(self._inner.get_server_info())

    def get_services(self) -> ServiceCatalogue:
        """Return the providers of the server."""
        return self._portal.run(self._inner.get_services())

    def get_service(self, name: str) -> ServiceDefinition:
        """Return one provider.

        Raises:
            NotFoundError: `service_unknown`.
        """
        return self._portal.run(self._inner.get_service(name))

    def dashboard(self) -> dict[str, Any]:
        """Return connections, tasks and load of the server."""
        return self._portal.run(self._inner.dashboard())

    def subscribe(self, key: MonitorKey, types: Iterable[MonitorType]) -> SyncSubscription:
        """Subscribe to events; they come to `on_event` and `listen`.

        The subscription is counted, merged with others and restored after a reconnect. Dispose it.

        Args:
            key: `'*'` for everything, a token, or `{'projectId': …, 'source': …}`.
            types: `detail`, `summary`, `output`, `flow`, `task`, `sse`, `dashboard` or `all`.
        """
        return SyncSubscription(self._portal, self._portal.run(self._inner.subscribe(key, types)))

    def request(
        self,
        command: str,
        args: Mapping[str, Any] | None = None,
        *,
        data: bytes | None = None,
        timeout: float | None = None,
    ) -> Reply:
        """Send a command as it stands, for example one of DAP, and return its body and binary payload."""
        return self._portal.run(self._inner.request(command, args, data=data, timeout=timeout))

    def call(
        self,
        name: str,
        args: Mapping[str, Any] | None = None,
        *,
        data: bytes | None = None,
        timeout: float | None = None,
    ) -> Reply:
        """Send an extension command by its name without the maker's prefix."""
        return self._portal.run(self._inner.call(name, args, data=data, timeout=timeout))

    def pipe(
        self,
        token: str,
        objinfo: Mapping[str, Any] | None = None,
        mime_type: str | None = None,
        provider: str | None = None,
        *,
        on_event: MessageListener | None = None,
        window: int | None = None,
    ) -> SyncDataPipe:
        """Make a pipe for one object that is written piece by piece; use it as a `with` block.

        Args:
            token: of a running task.
            objinfo: about the object: `name`, `size` in bytes, `url`, …
            mime_type: chooses the lane the bytes enter on; `application/octet-stream` when absent.
            provider: must be the provider of the pipeline's source when given.
            on_event: called with the type and the data of what components say while they work on this object.
            window: writes that may be under way at once, 4 when absent; 1 makes `write` wait for the pipeline.
        """
        return SyncDataPipe(
            self._portal,
            self._inner.pipe(
                token, objinfo, mime_type, provider, on_event=self._portal.callback(on_event), window=window
            ),
        )

    def events(
        self, key: MonitorKey = '*', types: Iterable[MonitorType] = ('all',), *, capacity: int = DEFAULT_CAPACITY
    ) -> SyncEventStream:
        """Return events as an iterator; leaving its `with` block unsubscribes.

        Args:
            key: see `subscribe`.
            types: see `subscribe`.
            capacity: events kept for a slow reader; the oldest go first.
        """
        return SyncEventStream(self._portal, self._inner.events(key, types, capacity=capacity))

    def listen(self, listener: Callable[[EventMessage], Any]) -> Callable[[], None]:
        """Hear every event of the server and upload progress. Returns the function that stops listening."""
        return self._inner.listen(self._portal.listener(listener))


async def _next(pieces: AsyncIterator[T]) -> T | None:
    try:
        return await anext(pieces)
    except StopAsyncIteration:
        return None


async def _close(pieces: AsyncIterator[Any]) -> None:
    if isinstance(pieces, AsyncGenerator):
        await pieces.aclose()

"""The shapes of what travels and of what the client returns.

Generated from protocol/, pipeline/ and client/typescript/ by `node scripts/pythonModels.mjs`. Do not edit.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired

__all__ = [
    'AnswerData',
    'ComponentStat',
    'ConnectResult',
    'ControlLink',
    'Deployment',
    'Diagnostic',
    'Doc',
    'DocFilter',
    'DocMetadata',
    'EventMessage',
    'FlowBody',
    'FlowOp',
    'InputLink',
    'MonitorType',
    'Pipeflow',
    'Pipeline',
    'PipelineComponent',
    'PipelineResult',
    'QuestionData',
    'QuestionType',
    'Resolved',
    'ResultError',
    'ServerInfo',
    'ServiceCatalogue',
    'ServiceDefinition',
    'SlowDoc',
    'StartInfo',
    'StoreEntry',
    'StoreStat',
    'TaskListing',
    'TaskMetrics',
    'TaskState',
    'TaskStatus',
    'TaskSummary',
    'TaskTokens',
    'TraceLevel',
    'UploadProgress',
    'UploadResult',
    'ValidationResult',
]


class TaskState(IntEnum):
    """Task states of the specification; the number travels."""

    NONE = 0
    STARTING = 1
    INITIALIZING = 2
    RUNNING = 3
    STOPPING = 4
    COMPLETED = 5
    CANCELLED = 6


class TaskMetrics(TypedDict):
    """Task metrics."""

    cpu_percent: float
    """0–100, of the whole process tree, divided by the number of CPUs."""
    cpu_memory_mb: float
    gpu_memory_mb: float
    peak_cpu_percent: float
    peak_cpu_memory_mb: float
    peak_gpu_memory_mb: float
    avg_cpu_percent: float
    avg_cpu_memory_mb: float
    avg_gpu_memory_mb: float


class TaskTokens(TypedDict):
    """Billing tokens, cumulative over the run."""

    cpu_utilization: float
    cpu_memory: float
    gpu_memory: float
    gpu_inference: float
    custom: dict[str, float]
    total: float


class ComponentStat(TypedDict):
    """Component stat."""

    calls: int
    """Completed enter/leave passes."""
    totalSeconds: float
    maxSeconds: float


class SlowDoc(TypedDict):
    """Slow doc."""

    name: str
    elapsed: float
    """Seconds from begin to end."""
    beginTime: float
    """Unix time, seconds."""
    beginSeq: int | None
    """`seqNo` of the begin event."""


class Pipeflow(TypedDict):
    """Pipeflow."""

    totalPipes: int
    """Pipe instances created so far."""
    byPipe: dict[str, list[str]]
    """Pipe index → object name and the components it is in, outermost first."""


class TaskStatus(TypedDict):
    """TASK_STATUS. Times are Unix seconds, sizes bytes."""

    state: int
    completed: bool
    name: str
    project_id: str
    source: str
    startTime: float
    endTime: float
    totalCount: int
    completedCount: int
    failedCount: int
    totalSize: int
    completedSize: int
    failedSize: int
    wordsCount: int
    wordsSize: int
    rateCount: int
    rateSize: int
    errors: list[str]
    warnings: list[str]
    status: str
    currentObject: str
    currentSize: int
    notes: list[str | dict[str, Any]]
    debuggerAttached: bool
    serviceUp: bool
    exitCode: int
    exitMessage: str
    metrics: TaskMetrics
    tokens: TaskTokens
    pipeflow: Pipeflow
    componentStats: dict[str, ComponentStat]
    slowestDocs: list[SlowDoc]
    completionSeconds: float
    idleSeconds: float
    idleLongestSeconds: float
    idleLongestAt: float


class ResultError(TypedDict):
    """Why an object failed. `component` is the id of the component that threw."""

    message: str
    code: str
    component: NotRequired[str]
    file: NotRequired[str]
    line: NotRequired[int]
    function: NotRequired[str]


class PipelineResult(TypedDict):
    """What a send or the close of a pipe returns. Lane results stand beside the fixed fields under their own keys.
    More keys may be there.
    """

    objectId: str
    name: NotRequired[str]
    path: NotRequired[str]
    """Directory part of the object's path; empty for a plain name."""
    result_types: NotRequired[dict[str, str] | list[str]]
    """Key → lane (inside the engine and for existing clients), or the list of keys (specification)."""
    metadata: NotRequired[dict[str, Any]]
    error: NotRequired[ResultError]
    text: NotRequired[list[str]]
    answers: NotRequired[list[Any]]
    documents: NotRequired[list[Doc]]
    questions: NotRequired[list[Any]]
    table: NotRequired[list[str]]


class UploadResult(TypedDict):
    """One per file of `sendFiles`. Sizes in bytes, time in seconds."""

    action: Literal['complete', 'error']
    filepath: str
    bytes_sent: int
    file_size: int
    upload_time: float
    result: NotRequired[PipelineResult]
    error: NotRequired[str]


class Diagnostic(TypedDict):
    """A finding about a pipeline, with a stable code."""

    severity: Literal['error', 'warning']
    code: str
    message: str
    component: NotRequired[str]
    """Id of the component concerned, when there is one."""
    path: NotRequired[list[str | int]]
    """JSON path of the value concerned, for example `["components", 2, "input", 0, "from"]`."""


class Resolved(TypedDict):
    """Resolved."""

    id: str
    provider: str


class ValidationResult(TypedDict):
    """The answer to `validate` in our dialect."""

    errors: list[str]
    warnings: list[str]
    diagnostics: list[Diagnostic]
    resolved: NotRequired[Resolved]
    chain: list[str]
    """Ids of the components that run, in topological order, controlled components included."""
    pipeline: NotRequired[Any]
    component: NotRequired[Any]


class DocMetadata(TypedDict):
    """What travels on the lanes of a pipeline, and in `chat()`. More keys may be there."""

    objectId: str
    chunkId: int
    nodeId: NotRequired[str]
    parent: NotRequired[str]
    """Path of the object."""
    permissionId: NotRequired[int]
    isDeleted: NotRequired[bool]
    isTable: NotRequired[bool]
    tableId: NotRequired[int]
    signature: NotRequired[str]


class Doc(TypedDict):
    """Doc."""

    type: Literal['Document', 'Image', 'Text', 'Audio', 'Video']
    page_content: str
    embedding_model: NotRequired[str]
    embedding: NotRequired[list[float]]
    score: NotRequired[float]
    highlight_score: NotRequired[float]
    context: NotRequired[list[str]]
    tokens: NotRequired[int]
    metadata: DocMetadata


class DocFilter(TypedDict):
    """Doc filter."""

    fullTables: bool
    fullDocuments: bool
    offset: int
    limit: int
    minChunkId: int | None
    maxChunkId: int | None
    nodeId: str | None
    parent: str | None
    name: str | None
    permissions: list[int] | None
    isDeleted: bool | None
    objectIds: list[str] | None
    chunkIds: list[int] | None
    isTable: bool | None
    tableIds: list[int] | None
    useQuickRank: bool
    useGroupRank: bool
    followUpQuestions: int
    context: bool


class QuestionData(TypedDict):
    """Question. More keys may be there."""

    type: QuestionType
    filter: DocFilter
    expectJson: bool
    role: str
    instructions: list[dict[str, Any]]
    history: list[dict[str, Any]]
    examples: list[dict[str, Any]]
    context: list[str]
    goals: list[str]
    documents: list[Doc]
    questions: list[dict[str, Any]]


class AnswerData(TypedDict):
    """Answer."""

    answer: str | dict[str, Any] | list[Any] | None
    expectJson: bool


class EventMessage(TypedDict):
    """server → client, never acknowledged."""

    type: Literal['event']
    seq: int
    event: str
    id: NotRequired[str]
    """Short id of the task; absent for events of the server itself."""
    body: Any


class FlowBody(TypedDict):
    """Flow body."""

    id: int
    """Pipe index."""
    op: FlowOp
    pipes: list[str]
    """Object name and component ids of that pipe after the op."""
    trace: dict[str, Any]
    result: NotRequired[Any]
    """On `end` at level summary and above: the pipeline result."""
    project_id: str
    source: str
    seqNo: int
    """Number of this event in the task's stream."""
    time: float
    """Unix seconds when it happened in the task."""


class TaskSummary(TypedDict):
    """Task summary."""

    id: str
    name: str
    projectId: str
    source: str


class PipelineComponent(TypedDict):
    """Pipeline component. More keys may be there."""

    id: str
    provider: str
    name: NotRequired[str]
    config: dict[str, Any]
    input: NotRequired[list[InputLink]]
    control: NotRequired[list[ControlLink]]


class Pipeline(TypedDict):
    """The pipeline document as people write it. Values here are checked: see structure.ts. More keys may be there."""

    name: NotRequired[str]
    description: NotRequired[str]
    project_id: NotRequired[str]
    source: NotRequired[str]
    """Id of the entry component."""
    version: NotRequired[int]
    components: list[PipelineComponent]


class ConnectResult(TypedDict):
    """What the server says about itself and the user after a login. More keys may be there."""

    userId: NotRequired[str]
    displayName: NotRequired[str]
    capabilities: NotRequired[list[str]]


class ServerInfo(TypedDict):
    """What a server says about itself to anybody."""

    version: str
    capabilities: list[str]
    platform: str
    """For example `linux`, `win32`, `darwin`."""
    apps: list[Any]


class StartInfo(TypedDict):
    """The answer to a start. Only the token is there on every server. More keys may be there."""

    token: str
    id: NotRequired[str]
    publicToken: NotRequired[str]
    """Credential that may only send data to this task."""
    projectId: NotRequired[str]
    source: NotRequired[str]
    provider: NotRequired[str]


class TaskListing(TypedDict):
    """One running task of `getTasks`."""

    name: str
    description: str
    source: str
    token: str
    status: str
    pipeline: Any


class UploadProgress(TypedDict):
    """The body of `apaevt_status_upload`. Sizes in bytes, time in seconds."""

    action: Literal['open', 'write', 'close', 'complete', 'error']
    filepath: str
    bytes_sent: int
    file_size: int
    upload_time: float
    result: NotRequired[PipelineResult]
    error: NotRequired[str]


class ServiceDefinition(TypedDict):
    """A provider as the server describes it; `lanes` maps an input lane to its output lanes. More keys may be
    there.
    """

    title: NotRequired[str]
    protocol: NotRequired[str]
    prefix: NotRequired[str]
    description: NotRequired[str | list[str]]
    classType: NotRequired[list[str]]
    lanes: NotRequired[dict[str, list[str]]]


class ServiceCatalogue(TypedDict):
    """Service catalogue."""

    services: dict[str, ServiceDefinition]
    version: NotRequired[int | str]


class Deployment(TypedDict):
    """Deployment."""

    pipeline: Pipeline
    schedule: str
    """`manual`, `@daily` and its like, or five cron fields."""
    state: Literal['active', 'paused', 'errored']
    created_by: NotRequired[str]
    created_at: float
    """Unix time, seconds."""
    updated_at: float
    """Unix time, seconds."""


class StoreEntry(TypedDict):
    """Store entry."""

    name: str
    type: Literal['file', 'dir']
    size: NotRequired[int]
    """Bytes."""
    modified: NotRequired[float]
    """Unix time, seconds."""


class StoreStat(TypedDict):
    """Store stat."""

    exists: bool
    type: NotRequired[Literal['file', 'dir']]
    size: NotRequired[int]
    """Bytes."""
    modified: NotRequired[float]
    """Unix time, seconds."""


QuestionType = Literal['question', 'semantic', 'keyword', 'get', 'prompt', 'execute', 'dialect']
TraceLevel = Literal['none', 'metadata', 'summary', 'full']
FlowOp = Literal['begin', 'enter', 'leave', 'end']
# Data of `lane` comes from component `from`.
InputLink = TypedDict(
    'InputLink',
    {
        'from': 'str',
        'lane': 'str',
    },
)
# Component `from` (an agent, say) uses this component as its `classType`: llm, tool, memory.
ControlLink = TypedDict(
    'ControlLink',
    {
        'from': 'str',
        'classType': 'str',
    },
)
MonitorType = Literal['detail', 'summary', 'output', 'flow', 'task', 'sse', 'dashboard', 'all']

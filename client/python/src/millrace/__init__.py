"""Client for the Millrace pipeline service: start a pipeline, send it data, watch it, stop it.

`MillraceClient` is the asynchronous client, `SyncMillraceClient` its twin without asyncio: the same methods, which
block.
"""

from .client import MillraceClient
from .core.protocol import Reply
from .documents import LoadedPipeline, load_pipeline
from .errors import (
    ArgumentError,
    AuthenticationError,
    CancelledError,
    ConnectionError,
    ErrorCode,
    FileNotFoundError,
    MillraceError,
    NotFoundError,
    PipeError,
    PipelineError,
    PipelineSyntaxError,
    RefusedArgumentError,
    ServerError,
    TaskError,
    TimeoutError,
    ValidationError,
)
from .events import EventStream
from .generated.models import (
    AnswerData,
    Deployment,
    Diagnostic,
    Doc,
    DocFilter,
    EventMessage,
    FlowBody,
    Pipeline,
    PipelineComponent,
    PipelineResult,
    QuestionData,
    ServerInfo,
    ServiceCatalogue,
    ServiceDefinition,
    StartInfo,
    StoreEntry,
    StoreStat,
    TaskListing,
    TaskState,
    TaskStatus,
    TraceLevel,
    UploadProgress,
    UploadResult,
    ValidationResult,
)
from .monitors import MonitorKey, Subscription, TaskKey
from .pipes import DataPipe
from .question import Answer, Question
from .results import result_keys
from .sync import SyncDataPipe, SyncEventStream, SyncMillraceClient, SyncSubscription
from .version import __version__

TASK_STATUS = TaskStatus
PIPELINE_RESULT = PipelineResult
UPLOAD_RESULT = UploadResult

__all__ = [
    'PIPELINE_RESULT',
    'TASK_STATUS',
    'UPLOAD_RESULT',
    'Answer',
    'AnswerData',
    'ArgumentError',
    'AuthenticationError',
    'CancelledError',
    'ConnectionError',
    'DataPipe',
    'Deployment',
    'Diagnostic',
    'Doc',
    'DocFilter',
    'ErrorCode',
    'EventMessage',
    'EventStream',
    'FileNotFoundError',
    'FlowBody',
    'LoadedPipeline',
    'MillraceClient',
    'MillraceError',
    'MonitorKey',
    'NotFoundError',
    'PipeError',
    'Pipeline',
    'PipelineComponent',
    'PipelineError',
    'PipelineResult',
    'PipelineSyntaxError',
    'Question',
    'QuestionData',
    'RefusedArgumentError',
    'Reply',
    'ServerError',
    'ServerInfo',
    'ServiceCatalogue',
    'ServiceDefinition',
    'StartInfo',
    'StoreEntry',
    'StoreStat',
    'Subscription',
    'SyncDataPipe',
    'SyncEventStream',
    'SyncMillraceClient',
    'SyncSubscription',
    'TaskError',
    'TaskKey',
    'TaskListing',
    'TaskState',
    'TaskStatus',
    'TimeoutError',
    'TraceLevel',
    'UploadProgress',
    'UploadResult',
    'ValidationError',
    'ValidationResult',
    '__version__',
    'load_pipeline',
    'result_keys',
]

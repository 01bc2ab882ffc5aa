/** What both entries of the package export besides the client itself. */
export type { BaseClient, ClientOptions } from './client.js';
export type { ChatOptions } from './chat.js';
export type { ConnectResult } from './connection.js';
export type { Deployment, Deployments } from './deployments.js';
export {
  AuthenticationError,
  CancelledError,
  ConnectionError,
  FileNotFoundError,
  NotFoundError,
  PipeError,
  TaskError,
  TimeoutError,
  ValidationError,
} from './errors.js';
export type { EventsOptions } from './eventStream.js';
export type { FileEntry, FileSource, SendFilesOptions, UploadProgress } from './files.js';
export type { MonitorKey, MonitorType, Subscription } from './monitors.js';
export type { DataPipe, PipeOptions } from './pipes.js';
export type { ServerInfo } from './probe.js';
export { Answer, Question, type QuestionOptions } from './question.js';
export type { Reply, RequestOptions } from './requests.js';
export { resultKeys } from './results.js';
export type { ServerVariables } from './serverVariables.js';
export type { ServiceCatalogue, ServiceDefinition } from './services.js';
export type { FileStore, StoreEntry, StoreStat } from './store.js';
export type { PipelineInput, RestartOptions, StartInfo, TaskListing, UseOptions } from './tasks.js';
export type { CloseInfo, Transport, TransportEvents, TransportFactory } from './transport.js';
export { version } from './version.js';
export type { Answer as AnswerData, Doc, DocFilter, Question as QuestionData } from '../../../protocol/data.js';
export type { EventMessage } from '../../../protocol/envelope.js';
export { type ErrorCode, MillraceError } from '../../../protocol/errors.js';
export type { FlowBody, StatusUpdateBody, TaskEventBody, TraceLevel } from '../../../protocol/events.js';
export { EventBit } from '../../../protocol/events.js';
export type { Diagnostic, PipelineResult, UploadResult, ValidationResult } from '../../../protocol/results.js';
export { TaskState, type TaskStatus } from '../../../protocol/status.js';
export type { Pipeline, PipelineComponent } from '../../../pipeline/model.js';

"""The one table of error codes.

Generated from protocol/errors.ts by `node scripts/pythonModels.mjs`. Do not edit.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

ErrorCode = Literal[
    'not_authenticated',
    'auth_missing',
    'auth_invalid',
    'auth_too_many',
    'permission_denied',
    'origin_refused',
    'host_refused',
    'invalid_message',
    'invalid_argument',
    'too_large',
    'too_many',
    'unknown_command',
    'unsupported',
    'media_type_refused',
    'method_not_allowed',
    'not_found',
    'package_missing',
    'token_required',
    'task_unknown',
    'task_exists',
    'task_ended',
    'task_stopping',
    'task_failed',
    'start_failed',
    'pipeline_invalid',
    'pipeline_syntax',
    'source_missing',
    'source_ambiguous',
    'provider_unknown',
    'service_unknown',
    'pipe_not_found',
    'pipe_failed',
    'pipe_abandoned',
    'component_failed',
    'store_failed',
    'deployment_failed',
    'timeout',
    'cancelled',
    'connection_lost',
    'connection_failed',
    'file_not_found',
    'internal',
]


class ErrorEntry(NamedTuple):
    """What the table says of a code: the status of the HTTP door, the usual message and what to do."""

    http: int
    message: str
    hint: str


ERROR_TABLE: dict[ErrorCode, ErrorEntry] = {
    'not_authenticated': ErrorEntry(
        401,
        'Not authenticated',
        'Send `auth` with an API key first.',
    ),
    'auth_missing': ErrorEntry(
        401,
        'No authorization provided',
        'Pass an API key: --apikey, MILLRACE_APIKEY, or the header `Authorization: Bearer KEY`.',
    ),
    'auth_invalid': ErrorEntry(
        401,
        'Invalid API key',
        'Check the key; the server printed where its key is stored when it started.',
    ),
    'auth_too_many': ErrorEntry(
        429,
        'Too many authentication attempts',
        'Open a new connection.',
    ),
    'permission_denied': ErrorEntry(
        403,
        'Permission denied',
        'Use an API key: a task or public key covers its own task only.',
    ),
    'origin_refused': ErrorEntry(
        403,
        'This origin may not use the service',
        'Call the service from a program, or add the origin with --allow-origin.',
    ),
    'host_refused': ErrorEntry(
        421,
        'This host name is not served here',
        'Use the address the server printed, or add the name with --allow-host.',
    ),
    'invalid_message': ErrorEntry(
        400,
        'The message is not valid',
        'Send one JSON object per WebSocket message, as docs/wire describes.',
    ),
    'invalid_argument': ErrorEntry(
        400,
        'An argument is not valid',
        'Check the arguments of the command.',
    ),
    'too_large': ErrorEntry(
        413,
        'The message is too large',
        'Send large data through a pipe in chunks of at most 1 MiB.',
    ),
    'too_many': ErrorEntry(
        429,
        'Too many at once',
        'Wait for earlier requests to finish, or close what is no longer used.',
    ),
    'unknown_command': ErrorEntry(
        404,
        'Invalid command',
        'See docs/wire for the commands of this server.',
    ),
    'unsupported': ErrorEntry(
        501,
        'This server does not offer that',
        'See the documentation for what a self-hosted server offers.',
    ),
    'media_type_refused': ErrorEntry(
        415,
        'This content type is not accepted here',
        'Send `Content-Type: application/json`.',
    ),
    'method_not_allowed': ErrorEntry(
        405,
        'This method is not allowed here',
        'See the header `Allow` of the answer, or /openapi.json for the routes.',
    ),
    'not_found': ErrorEntry(
        404,
        'Not found',
        'See /openapi.json for the routes.',
    ),
    'package_missing': ErrorEntry(
        404,
        'This server does not have that package',
        'Build the packages with `npm run package` in a clone and start the server again, or name their folder with --packages.',
    ),
    'token_required': ErrorEntry(
        400,
        'Task token is required',
        'Pass the token that starting the pipeline returned.',
    ),
    'task_unknown': ErrorEntry(
        400,
        'Your pipeline is not running',
        'Start the pipeline first; finished tasks are forgotten after five minutes.',
    ),
    'task_exists': ErrorEntry(
        409,
        'Pipeline is already running.',
        'Use `useExisting`, another token, or terminate the running task.',
    ),
    'task_ended': ErrorEntry(
        400,
        'Task has already completed',
        'Start the pipeline again.',
    ),
    'task_stopping': ErrorEntry(
        400,
        'Task is terminating, cannot process data requests',
        'Start the pipeline again.',
    ),
    'task_failed': ErrorEntry(
        400,
        'The task ended unexpectedly',
        'See `exitMessage` and `errors` of the task status, then start the pipeline again.',
    ),
    'start_failed': ErrorEntry(
        400,
        'The pipeline failed to start',
        'Correct what the message names, then start again.',
    ),
    'pipeline_invalid': ErrorEntry(
        400,
        'The pipeline is not valid',
        'Run `millrace validate` for the list of problems.',
    ),
    'pipeline_syntax': ErrorEntry(
        400,
        'The pipeline file is not valid JSON5',
        'Correct the file at the line and column given.',
    ),
    'source_missing': ErrorEntry(
        400,
        'Pipeline does not have a source component defined',
        'Set `source` to the id of the entry component, or give that component `config.mode: "Source"`.',
    ),
    'source_ambiguous': ErrorEntry(
        400,
        'Pipeline has multiple source components, please specify one explicitly',
        'Pass `source` with the id of the one to start.',
    ),
    'provider_unknown': ErrorEntry(
        400,
        'Unknown provider',
        'See `millrace services` for the providers of this server.',
    ),
    'service_unknown': ErrorEntry(
        400,
        'Service not found',
        'Please check the service name and try again.',
    ),
    'pipe_not_found': ErrorEntry(
        400,
        'Pipe not found',
        'Open the pipe first; a pipe belongs to the connection that opened it.',
    ),
    'pipe_failed': ErrorEntry(
        400,
        'The pipe has failed',
        'Close the pipe; its result carries the error.',
    ),
    'pipe_abandoned': ErrorEntry(
        400,
        'The pipe was closed after 60 s without activity',
        'Close every pipe you open.',
    ),
    'component_failed': ErrorEntry(
        400,
        'A component failed',
        'See the message; the task goes on with the next object.',
    ),
    'store_failed': ErrorEntry(
        400,
        'The file store refused',
        'See the message.',
    ),
    'deployment_failed': ErrorEntry(
        400,
        'The deployment was refused',
        'See the message.',
    ),
    'timeout': ErrorEntry(
        504,
        'The request timed out',
        'Raise the timeout, or check that the server is reachable.',
    ),
    'cancelled': ErrorEntry(
        499,
        'The request was cancelled',
        'Send it again if it is still wanted.',
    ),
    'connection_lost': ErrorEntry(
        503,
        'The connection was lost',
        'Check that the server is running; with `persist` the client reconnects by itself.',
    ),
    'connection_failed': ErrorEntry(
        503,
        'Could not connect to the server',
        'Check the address and that the server is running: `millrace-engine serve`.',
    ),
    'file_not_found': ErrorEntry(
        404,
        'File not found',
        'Check the path.',
    ),
    'internal': ErrorEntry(
        500,
        'Internal error',
        'This is a defect: please report it with the log of the server.',
    ),
}

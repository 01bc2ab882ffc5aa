"""Numbers and names that both sides of the wire agree on.

Generated from protocol/ and pipeline/environment.ts by `node scripts/pythonModels.mjs`. Do not edit.
"""

from __future__ import annotations

from typing import Any, Literal

Dialect = Literal['spec', 'peer']

MESSAGE_BYTES = 262144000
HEADER_BYTES = 8388608
JSON_DEPTH = 64
STORE_READ_BYTES = 4194304
DEFAULT_PORT = 5565
SOCKET_PATH = '/task/service'
QUESTION_MIME_TYPE = 'application/rocketride-question'
DEFAULT_MIME_TYPE = 'application/octet-stream'
UPLOAD_EVENT = 'apaevt_status_upload'
COMMAND_PREFIX: dict[Dialect, str] = {'spec': 'mrext_', 'peer': 'rrext_'}
VARIABLE_PREFIXES = ('SERVICE_', 'MILLRACE_', 'ROCKETRIDE_')
# The subscription that delivers each event; those without one come to every subscriber.
EVENT_TYPES = {
    'apaevt_status_update': 'summary',
    'apaevt_task': 'task',
    'apaevt_flow': 'flow',
    'apaevt_sse': 'sse',
    'output': 'output',
    'apaevt_status_object': 'detail',
    'apaevt_status_counts': 'detail',
    'apaevt_status_error': 'detail',
    'apaevt_status_warning': 'detail',
    'apaevt_status_message': 'detail',
    'apaevt_status_download': 'detail',
    'apaevt_status_metrics': 'detail',
    'apaevt_status_user': 'detail',
    'apaevt_status_info': 'detail',
    'apaevt_dashboard': 'dashboard',
}
DEFAULT_FILTER: dict[str, Any] = {
    'fullTables': False,
    'fullDocuments': False,
    'offset': 0,
    'limit': 25,
    'minChunkId': None,
    'maxChunkId': None,
    'nodeId': None,
    'parent': None,
    'name': None,
    'permissions': None,
    'isDeleted': None,
    'objectIds': None,
    'chunkIds': None,
    'isTable': None,
    'tableIds': None,
    'useQuickRank': False,
    'useGroupRank': False,
    'followUpQuestions': 5,
    'context': False,
}

"""Files, pipelines, variables and providers that are on the server."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping
from typing import Any, cast

from .connection import Connection
from .core.protocol import Reply
from .data import CHUNK_SIZE
from .errors import MillraceError, create_error
from .generated.limits import STORE_READ_BYTES
from .generated.models import Deployment, ServiceCatalogue, ServiceDefinition, StoreEntry, StoreStat
from .pipes import Data, bytes_of
from .tasks import PipelineInput, defined

StoreEntries = list[StoreEntry]
DeploymentList = list[Deployment]

__all__ = ['Deployments', 'FileStore', 'ServerVariables', 'Services']


class FileStore:
    """Files kept on the server, for the key that is logged in. Paths are relative and written with `/`.

    Every method raises ServerError `store_failed` when the server refuses, FileNotFoundError where a file is missing.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def read(self, path: str) -> bytes:
        """Return the whole file."""
        return b''.join([piece async for piece in self.stream(path)])

    async def read_text(self, path: str) -> str:
        """Return the whole file as UTF-8 text."""
        return (await self.read(path)).decode('utf-8', 'replace')

    async def stream(self, path: str) -> AsyncIterator[bytes]:
        """Yield the file in pieces of at most 4 MiB."""
        handle = await self._open(path, 'r')
        try:
            offset = 0
            while True:
                args = {'handle': handle, 'offset': offset, 'length': STORE_READ_BYTES}
                payload = (await self._call('fs_read', args)).payload
                if not payload:
                    return
                offset += len(payload)
                yield payload
        finally:
            await self._release(handle, 'r')

    async def write(self, path: str, data: Data) -> int:
        """Write a file, replacing one that is there. Folders on the way are made. Returns the bytes written."""
        payload = bytes_of(data)
        handle = await self._open(path, 'w')
        try:
            for start in range(0, len(payload), CHUNK_SIZE):
                await self._call('fs_write', {'handle': handle}, payload[start : start + CHUNK_SIZE])
        except BaseException:
            await self._release(handle, 'w')
            raise
        await self._call('fs_close', {'handle': handle, 'mode': 'w'})
        return len(payload)

    async def list(self, path: str = '') -> StoreEntries:
        """Return what is in a folder, sorted by name; nothing for a folder that does not exist. The root when empty."""
        body = (await self._call('fs_list_dir', {'path': path})).body
        entries = body.get('entries') if isinstance(body, dict) else None
        return entries if isinstance(entries, list) else []

    async def stat(self, path: str) -> StoreStat:
        """Return what a path is; `exists` is False for one that does not exist."""
        body = (await self._call('fs_stat', {'path': path})).body
        return cast(StoreStat, body) if isinstance(body, dict) else {'exists': False}

    async def mkdir(self, path: str) -> None:
        """Make a folder."""
        await self._call('fs_mkdir', {'path': path})

    async def rmdir(self, path: str, recursive: bool = False) -> None:
        """Delete a folder; `recursive` with everything in it, else it must be empty."""
        await self._call('fs_rmdir', {'path': path, 'recursive': recursive})

    async def remove(self, path: str) -> None:
        """Delete a file."""
        await self._call('fs_delete', {'path': path})

    async def rename(self, old_path: str, new_path: str) -> None:
        """Give a file or folder another path, which must not exist."""
        await self._call('fs_rename', {'old_path': old_path, 'new_path': new_path})

    async def _open(self, path: str, mode: str) -> str:
        body = (await self._call('fs_open', {'path': path, 'mode': mode})).body
        handle = body.get('handle') if isinstance(body, dict) else None
        if not isinstance(handle, str):
            raise create_error('store_failed', 'No handle was returned')
        return handle

    async def _release(self, handle: str, mode: str) -> None:
        # A handle that cannot be closed went with its connection; the reader need not know.
        with contextlib.suppress(MillraceError):
            await self._call('fs_close', {'handle': handle, 'mode': mode})

    async def _call(self, subcommand: str, args: Mapping[str, Any], data: bytes | None = None) -> Reply:
        return await self._connection.call('store', {'subcommand': subcommand, **args}, data=data)


class Deployments:
    """Pipelines kept on the server, one per project id.

    Every method raises ServerError `deployment_failed` when refused.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def add(self, pipeline: PipelineInput, schedule: str = 'manual') -> Deployment:
        """Keep a pipeline, which needs a `project_id` that has no deployment yet; variables stay unsubstituted.

        `schedule` is `manual`, `@daily` and its like, or five cron fields.
        """
        reply = await self._connection.call('deploy_add', {'pipeline': pipeline, 'schedule': schedule})
        return cast(Deployment, reply.body)

    async def list(self) -> DeploymentList:
        """Return all deployments."""
        body = (await self._connection.call('deploy_list')).body
        deployments = body.get('deployments') if isinstance(body, dict) else None
        return deployments if isinstance(deployments, list) else []

    async def status(self, project_id: str) -> Deployment:
        """Return one deployment."""
        return cast(Deployment, (await self._connection.call('deploy_status', {'projectId': project_id})).body)

    async def update(
        self, project_id: str, *, pipeline: PipelineInput | None = None, schedule: str | None = None
    ) -> None:
        """Change the pipeline, the schedule or both."""
        changes = defined(pipeline=pipeline, schedule=schedule)
        await self._connection.call('deploy_update', {'projectId': project_id, **changes})

    async def remove(self, project_id: str) -> None:
        """Forget a deployment."""
        await self._connection.call('deploy_remove', {'projectId': project_id})


class ServerVariables:
    """Variables the server puts into pipelines. Their values are secrets: show the names only."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def keys(self) -> list[str]:
        """Return the names."""
        body = (await self._connection.call('account_me', {'subcommand': 'env_keys'})).body
        keys = body.get('keys') if isinstance(body, dict) else None
        return keys if isinstance(keys, list) else []

    async def get(self) -> dict[str, str]:
        """Return the variables."""
        body = (await self._connection.call('account_me', {'subcommand': 'get_env'})).body
        env = body.get('env') if isinstance(body, dict) else None
        return env if isinstance(env, dict) else {}

    async def set(self, env: Mapping[str, str]) -> None:
        """Replace the whole set."""
        await self._connection.call('account_me', {'subcommand': 'set_env', 'env': dict(env)})


class Services:
    """The providers a server offers."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def list(self) -> ServiceCatalogue:
        """Return all providers."""
        body = (await self._connection.call('services')).body
        given: Mapping[str, Any] = body if isinstance(body, dict) else {}
        services = given.get('services')
        catalogue: ServiceCatalogue = {'services': services if isinstance(services, dict) else {}}
        if isinstance(given.get('version'), int | str):
            catalogue['version'] = given['version']
        return catalogue

    async def get(self, name: str) -> ServiceDefinition:
        """Return one provider."""
        return cast(ServiceDefinition, (await self._connection.call('services', {'service': name})).body)

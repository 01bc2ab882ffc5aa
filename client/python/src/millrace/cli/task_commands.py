"""The commands about tasks, pipelines and what is on the server."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import Any, BinaryIO

from ..documents import load_pipeline
from ..generated.commands import PROGRAM
from ..generated.models import EventMessage
from ..monitors import MonitorKey
from .completion import completion_script
from .files import read_named_file
from .run import ExitCode, Run, UsageError, to_json
from .style import bytes_text, plain, table
from .views import exit_code_of, status_lines, watch_status

_TYPES = ('detail', 'summary', 'output', 'flow', 'task', 'sse', 'dashboard', 'all')


async def start(run: Run, file: str) -> ExitCode | None:
    """Start a pipeline and print its token."""
    options = run.options
    client = await run.connect()
    request: dict[str, Any] = {
        'filepath': file,
        'source': options.get('source'),
        'name': options.get('name'),
        'threads': options.get('threads'),
        'ttl': options.get('ttl'),
        'pipelineTraceLevel': options.get('trace'),
        'use_existing': options.get('use-existing'),
        'args': options.get('args'),
        'token': run.token if run.has_token else None,
    }
    if options.get('attach'):
        token = await run.start_task(client, **request)
        run.note(f'{token}\n')
        return await watch_status(run, client, token)
    started = await run.leave_task(client, **request)
    if run.json:
        run.print_json(started)
    else:
        run.print(f'{started["token"]}\n')
    return None


async def status(run: Run) -> ExitCode:
    """Show how a task is doing."""
    token = run.token
    client = await run.connect()
    if not run.options.get('once'):
        return await watch_status(run, client, token)
    found = await client.get_task_status(token, timeout=run.timeout)
    if run.json:
        run.print_json(found)
    else:
        run.print('\n'.join(status_lines(found, run.style)) + '\n')
    return exit_code_of(found)


async def stop(run: Run) -> None:
    """End a task."""
    token = run.token
    client = await run.connect()
    await client.terminate(token)
    if run.json:
        run.print_json({'token': token, 'stopped': True})
    else:
        run.note('Stopped.\n')


async def list_tasks(run: Run) -> None:
    """List the running tasks."""
    client = await run.connect()
    tasks = await client.get_tasks()
    if run.json:
        return run.print_json(tasks)
    if not tasks:
        return run.note('No task is running.\n')
    rows = [[plain(task[key]) for key in ('token', 'name', 'source', 'status')] for task in tasks]
    return run.print(table([['TOKEN', 'NAME', 'SOURCE', 'STATUS'], *rows]))


async def validate(run: Run, file: str) -> ExitCode:
    """Check a pipeline."""
    pipeline = load_pipeline(file).pipeline
    client = await run.connect()
    result = await client.validate(pipeline, run.options.get('source'))
    valid = not result['errors']
    if run.json:
        run.print_json(result)
    else:
        for message in result['errors']:
            run.print(f'{run.style.red("error")}    {plain(message)}\n')
        for message in result['warnings']:
            run.print(f'{run.style.yellow("warning")}  {plain(message)}\n')
        if valid:
            run.note(f'{file} is valid.\n')
    return ExitCode.OK if valid else ExitCode.FAILED


async def services(run: Run, provider: str | None = None) -> None:
    """List the providers, or describe one."""
    client = await run.connect()
    if provider is not None:
        return run.print_json(await client.get_service(provider))
    catalogue = await client.get_services()
    if run.json:
        return run.print_json(catalogue)
    rows = [
        [plain(name), plain(' '.join(service.get('classType') or ())), plain(service.get('title') or '')]
        for name, service in sorted(catalogue['services'].items(), key=lambda item: item[0].replace('_', '\x01'))
    ]
    return run.print(table([['PROVIDER', 'KIND', 'TITLE'], *rows]))


async def events(run: Run, types: str = 'task,summary,output') -> None:
    """Print events until Ctrl-C."""
    wanted: list[Any] = [_type_of(name) for name in types.split(',')]
    client = await run.connect()
    log: BinaryIO | None = None
    path = run.options.get('log')
    try:
        if path is not None:
            log = Path(path).open('ab')  # noqa: SIM115, ASYNC230
        async with client.events(_key_of(run), wanted) as stream:
            async for event in stream:
                line = to_json(event, None)
                if log is not None:
                    log.write(f'{line}\n'.encode())
                    log.flush()
                run.print(f'{line if run.json else _line_of(event)}\n')
    finally:
        if log is not None:
            log.close()


def _type_of(name: str) -> str:
    found = name.strip().lower()
    if found not in _TYPES:
        raise UsageError(f'Unknown event type "{name}"', f'Types: {", ".join(_TYPES)}.')
    return found


def _key_of(run: Run) -> MonitorKey:
    project = run.options.get('project')
    if project is not None:
        return {'projectId': project, 'source': run.options['source']}
    return run.token if run.has_token else '*'


def _line_of(event: EventMessage) -> str:
    name = event.get('id')
    return plain(f'{event["event"]}{"" if name is None else f" {name}"} {to_json(event.get("body"), None)}')


async def store_dir(run: Run, path: str = '') -> None:
    """List a folder."""
    entries = await (await run.connect()).store.list(path)
    if run.json:
        return run.print_json(entries)
    rows = [
        [
            '<dir>' if entry['type'] == 'dir' else bytes_text(entry.get('size', 0)),
            '' if entry.get('modified') is None else _iso(entry['modified']),
            plain(entry['name']),
        ]
        for entry in entries
    ]
    return run.print(table(rows))


async def store_type(run: Run, path: str) -> None:
    """Print a file."""
    client = await run.connect()
    async for piece in client.store.stream(path):
        run.io.stdout.write(piece)


async def store_write(run: Run, path: str) -> None:
    """Write a file."""
    file, content = run.options.get('file'), run.options.get('content')
    if (file is None) == (content is None):
        hint = 'Pass --file PATH or --content TEXT.'
        raise UsageError('Nothing to write was given, or two things', hint)
    data: str | bytes = str(content) if file is None else read_named_file(file)
    size = await (await run.connect()).store.write(path, data)
    if run.json:
        run.print_json({'path': path, 'bytesWritten': size})
    else:
        run.note(f'{bytes_text(size)} written.\n')


async def store_rm(run: Run, path: str) -> None:
    """Delete a file or a folder."""
    client = await run.connect()
    if run.options.get('recursive'):
        await client.store.rmdir(path, True)
    else:
        await client.store.remove(path)


async def store_mkdir(run: Run, path: str) -> None:
    """Make a folder."""
    await (await run.connect()).store.mkdir(path)


async def store_stat(run: Run, path: str) -> ExitCode:
    """Tell what a path is."""
    found = await (await run.connect()).store.stat(path)
    if run.json:
        run.print_json(found)
    elif found['exists']:
        run.print(f'{found.get("type", "file")}  {bytes_text(found.get("size", 0))}\n')
    else:
        run.note('It does not exist.\n')
    return ExitCode.OK if found['exists'] else ExitCode.FAILED


async def completion(run: Run, shell: str) -> None:
    """Print what makes a shell complete the commands and options."""
    run.print(completion_script(PROGRAM, shell))


def _iso(seconds: float) -> str:
    moment = datetime.fromtimestamp(int(seconds * 1000) / 1000, timezone.utc)
    return moment.isoformat(timespec='milliseconds').replace('+00:00', 'Z')

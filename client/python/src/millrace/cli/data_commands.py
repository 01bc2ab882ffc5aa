"""The commands that send data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from ..client import MillraceClient
from ..generated.models import EventMessage, UploadProgress, UploadResult
from ..question import Answer, Question
from .files import find_files, read_named_file
from .io import is_live
from .run import ExitCode, Run, UsageError
from .style import Style, plain
from .views import UploadView


async def send(run: Run, text: str | None = None) -> ExitCode:
    """Send one text or file."""
    data, name = await _read(run, text)
    client = await run.connect_for_work()
    token = await run.task(client)
    name = run.options.get('name') or name
    info = {} if name is None else {'name': name}
    return run.show_result(await client.send(token, data, info, run.options.get('mime')))


async def _read(run: Run, text: str | None) -> tuple[str | bytes, str | None]:
    file = run.options.get('file')
    if text is not None and file is not None:
        raise UsageError('Both a text and --file were given', 'Pass one of them.')
    if text is not None:
        return text, None
    if file is not None:
        return read_named_file(file), Path(file).name
    if run.io.stdin.tty:
        raise UsageError('There is nothing to send', 'Pass a text, --file PATH, or pipe the data in.')
    data = await run.io.stdin.all()
    try:
        decoded = data.decode()
    except UnicodeDecodeError:
        return data, None
    return (data if b'\0' in data else decoded), None


async def upload(run: Run, *operands: str) -> ExitCode:
    """Send files, folders or patterns."""
    files = find_files(list(operands))
    client = await run.connect_for_work()
    token = await run.task(client)
    live = is_live(run.io, run.io.stderr) and not run.json
    view = UploadView(run.io.stderr, len(files), sum(file.size for file in files)) if live else None

    def hear(event: EventMessage) -> None:
        if view is not None and event['event'] == 'apaevt_status_upload':
            view.progress(cast(UploadProgress, event['body']))

    stop = client.listen(hear)
    mime = run.options.get('mime') or ''
    entries = [(file, {'name': name}, mime) for file, name, _ in files]
    try:
        results = await client.send_files(entries, token, concurrency=run.options['max-concurrent'])
    finally:
        stop()
        if view is not None:
            view.end()
    if run.json:
        run.print_json(results)
    else:
        for result in results:
            run.print(f'{_line_of(result)}\n')
    failed = any(result['action'] == 'error' for result in results)
    return ExitCode.SOME_FILES_FAILED if failed else ExitCode.OK


def _line_of(result: UploadResult) -> str:
    path = result['filepath']
    return plain(f'ok     {path}' if result['action'] == 'complete' else f'error  {path}: {result.get("error", "")}')


async def pipe(run: Run) -> ExitCode:
    """Stream standard input into a pipeline as one object."""
    client = await run.connect_for_work()
    token = await run.task(client)
    name = run.options.get('name')
    stream = await client.pipe(token, {} if name is None else {'name': name}, run.options['mime']).open()
    # An interrupted or failed command leaves no pipe open.
    run.at_end(stream.abandon)
    async for piece in run.io.stdin.pieces():
        await stream.write(piece)
    return run.show_result(await stream.close())


async def chat(run: Run, question: str | None = None) -> ExitCode | None:
    """Ask a pipeline that starts with a chat."""
    if question is not None and not question.strip():
        raise UsageError('The question is empty', 'Pass a text, or no question at all.')
    client = await run.connect_for_work()
    conversation = _Conversation(run, client, await run.task(client))
    return await (conversation.interactive() if question is None else conversation.ask(question))


class _Conversation:
    """Questions and answers; each question carries what was said before."""

    def __init__(self, run: Run, client: MillraceClient, token: str) -> None:
        self._run = run
        self._client = client
        self._token = token
        self._history: list[tuple[Any, str]] = []
        self._streamed = False

    async def interactive(self) -> ExitCode | None:
        """One question a line, until the input ends."""
        code: ExitCode | None = None
        self._prompt()
        async for line in self._run.io.stdin.lines():
            text = line.strip()
            if text in ('/exit', '/quit'):
                break
            if text:
                code = await self.ask(text)
            self._prompt()
        return code

    async def ask(self, text: str) -> ExitCode:
        """Ask one question and show the answer."""
        options = self._run.options
        question = Question(text, role=options.get('role') or '', expect_json=bool(options.get('expect-json')))
        for role, said in self._history:
            question.add_history(role, said)
        self._streamed = False
        result = await self._client.chat(token=self._token, question=question, on_event=self._show_piece)
        answers = Answer.of(result)
        self._history += [('user', text), ('assistant', answers[0].text if answers else '')]
        if not self._streamed:
            return self._run.show_answers(result)
        self._run.print('\n')
        return self._run.show_error(result)

    def _show_piece(self, kind: str, data: Mapping[str, Any]) -> None:
        # After `restart` the answer begins anew, on a new line.
        piece = '\n' if kind == 'restart' else data.get('text') if kind == 'delta' else None
        if isinstance(piece, str) and not self._run.json:
            self._streamed = True
            self._run.print(plain(piece))

    def _prompt(self) -> None:
        io = self._run.io
        if io.stdin.tty:
            io.stderr.write(Style(is_live(io, io.stderr)).bold('> '))

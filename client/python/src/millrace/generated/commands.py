"""The command line, as the TypeScript command has it.

Generated from client/cli by `node scripts/pythonModels.mjs`. Do not edit.
"""

from __future__ import annotations

from typing import NamedTuple


class Whole(NamedTuple):
    """The whole numbers that an option takes, and what is said of everything else."""

    least: int
    most: int | None
    refusal: str


class OptionSpec(NamedTuple):
    """An option: `whole` for one that takes numbers, `env` names the variable that stands in for it."""

    flags: str
    description: str
    choices: tuple[str, ...] = ()
    default: str | int | None = None
    whole: Whole | None = None
    env: str | None = None
    mandatory: bool = False


class ArgumentSpec(NamedTuple):
    """An operand."""

    name: str
    required: bool
    variadic: bool
    description: str = ''
    choices: tuple[str, ...] = ()


class CommandSpec(NamedTuple):
    """A command; `after` is what its help ends with."""

    name: str
    description: str
    after: str
    arguments: tuple[ArgumentSpec, ...]
    options: tuple[OptionSpec, ...]
    commands: tuple[CommandSpec, ...]


# fmt: off
PROGRAM = CommandSpec(
    'millrace',
    'Start pipelines, send them data and watch them.',
    '\nExit codes:\n  0    done\n  1    the operation failed\n  2    the command line is wrong\n  3    no connection to the server\n  4    the key is missing or refused\n  5    some files failed\n  130  interrupted\n\nExamples:\n  $ millrace start ocr.pipe\n  $ millrace upload --pipeline ocr.pipe scans/*.pdf\n  $ millrace status --token TOKEN\n\n',
    (),
    (
        OptionSpec('-V, --version', 'output the version number'),
        OptionSpec('--uri <address>', 'server; http://127.0.0.1:5565 unless given (env: MILLRACE_URI)', env='MILLRACE_URI'),
        OptionSpec('--apikey <key>', 'API key (env: MILLRACE_APIKEY)', env='MILLRACE_APIKEY'),
        OptionSpec('--token <token>', 'token of a task (env: MILLRACE_TOKEN)', env='MILLRACE_TOKEN'),
        OptionSpec('--timeout <seconds>', 'how long to wait for an answer, 0 for ever; 60 unless given, for ever while a pipeline works', whole=Whole(0, None, 'It must be a whole number, 0 or more.')),
        OptionSpec('--json', 'write results as JSON'),
    ),
    (
        CommandSpec(
            'start',
            'start a pipeline and print the token of its task',
            '\nExamples:\n  $ millrace start ocr.pipe\n  $ millrace start ocr.pipe --token nightly --ttl 0\n  $ millrace start chat.pipe --attach\n\n',
            (
                ArgumentSpec('file', True, False, ''),
            ),
            (
                OptionSpec('--source <id>', 'entry component, in place of the one in the file'),
                OptionSpec('--name <name>', 'display name; that of the pipeline or else of its file unless given'),
                OptionSpec('--threads <n>', 'objects worked on at once', whole=Whole(1, None, 'It must be a whole number, 1 or more.')),
                OptionSpec('--ttl <seconds>', 'end the task after this time without work; 0 for never', whole=Whole(0, None, 'It must be a whole number, 0 or more.')),
                OptionSpec('--trace <level>', 'what to record of each object', choices=('none', 'metadata', 'summary', 'full')),
                OptionSpec('--use-existing', 'join the task that runs under the same token'),
                OptionSpec('--args <arg...>', 'arguments for the pipeline'),
                OptionSpec('--attach', 'stay and show the status; Ctrl-C ends the task'),
            ),
            (),
        ),
        CommandSpec(
            'send',
            'send one text or file and print what the pipeline made of it; without either, read stdin',
            '\nExamples:\n  $ millrace send --token TOKEN "Hello"\n  $ millrace send --pipeline ocr.pipe --file scan.pdf --json\n  $ millrace send --token TOKEN --mime text/csv < table.csv\n\n',
            (
                ArgumentSpec('text', False, False, ''),
            ),
            (
                OptionSpec('--file <path>', 'send this file'),
                OptionSpec('--mime <type>', 'MIME type of the data'),
                OptionSpec('--name <name>', 'name of the object'),
                OptionSpec('--pipeline <file>', 'start this pipeline for the command, and end it afterwards'),
                OptionSpec('--source <id>', 'with --pipeline: the entry component'),
                OptionSpec('--threads <n>', 'with --pipeline: objects worked on at once', whole=Whole(1, None, 'It must be a whole number, 1 or more.')),
            ),
            (),
        ),
        CommandSpec(
            'upload',
            'send files, folders or patterns, several at a time',
            '\nExamples:\n  $ millrace upload --token TOKEN report.pdf\n  $ millrace upload --pipeline ocr.pipe "scans/**/*.pdf" more/\n\n',
            (
                ArgumentSpec('files', True, True, ''),
            ),
            (
                OptionSpec('--max-concurrent <n>', 'files under way at once', default=5, whole=Whole(1, None, 'It must be a whole number, 1 or more.')),
                OptionSpec('--mime <type>', 'MIME type of all files; found by their names unless given'),
                OptionSpec('--pipeline <file>', 'start this pipeline for the command, and end it afterwards'),
                OptionSpec('--source <id>', 'with --pipeline: the entry component'),
                OptionSpec('--threads <n>', 'with --pipeline: objects worked on at once', whole=Whole(1, None, 'It must be a whole number, 1 or more.')),
            ),
            (),
        ),
        CommandSpec(
            'pipe',
            'stream stdin into a pipeline as one object, piece by piece as it arrives',
            '\nExamples:\n  $ millrace pipe --token TOKEN --mime text/plain < app.log\n  $ millrace pipe --pipeline ocr.pipe < scan.pdf\n\n',
            (),
            (
                OptionSpec('--mime <type>', 'MIME type of the data', default='application/octet-stream'),
                OptionSpec('--name <name>', 'name of the object'),
                OptionSpec('--pipeline <file>', 'start this pipeline for the command, and end it afterwards'),
                OptionSpec('--source <id>', 'with --pipeline: the entry component'),
                OptionSpec('--threads <n>', 'with --pipeline: objects worked on at once', whole=Whole(1, None, 'It must be a whole number, 1 or more.')),
            ),
            (),
        ),
        CommandSpec(
            'chat',
            'ask a pipeline that starts with a chat; without a question, ask one a line until the input ends',
            '\nExamples:\n  $ millrace chat --token TOKEN "What is in the contract?"\n  $ millrace chat --pipeline assistant.pipe\n\n',
            (
                ArgumentSpec('question', False, False, ''),
            ),
            (
                OptionSpec('--role <text>', 'who the model is to be'),
                OptionSpec('--expect-json', 'ask for an answer that is JSON'),
                OptionSpec('--pipeline <file>', 'start this pipeline for the command, and end it afterwards'),
                OptionSpec('--source <id>', 'with --pipeline: the entry component'),
                OptionSpec('--threads <n>', 'with --pipeline: objects worked on at once', whole=Whole(1, None, 'It must be a whole number, 1 or more.')),
            ),
            (),
        ),
        CommandSpec(
            'status',
            'show how a task is doing, until it ends',
            '\nExamples:\n  $ millrace status --token TOKEN\n  $ millrace status --token TOKEN --once --json\n\n',
            (),
            (
                OptionSpec('--once', 'show it once'),
            ),
            (),
        ),
        CommandSpec(
            'events',
            'print events until Ctrl-C; types, separated by commas: detail, summary, output, flow, task, sse, dashboard, all',
            '\nExamples:\n  $ millrace events\n  $ millrace events flow,output --token TOKEN\n  $ millrace events all --json --log events.jsonl\n\n',
            (
                ArgumentSpec('types', False, False, ''),
            ),
            (
                OptionSpec('--project <id>', 'those of one project; of one task with --token; else of all tasks'),
                OptionSpec('--source <id>', 'with --project: those of one source', default='*'),
                OptionSpec('--log <file>', 'append the events to this file too, one JSON object a line'),
            ),
            (),
        ),
        CommandSpec(
            'list',
            'list the running tasks of this key',
            '\nExamples:\n  $ millrace list\n  $ millrace list --json\n\n',
            (),
            (),
            (),
        ),
        CommandSpec(
            'stop',
            'end a task and wait until it has ended',
            '\nExamples:\n  $ millrace stop --token TOKEN\n\n',
            (),
            (),
            (),
        ),
        CommandSpec(
            'validate',
            'check the structure of a pipeline without starting it',
            '\nExamples:\n  $ millrace validate ocr.pipe\n  $ millrace validate ocr.pipe --json\n\n',
            (
                ArgumentSpec('file', True, False, ''),
            ),
            (
                OptionSpec('--source <id>', 'entry component, in place of the one in the file'),
            ),
            (),
        ),
        CommandSpec(
            'lint',
            'say everything that is or may be wrong with pipeline files; needs no server',
            '\nExamples:\n  $ millrace lint ocr.pipe\n  $ millrace lint pipelines --severity error\n  $ millrace lint ocr.pipe --rule unreachable=off --sarif\n  $ millrace lint - < ocr.pipe\n\n',
            (
                ArgumentSpec('files', True, True, ''),
            ),
            (
                OptionSpec('--source <id>', 'entry component, in place of the one in the files'),
                OptionSpec('--severity <severity>', 'the least that makes the command fail', choices=('error', 'warning', 'information', 'hint'), default='warning'),
                OptionSpec('--rule <code=severity>', 'another severity for a code, or off; may be repeated'),
                OptionSpec('--variables <file>', 'a file with variables, beside .env; may be repeated'),
                OptionSpec('--sarif', 'write the report as SARIF'),
            ),
            (),
        ),
        CommandSpec(
            'format',
            'give pipeline files their usual form; comments and values stay as they are; needs no server',
            '\nExamples:\n  $ millrace format ocr.pipe\n  $ millrace format pipelines --check\n\n',
            (
                ArgumentSpec('files', True, True, ''),
            ),
            (
                OptionSpec('--check', 'change nothing, and fail when something would be'),
                OptionSpec('--indent <columns>', 'columns of one level', default=2, whole=Whole(1, 16, 'A number from 1 to 16.')),
                OptionSpec('--tabs', 'indent with tab characters'),
            ),
            (),
        ),
        CommandSpec(
            'language-server',
            'serve an editor that speaks the Language Server Protocol; needs no server',
            '\nExamples:\n  $ millrace language-server --stdio\n\n',
            (),
            (
                OptionSpec('--stdio', 'over stdin and stdout, the only way there is', mandatory=True),
            ),
            (),
        ),
        CommandSpec(
            'store',
            'files kept on the server',
            '\nExamples:\n  $ millrace store dir\n  $ millrace store write notes/today.txt --content "Hello"\n  $ millrace store type notes/today.txt\n\n',
            (),
            (),
            (
                CommandSpec(
                    'dir',
                    'list a folder',
                    '',
                    (
                        ArgumentSpec('path', False, False, ''),
                    ),
                    (),
                    (),
                ),
                CommandSpec(
                    'type',
                    'print a file',
                    '',
                    (
                        ArgumentSpec('path', True, False, ''),
                    ),
                    (),
                    (),
                ),
                CommandSpec(
                    'write',
                    'write a file, replacing one that is there',
                    '',
                    (
                        ArgumentSpec('path', True, False, ''),
                    ),
                    (
                        OptionSpec('--file <path>', 'with the content of this file'),
                        OptionSpec('--content <text>', 'with this text'),
                    ),
                    (),
                ),
                CommandSpec(
                    'rm',
                    'delete a file',
                    '',
                    (
                        ArgumentSpec('path', True, False, ''),
                    ),
                    (
                        OptionSpec('--recursive', 'delete a folder with everything in it'),
                    ),
                    (),
                ),
                CommandSpec(
                    'mkdir',
                    'make a folder',
                    '',
                    (
                        ArgumentSpec('path', True, False, ''),
                    ),
                    (),
                    (),
                ),
                CommandSpec(
                    'stat',
                    'tell what a path is; exit code 1 when it does not exist',
                    '',
                    (
                        ArgumentSpec('path', True, False, ''),
                    ),
                    (),
                    (),
                ),
            ),
        ),
        CommandSpec(
            'services',
            'list the providers of the server, or describe one',
            '\nExamples:\n  $ millrace services\n  $ millrace services webhook\n\n',
            (
                ArgumentSpec('provider', False, False, ''),
            ),
            (),
            (),
        ),
        CommandSpec(
            'init',
            'set a workspace up for coding agents: docs, stubs, schemas and .env.example of the server',
            '\nExamples:\n  $ millrace init\n  $ millrace init --check\n  $ millrace init my-project --uri http://127.0.0.1:5565\n\n',
            (
                ArgumentSpec('folder', False, False, ''),
            ),
            (
                OptionSpec('--check', 'write nothing; say what would change, and exit with 1 if anything would'),
            ),
            (),
        ),
        CommandSpec(
            'completion',
            'print what makes a shell complete the commands and options',
            '\nExamples:\n  $ millrace completion bash >> ~/.bashrc\n  $ millrace completion zsh > "${fpath[1]}/_millrace"\n  $ millrace completion fish > ~/.config/fish/completions/millrace.fish\n\n',
            (
                ArgumentSpec('shell', True, False, 'your shell', ('bash', 'zsh', 'fish')),
            ),
            (),
            (),
        ),
    ),
)

"""Reading a command line, and the help; in the words and by the rules of the TypeScript command.

It is no argparse, because global options stand before and after the subcommand, and every message is the same in both
commands.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..generated.commands import ArgumentSpec, CommandSpec, OptionSpec
from ..version import __version__

__all__ = ['Command', 'CommandLine', 'Stop', 'read_command_line']

_HELP = OptionSpec('-h, --help', 'display help for command')
_HELP_ROW = ('help [command]', 'display help for command')
_AFTER_ERROR = '  → Run the command with --help for its options.\n'


class Stop(Exception):
    """Nothing is to be run: the help or the version was asked for, or the command line is wrong."""

    def __init__(self, *, out: str = '', err: str = '', failed: bool = False) -> None:
        """Take what goes to standard output and to standard error."""
        super().__init__(err)
        self.out = out
        self.err = err
        self.failed = failed


@dataclass
class CommandLine:
    """A command line that was understood. Options go by their long names without dashes."""

    words: Sequence[str]
    """As they were typed."""
    trail: tuple[str, ...]
    operands: list[Any]
    options: dict[str, Any]
    token_given: bool
    """Whether --token stands on the command line."""


@dataclass
class Command:
    """A command of the tree with the values its options have so far."""

    spec: CommandSpec
    parent: Command | None = None
    values: dict[str, Any] = field(default_factory=dict)
    given: set[str] = field(default_factory=set)

    def trail(self) -> tuple[str, ...]:
        """The words that lead to it, none for the program itself."""
        return () if self.parent is None else (*self.parent.trail(), self.spec.name)

    def chain(self) -> Iterator[Command]:
        """Itself and those above."""
        yield self
        if self.parent is not None:
            yield from self.parent.chain()


class _Split(NamedTuple):
    operands: list[str]
    unknown: list[str]


def read_command_line(program: CommandSpec, args: Sequence[str], env: Mapping[str, str], columns: int) -> CommandLine:
    """Read the words behind the program's name.

    Raises:
        Stop: there is nothing to run.
    """
    reader = _Reader(env, columns, args)
    root = Command(program)
    for option in program.options:
        value = env.get(option.env) if option.env else None
        if value:
            root.values[_key(option)] = value
    return reader.parse(root, [], args)


class _Reader:
    def __init__(self, env: Mapping[str, str], columns: int, words: Sequence[str]) -> None:
        self._env = env
        self._columns = columns
        self._words = words

    def parse(self, command: Command, operands: list[str], words: Sequence[str]) -> CommandLine:
        for option in command.spec.options:
            if option.default is not None:
                command.values.setdefault(_key(option), option.default)
        split = self._options(command, words)
        operands = operands + split.operands
        children = {child.name: child for child in command.spec.commands}
        if operands and operands[0] in children:
            return self.parse(Command(children[operands[0]], command), operands[1:], split.unknown)
        if children and operands and operands[0] == 'help':
            return self._help_of(command, operands[1:])
        if children and not operands and not split.unknown:
            raise Stop(err=self.help(command), failed=True)
        if any(word in ('-h', '--help') for word in split.unknown):
            raise Stop(out=self.help(command))
        for option in (each for above in command.chain() for each in above.spec.options if each.mandatory):
            if _key(option) not in command.values:
                raise _wrong(f"required option '{option.flags}' not specified")
        if children and operands:
            names = [child.name for child in command.spec.commands]
            raise _wrong(f"unknown command '{operands[0]}'{_similar(operands[0], [*names, 'help'])}")
        if split.unknown:
            raise _unknown_option(command, split.unknown[0])
        if children:
            raise Stop(err=self.help(command), failed=True)
        options: dict[str, Any] = {}
        for each in reversed(list(command.chain())):
            options.update(each.values)
        given = any('token' in each.given for each in command.chain())
        return CommandLine(self._words, command.trail(), self._operands(command, operands), options, given)

    def help(self, command: Command) -> str:
        """Return the help of a command."""
        return _Help(command, self._env, self._columns).text() + command.spec.after

    def _help_of(self, command: Command, words: list[str]) -> CommandLine:
        child = next((each for each in command.spec.commands if words and each.name == words[0]), None)
        if not words or child is not None:
            raise Stop(out=self.help(command if child is None else Command(child, command)))
        raise Stop(err=self.help(command), failed=True)

    def _options(self, command: Command, words: Sequence[str]) -> _Split:
        """Take the options of this command out of the words; the rest may be for a subcommand."""
        operands: list[str] = []
        unknown: list[str] = []
        target = operands
        variadic: OptionSpec | None = None
        queue = list(words)
        while queue:
            word = queue.pop(0)
            if word == '--':
                if target is unknown:
                    target.append(word)
                target.extend(queue)
                break
            dashed = len(word) > 1 and word.startswith('-')
            if variadic is not None and not dashed:
                self._take(command, variadic, word)
                continue
            variadic = None
            option = _find(command.spec, word) if dashed else None
            if option is not None:
                value = None
                if _takes_value(option):
                    if not queue:
                        raise _wrong(f"option '{option.flags}' argument missing")
                    value = queue.pop(0)
                self._take(command, option, value)
                variadic = option if _is_variadic(option) else None
                continue
            name, equals, value = word.partition('=')
            option = _find(command.spec, name) if equals and name.startswith('--') else None
            if option is not None and _takes_value(option):
                self._take(command, option, value)
                continue
            if target is operands and dashed:
                # Words behind an unknown option may be its values, so a subcommand reads them again.
                target = unknown
            target.append(word)
        return _Split(operands, unknown)

    def _take(self, command: Command, option: OptionSpec, value: str | None) -> None:
        key = _key(option)
        if key == 'version':
            raise Stop(out=f'{__version__}\n')
        taken: Any = True
        if value is not None:
            taken = _checked(value, option, f"option '{option.flags}' argument '{value}' is invalid.")
        if _is_variadic(option):
            taken = [*(command.values[key] if key in command.given else []), taken]
        command.values[key] = taken
        command.given.add(key)

    def _operands(self, command: Command, operands: list[str]) -> list[Any]:
        specs = command.spec.arguments
        for index, spec in enumerate(specs):
            if spec.required and index >= len(operands):
                raise _wrong(f"missing required argument '{spec.name}'")
        if len(operands) > len(specs) and not (specs and specs[-1].variadic):
            plural = '' if len(specs) == 1 else 's'
            name = f" for '{command.spec.name}'" if command.parent else ''
            raise _wrong(f'too many arguments{name}. Expected {len(specs)} argument{plural} but got {len(operands)}.')
        for spec, word in zip(specs, operands, strict=False):
            problem = f"command-argument value '{word}' is invalid for argument '{spec.name}'."
            if spec.choices and word not in spec.choices:
                raise _wrong(f'{problem} Allowed choices are {", ".join(spec.choices)}.')
        return operands


class _Help:
    """The help of one command, laid out for a number of columns."""

    def __init__(self, command: Command, env: Mapping[str, str], columns: int) -> None:
        self._command = command
        self._env = env
        self._columns = columns

    def text(self) -> str:
        spec = self._command.spec
        arguments = [(each.name, _argument_text(each)) for each in spec.arguments]
        own = [*spec.options, _HELP]
        inherited = [option for each in list(self._command.chain())[1:] for option in each.spec.options]
        children = [(_child_term(child), child.description) for child in spec.commands]
        sections = [
            ('Arguments:', arguments if any(text for _, text in arguments) else []),
            ('Options:', [(option.flags, self._option_text(option)) for option in own]),
            ('Global Options:', [(option.flags, self._option_text(option)) for option in inherited]),
            ('Commands:', [*children, _HELP_ROW] if children else []),
        ]
        every = [term for _, rows in sections for term, _ in rows] + [term for term, _ in arguments]
        width = max(len(term) for term in every)
        lines = [f'Usage: {self._usage()}', '', *_wrapped(spec.description, self._columns), '']
        for title, rows in sections:
            if rows:
                lines += [title, *(line for row in rows for line in self._row(*row, width)), '']
        return '\n'.join(lines) + '\n' if lines[-1] else '\n'.join(lines)

    def _usage(self) -> str:
        spec = self._command.spec
        words = ['millrace', *self._command.trail(), '[options]']
        if spec.commands:
            words.append('[command]')
        return ' '.join([*words, *(_argument_term(each) for each in spec.arguments)])

    def _option_text(self, option: OptionSpec) -> str:
        facts = []
        if option.choices:
            facts.append(f'choices: {", ".join(json.dumps(choice) for choice in option.choices)}')
        if option.env and self._env.get(option.env):
            facts.append('default: from the environment')
        elif option.default is not None:
            facts.append(f'default: {json.dumps(option.default)}')
        return f'{option.description} ({", ".join(facts)})' if facts else option.description

    def _row(self, term: str, text: str, width: int) -> list[str]:
        room = self._columns - width - 4
        lines = [text] if room < 40 else _wrapped(text, room)
        return [
            f'  {term.ljust(width)}  {line}'.rstrip() if index == 0 else f'{" " * (width + 4)}{line}'
            for index, line in enumerate(lines)
        ]


def _wrapped(text: str, width: int) -> list[str]:
    lines: list[str] = []
    line = ''
    for chunk in re.findall(r'\s*\S+', text):
        if line and len(line) + len(chunk) > width:
            lines.append(line)
            line = chunk.lstrip()
        else:
            line += chunk
    return [*lines, line]


def _argument_text(argument: ArgumentSpec) -> str:
    if not argument.choices:
        return argument.description
    choices = f'(choices: {", ".join(json.dumps(choice) for choice in argument.choices)})'
    return f'{argument.description} {choices}'.lstrip()


def _argument_term(argument: ArgumentSpec) -> str:
    name = f'{argument.name}...' if argument.variadic else argument.name
    return f'<{name}>' if argument.required else f'[{name}]'


def _child_term(child: CommandSpec) -> str:
    options = ' [options]' if child.options else ''
    return ' '.join([child.name + options, *(_argument_term(each) for each in child.arguments)])


def _long(option: OptionSpec) -> str:
    found = re.search(r'--[\w-]+', option.flags)
    return found[0] if found else option.flags


def _key(option: OptionSpec) -> str:
    return _long(option)[2:]


def _takes_value(option: OptionSpec) -> bool:
    return '<' in option.flags


def _is_variadic(option: OptionSpec) -> bool:
    return '...' in option.flags


def _find(spec: CommandSpec, word: str) -> OptionSpec | None:
    return next((option for option in spec.options if word in re.findall(r'--?[\w-]+', option.flags)), None)


def _checked(value: str, option: OptionSpec, problem: str) -> str | int:
    if option.choices and value not in option.choices:
        raise _wrong(f'{problem} Allowed choices are {", ".join(option.choices)}.')
    if option.whole is None:
        return value
    number = _number(value)
    least, most, refusal = option.whole
    if number is None or number < least or (most is not None and number > most):
        raise _wrong(f'{problem} {refusal}')
    return number


def _number(text: str) -> int | None:
    word = text.strip()
    if re.fullmatch(r'0(?:[xX][\da-fA-F]+|[oO][0-7]+|[bB][01]+)', word):
        return int(word, 0)
    if not re.fullmatch(r'[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,2})?', word):
        return None
    value = float(word)
    return int(value) if value.is_integer() else None


def _wrong(message: str) -> Stop:
    return Stop(err=f'error: {message}\n{_AFTER_ERROR}', failed=True)


def _unknown_option(command: Command, flag: str) -> Stop:
    known = [_long(option) for each in command.chain() for option in (*each.spec.options, _HELP)]
    return _wrong(f"unknown option '{flag}'{_similar(flag, known) if flag.startswith('--') else ''}")


def _similar(word: str, candidates: list[str]) -> str:
    """Return a line with what was perhaps meant, empty when nothing is near."""
    dashes = word.startswith('--')
    strip: Callable[[str], str] = (lambda text: text[2:]) if dashes else (lambda text: text)
    near: list[str] = []
    best = 3
    for candidate in dict.fromkeys(candidates):
        name, wanted = strip(candidate), strip(word)
        distance = _distance(wanted, name)
        longest = max(len(wanted), len(name))
        if len(name) <= 1 or (longest - distance) / longest <= 0.4 or distance > best:
            continue
        near = [*near, candidate] if distance == best else [candidate]
        best = distance
    if not near:
        return ''
    return f'\n(Did you mean {"one of " if len(near) > 1 else ""}{", ".join(sorted(near))}?)'


def _distance(a: str, b: str) -> int:
    """Edits between two words, a swap of neighbours counting once."""
    if abs(len(a) - len(b)) > 3:
        return max(len(a), len(b))
    rows = [list(range(len(b) + 1))]
    for i, left in enumerate(a, 1):
        row = [i]
        for j, right in enumerate(b, 1):
            cost = min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + (left != right))
            if i > 1 and j > 1 and left == b[j - 2] and a[i - 2] == right:
                cost = min(cost, rows[i - 2][j - 2] + 1)
            row.append(cost)
        rows.append(row)
    return rows[-1][-1]

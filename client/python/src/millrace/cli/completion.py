"""The completion of the whole command tree, for one shell."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..generated.commands import CommandSpec

__all__ = ['completion_script']


class _Word(NamedTuple):
    word: str
    text: str


class _Node(NamedTuple):
    trail: str
    words: list[_Word]


def completion_script(program: CommandSpec, shell: str) -> str:
    """Return what makes `bash`, `zsh` or `fish` complete the commands and options."""
    shared = _option_words(program)
    nodes = [_Node(trail, [*words, *shared]) for trail, words in _walk(program, '')]
    return {'bash': _bash, 'zsh': _zsh, 'fish': _fish}[shell](nodes)


def _walk(command: CommandSpec, trail: str) -> list[_Node]:
    children = [_Word(child.name, child.description) for child in command.commands]
    own = _Node(trail, [*children, *([] if trail == '' else _option_words(command))])
    return [own, *(node for child in command.commands for node in _walk(child, f'{trail} {child.name}'.strip()))]


def _option_words(command: CommandSpec) -> list[_Word]:
    found = ((re.search(r'--[\w-]+', option.flags), option.description) for option in command.options)
    return [_Word(flag[0], text) for flag, text in found if flag is not None]


def _bash(nodes: list[_Node]) -> str:
    """Finds the longest trail that the typed words lead to; options and their values are passed over."""
    cases = '\n'.join(f"    '{trail}') words='{' '.join(each.word for each in words)}' ;;" for trail, words in nodes)
    trails = ' | '.join(f"'{trail}'" for trail, _ in nodes)
    return f"""_millrace() {{
  local trail='' next word words=''
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    next="${{trail:+$trail }}$word"
    case "$next" in {trails}) trail="$next" ;; esac
  done
  case "$trail" in
{cases}
  esac
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
  if [ ${{#COMPREPLY[@]}} -eq 0 ]; then COMPREPLY=($(compgen -f -- "${{COMP_WORDS[COMP_CWORD]}}")); fi
}}
complete -o filenames -F _millrace millrace
"""


def _zsh(nodes: list[_Node]) -> str:
    def described(words: list[_Word]) -> str:
        return ' '.join(f"'{_quoted(word)}:{_quoted(text)}'" for word, text in words)

    cases = '\n'.join(f"    '{trail}') entries=({described(words)}) ;;" for trail, words in nodes)
    trails = '|'.join(f"'{trail}'" for trail, _ in nodes)
    return f"""#compdef millrace
_millrace() {{
  local trail='' next word
  local -a entries
  for word in "${{(@)words[2,CURRENT-1]}}"; do
    next="${{trail:+$trail }}$word"
    case "$next" in ({trails}) trail="$next" ;; esac
  done
  case "$trail" in
{cases}
  esac
  _describe 'millrace' entries || _files
}}
compdef _millrace millrace
"""


def _fish(nodes: list[_Node]) -> str:
    lines = []
    for trail, words in nodes:
        last = trail.split(' ')[-1]
        seen = '__fish_use_subcommand' if trail == '' else f'__fish_seen_subcommand_from {last}'
        for word, text in words:
            what = f"-l '{word[2:]}'" if word.startswith('--') else f"-a '{word}'"
            lines.append(f"complete -c millrace -n '{seen}' {what} -d '{_quoted(text)}'")
    return '\n'.join(lines) + '\n'


def _quoted(text: str) -> str:
    """Inside single quotes, for a shell that also reads a colon as a separator."""
    return text.replace("'", '’').replace(':', ' -')

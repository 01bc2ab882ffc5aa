import type { Command } from 'commander';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** A command of the tree, with what may follow it. */
interface Node {
  /** The words that lead to it, `''` for the program itself. */
  trail: string;
  words: { word: string; text: string }[];
}

/** The completion of the whole command tree, for one shell. */
export function completionScript(program: Command, shell: Shell): string {
  const globals = optionWords(program);
  const nodes = walk(program, '').map(({ trail, words }) => ({ trail, words: [...words, ...globals] }));
  switch (shell) {
    case 'bash':
      return bash(nodes);
    case 'zsh':
      return zsh(nodes);
    case 'fish':
      return fish(nodes);
  }
}

function walk(command: Command, trail: string): Node[] {
  const children = command.commands.map((child) => ({ word: child.name(), text: child.description() }));
  const own: Node = { trail, words: [...children, ...(trail === '' ? [] : optionWords(command))] };
  return [own, ...command.commands.flatMap((child) => walk(child, `${trail} ${child.name()}`.trim()))];
}

function optionWords(command: Command): Node['words'] {
  const { options } = command;
  return options.flatMap(({ long, description }) => (long ? [{ word: long, text: description }] : []));
}

const list = (words: Node['words']): string => words.map(({ word }) => word).join(' ');

/** Finds the longest trail that the typed words lead to; options and their values are passed over. */
function bash(nodes: readonly Node[]): string {
  const cases = nodes.map(({ trail, words }) => `    '${trail}') words='${list(words)}' ;;`).join('\n');
  const trails = nodes.map(({ trail }) => `'${trail}'`).join(' | ');
  return `_millrace() {
  local trail='' next word words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${trail:+$trail }$word"
    case "$next" in ${trails}) trail="$next" ;; esac
  done
  case "$trail" in
${cases}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
  if [ \${#COMPREPLY[@]} -eq 0 ]; then COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")); fi
}
complete -o filenames -F _millrace millrace
`;
}

function zsh(nodes: readonly Node[]): string {
  const described = (words: Node['words']): string =>
    words.map(({ word, text }) => `'${quoted(word)}:${quoted(text)}'`).join(' ');
  const cases = nodes.map(({ trail, words }) => `    '${trail}') entries=(${described(words)}) ;;`).join('\n');
  const trails = nodes.map(({ trail }) => `'${trail}'`).join('|');
  return `#compdef millrace
_millrace() {
  local trail='' next word
  local -a entries
  for word in "\${(@)words[2,CURRENT-1]}"; do
    next="\${trail:+$trail }$word"
    case "$next" in (${trails}) trail="$next" ;; esac
  done
  case "$trail" in
${cases}
  esac
  _describe 'millrace' entries || _files
}
compdef _millrace millrace
`;
}

function fish(nodes: readonly Node[]): string {
  const lines = nodes.flatMap(({ trail, words }) =>
    words.map(({ word, text }) => {
      const seen =
        trail === '' ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${trail.split(' ').at(-1) ?? ''}`;
      const what = word.startsWith('--') ? `-l '${word.slice(2)}'` : `-a '${word}'`;
      return `complete -c millrace -n '${seen}' ${what} -d '${quoted(text)}'`;
    }),
  );
  return `${lines.join('\n')}\n`;
}

/** Inside single quotes, for a shell that also reads a colon as a separator. */
function quoted(text: string): string {
  return text.replaceAll("'", '’').replaceAll(':', ' -');
}

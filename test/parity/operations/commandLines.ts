/** What is typed, one line after the other, in a folder. */
export interface CommandLines {
  title: string;
  /** In the folder before the first line. */
  files?: Readonly<Record<string, string>>;
  lines: readonly CommandLine[];
}

export interface CommandLine {
  args: readonly string[];
  /** What comes in on standard input. */
  input?: string;
  exitCode: number;
  /** What either output has. */
  says: RegExp;
}

const clean = `{
  source: 'in',
  components: [
    { id: 'in', provider: 'webhook', config: {} },
    { id: 'out', provider: 'response_text', config: {}, input: [{ from: 'in', lane: 'text' }] },
  ],
}
`;
const wrong = clean.replace('webhook', 'webhok');
const untidy = clean.replaceAll('\n  ', '\n');
const broken = '{ source: }';

/** The commands that are about files and folders of this machine, so that no SDK has them. */
export const commandLines: readonly CommandLines[] = [
  {
    title: 'lint: a file without problems',
    files: { 'a.pipe': clean },
    lines: [
      { args: ['lint', 'a.pipe'], exitCode: 0, says: /^1 file: 0 errors, 0 warnings\.\n$/ },
      { args: ['lint', 'a.pipe', '--json'], exitCode: 0, says: /"problems": \[\]/ },
    ],
  },
  {
    title: 'lint: a file with a problem',
    files: { 'a.pipe': clean, 'b.pipe': wrong },
    lines: [
      { args: ['lint', '.'], exitCode: 1, says: /^b\.pipe:4:27: error provider_unknown: .*did you mean "webhook"/ },
      { args: ['--json', 'lint', 'b.pipe'], exitCode: 1, says: /"code": "provider_unknown"/ },
      { args: ['lint', 'b.pipe', '--sarif'], exitCode: 1, says: /"version": "2\.1\.0"/ },
    ],
  },
  {
    title: 'lint: severities, rules and variables',
    files: {
      'a.pipe': clean.replace("'webhook', config: {}", "'webhook', config: { type: '${MILLRACE_X}' }"),
      'our.env': 'MILLRACE_X=1\n',
    },
    lines: [
      { args: ['lint', 'a.pipe'], exitCode: 0, says: /^a\.pipe:4:\d+: info variable_undefined/ },
      { args: ['lint', 'a.pipe', '--severity=information'], exitCode: 1, says: /1 note\.\n$/ },
      { args: ['lint', 'a.pipe', '--rule', 'variable_undefined=error'], exitCode: 1, says: /error variable_undefined/ },
      { args: ['lint', 'a.pipe', '--variables', 'our.env', '--severity', 'hint'], exitCode: 0, says: /^1 file: 0 e/ },
      { args: ['lint', 'a.pipe', '--rule', 'nonsense=off'], exitCode: 2, says: /There is no code "nonsense"\n {2}→ / },
    ],
  },
  {
    title: 'lint: a file that is no JSON5, and none at all',
    files: { 'a.pipe': broken },
    lines: [
      { args: ['lint', 'a.pipe'], exitCode: 1, says: /^a\.pipe:1:/ },
      { args: ['lint', 'none.pipe'], exitCode: 1, says: /file_unreadable: .*there is no such file/ },
      { args: ['lint', 'none-*.pipe'], exitCode: 2, says: /^error: No files match none-\*\.pipe\n {2}→ / },
      { args: ['lint'], exitCode: 2, says: /^error: missing required argument 'files'\n/ },
    ],
  },
  {
    title: 'lint: standard input',
    lines: [
      { args: ['lint', '-'], input: wrong, exitCode: 1, says: /^stdin:4:27: error provider_unknown/ },
      { args: ['lint', '-'], input: clean, exitCode: 0, says: /0 errors/ },
    ],
  },
  {
    title: 'format: a file that changes',
    files: { 'grüße/a.pipe': untidy },
    lines: [
      { args: ['format', 'grüße', '--check'], exitCode: 1, says: /^grüße.a\.pipe\n$/ },
      { args: ['format', 'grüße', '--indent=4'], exitCode: 0, says: /^grüße.a\.pipe\n$/ },
      { args: ['format', 'grüße', '--json'], exitCode: 0, says: /"result": "changed"/ },
      { args: ['format', 'grüße', '--check'], exitCode: 0, says: /^$/ },
    ],
  },
  {
    title: 'format: a file that is no JSON5, and standard input',
    files: { 'a.pipe': broken },
    lines: [
      { args: ['format', 'a.pipe'], exitCode: 1, says: /^a\.pipe is broken and was left as it is\.\n/ },
      { args: ['format', '-'], input: untidy, exitCode: 2, says: /reads no stdin\n {2}→ Name a file/ },
      { args: ['format', 'a.pipe', '--indent', '17'], exitCode: 2, says: /A number from 1 to 16/ },
    ],
  },
  {
    title: 'init: a folder, and again',
    files: { 'AGENTS.md': '# Ours\n' },
    lines: [
      { args: ['init', '--check'], exitCode: 1, says: /^update {2}AGENTS\.md\n[^]*would change\.\n$/m },
      { args: ['init'], exitCode: 0, says: /^create {2}\.env\.example\n[^]* changed\.\n$/m },
      { args: ['init', '--check'], exitCode: 0, says: /Nothing to do\.\n$/ },
      { args: ['init', '--json'], exitCode: 0, says: /"check": false/ },
    ],
  },
  {
    title: 'init: a folder that is named, one that is not there, and no server',
    files: { 'inner/ours.txt': '' },
    lines: [
      { args: ['init', 'inner'], exitCode: 0, says: / changed\.\n$/ },
      { args: ['init', 'inner', '--timeout', '30'], exitCode: 0, says: /Nothing to do\./ },
      {
        args: ['init', '--timeout', 'soon'],
        exitCode: 2,
        says: /'--timeout <seconds>' .*It must be a whole number, 0 or more\.\n {2}→ /,
      },
      { args: ['init', 'outer'], exitCode: 1, says: /^error: There is no folder outer\n {2}→ / },
      { args: ['init', '--uri', 'http://127.0.0.1:9'], exitCode: 3, says: /^error: .*\n {2}→ / },
    ],
  },
  {
    title: 'language-server: not over standard input and output',
    lines: [
      { args: ['language-server'], exitCode: 2, says: /^error: required option '--stdio' not specified\n {2}→ / },
    ],
  },
];

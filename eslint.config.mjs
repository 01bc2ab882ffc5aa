import js from '@eslint/js';
import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import tseslint from 'typescript-eslint';

const layers = JSON.parse(readFileSync(new URL('test/layers.json', import.meta.url), 'utf8'));
const nodeModules = ['node:*', 'ws', ...builtinModules.filter((name) => !name.startsWith('_'))];

/** Tests and what only they use. */
const tests = ['**/*.test.{ts,tsx}', '**/testing.ts', '**/testing/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts'];

const nodeGlobals = ['process', 'Buffer', 'URL', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'fetch'];

const browserGlobals = [
  ...['window', 'document', 'location', 'performance', 'requestAnimationFrame', 'postMessage', 'URLSearchParams'],
  ...['MessageEvent', 'MessageChannel', 'Worker'],
];

/** The import table of the layers (test/layers.json) as lint rules; test/architecture.test.ts checks it from the sources. */
function layerRules([folder, { may, node, nodeFiles = [] }]) {
  const own = folder.split('/')[0];
  const others = [...Object.keys(layers), 'test', 'bench', 'scripts'].filter(
    (other) => other !== folder && !may.includes(other),
  );
  // Inside the engine a sibling layer is written without `engine/`, as in `../tasks/registry.js`.
  const written = others.map((other) => (other.startsWith(`${own}/`) ? other.slice(own.length + 1) : other));
  const forbidden = written.map((other) => ({
    regex: `^(\\.\\./)+${other}/`,
    message: `${folder} may import ${may.length > 0 ? `only ${may.join(', ')}` : 'no other layer'}.`,
  }));
  if (!node) forbidden.push({ group: nodeModules, message: `${folder} also runs where there is no Node.` });
  if (folder !== 'extension') forbidden.push({ group: ['vscode'], message: 'Only extension/ may import vscode.' });
  return {
    files: [`${folder}/**/*.{ts,tsx}`],
    ignores: [...tests, ...nodeFiles.map((file) => `${folder}/${file}`)],
    rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns: forbidden }] },
  };
}

export default tseslint.config(
  {
    ignores: ['**/dist/', '**/node_modules/', '.cache/', 'coverage/', '**/.venv/', '**/*.d.ts', 'examples/documents/'],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  ...tseslint.configs.recommendedTypeChecked,
  {
    // One program for everything takes a third less time than a project for each folder.
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: 'error',
      'no-eval': 'error',
      'no-new-func': 'error',
      'no-console': 'error',
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true, named: true, defaultFrom: true } }],
      'no-restricted-imports': [
        'error',
        { paths: ['vm', 'node:vm'].map((name) => ({ name, message: 'Code from configuration is never run.' })) },
      ],
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-implied-eval': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // Our interfaces are written with methods and implemented with closures, which may be taken apart.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    },
  },
  ...Object.entries(layers).map(layerRules),
  {
    // Scripts and example components are plain JavaScript without a project, run by Node itself.
    files: ['**/*.mjs', '**/*.js', '**/*.cjs'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: { globals: Object.fromEntries(nodeGlobals.map((name) => [name, 'readonly'])) },
  },
  {
    // Served to browsers as they are.
    files: ['bench/live/*.js'],
    languageOptions: { globals: Object.fromEntries(browserGlobals.map((name) => [name, 'readonly'])) },
  },
  {
    files: ['**/*.cjs'],
    languageOptions: { sourceType: 'commonjs' },
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
  {
    files: tests,
    rules: {
      // The matchers of vitest are typed as any.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    // Tools look for a default export in their own configuration.
    files: ['**/*.config.ts', '*.config.mjs'],
    rules: { 'no-restricted-exports': 'off' },
  },
);

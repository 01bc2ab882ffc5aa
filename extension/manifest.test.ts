import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { mayBeChanged, rules, severities } from '../pipeline/rules.js';
import * as identifiers from './identifiers.js';

const root = path.join(import.meta.dirname, '..');

interface Item {
  command: string;
  when?: string;
}

interface Manifest {
  name: string;
  publisher: string;
  icon: string;
  activationEvents: string[];
  contributes: {
    commands: { command: string; title: string; category?: string; icon?: string; enablement?: string }[];
    menus: Record<string, Item[]>;
    languages: { id: string; extensions: string[]; configuration: string; icon: Record<string, string> }[];
    grammars: { language: string; scopeName: string; path: string }[];
    viewsContainers: { activitybar: { id: string; icon: string }[] };
    views: Record<string, { id: string; name: string; when?: string }[]>;
    viewsWelcome: { view: string; contents: string; when?: string }[];
    configuration: { properties: Record<string, Setting> };
    debuggers: { type: string; languages: string[] }[];
    breakpoints: { language: string }[];
    taskDefinitions: { type: string }[];
    walkthroughs: { id: string; steps: Step[] }[];
    keybindings?: Item[];
  };
}

interface Setting {
  type: string;
  default: unknown;
  scope?: string;
  description?: string;
  markdownDescription?: string;
  enum?: unknown[];
  enumDescriptions?: string[];
  minimum?: number;
  maximum?: number;
}

interface Step {
  id: string;
  description: string;
  media: { svg?: string; image?: string; markdown?: string; altText?: string };
  completionEvents: string[];
}

const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as Manifest;
const { contributes } = manifest;
const commands: string[] = Object.values(identifiers.commands);
const views: string[] = Object.values(identifiers.views);
const contextKeys: string[] = Object.values(identifiers.contextKeys);
const settings = Object.values(identifiers.settings).map((name) => `millrace.${name}`);
const menuItems = Object.entries(contributes.menus).flatMap(([menu, items]) =>
  items.map((item) => ({ menu, ...item })),
);

/** The sources of the extension without tests and what only they use. */
const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !/\.test\.ts$|(^|[/\\])testing([/\\.]|$)/.test(name))
  .map((name) => ({ name, text: readFileSync(path.join(import.meta.dirname, name), 'utf8') }));

/** Keys of the editor that our clauses may ask for. */
const editorKeys = [
  'activeWebviewPanelId',
  'debugType',
  'editorLangId',
  'isWorkspaceTrusted',
  'resourceLangId',
  'resourcePath',
  'resourceScheme',
  'view',
  'viewItem',
  'workspaceFolderCount',
];

/** Commands of the editor that links may run. */
const editorCommands = ['vscode.openFolder', 'workbench.trust.manage'];

describe('the manifest and the code', () => {
  it('have the same commands', () => {
    expect(contributes.commands.map(({ command }) => command).sort()).toEqual([...commands].sort());
  });

  it('have the same views, in the container of the same name', () => {
    const container = contributes.viewsContainers.activitybar.map(({ id }) => id);
    expect(Object.keys(contributes.views)).toEqual(container);
    const contributed = Object.values(contributes.views).flat();
    expect(contributed.map(({ id }) => id).sort()).toEqual([...views].sort());
  });

  it('have the same settings', () => {
    expect(Object.keys(contributes.configuration.properties).sort()).toEqual([...settings].sort());
  });

  it('have the same language, debug type and task type', () => {
    const { languageId, debugType, taskType } = identifiers;
    expect(contributes.languages.map(({ id }) => id)).toEqual([languageId]);
    expect(contributes.grammars.map(({ language }) => language)).toEqual([languageId]);
    expect(contributes.debuggers.map(({ type, languages }) => [type, languages])).toEqual([[debugType, [languageId]]]);
    expect(contributes.breakpoints).toEqual([{ language: languageId }]);
    expect(contributes.taskDefinitions.map(({ type }) => type)).toEqual([taskType]);
  });

  it('have every name in one place: no source writes a command, view or key of ours out', () => {
    const names = [...commands, ...views, ...contextKeys];
    const written = sources
      .filter(({ name }) => name !== 'identifiers.ts')
      .flatMap(({ name, text }) =>
        names.filter((each) => text.includes(`'${each}'`)).map((each) => `${name} has '${each}'`),
      );
    expect(written).toEqual([]);
  });
});

describe('commands', () => {
  it.each(contributes.commands)('$command has a title, the category and an icon', ({ title, category, icon }) => {
    expect(title).toMatch(/^[A-Z][^.]*$/);
    expect(category).toBe('Millrace');
    expect(icon).toMatch(/^\$\([a-z-]+\)$/);
  });

  it.each(contributes.commands)('$command can be reached from the palette or a menu', ({ command }) => {
    const palette = contributes.menus.commandPalette?.find((item) => item.command === command);
    const elsewhere = menuItems.filter((item) => item.command === command && item.menu !== 'commandPalette');
    if (palette?.when === 'false') expect(elsewhere).not.toEqual([]);
  });

  it('stand in menus, bindings and links only when they exist', () => {
    const items = [...menuItems, ...(contributes.keybindings ?? [])].map(({ command }) => command);
    expect(items.filter((command) => !commands.includes(command))).toEqual([]);
    const texts = [
      ...contributes.viewsWelcome.map(({ contents }) => contents),
      ...contributes.walkthroughs.flatMap(({ steps }) => steps.map(({ description }) => description)),
    ];
    const links = texts.flatMap((text) => [...text.matchAll(/\(command:([\w.]+)/g)].map(([, command = '']) => command));
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter((command) => ![...commands, ...editorCommands].includes(command))).toEqual([]);
  });

  it('are named once in each menu', () => {
    for (const [menu, items] of Object.entries(contributes.menus)) {
      const keys = items.map(({ command, when }) => `${menu} ${command} ${when}`);
      expect(new Set(keys).size).toBe(keys.length);
    }
  });
});

describe('when clauses', () => {
  const clauses = [
    ...menuItems.map(({ when }) => when),
    ...contributes.commands.map(({ enablement }) => enablement),
    ...contributes.viewsWelcome.map(({ when }) => when),
    ...Object.values(contributes.views).flatMap((list) => list.map(({ when }) => when)),
    ...(contributes.keybindings ?? []).map(({ when }) => when),
    ...contributes.walkthroughs.flatMap(({ steps }) =>
      steps.flatMap(({ completionEvents }) =>
        completionEvents.filter((event) => event.startsWith('onContext:')).map((event) => event.slice(10)),
      ),
    ),
  ].filter((when) => when !== undefined);

  it.each([...new Set(clauses)])('%s asks for keys that are set', (clause) => {
    const known = [...editorKeys, ...contextKeys, ...settings.map((name) => `config.${name}`)];
    const unknown = keysOf(clause).filter((key) => !known.includes(key));
    expect(unknown).toEqual([]);
  });

  it('name views, languages and panels that exist', () => {
    const named = (key: string): string[] =>
      clauses.flatMap((clause) =>
        [...clause.matchAll(new RegExp(`\\b${key} [!=]= '?([\\w.]+)`, 'g'))].map(([, value = '']) => value),
      );
    expect(named('view').filter((view) => !views.includes(view))).toEqual([]);
    expect(new Set([...named('resourceLangId'), ...named('editorLangId')])).toEqual(new Set([identifiers.languageId]));
    expect(new Set(named('debugType'))).toEqual(new Set([identifiers.debugType]));
    const [panel] = new Set(named('activeWebviewPanelId'));
    expect(sources.some(({ text }) => text.includes(`PanelType = '${panel}'`))).toBe(true);
    expect(contributes.viewsWelcome.map(({ view }) => view).filter((view) => !views.includes(view))).toEqual([]);
  });

  it('ask for each key of ours somewhere', () => {
    const asked = new Set(clauses.flatMap(keysOf));
    expect(contextKeys.filter((key) => !asked.has(key))).toEqual([]);
  });
});

describe('settings', () => {
  it.each(Object.entries(contributes.configuration.properties))(
    '%s says what it does and where it applies',
    (_name, { description, markdownDescription, scope, ...setting }) => {
      expect(description ?? markdownDescription).toMatch(/^.{20,}\.$/s);
      expect(scope).toMatch(/^(window|resource|machine|machine-overridable|application)$/);
      expect(setting.enumDescriptions?.length).toBe(setting.enum?.length);
      if (setting.enum !== undefined) expect(setting.enum).toContain(setting.default);
      if (setting.type === 'integer') {
        expect(Number.isInteger(setting.default)).toBe(true);
        expect(setting.default).toBeGreaterThanOrEqual(setting.minimum ?? 0);
        expect(setting.default).toBeLessThanOrEqual(setting.maximum ?? Number.MAX_SAFE_INTEGER);
      } else expect(Array.isArray(setting.default) ? 'array' : typeof setting.default).toBe(setting.type);
    },
  );

  it('are referred to by names that exist', () => {
    const texts = Object.values(contributes.configuration.properties).map((each) => each.markdownDescription ?? '');
    const referred = texts.flatMap((text) => [...text.matchAll(/`#([\w.]+)#`/g)].map(([, name = '']) => name));
    expect(referred.filter((name) => !settings.includes(name))).toEqual([]);
  });
});

describe('the severities of findings', () => {
  it('can be set for every code that is no error, with what it means', () => {
    const { properties } = contributes.configuration.properties['millrace.diagnostics.severity'] as unknown as {
      properties: Record<string, { enum: string[]; description: string }>;
    };
    const changeable = Object.entries(rules).filter(([code]) => mayBeChanged(code));
    expect(Object.entries(properties).map(([code, { description }]) => [code, description])).toEqual(
      changeable.map(([code, { title, severity }]) => [code, `${title} (${severity})`]),
    );
    for (const each of Object.values(properties)) expect(each.enum).toEqual([...severities, 'off']);
  });
});

describe('the files the manifest names', () => {
  const named = [
    manifest.icon,
    ...contributes.languages.flatMap(({ configuration, icon }) => [configuration, ...Object.values(icon)]),
    ...contributes.grammars.map((grammar) => grammar.path),
    ...contributes.viewsContainers.activitybar.map(({ icon }) => icon),
    ...contributes.walkthroughs.flatMap(({ steps }) =>
      steps.map(({ media }) => media.svg ?? media.image ?? media.markdown ?? ''),
    ),
  ];

  it.each([...new Set(named)])('%s exists', (file) => {
    expect(existsSync(path.join(root, file))).toBe(true);
  });

  it('are the whole of the walkthrough folder', () => {
    const files = readdirSync(path.join(import.meta.dirname, 'walkthrough'));
    expect(files.filter((file) => !named.includes(`extension/walkthrough/${file}`))).toEqual([]);
  });

  it('have the scope of the grammar and the icon in the size the Marketplace asks for', () => {
    for (const { path: file, scopeName } of contributes.grammars) {
      expect(JSON.parse(readFileSync(path.join(root, file), 'utf8'))).toMatchObject({ scopeName });
    }
    const png = readFileSync(path.join(root, manifest.icon));
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([256, 256]);
  });
});

describe('activation', () => {
  it('happens when something of ours is needed, and never at every start', () => {
    const known: Record<string, string[]> = {
      onLanguage: contributes.languages.map(({ id }) => id),
      onDebugResolve: contributes.debuggers.map(({ type }) => type),
      onDebugInitialConfigurations: [''],
      onDebugDynamicConfigurations: contributes.debuggers.map(({ type }) => type),
      onTaskType: contributes.taskDefinitions.map(({ type }) => type),
      onWebviewPanel: [identifiers.livePanelType],
      workspaceContains: [`**/*.{${contributes.languages.flatMap((each) => each.extensions.map(bare)).join(',')}}`],
    };
    for (const event of manifest.activationEvents) {
      const [kind = '', argument = ''] = event.split(/:(.*)/s);
      expect(known[kind] ?? [], event).toContain(argument);
    }
    expect(manifest.activationEvents).toContain(`onLanguage:${identifiers.languageId}`);
  });
});

describe('the walkthrough', () => {
  it('has five steps, each with a picture or a page and a way to be done', () => {
    expect(contributes.walkthroughs).toHaveLength(1);
    const steps = contributes.walkthroughs[0]?.steps ?? [];
    expect(steps).toHaveLength(5);
    for (const { id, media, completionEvents } of steps) {
      if (media.markdown === undefined) expect(media.altText, id).toMatch(/\.$/);
      expect(completionEvents, id).not.toEqual([]);
      for (const event of completionEvents) {
        const [kind = '', argument = ''] = event.split(/:(.*)/s);
        expect(['onCommand', 'onView', 'onContext', 'onSettingChanged'], event).toContain(kind);
        if (kind === 'onCommand') expect(commands).toContain(argument);
        if (kind === 'onView') expect(views).toContain(argument);
      }
    }
  });

  it('is opened by the name it has', () => {
    const { publisher, name } = manifest;
    const ids = contributes.walkthroughs.map(({ id }) => `${publisher}.${name}#${id}`);
    expect([`millrace.millrace-vscode#${identifiers.walkthrough}`]).toEqual(ids);
  });
});

/** The context keys of a clause: what is left when values, patterns and operators are gone. */
function keysOf(clause: string): string[] {
  return clause
    .replace(/\/(?:\\.|[^/\\])+\/[a-z]*/g, ' ')
    .replace(/'[^']*'/g, ' ')
    .replace(/(?:[!=]=|[<>]=?)\s*[\w.-]+/g, ' ')
    .split(/[^\w.]+/)
    .filter((word) => !['', 'in', 'not', 'true', 'false'].includes(word));
}

function bare(ending: string): string {
  return ending.replace(/^\./, '');
}

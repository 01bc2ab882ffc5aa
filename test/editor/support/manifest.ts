import manifest from '../../../package.json' with { type: 'json' };

/** How a command is called in the palette. */
export function commandTitle(id: string): string {
  const command = manifest.contributes.commands.find((one) => one.command === id);
  if (command === undefined) throw new Error(`package.json has no command ${id}`);
  return `${command.category}: ${command.title}`;
}

/** How a command is called where its category is not shown. */
export function shortTitle(id: string): string {
  return commandTitle(id).replace(/^Millrace: /, '');
}

export function viewName(id: string): string {
  const view = manifest.contributes.views.millrace.find((one) => one.id === id);
  if (view === undefined) throw new Error(`package.json has no view ${id}`);
  return view.name;
}

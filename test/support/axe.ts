import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Frame, Page } from 'playwright-core';

interface Found {
  violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[];
}

/** What of WCAG 2 A and AA a page does not keep, a line each, as axe finds it. */
export async function accessibilityViolations(page: Page | Frame): Promise<string[]> {
  const hasAxe = await page.evaluate(() => 'axe' in globalThis);
  if (!hasAxe)
    await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(where: Document, options: object): Promise<Found> } };
    const found = await axe.run(document, { runOnly: ['wcag2a', 'wcag2aa'] });
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary ?? ''}`),
    );
  });
}

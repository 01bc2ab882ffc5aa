/** Waits until `condition` holds; asks again every few milliseconds. */
export async function waitFor(condition: () => boolean, what: string, ms = 10_000): Promise<void> {
  const deadline = performance.now() + ms;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`It took longer than ${ms} ms until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

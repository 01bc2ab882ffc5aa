/** What the page has around the view. It uses the colours of the view and comes with the script that needs it. */
const rules = `
.browserPage { display: flex; flex-direction: column; height: 100%; }
.browserView { flex: 1; min-height: 0; overflow: auto; }
.browserBar { display: flex; gap: 8px; align-items: center; padding: 6px 12px; border-bottom: 1px solid var(--line); }
.browserBar output { flex: 1; color: var(--red); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.browserCard { display: flex; flex-direction: column; gap: 10px; width: min(32rem, calc(100vw - 32px)); margin: 10vh auto 32px; }
.browserCard h1 { font-size: 1.6em; }
.browserCard h1:focus { outline: none; }
.browserCard input { padding: 6px 8px; background: var(--input-bg); color: var(--input-fg); border: 1px solid var(--input-line); border-radius: 3px; }
.browserCard form, .browserCard .button { align-self: flex-start; }
.browserProblem { color: var(--red); min-height: 1.45em; }
.browserTasks { display: flex; flex-direction: column; gap: 6px; }
.browserTask { display: flex; flex-direction: column; gap: 2px; width: 100%; padding: 10px 12px; text-align: start; background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); cursor: pointer; overflow-wrap: anywhere; }
.browserTask:hover { background: var(--hover); }
`;

/** Adds the rules to a page, or to the part of one that belongs to the dashboard. */
export function addBrowserStyle(to: DocumentOrShadowRoot): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(rules);
  to.adoptedStyleSheets = [...to.adoptedStyleSheets, sheet];
}

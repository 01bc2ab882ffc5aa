export interface LiveHtmlOptions {
  /** Addresses of the bundle as the editor gives them to webviews. */
  readonly script: string;
  readonly style: string;
  /** What the editor's own resources are called in a content security policy. */
  readonly cspSource: string;
  /** A new random value for each page. */
  readonly nonce: string;
}

/** The page of the panel: one script, one style sheet, nothing inline, nothing from elsewhere. */
export function liveHtml({ script, style, cspSource, nonce }: LiveHtmlOptions): string {
  const policy = [
    "default-src 'none'",
    // The nonce goes over to the modules that the script imports.
    `script-src 'nonce-${nonce}' ${cspSource}`,
    `style-src ${cspSource}`,
    `img-src ${cspSource}`,
    `font-src ${cspSource}`,
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width">
    <title>Millrace</title>
    <link rel="stylesheet" href="${style}">
    <script type="module" nonce="${nonce}" src="${script}"></script>
  </head>
  <body><div id="root"></div></body>
</html>
`;
}

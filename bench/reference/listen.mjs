/** Listens on a free loopback port, tells the parent which, and ends with the parent. */
export function listen(server) {
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${JSON.stringify({ port: server.address().port })}\n`));
  process.stdin.on('end', () => process.exit(0)).resume();
}

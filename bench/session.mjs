import { WebSocket } from 'ws';

/** The leanest client that speaks the wire: one socket, numbered requests, answers by callback. */
export class Session {
  #socket;
  #seq = 0;
  #waiting = new Map();
  #fail;
  /** Called with every event. */
  onEvent = () => undefined;

  constructor(socket, fail) {
    this.#socket = socket;
    this.#fail = fail;
    socket.on('message', (data) => this.#receive(JSON.parse(data.toString())));
    socket.on('error', fail);
    socket.on('close', () => {
      if (this.#waiting.size > 0)
        fail(new Error(`the server closed the socket with ${this.#waiting.size} answers due`));
    });
  }

  /** @param fail called with whatever goes wrong: a refused request, a lost socket */
  static async open(url, key, fail) {
    const socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: 64 * 1024 * 1024 });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const session = new Session(socket, fail);
    if (key !== undefined) await session.request('auth', { auth: key });
    return session;
  }

  /** `done` gets the body of the answer, `refused` the error; without `refused` the whole session fails with it. */
  ask(command, args, payload, done, refused = this.#fail) {
    const seq = ++this.#seq;
    this.#waiting.set(seq, { done, refused });
    const header = JSON.stringify({ type: 'request', seq, command, arguments: args });
    if (payload === undefined) return this.#socket.send(header);
    const message = Buffer.allocUnsafe(Buffer.byteLength(header) + 1 + payload.length);
    const at = message.write(`${header}\n`);
    message.set(payload, at);
    return this.#socket.send(message, { binary: true });
  }

  request(command, args, payload) {
    return new Promise((resolve, reject) => this.ask(command, args, payload, resolve, reject));
  }

  /** From now on at most one message's worth of bytes is taken from the socket each second. Returns what ends that. */
  readSlowly(messageBytes = 512) {
    const { _socket: socket } = this.#socket;
    socket.removeAllListeners('data');
    socket.pause();
    const timer = setInterval(() => socket.read(messageBytes), 1000);
    return () => {
      clearInterval(timer);
      socket.destroy();
    };
  }

  close() {
    this.#waiting.clear();
    this.#socket.terminate();
  }

  #receive(message) {
    if (message.type === 'event') return this.onEvent(message);
    const { done, refused } = this.#waiting.get(message.request_seq);
    this.#waiting.delete(message.request_seq);
    if (message.success === false) return refused(new Error(`${message.command}: ${message.message}`));
    return done(message.body);
  }
}

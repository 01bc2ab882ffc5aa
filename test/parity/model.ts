/** The ways into one server that must not differ. */
export type ClientName = 'TypeScript' | 'TypeScript CLI' | 'Python' | 'Python CLI' | 'HTTP';

/** One call, in the words of no client. It is JSON, so that a driver may be a program in another language. */
export interface Call {
  op: string;
  /** Another key than the driver's own, for this call; empty for none. */
  auth?: string;
  /** `$FOLDER/…` in it stands for the folder of the operation's files. */
  [argument: string]: unknown;
}

export interface Failure {
  /** Code of protocol/errors.ts; absent where a client shows only the text. */
  code?: string;
  message: string;
  hint?: string;
  /** Class of the error and of what it extends, where the language has them. */
  classes?: string[];
  exitCode?: number;
}

/** What a client did with one call. */
export type Answer = { value: unknown } | { error: Failure } | { absent: true };

/** Runs calls through one client, in order, under a key of its own. */
export interface Driver {
  readonly name: ClientName;
  run(call: Call, folder: string): Promise<Answer>;
  close(): Promise<void>;
}

/** A difference that the specification has, and why. */
export interface Difference {
  clients: readonly ClientName[];
  /** Where it is: in these operations, */
  ops?: readonly string[];
  /** or in these entries of the list alone. */
  titles?: readonly string[];
  /** Members, anywhere in the answer, that are not compared. */
  ignore?: readonly string[];
  /** The client fails before the server is asked: these are compared with its own text instead. */
  says?: RegExp;
  /** It gives this, in part, where the others fail. */
  gives?: unknown;
  /** The client has no such operation. */
  absent?: true;
  reason: string;
}

export interface Operation {
  title: string;
  /** Made before the first call. */
  files?: Readonly<Record<string, string>>;
  /** The answers of all calls are compared. */
  calls: readonly Call[];
  /** What the last call gives, in part. */
  gives?: unknown;
  /** The code that the last call fails with. */
  fails?: string;
  /** The class of the specification's table of errors, in Python. */
  python?:
    'ValueError' | 'FileNotFoundError' | 'RuntimeError' | 'JSONDecodeError' | 'AuthenticationError' | 'LookupError';
}

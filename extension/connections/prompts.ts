/** Questions to a person; the editor's quick input answers them. Undefined always means that the person gave up. */
export interface Prompts {
  ask(question: TextQuestion): Promise<string | undefined>;
  pick<T>(title: string, placeHolder: string, choices: readonly Choice<T>[]): Promise<T | undefined>;
  /** Shows that something is under way, where it does not get in the way. */
  during<T>(title: string, action: () => Promise<T>): Promise<T>;
  /** Tells what can be seen nowhere else. */
  tell(text: string): void;
}

export interface TextQuestion {
  readonly title: string;
  readonly prompt: string;
  readonly value?: string | undefined;
  readonly placeHolder?: string | undefined;
  /** Whether it must not be seen on the screen. */
  readonly isSecret?: boolean | undefined;
  /** What is wrong with an answer, or undefined. */
  readonly problem?: ((answer: string) => string | undefined) | undefined;
}

export interface Choice<T> {
  readonly label: string;
  readonly description?: string | undefined;
  readonly detail?: string | undefined;
  readonly value: T;
}

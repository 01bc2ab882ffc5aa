import { element } from './elements.js';

/** Asks for the key until `logIn` takes it. `problem` is shown from the beginning. */
export function signIn(
  page: HTMLElement,
  problem: string | undefined,
  logIn: (key: string) => Promise<void>,
): Promise<void> {
  const input = element('input', {
    id: 'key',
    type: 'password',
    name: 'key',
    autocomplete: 'off',
    spellcheck: 'false',
    required: true,
    'aria-describedby': 'keyHint keyProblem',
  });
  const submit = element('button', { type: 'submit', class: 'button' }, 'Sign in');
  const complaint = element('p', { id: 'keyProblem', class: 'browserProblem', role: 'alert' }, problem ?? '');
  const form = element(
    'form',
    { class: 'browserCard' },
    element('h1', {}, 'Millrace'),
    element('label', { for: 'key' }, 'API key of this server'),
    input,
    element(
      'p',
      { id: 'keyHint', class: 'muted' },
      'The server says where its key is kept when it starts. This tab forgets it when it is closed.',
    ),
    complaint,
    submit,
  );
  page.replaceChildren(form);
  input.focus();
  return new Promise((resolve) => {
    const attempt = async (): Promise<void> => {
      submit.disabled = true;
      complaint.textContent = '';
      try {
        await logIn(input.value.trim());
        resolve();
      } catch (error) {
        complaint.textContent = error instanceof Error ? error.message : String(error);
        submit.disabled = false;
        input.select();
        input.focus();
      }
    };
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void attempt();
    });
  });
}

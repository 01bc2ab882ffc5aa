type Attributes = Readonly<Record<string, string | boolean>>;

/** An element with attributes and children; text is text, never HTML. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'string') made.setAttribute(name, value);
    else made.toggleAttribute(name, value);
  }
  made.append(...children);
  return made;
}

export function button(label: string, className: string, onClick: () => void): HTMLButtonElement {
  const made = element('button', { type: 'button', class: className }, label);
  made.addEventListener('click', onClick);
  return made;
}

/** Building elements in one expression. */

import { LabIcon } from '@jupyterlab/ui-components';

type Child = Node | string | null | undefined;

/** An element with attributes (`class`, `aria-label`, …) and children. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string>> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    made.setAttribute(name, value);
  }
  made.append(...children.filter((child): child is Node | string => child !== null && child !== undefined));
  return made;
}

/** A button with words. */
export function button(
  label: string,
  act: () => void,
  attributes: Readonly<Record<string, string>> = {}
): HTMLButtonElement {
  const made = element('button', { type: 'button', class: 'jp-mod-styled', ...attributes }, label);
  made.addEventListener('click', act);
  return made;
}

/** A button with an icon only; its name is for the tooltip and for screen readers. */
export function iconButton(icon: LabIcon, name: string, act: () => void): HTMLButtonElement {
  const made = element('button', { type: 'button', class: 'dp-IconButton', title: name, 'aria-label': name });
  icon.element({ container: made });
  made.title = name;
  made.addEventListener('click', act);
  return made;
}

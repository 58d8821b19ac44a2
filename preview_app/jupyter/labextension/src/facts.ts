/** What is known about a document, for quality assurance: readable here, copied as JSON. */

import { TranslationBundle } from '@jupyterlab/translation';

import { button, element } from './dom';

export class Facts {
  readonly node: HTMLElement;

  constructor(private readonly _trans: TranslationBundle) {
    this.node = element('section', { class: 'dp-Facts', 'aria-label': _trans.__('Details') });
  }

  show(facts: Readonly<Record<string, unknown>>): void {
    const json = JSON.stringify(facts, null, 2);
    const copy = button(this._trans.__('Copy as JSON'), () => void navigator.clipboard.writeText(json));
    this.node.replaceChildren(copy, list(facts));
  }

  fail(message: string): void {
    this.node.replaceChildren(element('p', { class: 'dp-Empty', role: 'alert' }, message));
  }
}

function list(facts: Readonly<Record<string, unknown>>): HTMLElement {
  const rows = Object.entries(facts)
    .filter(([, value]) => value !== null && value !== '' && !(Array.isArray(value) && value.length === 0))
    .flatMap(([name, value]) => [element('dt', {}, name.replace(/_/g, ' ')), element('dd', {}, told(value))]);
  return element('dl', {}, ...rows);
}

function told(value: unknown): Node | string {
  if (Array.isArray(value)) {
    const simple = value.every(each => typeof each !== 'object');
    return simple ? value.join(', ') : element('ul', {}, ...value.map(each => element('li', {}, told(each))));
  }
  if (typeof value === 'object' && value !== null) {
    return list(value as Record<string, unknown>);
  }
  return typeof value === 'number' ? value.toLocaleString() : String(value);
}

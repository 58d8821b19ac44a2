/** The table of contents of a document. */

import { TranslationBundle } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';

import { element } from './dom';
import { IOutlineEntry } from './protocol';

export class Outline {
  readonly node: HTMLElement;
  private readonly _chosen = new Signal<this, IOutlineEntry>(this);

  constructor(private readonly _trans: TranslationBundle) {
    this.node = element('nav', { class: 'dp-Outline', 'aria-label': _trans.__('Outline') });
  }

  /** A person chose an entry that leads somewhere. */
  get chosen(): Signal<this, IOutlineEntry> {
    return this._chosen;
  }

  show(entries: readonly IOutlineEntry[]): void {
    this.node.replaceChildren(
      entries.length ? this._list(entries) : element('p', { class: 'dp-Empty' }, this._trans.__('There is no outline.'))
    );
  }

  fail(message: string): void {
    this.node.replaceChildren(element('p', { class: 'dp-Empty', role: 'alert' }, message));
  }

  dispose(): void {
    this.node.remove();
    Signal.clearData(this);
  }

  private _list(entries: readonly IOutlineEntry[]): HTMLElement {
    return element('ul', {}, ...entries.map(entry => this._entry(entry)));
  }

  private _entry(entry: IOutlineEntry): HTMLElement {
    const title = entry.title.trim() || this._trans.__('Without a title');
    const choose = element('button', { type: 'button', class: 'dp-OutlineEntry', title }, title);
    choose.style.paddingInlineStart = `${8 + 14 * (entry.level - 1)}px`;
    choose.disabled = entry.page === null;
    choose.addEventListener('click', () => this._chosen.emit(entry));
    return element('li', {}, choose);
  }
}

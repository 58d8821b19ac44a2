/** The bar in which a person types what to look for. */

import { TranslationBundle } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';

import { element, iconButton } from './dom';
import { icons } from './icons';
import { DocumentSearch, IQuery } from './search';

/** Between the last key and the search. */
const PAUSE_MS = 150;

export class FindBar {
  readonly node: HTMLElement;
  private readonly _input: HTMLInputElement;
  private readonly _count = element('span', { class: 'dp-FindCount', role: 'status' });
  private readonly _matchCase: HTMLButtonElement;
  private readonly _wholeWords: HTMLButtonElement;
  private readonly _asked = new Signal<this, IQuery>(this);
  private readonly _stepped = new Signal<this, number>(this);
  private readonly _closed = new Signal<this, void>(this);
  private _timer = 0;

  constructor(private readonly _trans: TranslationBundle) {
    const label = _trans.__('Find in document');
    this._input = element('input', { type: 'search', class: 'dp-FindInput', placeholder: label, 'aria-label': label });
    this._matchCase = this._toggle('Aa', _trans.__('Match case'));
    this._wholeWords = this._toggle('ab', _trans.__('Whole words'));
    this._wholeWords.classList.add('dp-mod-words');
    this.node = element(
      'div',
      { class: 'dp-FindBar', role: 'search', hidden: '' },
      this._input,
      this._matchCase,
      this._wholeWords,
      this._count,
      iconButton(icons.previous, _trans.__('Previous hit'), () => this._stepped.emit(-1)),
      iconButton(icons.next, _trans.__('Next hit'), () => this._stepped.emit(1)),
      iconButton(icons.close, _trans.__('Close'), () => this.close())
    );
    this._input.addEventListener('input', () => this._askSoon());
    this.node.addEventListener('keydown', event => this._onKey(event));
  }

  /** A person looks for something; an empty phrase ends the search. */
  get asked(): Signal<this, IQuery> {
    return this._asked;
  }

  get stepped(): Signal<this, number> {
    return this._stepped;
  }

  get closed(): Signal<this, void> {
    return this._closed;
  }

  get isOpen(): boolean {
    return !this.node.hidden;
  }

  get query(): IQuery {
    const isOn = (button: HTMLElement): boolean => button.getAttribute('aria-pressed') === 'true';
    return { phrase: this._input.value, matchCase: isOn(this._matchCase), wholeWords: isOn(this._wholeWords) };
  }

  /** Show the bar, with a phrase if there is one (such as the selected text). */
  open(phrase = ''): void {
    this.node.hidden = false;
    if (phrase && !phrase.includes('\n')) {
      this._input.value = phrase;
    }
    this._input.focus();
    this._input.select();
    if (this._input.value) {
      this._ask();
    }
  }

  close(): void {
    if (this.isOpen) {
      window.clearTimeout(this._timer);
      this.node.hidden = true;
      this._count.textContent = '';
      this._closed.emit();
    }
  }

  show(search: DocumentSearch | null): void {
    this._count.textContent = search ? this._said(search) : '';
    const nothing = search !== null && search.isDone && search.count === 0;
    this._input.classList.toggle('dp-mod-nothing', nothing);
  }

  dispose(): void {
    window.clearTimeout(this._timer);
    Signal.clearData(this);
  }

  private _said(search: DocumentSearch): string {
    if (search.failure) {
      return this._trans.__('The search failed');
    }
    if (search.count === 0) {
      return search.isDone ? this._trans.__('Nothing found') : this._trans.__('Looking…');
    }
    const more = search.isTruncated || !search.isDone ? '+' : '';
    return this._trans.__('%1 of %2', search.position, `${search.count}${more}`);
  }

  private _toggle(sign: string, name: string): HTMLButtonElement {
    const made = element(
      'button',
      { type: 'button', class: 'dp-FindToggle', title: name, 'aria-label': name, 'aria-pressed': 'false' },
      sign
    );
    made.addEventListener('click', () => {
      made.setAttribute('aria-pressed', String(made.getAttribute('aria-pressed') !== 'true'));
      this._ask();
    });
    return made;
  }

  private _askSoon(): void {
    window.clearTimeout(this._timer);
    this._timer = window.setTimeout(() => this._ask(), PAUSE_MS);
  }

  private _ask(): void {
    window.clearTimeout(this._timer);
    this._timer = 0;
    this._asked.emit(this.query);
  }

  private _onKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      this.close();
    } else if (event.key === 'Enter' && event.target === this._input) {
      if (this._timer) {
        this._ask(); // typed faster than the pause
      } else {
        this._stepped.emit(event.shiftKey ? -1 : 1);
      }
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}

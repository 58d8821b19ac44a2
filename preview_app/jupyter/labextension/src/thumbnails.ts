/** Small pictures of all pages. Every page has a place; pictures are fetched for those in view only. */

import { TranslationBundle } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';

import { PreviewClient } from './client';
import { element } from './dom';
import { PictureStore } from './pictures';
import { IPiece } from './plan';
import { IDocument } from './protocol';

const WIDTH_PX = 112;
const HEIGHT_MAX_PX = 170;

export class Thumbnails {
  readonly node = element('div', { class: 'dp-Thumbnails' });
  private readonly _items: HTMLButtonElement[] = [];
  private readonly _visible = new Set<number>();
  private readonly _observer: IntersectionObserver;
  private readonly _store: PictureStore;
  private readonly _chosen = new Signal<this, number>(this);
  private readonly _ratio = window.devicePixelRatio || 1;
  private _night: boolean;
  private _page = -1;

  constructor(
    client: PreviewClient,
    private readonly _document: IDocument,
    private readonly _trans: TranslationBundle,
    night: boolean
  ) {
    this._night = night;
    this._store = new PictureStore(client, _document, this, 1);
    this._observer = new IntersectionObserver(entries => this._onSeen(entries), {
      root: this.node,
      rootMargin: '100px'
    });
    this.node.setAttribute('role', 'navigation');
    this.node.setAttribute('aria-label', _trans.__('Thumbnails'));
    _document.pages.forEach((size, page) => this.node.append(this._item(size, page)));
    this.node.addEventListener('keydown', event => this._onKey(event));
  }

  /** A person chose a page. */
  get chosen(): Signal<this, number> {
    return this._chosen;
  }

  /** Mark the page that is read, and keep it in view. */
  setPage(page: number): void {
    if (page === this._page) {
      return;
    }
    const before = this._items[this._page];
    before?.removeAttribute('aria-current');
    before?.setAttribute('tabindex', '-1');
    this._page = page;
    const item = this._items[page];
    item?.setAttribute('aria-current', 'page');
    item?.setAttribute('tabindex', '0');
    if (this.node.clientHeight > 0) {
      item?.scrollIntoView({ block: 'nearest' });
    }
  }

  setNight(night: boolean): void {
    this._night = night;
    this._items.forEach(item => item.querySelector('img')?.remove());
    this._ask();
  }

  picture(piece: IPiece, blob: Blob): void {
    void this._show(piece.page, blob);
  }

  failed(): void {
    // A thumbnail that cannot be had stays a blank sheet: the page itself says what is wrong.
  }

  dispose(): void {
    this._observer.disconnect();
    this._store.dispose();
    this.node.remove();
    Signal.clearData(this);
  }

  private _item([width, height]: readonly [number, number], page: number): HTMLElement {
    const scale = this._scale(width, height);
    const paper = element('span', { class: 'dp-ThumbnailPaper' });
    paper.style.width = `${Math.round(width * scale)}px`;
    paper.style.height = `${Math.round(height * scale)}px`;
    const name = this._trans.__('Page %1', page + 1);
    const item = element(
      'button',
      { type: 'button', class: 'dp-Thumbnail', tabindex: page ? '-1' : '0', 'aria-label': name },
      paper,
      element('span', { 'aria-hidden': 'true' }, String(page + 1))
    );
    item.dataset['page'] = String(page);
    item.addEventListener('click', () => this._chosen.emit(page));
    this._items.push(item);
    this._observer.observe(item);
    return item;
  }

  /** CSS pixels a point. */
  private _scale(width: number, height: number): number {
    return Math.min(WIDTH_PX / width, HEIGHT_MAX_PX / height);
  }

  private _onSeen(entries: readonly IntersectionObserverEntry[]): void {
    for (const entry of entries) {
      const page = Number((entry.target as HTMLElement).dataset['page']);
      if (entry.isIntersecting) {
        this._visible.add(page);
      } else {
        this._visible.delete(page);
      }
    }
    this._ask();
  }

  private _piece(page: number): IPiece {
    const [width, height] = this._document.pages[page] ?? [1, 1];
    return { page, scale: this._scale(width, height) * this._ratio, lane: 'normal' };
  }

  private _ask(): void {
    const pieces = [...this._visible].sort((one, other) => one - other).map(page => this._piece(page));
    for (const piece of pieces) {
      const kept = this._store.get(piece, this._night);
      if (kept) {
        void this._show(piece.page, kept);
      }
    }
    this._store.want(pieces, this._night, this._ratio);
  }

  private async _show(page: number, blob: Blob): Promise<void> {
    const paper = this._items[page]?.querySelector('.dp-ThumbnailPaper');
    if (!paper || paper.querySelector('img')) {
      return;
    }
    const image = new Image();
    image.alt = '';
    const url = URL.createObjectURL(blob);
    image.src = url;
    await image.decode().catch(() => undefined);
    URL.revokeObjectURL(url);
    paper.replaceChildren(image);
  }

  private _onKey(event: KeyboardEvent): void {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity };
    const step = steps[event.key];
    const from = this._items.indexOf(document.activeElement as HTMLButtonElement);
    if (step === undefined || from < 0) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    const to = Math.max(0, Math.min(this._items.length - 1, from + step));
    this._items[to]?.focus();
    this._chosen.emit(to);
  }
}

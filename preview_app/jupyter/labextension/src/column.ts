/**
 * The pages of one document below each other: only those near the view exist.
 *
 * A column shows one opened document for its whole life. When the file changes another column takes its place, once
 * it has its first page (see `viewer.ts`).
 */

import { Signal } from '@lumino/signaling';

import { PreviewClient, PreviewError } from './client';
import { ACTUAL_SIZE, bounded, Fit, fitZoom, IAnchor, ISize, nextStep, PageLayout } from './geometry';
import { IPageTexts, PageElement } from './page';
import { PictureStore } from './pictures';
import { IPiece, isTiled, IView, pieceKey, plan } from './plan';
import { Box, IDocument, IHit, ILink } from './protocol';
import { TextStore } from './texts';

/** Between pages, CSS pixels. */
const GAP = 10;
/** Pages outside the view that stay because text on them is selected. */
const PINNED_MAX = 200;

export interface IPlace {
  readonly anchor: IAnchor;
  readonly fit: Fit;
  readonly zoom: number;
}

export interface IColumnOptions {
  readonly client: PreviewClient;
  readonly document: IDocument;
  readonly texts: IPageTexts;
  readonly place: IPlace;
  readonly night: boolean;
}

export class PageColumn {
  readonly node = document.createElement('div');
  readonly pictures: PictureStore;
  readonly texts: TextStore;
  private readonly _sheet = document.createElement('div');
  private readonly _sizes: readonly ISize[];
  private readonly _mounted = new Map<number, PageElement>();
  private readonly _changed = new Signal<this, void>(this);
  private readonly _linked = new Signal<this, ILink>(this);
  private readonly _resizes: ResizeObserver;
  private _layout: PageLayout;
  private _ratio = window.devicePixelRatio || 1;
  private _fit: Fit;
  private _zoom: number;
  private _night: boolean;
  private _hits = new Map<number, readonly IHit[]>();
  private _currentHit: { page: number; index: number } | null = null;
  private _anchor: IAnchor;
  private _view: IView = { left: 0, top: 0, width: 0, height: 0, direction: 1 };
  private _frame = 0;
  private _keysWanted = new Set<string>();
  private _firstPicture: (() => void) | null = null;
  readonly firstPicture = new Promise<void>(resolve => (this._firstPicture = resolve));

  constructor(private readonly _options: IColumnOptions) {
    const { client, document: opened, place } = _options;
    this._sizes = opened.pages.map(([width, height]) => ({ width, height }));
    this._fit = place.fit;
    this._zoom = place.zoom;
    this._anchor = place.anchor;
    this._night = _options.night;
    this.pictures = new PictureStore(client, opened, this);
    this.texts = new TextStore(client, opened);
    this._layout = new PageLayout(this._sizes, ACTUAL_SIZE, GAP, 0);
    this.node.className = 'dp-Column';
    this.node.tabIndex = 0;
    this.node.setAttribute('role', 'document');
    this.node.setAttribute('aria-label', opened.name);
    this._sheet.className = 'dp-Sheet';
    this.node.append(this._sheet);
    this.node.addEventListener('scroll', () => this._onScroll(), { passive: true });
    this._resizes = new ResizeObserver(() => this.relayout());
    this._resizes.observe(this.node);
    if (this._sizes.length === 0) {
      this._firstPicture?.();
    }
  }

  /** The page, the zoom or the place has become another. */
  get changed(): Signal<this, void> {
    return this._changed;
  }

  /** A link within the document was followed. */
  get linked(): Signal<this, ILink> {
    return this._linked;
  }

  get pageCount(): number {
    return this._sizes.length;
  }

  get sizes(): readonly ISize[] {
    return this._sizes;
  }

  get page(): number {
    return this._layout.current(this._view.top, this._view.height);
  }

  get zoom(): number {
    return this._zoom;
  }

  get fit(): Fit {
    return this._fit;
  }

  get place(): IPlace {
    return { anchor: this._anchor, fit: this._fit, zoom: this._zoom };
  }

  /** Lay out anew: the view's size, the screen's ratio or the zoom have changed. What was at the top stays there. */
  relayout(): void {
    const { clientWidth: width, clientHeight: height } = this.node;
    if (width === 0 || height === 0) {
      return; // hidden: what lies where is found out when it is shown
    }
    this._ratio = window.devicePixelRatio || 1;
    if (this._fit !== 'free') {
      this._zoom = fitZoom(this._fit, this._sizes, this._anchor.page, { width, height }, GAP);
    }
    this._zoom = bounded(this._zoom, this._sizes, this._ratio);
    const scale = this._zoom * ACTUAL_SIZE * this._ratio;
    const viewWidth = Math.floor(width * this._ratio);
    this._layout = new PageLayout(this._sizes, scale, Math.round(GAP * this._ratio), viewWidth);
    this._sheet.style.width = `${this._layout.width / this._ratio}px`;
    this._sheet.style.height = `${this._layout.height / this._ratio}px`;
    this._scrollTo(this._anchor);
    this._mounted.forEach(page => this._placePage(page));
    this.refresh();
  }

  /** Zoom, keeping what lies at a point of the view (its middle unless given; CSS pixels) where it is. */
  zoomTo(zoom: number, point?: { x: number; y: number }): void {
    const at = point ?? { x: this.node.clientWidth / 2, y: this.node.clientHeight / 2 };
    const inColumn = { x: this._view.left + at.x * this._ratio, y: this._view.top + at.y * this._ratio };
    const kept = this._layout.anchor(inColumn.x, inColumn.y);
    this._fit = 'free';
    this._zoom = zoom;
    this.relayout();
    const position = this._layout.position(kept);
    this._scrollPixels(position.x - at.x * this._ratio, position.y - at.y * this._ratio);
    this._onScroll();
  }

  zoomStep(direction: number, point?: { x: number; y: number }): void {
    this.zoomTo(nextStep(this._zoom, direction), point);
  }

  setFit(fit: Exclude<Fit, 'free'>): void {
    this._fit = fit;
    this.relayout();
  }

  /** Bring a page, or a height on it in points, to the top of the view. */
  goTo(page: number, y = 0): void {
    const last = this._sizes.length - 1;
    const target = Math.max(0, Math.min(page, last));
    const gap = y > 0 ? 0 : this._layout.gap / this._layout.box(target).height;
    const height = this._sizes[target]?.height ?? 1;
    this._anchor = { page: target, x: this._anchor.x, y: Math.min(y / height, 1) - gap };
    this._scrollTo(this._anchor);
    this.refresh();
  }

  /** Bring what was at the top of the view before there again, whatever the zoom is now. */
  goBackTo(place: IPlace): void {
    this._anchor = place.anchor;
    this._scrollTo(this._anchor);
    this.refresh();
  }

  /** Bring a box of a page (points) into the view, moving no more than needed. */
  reveal(page: number, box: Box): void {
    const { scale } = this._layout;
    const place = this._layout.box(page);
    const target = { x: place.x + box[0] * scale, y: place.y + box[1] * scale };
    const inside =
      target.y >= this._view.top &&
      place.y + box[3] * scale <= this._view.top + this._view.height &&
      target.x >= this._view.left &&
      place.x + box[2] * scale <= this._view.left + this._view.width;
    if (!inside) {
      const beside = target.x >= this._view.left && target.x < this._view.left + this._view.width * 0.9;
      this._scrollPixels(beside ? this._view.left : target.x - this._view.width / 3, target.y - this._view.height / 3);
      this._onScroll();
    }
  }

  setNight(night: boolean): void {
    this._night = night;
    this.node.classList.toggle('dp-mod-night', night);
    this.refresh();
  }

  setHits(hits: Map<number, readonly IHit[]>, current: { page: number; index: number } | null): void {
    this._hits = hits;
    this._currentHit = current;
    this._mounted.forEach(page => this._markPage(page));
  }

  /** Pages that exist on the screen, in order. */
  get mountedPages(): number[] {
    return [...this._mounted.keys()].sort((one, other) => one - other);
  }

  picture(piece: IPiece, blob: Blob): void {
    this._showPicture(piece, blob);
  }

  failed(piece: IPiece, error: unknown): void {
    if (!(error instanceof PreviewError && error.isGone)) {
      this._mounted.get(piece.page)?.fail(error, () => this.pictures.retry()); // else it is opened again at once
    }
    this._firstPicture?.();
  }

  dispose(): void {
    cancelAnimationFrame(this._frame);
    this._resizes.disconnect();
    this.pictures.dispose();
    this.texts.dispose();
    this._mounted.forEach(page => page.dispose());
    this._mounted.clear();
    this.node.remove();
    Signal.clearData(this);
  }

  /** Mount what is near the view, let go of the rest, and ask for what is needed now. */
  refresh(): void {
    this._view = this._currentView();
    const near = this._nearPages();
    for (const [index, page] of this._mounted) {
      if (!near.has(index)) {
        page.dispose();
        this._mounted.delete(index);
      }
    }
    near.forEach(index => this._mounted.has(index) || this._mount(index));
    this._askPictures();
    this._askTexts();
    this._changed.emit();
  }

  private _currentView(): IView {
    const top = Math.round(this.node.scrollTop * this._ratio);
    return {
      left: Math.round(this.node.scrollLeft * this._ratio),
      top,
      width: Math.round(this.node.clientWidth * this._ratio),
      height: Math.round(this.node.clientHeight * this._ratio),
      direction: top === this._view.top ? this._view.direction : Math.sign(top - this._view.top)
    };
  }

  private _onScroll(): void {
    cancelAnimationFrame(this._frame);
    this._frame = requestAnimationFrame(() => {
      if (this.node.clientHeight > 0) {
        this.refresh();
        this._anchor = this._layout.anchor(this._view.left, this._view.top);
      }
    });
  }

  private _scrollTo(anchor: IAnchor): void {
    const { x, y } = this._layout.position(anchor);
    const wide = this._layout.width > this.node.clientWidth * this._ratio + 1;
    this._scrollPixels(wide ? x : 0, y);
  }

  private _scrollPixels(left: number, top: number): void {
    this.node.scrollTo({ left: left / this._ratio, top: top / this._ratio, behavior: 'instant' });
  }

  private _nearPages(): Set<number> {
    const { top, height } = this._view;
    const { first, end } = this._layout.visible(top - height, 3 * height);
    const near = new Set<number>();
    for (let page = first; page < end; page++) {
      near.add(page);
    }
    this._selectedPages().forEach(page => near.add(page));
    return near;
  }

  /** Pages between the ends of the selection: they stay, so that it can be copied. */
  private _selectedPages(): number[] {
    const selection = document.getSelection();
    if (!selection || selection.isCollapsed || !this.node.contains(selection.anchorNode)) {
      return [];
    }
    const selected = [...this._mounted.values()].filter(page => selection.containsNode(page.node, true));
    return selected.slice(0, PINNED_MAX).map(page => page.page);
  }

  private _mount(index: number): void {
    const page = new PageElement(index, this._options.texts);
    this._mounted.set(index, page);
    this._placePage(page);
    this._markPage(page);
    const next = this.mountedPages.find(other => other > index);
    const before = next === undefined ? null : (this._mounted.get(next)?.node ?? null);
    this._sheet.insertBefore(page.node, before); // the order of reading and of selecting
  }

  private _placePage(page: PageElement): void {
    page.place(this._layout.box(page.page), this._layout.scale, this._ratio);
  }

  private _markPage(page: PageElement): void {
    const current = this._currentHit?.page === page.page ? this._currentHit.index : -1;
    page.setHits(this._hits.get(page.page) ?? [], current);
  }

  private _askPictures(): void {
    const pieces = plan(this._layout, this._view);
    this._keysWanted = new Set(pieces.map(piece => pieceKey(piece, this._night)));
    for (const piece of pieces) {
      const kept = this.pictures.get(piece, this._night);
      if (kept) {
        this._showPicture(piece, kept);
      }
    }
    this.pictures.want(pieces, this._night, this._ratio);
  }

  private _showPicture(piece: IPiece, blob: Blob): void {
    const key = pieceKey(piece, this._night);
    const page = this._mounted.get(piece.page);
    if (!page || page.shows(key)) {
      return;
    }
    void page
      .show(piece, key, blob, () => this._keysWanted.has(key))
      .then(() => {
        this._firstPicture?.();
        if (isTiled(this._layout.box(piece.page))) {
          page.keepOnly(this._keysWanted);
        }
      });
  }

  private _askTexts(): void {
    const { first, end } = this._layout.visible(this._view.top, this._view.height);
    const seen = new Set(this._mounted.keys());
    this.texts.giveUpBut(seen);
    for (let page = first; page < end; page++) {
      const element = this._mounted.get(page);
      if (element && !element.hasText) {
        void this.texts.load(page).then(
          text => element.setText(text, link => this._linked.emit(link)),
          () => undefined // a page whose text cannot be had is a picture only
        );
      }
    }
  }
}

/** One page on the screen: paper, picture (or tiles over a small one), marks, text, links. */

import { IBox } from './geometry';
import { IPiece, tileBox } from './plan';
import { IHit, ILink, IPageText } from './protocol';
import { buildLinks, buildMarks, buildTextLayer } from './textlayer';

export interface IPageTexts {
  label(page: number): string;
  /** Why a page has no picture. */
  failed(error: unknown): string;
  retry: string;
  describe(link: ILink): string;
}

export class PageElement {
  readonly node = document.createElement('div');
  private readonly _pictures = document.createElement('div');
  private readonly _overlay = document.createElement('div');
  private readonly _shown = new Map<string, HTMLImageElement>();
  private _marks: HTMLElement | null = null;
  private _text: IPageText | null = null;
  private _box: IBox = { x: 0, y: 0, width: 1, height: 1 };
  private _ratio = 1;
  private _scale = 1;
  private _isDisposed = false;

  constructor(
    readonly page: number,
    private readonly _texts: IPageTexts
  ) {
    this.node.className = 'dp-Page';
    this.node.dataset['page'] = String(page + 1);
    this.node.setAttribute('role', 'group');
    this.node.setAttribute('aria-label', _texts.label(page));
    this._pictures.className = 'dp-Pictures';
    this._overlay.className = 'dp-Overlay';
    this.node.append(this._pictures, this._overlay);
  }

  /** Put the page in its place: `box` in device pixels, `scale` in device pixels a point. */
  place(box: IBox, scale: number, ratio: number): void {
    const rescaled = scale !== this._scale || ratio !== this._ratio;
    this._box = box;
    this._scale = scale;
    this._ratio = ratio;
    setBox(this.node, box, ratio);
    this._overlay.style.transform = `scale(${scale / ratio})`;
    if (rescaled) {
      this._shown.forEach((image, key) => this._stretch(key, image));
    }
  }

  /** Whether this picture is on the screen already. */
  shows(key: string): boolean {
    return this._shown.has(key);
  }

  /** Show a picture as soon as the browser has decoded it; until then what was there stays. */
  async show(piece: IPiece, key: string, blob: Blob, isStillWanted: () => boolean): Promise<void> {
    const image = new Image();
    image.alt = '';
    image.draggable = false;
    const url = URL.createObjectURL(blob);
    image.src = url;
    const decoded = await image.decode().then(
      () => true,
      () => false
    );
    URL.revokeObjectURL(url);
    if (!decoded || this._isDisposed || this._shown.has(key) || !isStillWanted()) {
      return;
    }
    this.node.classList.remove('dp-mod-failed');
    this.node.querySelector('.dp-PageFailure')?.remove();
    this._add(piece, key, image);
  }

  /** Let go of all pictures but these, once one of these is there. */
  keepOnly(keys: ReadonlySet<string>): void {
    if (![...this._shown.keys()].some(key => keys.has(key))) {
      return;
    }
    for (const [key, image] of this._shown) {
      if (!keys.has(key)) {
        image.remove();
        this._shown.delete(key);
      }
    }
  }

  /** Say that the picture did not come. */
  fail(error: unknown, retry: () => void): void {
    if (this._shown.size > 0 || this.node.classList.contains('dp-mod-failed')) {
      return;
    }
    this.node.classList.add('dp-mod-failed');
    const note = document.createElement('div');
    note.className = 'dp-PageFailure';
    note.textContent = this._texts.failed(error);
    const button = document.createElement('button');
    button.className = 'jp-mod-styled';
    button.textContent = this._texts.retry;
    button.addEventListener('click', () => {
      note.remove();
      this.node.classList.remove('dp-mod-failed');
      retry();
    });
    note.append(button);
    this.node.append(note);
  }

  get hasText(): boolean {
    return this._text !== null;
  }

  setText(text: IPageText, go: (link: ILink) => void): void {
    if (this._isDisposed || this._text) {
      return;
    }
    this._text = text;
    this._overlay.append(buildTextLayer(text), buildLinks(text.links, go, this._texts.describe));
  }

  setHits(hits: readonly IHit[], current: number): void {
    this._marks?.remove();
    this._marks = hits.length ? buildMarks(hits, current) : null;
    if (this._marks) {
      this._overlay.prepend(this._marks);
    }
  }

  dispose(): void {
    this._isDisposed = true;
    this._shown.clear();
    this.node.remove();
  }

  private _add(piece: IPiece, key: string, image: HTMLImageElement): void {
    image.className = piece.tile ? 'dp-Tile' : 'dp-Picture';
    if (piece.tile) {
      image.dataset['column'] = String(piece.tile.column);
      image.dataset['row'] = String(piece.tile.row);
      image.dataset['scale'] = String(piece.scale);
      this._pictures.append(image);
    } else {
      image.dataset['scale'] = String(piece.scale);
      this._pictures.querySelectorAll('.dp-Picture').forEach(old => this._forget(old));
      this._pictures.prepend(image);
    }
    this._shown.set(key, image);
    this._stretch(key, image);
  }

  private _forget(image: Element): void {
    image.remove();
    for (const [key, shown] of this._shown) {
      if (shown === image) {
        this._shown.delete(key);
      }
    }
  }

  /** Size a picture: at its own scale to the exact pixel, at another one as wide as the page meanwhile. */
  private _stretch(key: string, image: HTMLImageElement): void {
    const scale = Number(image.dataset['scale']);
    if (image.dataset['column'] !== undefined) {
      if (scale !== this._scale) {
        image.remove();
        this._shown.delete(key);
        return;
      }
      const tile = { column: Number(image.dataset['column']), row: Number(image.dataset['row']) };
      setBox(
        image,
        { ...tileBox(this._box, tile), width: image.naturalWidth, height: image.naturalHeight },
        this._ratio
      );
      return;
    }
    const exact = Math.abs(scale - this._scale) < 1e-6;
    const size = exact ? { width: image.naturalWidth, height: image.naturalHeight } : this._box;
    setBox(image, { x: 0, y: 0, width: size.width, height: size.height }, this._ratio);
  }
}

function setBox(element: HTMLElement, box: IBox, ratio: number): void {
  element.style.left = `${box.x / ratio}px`;
  element.style.top = `${box.y / ratio}px`;
  element.style.width = `${box.width / ratio}px`;
  element.style.height = `${box.height / ratio}px`;
}

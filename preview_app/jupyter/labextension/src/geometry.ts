/**
 * Where each page lies: pure geometry in whole device pixels, so that a page's pixels land on the screen's.
 *
 * Pages stand in one column, centred. `scale` is device pixels a point. Pages are counted from 0 here; the server
 * counts them from 1.
 */

export interface ISize {
  readonly width: number;
  readonly height: number;
}

export interface IBox extends ISize {
  readonly x: number;
  readonly y: number;
}

/** A place in the document, independent of zoom: a page and fractions of its width and height. */
export interface IAnchor {
  readonly page: number;
  readonly x: number;
  readonly y: number;
}

/** Pages `first` to `end - 1`. */
export interface IRange {
  readonly first: number;
  readonly end: number;
}

export const ZOOM_STEPS = [0.1, 0.25, 0.33, 0.5, 0.67, 0.75, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4, 5, 6, 8];
export const ZOOM_MIN = 0.1;
export const ZOOM_MAX = 8;
/** Bounds of the automatic zoom: small text stays readable, small pages are not blown up. */
const AUTOMATIC_MIN = 0.5;
const AUTOMATIC_MAX = 1.5;
/** A page this much wider than the current one does not count when fitting to the width. */
const OUTLIER = 1.5;
/** CSS pixels an inch at 100 %, and a point. */
const CSS_DPI = 96;
export const ACTUAL_SIZE = CSS_DPI / 72;
/** A little below what the server draws at most, device pixels an inch. */
const DPI_MAX = 1190;
/** Browsers lay out no element higher than this (CSS pixels; Firefox ends first, at 17.8 million). */
const COLUMN_HEIGHT_MAX = 16_000_000;

export type Fit = 'automatic' | 'width' | 'page' | 'free';

export class PageLayout {
  readonly boxes: readonly IBox[];
  readonly width: number;
  readonly height: number;

  /** Sizes in points; `gap` between pages and `viewWidth` in device pixels. */
  constructor(
    sizes: readonly ISize[],
    readonly scale: number,
    readonly gap: number,
    viewWidth: number
  ) {
    const shown = sizes.map(size => ({
      width: Math.max(1, Math.round(size.width * scale)),
      height: Math.max(1, Math.round(size.height * scale))
    }));
    const widest = shown.reduce((width, size) => Math.max(width, size.width), 0);
    this.width = Math.max(viewWidth, widest + 2 * gap);
    let y = gap;
    this.boxes = shown.map(size => {
      const box = { ...size, x: Math.floor((this.width - size.width) / 2), y };
      y += size.height + gap;
      return box;
    });
    this.height = this.boxes.length ? y : 0;
  }

  /** The box of a page; of the last one for a page that is not there. */
  box(page: number): IBox {
    const last = this.boxes.length - 1;
    return this.boxes[Math.max(0, Math.min(page, last))] ?? { x: 0, y: 0, width: 1, height: 1 };
  }

  /** The pages that a view of `height` shows when scrolled to `top`. */
  visible(top: number, height: number): IRange {
    const above = this._countAbove(top);
    const first = above > 0 && this.box(above - 1).y + this.box(above - 1).height > top ? above - 1 : above;
    return { first, end: Math.max(first, this._countAbove(top + height - 1)) };
  }

  /** The page at height `y`, or the one above the gap there. */
  pageAt(y: number): number {
    return Math.max(0, this._countAbove(y) - 1);
  }

  /** The page that a person would say they are on: the first that is half in view, or fills half of the view. */
  current(top: number, height: number): number {
    const { first, end } = this.visible(top, height);
    for (let page = first; page < end; page++) {
      const box = this.box(page);
      const rows = Math.min(box.y + box.height, top + height) - Math.max(box.y, top);
      if (2 * rows >= Math.min(box.height, height)) {
        return page;
      }
    }
    return end > first ? first : this.pageAt(top);
  }

  /** What lies at a point of the column, or below it in a gap; fractions outside 0..1 lie beside the page. */
  anchor(x: number, y: number): IAnchor {
    const above = this.pageAt(y);
    const isGap = y >= this.box(above).y + this.box(above).height;
    const page = isGap ? Math.min(above + 1, this.boxes.length - 1) : above;
    const box = this.box(page);
    return { page, x: (x - box.x) / box.width, y: (y - box.y) / box.height };
  }

  /** Where an anchor lies in the column. */
  position(anchor: IAnchor): { x: number; y: number } {
    const box = this.box(anchor.page);
    return {
      x: Math.round(box.x + anchor.x * box.width),
      y: Math.round(box.y + anchor.y * box.height)
    };
  }

  /** How many pages begin at or above `y`. */
  private _countAbove(y: number): number {
    let low = 0;
    let high = this.boxes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.box(middle).y <= y) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}

/** The zoom (1 is actual size) at which the pages suit a view; `view` and `gap` in CSS pixels. */
export function fitZoom(
  fit: Exclude<Fit, 'free'>,
  sizes: readonly ISize[],
  page: number,
  view: ISize,
  gap: number
): number {
  const current = sizes[page] ?? sizes[0];
  if (!current) {
    return 1;
  }
  const fitting = sizes.filter(size => size.width <= OUTLIER * current.width);
  const widest = fitting.reduce((width, size) => Math.max(width, size.width), 1);
  const room = { width: Math.max(1, view.width - 2 * gap), height: Math.max(1, view.height - 2 * gap) };
  const byWidth = room.width / widest / ACTUAL_SIZE;
  const byHeight = room.height / current.height / ACTUAL_SIZE;
  if (fit === 'page') {
    return bounded(Math.min(room.width / current.width / ACTUAL_SIZE, byHeight), sizes);
  }
  if (fit === 'width') {
    return bounded(byWidth, sizes);
  }
  const slides = current.width > current.height;
  const zoom = slides ? Math.min(byWidth, byHeight) : byWidth;
  return bounded(Math.min(Math.max(zoom, AUTOMATIC_MIN), AUTOMATIC_MAX), sizes);
}

/** A zoom within its bounds, and low enough that a browser can lay the column out and the server can draw it. */
export function bounded(zoom: number, sizes: readonly ISize[], ratio = 1): number {
  const points = sizes.reduce((sum, size) => sum + size.height, 1);
  const most = Math.min(ZOOM_MAX, DPI_MAX / (CSS_DPI * ratio), COLUMN_HEIGHT_MAX / (points * ACTUAL_SIZE));
  return Math.min(Math.max(zoom, ZOOM_MIN), most);
}

/** The next zoom above (`direction` > 0) or below `zoom` in the row of steps. */
export function nextStep(zoom: number, direction: number): number {
  if (direction > 0) {
    return ZOOM_STEPS.find(step => step > zoom * 1.005) ?? ZOOM_MAX;
  }
  return [...ZOOM_STEPS].reverse().find(step => step < zoom * 0.995) ?? ZOOM_MIN;
}

/**
 * Which pixels a view needs, and how urgently. Pure.
 *
 * A page of up to `WHOLE_PAGE_PIXELS_MAX` pixels comes whole. A larger one comes in square tiles, only those in view
 * and their neighbours, over a small picture of the whole page that stands in for the tiles that are not there yet.
 */

import { IBox, PageLayout } from './geometry';

export type Lane = 'critical' | 'high' | 'normal' | 'low';

export const WHOLE_PAGE_PIXELS_MAX = 8_000_000;
const STAND_IN_PIXELS_MAX = 1_000_000;
/** Side of a tile, device pixels. */
export const TILE_PIXELS = 1024;
const PAGES_AHEAD = 2;
const PAGES_BEHIND = 1;

/** Pixels that can be asked for: a page at a scale (device pixels a point), whole or one tile of its grid. */
export interface IPiece {
  readonly page: number;
  readonly scale: number;
  readonly lane: Lane;
  readonly tile?: { readonly column: number; readonly row: number };
  /** The part of the page that a tile shows, in points: x0, y0, x1, y1. */
  readonly clip?: readonly [number, number, number, number];
}

/** The part of the column that is seen, in device pixels, and the direction of travel (1 down, -1 up). */
export interface IView {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly direction: number;
}

export function isTiled(box: IBox): boolean {
  return box.width * box.height > WHOLE_PAGE_PIXELS_MAX;
}

/** Everything worth asking for, most urgent first; what is not in it is not needed now. */
export function plan(layout: PageLayout, view: IView): IPiece[] {
  const { first, end } = layout.visible(view.top, view.height);
  const pages: [number, Lane][] = [];
  for (let page = first; page < end; page++) {
    pages.push([page, 'critical']);
  }
  for (let step = 1; step <= PAGES_AHEAD; step++) {
    pages.push([view.direction >= 0 ? end - 1 + step : first - step, 'high']);
  }
  for (let step = 1; step <= PAGES_BEHIND; step++) {
    pages.push([view.direction >= 0 ? first - step : end - 1 + step, 'normal']);
  }
  return pages
    .filter(([page]) => page >= 0 && page < layout.boxes.length)
    .flatMap(([page, lane]) => pieces(layout, page, view, lane));
}

function pieces(layout: PageLayout, page: number, view: IView, lane: Lane): IPiece[] {
  const box = layout.box(page);
  if (!isTiled(box)) {
    return [{ page, scale: layout.scale, lane }];
  }
  const small = layout.scale * Math.sqrt(STAND_IN_PIXELS_MAX / (box.width * box.height));
  const standIn: IPiece = { page, scale: small, lane };
  return [standIn, ...tiles(layout, page, view, lane)];
}

function tiles(layout: PageLayout, page: number, view: IView, lane: Lane): IPiece[] {
  const box = layout.box(page);
  const middle = { x: view.left + view.width / 2 - box.x, y: view.top + view.height / 2 - box.y };
  const away = (tile: { column: number; row: number }): number =>
    Math.hypot((tile.column + 0.5) * TILE_PIXELS - middle.x, (tile.row + 0.5) * TILE_PIXELS - middle.y);
  const grid: { column: number; row: number }[] = [];
  for (const row of span(box.y, box.height, view.top, view.height)) {
    for (const column of span(box.x, box.width, view.left, view.width)) {
      grid.push({ column, row });
    }
  }
  grid.sort((one, other) => away(one) - away(other));
  return grid.map(tile => ({ page, scale: layout.scale, lane, tile, clip: clip(box, tile, layout.scale) }));
}

/** The numbers of the tiles along one side of a page that a view shows. */
function* span(start: number, length: number, low: number, extent: number): Generator<number> {
  const first = Math.max(0, Math.floor((low - start) / TILE_PIXELS));
  const end = Math.min(Math.ceil(length / TILE_PIXELS), Math.ceil((low + extent - start) / TILE_PIXELS));
  for (let index = first; index < end; index++) {
    yield index;
  }
}

/** Where a tile lies on its page, in device pixels. */
export function tileBox(box: IBox, tile: { column: number; row: number }): IBox {
  const x = tile.column * TILE_PIXELS;
  const y = tile.row * TILE_PIXELS;
  return { x, y, width: Math.min(TILE_PIXELS, box.width - x), height: Math.min(TILE_PIXELS, box.height - y) };
}

function clip(box: IBox, tile: { column: number; row: number }, scale: number): [number, number, number, number] {
  const { x, y, width, height } = tileBox(box, tile);
  return [x / scale, y / scale, (x + width) / scale, (y + height) / scale];
}

/** What tells one picture from every other of the same document. */
export function pieceKey(piece: IPiece, night: boolean): string {
  const tile = piece.tile ? `${piece.tile.column},${piece.tile.row}` : '';
  return `${piece.page}@${piece.scale.toFixed(5)}/${tile}${night ? '/night' : ''}`;
}

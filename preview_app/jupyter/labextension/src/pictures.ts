/**
 * Pictures of pages: asked for in order of urgency, a few at a time, kept within bounds.
 *
 * What is no longer wanted is given up, running requests included; what comes in spite of that is dropped. A store
 * belongs to one document: another document, another store, so nothing late can be taken for something new.
 */

import { isAbort, PreviewClient } from './client';
import { IPiece, pieceKey } from './plan';
import { IDocument } from './protocol';

/** Browsers open six connections to a server; the rest of Lab needs some as well. */
const IN_FLIGHT_MAX = 3;
const KEPT_BYTES_MAX = 64 << 20;

export interface IPictureListener {
  /** A picture that is wanted now has come. */
  picture(piece: IPiece, blob: Blob): void;
  /** It will not come unless asked for again by `retry`. */
  failed(piece: IPiece, error: unknown): void;
}

export class PictureStore {
  private readonly _kept = new Map<string, Blob>();
  private readonly _running = new Map<string, AbortController>();
  private readonly _failed = new Set<string>();
  private _keptBytes = 0;
  private _wanted: [string, IPiece][] = [];
  private _night = false;
  private _ratio = 1;
  private _isDisposed = false;

  constructor(
    private readonly _client: PreviewClient,
    private readonly _document: IDocument,
    private readonly _listener: IPictureListener,
    private readonly _inFlightMax = IN_FLIGHT_MAX
  ) {}

  /** What is needed now, most urgent first; everything else is given up. `ratio` is device pixels a CSS pixel. */
  want(pieces: readonly IPiece[], night: boolean, ratio: number): void {
    this._night = night;
    this._ratio = ratio;
    this._wanted = pieces.map(piece => [pieceKey(piece, night), piece]);
    const keys = new Set(this._wanted.map(([key]) => key));
    for (const [key, controller] of this._running) {
      if (!keys.has(key)) {
        controller.abort();
        this._running.delete(key);
      }
    }
    this._pump();
  }

  /** A picture that is there already. */
  get(piece: IPiece, night: boolean): Blob | undefined {
    return this._kept.get(pieceKey(piece, night));
  }

  /** Try again what has failed. */
  retry(): void {
    this._failed.clear();
    this._pump();
  }

  /** Whether nothing that is wanted is outstanding. */
  get isIdle(): boolean {
    return this._running.size === 0;
  }

  dispose(): void {
    this._isDisposed = true;
    this._wanted = [];
    this._running.forEach(controller => controller.abort());
    this._running.clear();
    this._kept.clear();
  }

  private _pump(): void {
    for (const [key, piece] of this._wanted) {
      if (this._isDisposed || this._running.size >= this._inFlightMax) {
        return;
      }
      if (!this._kept.has(key) && !this._running.has(key) && !this._failed.has(key)) {
        void this._fetch(key, piece);
      }
    }
  }

  private async _fetch(key: string, piece: IPiece): Promise<void> {
    const controller = new AbortController();
    this._running.set(key, controller);
    try {
      const blob = await this._client.picture(this._document, piece, this._night, this._ratio, controller.signal);
      if (this._running.get(key) === controller) {
        this._keep(key, blob);
        this._listener.picture(piece, blob);
      }
    } catch (error) {
      if (this._running.get(key) === controller && !isAbort(error)) {
        this._failed.add(key);
        this._listener.failed(piece, error);
      }
    } finally {
      if (this._running.get(key) === controller) {
        this._running.delete(key);
        this._pump();
      }
    }
  }

  private _keep(key: string, blob: Blob): void {
    this._kept.set(key, blob);
    this._keptBytes += blob.size;
    const wanted = new Set(this._wanted.map(([wantedKey]) => wantedKey));
    for (const [oldest, old] of this._kept) {
      if (this._keptBytes <= KEPT_BYTES_MAX) {
        return;
      }
      if (!wanted.has(oldest)) {
        this._kept.delete(oldest);
        this._keptBytes -= old.size;
      }
    }
  }
}

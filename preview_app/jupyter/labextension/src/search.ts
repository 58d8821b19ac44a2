/** Looking for a phrase in a document: hits as they come, the one that a person looks at, the next and the one before. */

import { Signal } from '@lumino/signaling';

import { BROKEN_OFF, isAbort, PreviewClient } from './client';
import { IDocument, IHit, SearchEvent } from './protocol';

export interface IQuery {
  readonly phrase: string;
  readonly matchCase: boolean;
  readonly wholeWords: boolean;
}

export type Current = { readonly page: number; readonly index: number };

export class DocumentSearch {
  private readonly _changed = new Signal<this, void>(this);
  private readonly _hits = new Map<number, readonly IHit[]>();
  private readonly _controller = new AbortController();
  private _current: Current | null = null;
  private _count = 0;
  private _searched = 0;
  private _isDone = false;
  private _isTruncated = false;
  private _failure = '';
  private _told: (() => void) | null = null;
  /** Resolves with the first hit, or with the end of the search. */
  readonly firstNews = new Promise<void>(resolve => (this._told = resolve));

  constructor(
    private readonly _client: PreviewClient,
    private readonly _document: IDocument,
    readonly query: IQuery,
    private readonly _from: number
  ) {}

  /** Hits have come, the current one is another, or the search has ended. */
  get changed(): Signal<this, void> {
    return this._changed;
  }

  get hits(): Map<number, readonly IHit[]> {
    return this._hits;
  }

  get current(): Current | null {
    return this._current;
  }

  get count(): number {
    return this._count;
  }

  get searchedPages(): number {
    return this._searched;
  }

  get isDone(): boolean {
    return this._isDone;
  }

  /** Whether there are more hits than were counted. */
  get isTruncated(): boolean {
    return this._isTruncated;
  }

  get failure(): string {
    return this._failure;
  }

  /** The number of the current hit in the document, counted from 1; 0 without. */
  get position(): number {
    const current = this._current;
    if (!current) {
      return 0;
    }
    let before = 0;
    this._hits.forEach((hits, page) => (before += page < current.page ? hits.length : 0));
    return before + current.index + 1;
  }

  async run(): Promise<void> {
    try {
      const { _client: client, _document: opened, _controller: controller } = this;
      for await (const event of client.search(opened, this.query, this._from, controller.signal)) {
        this._take(event);
      }
      if (!this._isDone && !this._failure) {
        this._failure = BROKEN_OFF; // "nothing found" would be a guess
      }
    } catch (error) {
      if (!isAbort(error) && !this._controller.signal.aborted) {
        this._failure = error instanceof Error ? error.message : String(error);
      }
    } finally {
      this._isDone = true;
      this._told?.();
      if (!this._controller.signal.aborted) {
        this._changed.emit();
      }
    }
  }

  /** Go to the next hit (`direction` 1) or the one before (-1), round the ends. */
  step(direction: number): void {
    const pages = [...this._hits.keys()].sort((one, other) => one - other);
    const current = this._current;
    if (!current || !pages.length) {
      return;
    }
    const index = current.index + direction;
    if (index >= 0 && index < (this._hits.get(current.page)?.length ?? 0)) {
      this._current = { page: current.page, index };
    } else {
      const at = (pages.indexOf(current.page) + direction + pages.length) % pages.length;
      const page = pages[at] ?? current.page;
      this._current = { page, index: direction > 0 ? 0 : (this._hits.get(page)?.length ?? 1) - 1 };
    }
    this._changed.emit();
  }

  dispose(): void {
    this._controller.abort();
    Signal.clearData(this);
  }

  private _take(event: SearchEvent): void {
    if ('page' in event) {
      this._hits.set(event.page, event.hits);
      this._count += event.hits.length;
      this._current ??= event.hits.length ? { page: event.page, index: 0 } : null;
    } else if ('error' in event) {
      this._failure = event.error.message;
    } else if ('done' in event) {
      this._isTruncated = event.truncated;
      this._isDone = true;
    } else {
      this._searched = event.searched;
    }
    if (this._current) {
      this._told?.();
    }
    this._changed.emit();
  }
}

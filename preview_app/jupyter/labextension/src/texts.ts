/** The text and links of pages, fetched as they come into view. Belongs to one document, like a `PictureStore`. */

import { PreviewClient } from './client';
import { IDocument, IPageText } from './protocol';

const PAGES_MAX = 200;

export class TextStore {
  private readonly _kept = new Map<number, IPageText>();
  private readonly _running = new Map<number, { controller: AbortController; text: Promise<IPageText> }>();

  constructor(
    private readonly _client: PreviewClient,
    private readonly _document: IDocument
  ) {}

  get(page: number): IPageText | undefined {
    return this._kept.get(page);
  }

  /** Fetch a page's text, once; several may wait for it. Raises. */
  load(page: number): Promise<IPageText> {
    const kept = this._kept.get(page);
    if (kept) {
      return Promise.resolve(kept);
    }
    return (this._running.get(page) ?? this._start(page)).text;
  }

  /** Give up the requests for pages that are out of view. */
  giveUpBut(pages: ReadonlySet<number>): void {
    for (const [page, { controller }] of this._running) {
      if (!pages.has(page)) {
        controller.abort();
      }
    }
  }

  dispose(): void {
    this.giveUpBut(new Set());
    this._kept.clear();
  }

  private _start(page: number): { controller: AbortController; text: Promise<IPageText> } {
    const controller = new AbortController();
    const text = this._client
      .text(this._document, page, controller.signal)
      .then(found => this._keep(page, found))
      .finally(() => this._running.delete(page));
    const running = { controller, text };
    this._running.set(page, running);
    return running;
  }

  private _keep(page: number, text: IPageText): IPageText {
    this._kept.set(page, text);
    const oldest = this._kept.keys().next().value;
    if (this._kept.size > PAGES_MAX && oldest !== undefined) {
      this._kept.delete(oldest);
    }
    return text;
  }
}

/** The server extension's HTTP interface: one method for each route. Pages are counted from 0 on this side of it. */

import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';

import { openEvent } from './events';
import { readObjects } from './ndjson';
import { IPiece } from './plan';
import {
  IAbout,
  IDocument,
  IFailure,
  IOpenRequest,
  IOutlineEntry,
  IPageText,
  OpenEvent,
  SearchEvent
} from './protocol';

/** What is said of an answer whose end, or a part, is missing. */
export const BROKEN_OFF = 'The answer broke off or is damaged.';

const JSON_TYPE = 'application/json';
const LINES_TYPE = 'application/x-ndjson';
const PICTURE_TYPE = 'image/png';

/** What became of a request instead of an answer. */
export class PreviewError extends Error {
  constructor(
    readonly failure: IFailure,
    readonly status = 0
  ) {
    super(failure.message);
    this.name = 'PreviewError';
  }

  /** The server has let go of the document: it has to be opened again. */
  get isGone(): boolean {
    return this.status === 410;
  }
}

/** Whether a request failed because it was given up. */
export function isAbort(error: unknown): boolean {
  return (
    (error instanceof DOMException && error.name === 'AbortError') ||
    (error instanceof ServerConnection.NetworkError && /abort/i.test(String(error.message)))
  );
}

/** What a status means when it is not docpeek that answered: no such route, not logged in (any more), a proxy. */
const UNTOLD: Readonly<Record<number, string>> = { 401: 'login', 403: 'login', 404: 'not_installed' };

/** Points are 1/72 inch; the server takes dots an inch of CSS and the device's pixel ratio apart. */
const POINTS_AN_INCH = 72;
/** What the server draws at least: the thumbnail of a very wide sheet has more pixels than it needs. */
const DPI_MIN = 4;

export class PreviewClient {
  private readonly _settings: ServerConnection.ISettings;
  private readonly _gone = new Signal<this, string>(this);

  constructor(settings: ServerConnection.ISettings) {
    // Pictures and text carry an ETag: the browser's own cache asks whether they are still good.
    this._settings = { ...settings, init: { ...settings.init, cache: 'default' } };
  }

  /** The server has let go of a document, of this id: it has to be opened again. */
  get gone(): Signal<this, string> {
    return this._gone;
  }

  /** Open a document: what happens on the way, then `ready`, `failed` or `large`. */
  async *open(request: IOpenRequest, signal: AbortSignal): AsyncGenerator<OpenEvent> {
    const response = await this._fetch(
      'documents',
      { method: 'POST', body: JSON.stringify(request), headers: { 'Content-Type': 'application/json' } },
      signal
    );
    yield* streamed(response, openEvent);
  }

  /** Ask for more time for a conversion that is still working. */
  async extend(ticket: string): Promise<void> {
    await this._fetch(`tickets/${encodeURIComponent(ticket)}/extend`, { method: 'POST', body: '{}' });
  }

  /** The document as it is now; `changed` where its file has become another. Raises an error that `isGone`. */
  async look(document: IDocument, signal: AbortSignal): Promise<IDocument> {
    return this._json<IDocument>(this._of(document, ''), signal);
  }

  /** Say that nobody here looks at a document any more. */
  async release(document: IDocument): Promise<void> {
    await this._fetch(this._of(document, ''), { method: 'DELETE', keepalive: true });
  }

  async picture(document: IDocument, piece: IPiece, night: boolean, ratio: number, signal: AbortSignal): Promise<Blob> {
    const asked: Record<string, string> = {
      dpi: String(Math.max(DPI_MIN, (piece.scale * POINTS_AN_INCH) / ratio)),
      dpr: String(ratio),
      lane: piece.lane
    };
    if (piece.clip) {
      asked['tile'] = piece.clip.map(value => value.toFixed(4)).join(',');
    }
    if (night) {
      asked['night'] = '1';
    }
    const response = await this._get(this._of(document, `/pages/${piece.page + 1}.png`, asked), signal);
    expectType(response, PICTURE_TYPE);
    return response.blob();
  }

  async text(document: IDocument, page: number, signal: AbortSignal): Promise<IPageText> {
    const text = await this._json<IPageText>(this._of(document, `/pages/${page + 1}/text`), signal);
    return { lines: text.lines, links: text.links.map(fromOne) };
  }

  /** Look for a phrase from a page on and round; pages with hits as they are found. */
  async *search(
    document: IDocument,
    query: { phrase: string; matchCase: boolean; wholeWords: boolean },
    from: number,
    signal: AbortSignal
  ): AsyncGenerator<SearchEvent> {
    const asked = {
      q: query.phrase,
      case: query.matchCase ? '1' : '0',
      words: query.wholeWords ? '1' : '0',
      from: String(from + 1)
    };
    const response = await this._get(this._of(document, '/search', asked), signal);
    for await (const event of streamed(response, line => line as SearchEvent)) {
      yield 'page' in event ? { ...event, page: event.page - 1 } : event;
    }
  }

  async outline(document: IDocument, signal: AbortSignal): Promise<readonly IOutlineEntry[]> {
    const { entries } = await this._json<{ entries: readonly IOutlineEntry[] }>(this._of(document, '/outline'), signal);
    return entries.map(fromOne);
  }

  async facts(document: IDocument, signal: AbortSignal): Promise<Record<string, unknown>> {
    return this._json<Record<string, unknown>>(this._of(document, '/facts'), signal);
  }

  async about(): Promise<IAbout> {
    return this._json<IAbout>('about');
  }

  /** Where the PDF lies, for the browser to fetch by itself. */
  pdfUrl(document: IDocument): string {
    return this._url(this._of(document, '/pdf'));
  }

  /** Check that the PDF can be had, before the browser is sent to it. */
  async probePdf(document: IDocument): Promise<void> {
    await this._fetch(this._of(document, '/pdf'), { method: 'HEAD' });
  }

  async pdf(document: IDocument, signal: AbortSignal): Promise<Blob> {
    return (await this._get(this._of(document, '/pdf'), signal)).blob();
  }

  /** Where the program's source is offered: an address, or a path on this server. */
  sourceUrl(about: IAbout): string {
    return new URL(about.source, this._settings.baseUrl).href;
  }

  private _url(route: string): string {
    return URLExt.join(this._settings.baseUrl, 'docpeek/api/v1', route);
  }

  private _of(document: IDocument, route: string, asked: Record<string, string> = {}): string {
    const query = new URLSearchParams({ path: document.path, ...asked });
    return `documents/${encodeURIComponent(document.id)}${route}?${query}`;
  }

  private _get(route: string, signal?: AbortSignal): Promise<Response> {
    return this._fetch(route, { method: 'GET' }, signal);
  }

  private async _json<T extends object>(route: string, signal?: AbortSignal): Promise<T> {
    const response = await this._get(route, signal);
    expectType(response, JSON_TYPE);
    const answer: unknown = await response.json().catch(error => {
      throw error instanceof SyntaxError ? unreachable(new Error(BROKEN_OFF)) : error;
    });
    if (typeof answer !== 'object' || answer === null) {
      throw unreachable(new Error(BROKEN_OFF));
    }
    return answer as T;
  }

  private async _fetch(route: string, init: RequestInit, signal?: AbortSignal): Promise<Response> {
    const response = await ServerConnection.makeRequest(
      this._url(route),
      signal ? { ...init, signal } : init,
      this._settings
    ).catch(error => {
      throw signal?.aborted ? new DOMException('given up', 'AbortError') : unreachable(error);
    });
    if (!response.ok && response.status !== 304) {
      const error = await refused(response);
      const [collection, id] = route.split(/[/?]/);
      if (error.isGone && collection === 'documents' && id) {
        this._gone.emit(decodeURIComponent(id));
      }
      throw error;
    }
    return response;
  }
}

/** The server counts pages from 1. */
function fromOne<T extends { readonly page?: number | null }>(place: T): T {
  return typeof place.page === 'number' ? { ...place, page: place.page - 1 } : place;
}

/** What the lines of an answer say; a line that is cut or damaged is told in words for people instead of the parser's. */
async function* streamed<T>(response: Response, read: (line: object) => T | null): AsyncGenerator<T> {
  expectType(response, LINES_TYPE);
  if (!response.body) {
    throw unreachable(new Error('The answer is empty.'));
  }
  try {
    for await (const line of readObjects<object>(response.body)) {
      const event = read(line);
      if (event !== null) {
        yield event;
      }
    }
  } catch (error) {
    throw error instanceof SyntaxError ? unreachable(new Error(BROKEN_OFF)) : error;
  }
}

/** A page for people in the place of an answer comes of a proxy, most often to log in. Raises. */
function expectType(response: Response, type: string): void {
  const found = (response.headers.get('Content-Type') ?? '').split(';')[0]?.trim();
  if (found !== type) {
    const message = `Something other than docpeek answered (${found || 'of no type'}).`;
    throw new PreviewError({ kind: 'login', message, fault: 'network', retry: true }, response.status);
  }
}

function unreachable(error: unknown): PreviewError {
  const message = error instanceof Error ? error.message : String(error);
  return new PreviewError({ kind: 'network', message, fault: 'network', retry: true });
}

/** The server's own words about a refusal, or the HTTP status where it is not docpeek that answered. */
async function refused(response: Response): Promise<PreviewError> {
  const said = await response.json().catch(() => null);
  const kind = typeof said?.kind === 'string' ? said.kind : (UNTOLD[response.status] ?? 'http');
  const message = typeof said?.message === 'string' && said.message ? said.message : `HTTP ${response.status}`;
  const failure: IFailure = {
    kind,
    message,
    fault: said?.fault ?? 'network',
    retry: said?.retry ?? true,
    ...(said?.engine ? { engine: said.engine } : {}),
    ...(said?.other_engines ? { other_engines: said.other_engines } : {})
  };
  return new PreviewError(failure, response.status);
}

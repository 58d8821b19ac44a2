/** Opening one document: the request, what happens on the way, and how it ends. */

import { Signal } from '@lumino/signaling';

import { BROKEN_OFF, isAbort, PreviewClient, PreviewError } from './client';
import { IDocument, IFailure, IOpenRequest, OpenEvent, Phase } from './protocol';

export type OpeningState =
  | {
      readonly kind: 'working';
      readonly phase: Phase;
      readonly place: number;
      /** What the server says of the preparation of its engine. */
      readonly message: string;
      readonly elapsed: number;
      readonly isLate: boolean;
    }
  | { readonly kind: 'large'; readonly bytes: number }
  | { readonly kind: 'password'; readonly wrong: boolean }
  | { readonly kind: 'failed'; readonly failure: IFailure }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'ready'; readonly document: IDocument };

/** One attempt. Its state changes until it is settled; another attempt is another object. */
export class Opening {
  private readonly _controller = new AbortController();
  private readonly _changed = new Signal<this, void>(this);
  private readonly _began = performance.now();
  private _ticket = '';
  private _state: OpeningState = {
    kind: 'working',
    phase: 'waiting',
    place: 0,
    message: '',
    elapsed: 0,
    isLate: false
  };

  constructor(
    private readonly _client: PreviewClient,
    readonly request: IOpenRequest
  ) {}

  get changed(): Signal<this, void> {
    return this._changed;
  }

  get state(): OpeningState {
    return this._state;
  }

  get isSettled(): boolean {
    return this._state.kind !== 'working';
  }

  /** Seconds since it began. */
  get elapsed(): number {
    return (performance.now() - this._began) / 1000;
  }

  /** Run to the end; never raises. */
  async run(): Promise<OpeningState> {
    try {
      for await (const event of this._client.open(this.request, this._controller.signal)) {
        this._take(event);
      }
      if (!this.isSettled) {
        this._set({ kind: 'failed', failure: brokenOff(BROKEN_OFF) });
      }
    } catch (error) {
      this._fail(error);
    }
    return this._state;
  }

  /** Give it up. Dropping the connection tells the server, which then gives up this reader and no other. */
  cancel(): void {
    if (!this.isSettled) {
      this._set({ kind: 'cancelled' });
    }
    this._controller.abort();
  }

  /** Let it go on after it was said to be late. */
  async extend(): Promise<void> {
    if (this._state.kind === 'working') {
      this._set({ ...this._state, isLate: false });
    }
    await this._client.extend(this._ticket).catch(() => undefined); // it has ended meanwhile: the stream says how
  }

  private _take(event: OpenEvent): void {
    if (this.isSettled) {
      return;
    }
    if (event.event === 'accepted') {
      this._ticket = event.ticket;
    } else if (event.event === 'ready') {
      this._set({ kind: 'ready', document: event.document });
    } else if (event.event === 'large') {
      this._set({ kind: 'large', bytes: event.source_bytes });
    } else if (event.event === 'failed') {
      this._set(failed(event.error));
    } else {
      this._progress(event);
    }
  }

  private _progress(event: Extract<OpenEvent, { elapsed_s: number }>): void {
    if (this._state.kind !== 'working') {
      return;
    }
    const late = event.event === 'still_working';
    const phase = late ? this._state.phase : event.phase;
    const place = late ? 0 : (event.place ?? 0);
    const percent = late || !event.percent ? '' : ` (${Math.round(event.percent)} %)`;
    const message = late ? '' : `${event.message ?? ''}${percent}`;
    const isLate = late || this._state.isLate;
    this._set({ kind: 'working', phase, place, message, elapsed: event.elapsed_s, isLate });
  }

  private _fail(error: unknown): void {
    if (this.isSettled) {
      return;
    }
    if (isAbort(error)) {
      this._set({ kind: 'cancelled' });
    } else if (error instanceof PreviewError) {
      this._set(failed(error.failure));
    } else {
      this._set({ kind: 'failed', failure: brokenOff(error instanceof Error ? error.message : String(error)) });
    }
  }

  private _set(state: OpeningState): void {
    this._state = state;
    this._changed.emit();
  }
}

function brokenOff(message: string): IFailure {
  return { kind: 'network', message, fault: 'network', retry: true };
}

function failed(failure: IFailure): OpeningState {
  if (failure.kind === 'encrypted' || failure.kind === 'bad_password') {
    return { kind: 'password', wrong: failure.kind === 'bad_password' };
  }
  return { kind: 'failed', failure };
}

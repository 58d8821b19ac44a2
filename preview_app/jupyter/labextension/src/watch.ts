/** Notices that a file has become another: its metadata is looked at now and then, while somebody looks at its pages. */

import { Contents } from '@jupyterlab/services';
import { Poll } from '@lumino/polling';
import { Signal } from '@lumino/signaling';

const INTERVAL_MS = 2000;
/** A person who waits for a server that starts again looks at the page. */
const INTERVAL_MAX_MS = 10_000;

/** What stands in the way of the file: it is not there, the server is not there, it may not be seen. */
export type Trouble = 'missing' | 'away' | 'refused';

/** `back`: what stood in the way does no more. */
export type FileNews = 'changed' | 'back' | Trouble;

const TROUBLES: Readonly<Record<number, Trouble>> = { 401: 'refused', 403: 'refused', 404: 'missing' };

export class FileWatch {
  private readonly _news = new Signal<this, FileNews>(this);
  private readonly _poll: Poll;
  private _known = '';
  private _seen = '';
  private _trouble: Trouble | null = null;

  constructor(
    private readonly _contents: Contents.IManager,
    private _path: string,
    isLookedAt: () => boolean
  ) {
    this._poll = new Poll({
      factory: () => this._look(),
      frequency: { interval: INTERVAL_MS, backoff: true, max: INTERVAL_MAX_MS },
      standby: () => !isLookedAt() || document.visibilityState === 'hidden',
      name: 'docpeek:watch',
      auto: false
    });
  }

  get news(): Signal<this, FileNews> {
    return this._news;
  }

  /** What is there from now on counts as known. Call it before the file is read. */
  async begin(path: string): Promise<void> {
    this._path = path;
    this._known = this._seen = await this._version().catch(() => '');
    if (this._known) {
      this._tell(null);
    }
    await this._poll.start();
  }

  dispose(): void {
    this._poll.dispose();
    Signal.clearData(this);
  }

  private async _version(): Promise<string> {
    const { last_modified: modified, size } = await this._contents.get(this._path, { content: false });
    return `${modified} ${size ?? ''}`;
  }

  private async _look(): Promise<void> {
    let version: string;
    try {
      version = await this._version();
    } catch (error) {
      const status = (error as { response?: Response }).response?.status ?? 0;
      this._tell(TROUBLES[status] ?? 'away');
      if (this._trouble !== 'missing') {
        throw error; // the poll comes back less often
      }
      return;
    }
    this._tell(null);
    this._known ||= version; // nobody could look when it was opened
    const isQuiet = version === this._seen;
    this._seen = version;
    if (version !== this._known && isQuiet) {
      this._known = version; // two looks the same: whoever wrote it has finished
      this._news.emit('changed');
    }
  }

  private _tell(trouble: Trouble | null): void {
    if (trouble !== this._trouble) {
      this._trouble = trouble;
      this._news.emit(trouble ?? 'back');
    }
  }
}

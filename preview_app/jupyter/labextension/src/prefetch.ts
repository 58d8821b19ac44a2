/** Converts the documents beside the one that is read, so that the next click shows pages at once. */

import { PathExt } from '@jupyterlab/coreutils';
import { IFileBrowserFactory } from '@jupyterlab/filebrowser';

import { isAbort, PreviewClient } from './client';
import { isOfficeName } from './filetypes';

/** Somebody who leafs through a folder is not read ahead for at each step. */
const PAUSE_MS = 400;

export class Neighbours {
  isOn = true;
  private _controller: AbortController | null = null;
  private _timer = 0;
  private _path = '';
  private _isAllowed: boolean | undefined;

  constructor(
    private readonly _client: PreviewClient,
    private readonly _browsers: IFileBrowserFactory | null
  ) {}

  /** The document that is read now; its neighbours are converted when there is time. */
  around(path: string): void {
    if (path === this._path) {
      return;
    }
    this.stop();
    this._path = path;
    if (this.isOn && this._browsers) {
      this._timer = window.setTimeout(() => void this._run(path), PAUSE_MS);
    }
  }

  /** Nobody reads any more: what is not converted yet is withdrawn. */
  stop(): void {
    window.clearTimeout(this._timer);
    this._controller?.abort();
    this._controller = null;
    this._path = '';
  }

  private async _run(path: string): Promise<void> {
    const controller = (this._controller = new AbortController());
    if (!(await this._mayAsk()) || controller.signal.aborted) {
      return;
    }
    for (const neighbour of this._names(path)) {
      try {
        await this._convert(neighbour, controller.signal);
      } catch (error) {
        if (controller.signal.aborted || isAbort(error)) {
          return;
        }
      }
    }
  }

  /** Whether the server's administrator wants it, and the person's network is not a costly one. */
  private async _mayAsk(): Promise<boolean> {
    const { connection } = navigator as { connection?: { saveData?: boolean } };
    this._isAllowed ??= await this._client.about().then(
      about => about.prefetch,
      () => false
    );
    return this._isAllowed && !connection?.saveData;
  }

  /** The documents after and before this one in the file browser's folder, if it is there. */
  private _names(path: string): string[] {
    const model = this._browsers?.tracker.currentWidget?.model;
    if (!model || model.path !== PathExt.dirname(path)) {
      return [];
    }
    const names = [...model.items()]
      .filter(item => item.type === 'file' && (isOfficeName(item.name) || item.path === path))
      .sort((one, other) => one.name.localeCompare(other.name, undefined, { numeric: true }));
    const at = names.findIndex(item => item.path === path);
    return at < 0 ? [] : [names[at + 1], names[at - 1]].flatMap(item => (item ? [item.path] : []));
  }

  private async _convert(path: string, signal: AbortSignal): Promise<void> {
    for await (const event of this._client.open({ path, lane: 'low' }, signal)) {
      void event; // what comes of it stays in the server's cache; nobody holds it
    }
  }
}

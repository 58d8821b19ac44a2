/** Where each document was left: kept in Lab's state database, so that it outlives tabs and restarts. */

import { IStateDB } from '@jupyterlab/statedb';
import { ReadonlyPartialJSONObject } from '@lumino/coreutils';

import { IPlace } from './column';
import { Tab } from './sidebar';

/** Not in the namespace `docpeek:` of the tracker of widgets, which removes what it does not know. */
const KEY = 'docpeek-places:all';
const PLACES_MAX = 200;
const PAUSE_MS = 300;

export interface IKeptPlace extends IPlace {
  readonly sidebar: Tab | null;
}

export class Places {
  private _places: Map<string, IKeptPlace> | null = null;
  private _loading: Promise<Map<string, IKeptPlace>> | null = null;
  private _timer = 0;

  constructor(private readonly _state: IStateDB | null) {}

  async of(path: string): Promise<IKeptPlace | undefined> {
    return (await this._load()).get(path);
  }

  /** Remember a place, soon. The oldest are forgotten. */
  keep(path: string, place: IKeptPlace): void {
    void this._load().then(places => {
      places.delete(path);
      places.set(path, place);
      for (const oldest of [...places.keys()].slice(0, -PLACES_MAX)) {
        places.delete(oldest);
      }
      window.clearTimeout(this._timer);
      this._timer = window.setTimeout(() => void this._save(), PAUSE_MS);
    });
  }

  private async _load(): Promise<Map<string, IKeptPlace>> {
    this._loading ??= this._read();
    this._places ??= await this._loading;
    return this._places;
  }

  private async _read(): Promise<Map<string, IKeptPlace>> {
    const kept = await this._state?.fetch(KEY).catch(() => undefined);
    const places = new Map<string, IKeptPlace>();
    if (kept && typeof kept === 'object') {
      for (const [path, place] of Object.entries(kept)) {
        if (isPlace(place)) {
          places.set(path, place);
        }
      }
    }
    return places;
  }

  private async _save(): Promise<void> {
    const places = Object.fromEntries(this._places ?? []) as unknown as ReadonlyPartialJSONObject;
    await this._state?.save(KEY, places).catch(error => console.warn('docpeek: places were not kept', error));
  }
}

/** What comes from the database may be of another version, or anybody's. */
function isPlace(value: unknown): value is IKeptPlace {
  const place = value as Partial<IKeptPlace> | null;
  const anchor = place?.anchor;
  return (
    [anchor?.page, anchor?.x, anchor?.y, place?.zoom].every(number => Number.isFinite(number)) &&
    ['automatic', 'width', 'page', 'free'].includes(String(place?.fit))
  );
}

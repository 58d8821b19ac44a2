/** The settings of a person, as the schema has them. */

import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { Signal } from '@lumino/signaling';

import { Fit } from './geometry';

export type NightPages = 'never' | 'withDarkTheme' | 'always';

export interface IOptions {
  readonly zoom: Exclude<Fit, 'free'> | 'actual';
  readonly nightPages: NightPages;
  readonly prefetchNeighbours: boolean;
  readonly reloadChanged: boolean;
  readonly showThumbnails: boolean;
  readonly printLayout: boolean;
}

export const DEFAULTS: IOptions = {
  zoom: 'automatic',
  nightPages: 'never',
  prefetchNeighbours: true,
  reloadChanged: true,
  showThumbnails: false,
  printLayout: false
};

/** The options that are in force, and whether the theme is dark. */
export class Options {
  private readonly _changed = new Signal<this, void>(this);
  private _values = DEFAULTS;
  private _isDarkTheme = false;
  private _settings: ISettingRegistry.ISettings | null = null;

  /** An option or the theme has changed. */
  get changed(): Signal<this, void> {
    return this._changed;
  }

  get values(): IOptions {
    return this._values;
  }

  /** Whether pages are shown light on dark. */
  get night(): boolean {
    const { nightPages } = this._values;
    return nightPages === 'always' || (nightPages === 'withDarkTheme' && this._isDarkTheme);
  }

  setDarkTheme(dark: boolean): void {
    if (dark !== this._isDarkTheme) {
      this._isDarkTheme = dark;
      this._changed.emit();
    }
  }

  /** Light text on dark pages, or pages as they are; kept as a setting. */
  toggleNight(): void {
    const nightPages: NightPages = this.night ? 'never' : 'always';
    this._values = { ...this._values, nightPages };
    this._changed.emit();
    void this._settings?.set('nightPages', nightPages);
  }

  take(settings: ISettingRegistry.ISettings): void {
    this._settings = settings;
    this._values = { ...DEFAULTS, ...(settings.composite as Partial<IOptions>) };
    this._changed.emit();
  }
}

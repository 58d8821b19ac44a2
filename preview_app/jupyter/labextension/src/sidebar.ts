/** Thumbnails, outline and details of one document, beside its pages. What a tab shows is fetched when it is looked at. */

import { TranslationBundle } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';

import { isAbort, PreviewClient } from './client';
import { element } from './dom';
import { Facts } from './facts';
import { Outline } from './outline';
import { IDocument } from './protocol';
import { Thumbnails } from './thumbnails';

export type Tab = 'thumbnails' | 'outline' | 'facts';
const TABS: readonly Tab[] = ['thumbnails', 'outline', 'facts'];

export class Sidebar {
  readonly node = element('aside', { class: 'dp-Sidebar' });
  private readonly _tabs = new Map<Tab, HTMLButtonElement>();
  private readonly _body = element('div', { class: 'dp-SidebarBody', role: 'tabpanel' });
  private readonly _thumbnails: Thumbnails;
  private readonly _outline: Outline;
  private readonly _facts: Facts;
  private readonly _fetched = new Set<Tab>();
  private readonly _controller = new AbortController();
  private readonly _went = new Signal<this, { page: number; y: number }>(this);
  private readonly _switched = new Signal<this, Tab>(this);
  private _tab: Tab | null = null;

  constructor(
    private readonly _client: PreviewClient,
    private readonly _document: IDocument,
    private readonly _trans: TranslationBundle,
    night: boolean
  ) {
    this._thumbnails = new Thumbnails(_client, _document, _trans, night);
    this._outline = new Outline(_trans);
    this._facts = new Facts(_trans);
    this._thumbnails.chosen.connect((_, page) => this._went.emit({ page, y: 0 }));
    this._outline.chosen.connect((_, { page, y }) => page !== null && this._went.emit({ page, y: y ?? 0 }));
    this.node.append(this._tabBar(), this._body);
  }

  /** A person wants to go to a page, and a height on it in points. */
  get went(): Signal<this, { page: number; y: number }> {
    return this._went;
  }

  get switched(): Signal<this, Tab> {
    return this._switched;
  }

  show(tab: Tab): void {
    this._tab = tab;
    this._tabs.forEach((button, each) => {
      button.setAttribute('aria-selected', String(each === tab));
      button.tabIndex = each === tab ? 0 : -1;
    });
    const shown = { thumbnails: this._thumbnails, outline: this._outline, facts: this._facts }[tab];
    this._body.replaceChildren(shown.node);
    this._body.setAttribute('aria-label', this._name(tab));
    void this._fetch(tab);
  }

  setPage(page: number): void {
    this._thumbnails.setPage(page);
  }

  setNight(night: boolean): void {
    this._thumbnails.setNight(night);
  }

  dispose(): void {
    this._controller.abort();
    this._thumbnails.dispose();
    this._outline.dispose();
    this.node.remove();
    Signal.clearData(this);
  }

  private _name(tab: Tab): string {
    const names: Record<Tab, string> = {
      thumbnails: this._trans.__('Pages'),
      outline: this._trans.__('Outline'),
      facts: this._trans.__('Details')
    };
    return names[tab];
  }

  private _tabBar(): HTMLElement {
    const bar = element('div', { class: 'dp-SidebarTabs', role: 'tablist' });
    for (const tab of TABS) {
      const choose = element('button', { type: 'button', role: 'tab', class: 'dp-SidebarTab' }, this._name(tab));
      choose.addEventListener('click', () => this._switched.emit(tab));
      this._tabs.set(tab, choose);
      bar.append(choose);
    }
    bar.addEventListener('keydown', event => this._onKey(event));
    return bar;
  }

  private _onKey(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step && this._tab) {
      const tab = TABS[(TABS.indexOf(this._tab) + step + TABS.length) % TABS.length] ?? this._tab;
      this._switched.emit(tab);
      this._tabs.get(tab)?.focus();
      event.stopPropagation();
    }
  }

  private async _fetch(tab: Tab): Promise<void> {
    if (tab === 'thumbnails' || this._fetched.has(tab)) {
      return;
    }
    this._fetched.add(tab);
    const { signal } = this._controller;
    try {
      if (tab === 'outline') {
        this._outline.show(await this._client.outline(this._document, signal));
      } else {
        this._facts.show(await this._client.facts(this._document, signal));
      }
    } catch (error) {
      this._fetched.delete(tab);
      if (!isAbort(error)) {
        (tab === 'outline' ? this._outline : this._facts).fail(error instanceof Error ? error.message : String(error));
      }
    }
  }
}

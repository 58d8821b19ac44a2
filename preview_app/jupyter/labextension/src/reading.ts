/** One opened document on the screen: its pages, its sidebar, what is looked for in it. Made anew when the file changes. */

import { TranslationBundle } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';

import { isAbort, PreviewClient } from './client';
import { IPlace, PageColumn } from './column';
import { IDocument, ILink } from './protocol';
import { DocumentSearch, IQuery } from './search';
import { Sidebar, Tab } from './sidebar';
import { selectedText } from './textlayer';
import * as words from './words';

/** Pages whose text is fetched at once when all of it is copied. */
const COPY_AT_ONCE = 4;

export class Reading {
  readonly column: PageColumn;
  private readonly _searched = new Signal<this, DocumentSearch | null>(this);
  private readonly _switched = new Signal<this, Tab | null>(this);
  private readonly _controller = new AbortController();
  private readonly _back: IPlace[] = [];
  private _sidebar: Sidebar | null = null;
  private _search: DocumentSearch | null = null;
  private _tab: Tab | null = null;
  private _isAllSelected = false;

  constructor(
    private readonly _client: PreviewClient,
    readonly document: IDocument,
    private readonly _trans: TranslationBundle,
    place: IPlace,
    private _night: boolean
  ) {
    this.column = new PageColumn({
      client: _client,
      document,
      place,
      night: _night,
      texts: {
        label: page => _trans.__('Page %1 of %2', page + 1, document.pages.length),
        failed: error => words.pageFailure(_trans, error),
        retry: _trans.__('Retry'),
        describe: link => link.uri ?? _trans.__('Go to page %1', (link.page ?? 0) + 1)
      }
    });
    this.column.setNight(_night);
    this.column.linked.connect((_, link) => this.follow(link));
    this.column.changed.connect(column => this._sidebar?.setPage(column.page));
    this.column.node.addEventListener('copy', event => this._onCopy(event));
    this.column.node.addEventListener('mousedown', () => (this._isAllSelected = false));
  }

  /** The search has news; `null` when there is none any more. */
  get searched(): Signal<this, DocumentSearch | null> {
    return this._searched;
  }

  /** Another tab of the sidebar is shown, or none. */
  get switched(): Signal<this, Tab | null> {
    return this._switched;
  }

  get tab(): Tab | null {
    return this._tab;
  }

  /** The sidebar as it is now; it is built when it is first shown. */
  get sidebar(): HTMLElement | null {
    return this._tab ? (this._sidebar?.node ?? null) : null;
  }

  get search(): DocumentSearch | null {
    return this._search;
  }

  showTab(tab: Tab | null): void {
    this._tab = tab;
    if (tab) {
      this._sidebar ??= this._buildSidebar();
      this._sidebar.show(tab);
    }
    this._switched.emit(tab);
    this._sidebar?.setPage(this.column.page);
  }

  setNight(night: boolean): void {
    this._night = night;
    this.column.setNight(night);
    this._sidebar?.setNight(night);
  }

  /** Look for a phrase from the page in view on; an empty one ends the search. */
  find(query: IQuery): void {
    this._search?.dispose();
    this._search = query.phrase.trim()
      ? new DocumentSearch(this._client, this.document, query, this.column.page)
      : null;
    this._showHits(true);
    if (this._search) {
      let last: unknown = null;
      this._search.changed.connect(search => {
        const moved = search.current !== last;
        last = search.current;
        this._showHits(moved);
      });
      void this._search.run();
    }
  }

  step(direction: number): void {
    this._search?.step(direction);
  }

  /** Go where a link leads; the place it was followed from can be gone back to. */
  follow(link: ILink): void {
    if (typeof link.page === 'number') {
      this._back.push(this.column.place);
      this.column.goTo(link.page, link.y ?? 0);
      this.column.node.focus();
    }
  }

  /** Go back to where the last link was followed from. */
  goBack(): void {
    const place = this._back.pop();
    if (place) {
      this.column.goBackTo(place);
    }
  }

  get canGoBack(): boolean {
    return this._back.length > 0;
  }

  /** Ask whether the server still has the document. Raises. */
  async look(): Promise<void> {
    await this._client.look(this.document, this._controller.signal);
  }

  /** What is selected on the pages, a line of the document a line. */
  selection(): string {
    const selection = document.getSelection();
    const isHere = selection && !selection.isCollapsed && selection.containsNode(this.column.node, true);
    return isHere ? selectedText(this.column.node, selection) : '';
  }

  /** Select what is on the screen and stand for all pages when it is copied. */
  selectAll(): void {
    const range = document.createRange();
    range.selectNodeContents(this.column.node);
    const selection = document.getSelection();
    selection?.removeAllRanges();
    selection?.addRange(range);
    this._isAllSelected = true;
  }

  /** The text of all pages. Raises. */
  async allText(): Promise<string> {
    const pages = this.document.pages.map((_, page) => page);
    const texts: string[] = [];
    const worker = async (): Promise<void> => {
      for (let page = pages.shift(); page !== undefined; page = pages.shift()) {
        const { lines } = await this._client.text(this.document, page, this._controller.signal);
        texts[page] = lines.map(line => line.text).join('\n');
      }
    };
    await Promise.all(Array.from({ length: COPY_AT_ONCE }, worker));
    return texts.join('\n\n');
  }

  /** Put the selected text, or all of it, onto the clipboard. */
  async copy(): Promise<void> {
    if (!this._isAllSelected) {
      await navigator.clipboard.writeText(this.selection());
      return;
    }
    try {
      await navigator.clipboard.writeText(await this.allText());
    } catch (error) {
      if (!isAbort(error)) {
        throw error;
      }
    }
  }

  dispose(): void {
    this._controller.abort();
    this._search?.dispose();
    this._sidebar?.dispose();
    this.column.dispose();
    Signal.clearData(this);
  }

  private _buildSidebar(): Sidebar {
    const sidebar = new Sidebar(this._client, this.document, this._trans, this._night);
    sidebar.went.connect((_, { page, y }) => this.column.goTo(page, y));
    sidebar.switched.connect((_, tab) => this.showTab(tab));
    return sidebar;
  }

  private _showHits(reveal: boolean): void {
    const current = this._search?.current ?? null;
    this.column.setHits(this._search?.hits ?? new Map(), current);
    const box = current && this._search?.hits.get(current.page)?.[current.index]?.boxes[0];
    if (reveal && current && box) {
      this.column.reveal(current.page, box);
    }
    this._searched.emit(this._search);
  }

  private _onCopy(event: ClipboardEvent): void {
    if (this._isAllSelected) {
      event.preventDefault();
      void this.copy();
      return;
    }
    const text = this.selection();
    if (text) {
      event.clipboardData?.setData('text/plain', text);
      event.preventDefault();
    }
  }
}

/**
 * The widget of one document: opens it when it is first shown, shows what happens meanwhile, then its pages.
 *
 * Of several attempts to open only the newest counts. While a changed file is opened again the old pages stay; they
 * give way when the first new one is there, at the same place.
 */

import { Printing } from '@jupyterlab/apputils';
import { DocumentRegistry } from '@jupyterlab/docregistry';
import { Contents } from '@jupyterlab/services';
import { TranslationBundle } from '@jupyterlab/translation';
import { Message } from '@lumino/messaging';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';

import { PreviewClient } from './client';
import { IPlace } from './column';
import { FindBar } from './findbar';
import { Frame } from './frame';
import { Opening } from './opening';
import { Options } from './options';
import * as output from './output';
import { showElapsed } from './panels';
import { Places } from './places';
import { Neighbours } from './prefetch';
import { IDocument, IOpenRequest } from './protocol';
import { Reading } from './reading';
import { Tab } from './sidebar';
import { FileNews, FileWatch } from './watch';
import * as words from './words';

/** What all viewers share. */
export interface IServices {
  readonly client: PreviewClient;
  readonly contents: Contents.IManager;
  readonly options: Options;
  readonly places: Places;
  readonly neighbours: Neighbours;
  readonly trans: TranslationBundle;
}

type Choices = Pick<IOpenRequest, 'engine' | 'anyway' | 'password' | 'print_layout'>;

export class Viewer extends Widget implements Printing.IPrintable {
  private readonly _changed = new Signal<this, void>(this);
  private readonly _frame: Frame;
  private readonly _findBar: FindBar;
  private readonly _watch: FileWatch;
  private _choices: Choices;
  private _opening: Opening | null = null;
  private _reading: Reading | null = null;
  private _tab: Tab | null = null;
  private _place: IPlace | null = null;
  private _clock = 0;
  private _reopening: Promise<void> = Promise.resolve();

  constructor(
    private readonly _context: DocumentRegistry.IContext<DocumentRegistry.IModel>,
    private readonly _services: IServices
  ) {
    super();
    const { trans, options, contents } = _services;
    this.addClass('dp-Viewer');
    this._choices = options.values.printLayout ? { print_layout: true } : {};
    this._findBar = new FindBar(trans);
    this._frame = new Frame(this._findBar.node, trans);
    this.node.append(...this._frame.nodes);
    this._watch = new FileWatch(contents, this.path, () => this.isVisible);
    this._connect();
  }

  /** The document, the page, the zoom or what is shown beside it has changed. */
  get changed(): Signal<this, void> {
    return this._changed;
  }

  get path(): string {
    return this._context.path;
  }

  get name(): string {
    return this.path.split('/').pop() ?? this.path;
  }

  /** The document on the screen; `null` before there is one. */
  get reading(): Reading | null {
    return this._reading;
  }

  get opening(): Opening | null {
    return this._opening;
  }

  get isNight(): boolean {
    return this._services.options.night;
  }

  toggleNight(): void {
    this._services.options.toggleNight();
  }

  [Printing.symbol](): Printing.OptionalAsyncThunk {
    return this._reading ? () => this.print() : null;
  }

  /** Open the document (again), by another engine or with other choices if given. */
  async open(choices: Choices = {}): Promise<void> {
    this._opening?.cancel();
    this._choices = { ...this._choices, ...choices };
    const { password, ...kept } = this._choices;
    this._choices = kept;
    const request: IOpenRequest = { path: this.path, lane: 'critical', ...kept, ...(password ? { password } : {}) };
    const opening = (this._opening = new Opening(this._services.client, request));
    opening.changed.connect(() => this._showOpening());
    this._showOpening();
    this._startClock();
    await this._watch.begin(this.path);
    const state = await opening.run();
    window.clearInterval(this._clock);
    if (state.kind === 'ready') {
      await this._take(opening, state.document);
    }
  }

  /** Show the spreadsheet as it would be printed, or a page a sheet. */
  togglePrintLayout(): void {
    void this.open({ print_layout: !this._choices.print_layout });
  }

  get isPrintLayout(): boolean {
    return this._choices.print_layout ?? false;
  }

  openFind(): void {
    this._findBar.open(this._reading?.selection());
  }

  findStep(direction: number): void {
    if (this._reading?.search) {
      this._reading.step(direction);
    } else {
      this.openFind();
    }
  }

  toggleTab(tab: Tab | null = null): void {
    const shown = this._reading?.tab ?? null;
    this._reading?.showTab(tab === null ? (shown ? null : 'thumbnails') : shown === tab ? null : tab);
  }

  async download(): Promise<void> {
    await this._output(output.download);
  }

  async print(): Promise<void> {
    await this._output(output.print);
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    window.clearInterval(this._clock);
    this._opening?.cancel();
    this._watch.dispose();
    this._findBar.dispose();
    this._release(this._reading);
    this._reading = null;
    this._services.options.changed.disconnect(this._onOptions, this);
    this._services.client.gone.disconnect(this._onGone, this);
    Signal.clearData(this);
    super.dispose();
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this._onSeen();
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    this._onSeen();
  }

  protected override onBeforeHide(message: Message): void {
    this._services.neighbours.stop();
    super.onBeforeHide(message);
  }

  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    (this._reading?.column.node ?? this._frame.stage).focus();
  }

  private _connect(): void {
    const { options, client } = this._services;
    options.changed.connect(this._onOptions, this);
    client.gone.connect(this._onGone, this);
    this._watch.news.connect((_, news) => this._onNews(news));
    this._findBar.asked.connect((_, query) => this._reading?.find(query));
    this._findBar.stepped.connect((_, direction) => this.findStep(direction));
    this._findBar.closed.connect(() => {
      this._reading?.find({ phrase: '', matchCase: false, wholeWords: false });
      this._reading?.column.node.focus();
    });
    this._context.pathChanged.connect(() => void this.open(), this);
    this.node.addEventListener('wheel', event => this._onWheel(event), { passive: false });
  }

  private _onSeen(): void {
    if (!this.isVisible) {
      return;
    }
    if (!this._opening) {
      void this._context.ready.then(() => this._openFirst());
    } else if (this._reading) {
      this._services.neighbours.around(this.path);
    }
  }

  private async _openFirst(): Promise<void> {
    if (!this._opening && !this.isDisposed) {
      await this.open();
    }
  }

  private _onOptions(): void {
    this._reading?.setNight(this.isNight);
    this._services.neighbours.isOn = this._services.options.values.prefetchNeighbours;
    this._changed.emit();
  }

  private _onNews(news: FileNews): void {
    const { trans, options } = this._services;
    if (news !== 'changed') {
      this._frame.setWarning(words.trouble(trans, news));
    } else if (options.values.reloadChanged) {
      void this.open();
    }
    if (news === 'back') {
      void this._resume();
    }
  }

  /** The server lets us look again; it may be another one, which does not know the document. */
  private async _resume(): Promise<void> {
    const state = this._opening?.state;
    if (state?.kind === 'failed' && ['network', 'caller'].includes(state.failure.fault)) {
      await this.open();
      return;
    }
    const reading = this._reading;
    await reading?.look().then(
      () => reading.column.pictures.retry(),
      () => undefined // it is gone, which `_onGone` is told; or the server is away again
    );
  }

  private _onGone(_: PreviewClient, id: string): void {
    if (id === this._reading?.document.id && this._opening?.isSettled) {
      this._reopening = this.open();
    }
  }

  private _onWheel(event: WheelEvent): void {
    const column = this._reading?.column;
    if (!column || !(event.ctrlKey || event.metaKey) || !column.node.contains(event.target as Node)) {
      return;
    }
    event.preventDefault();
    const box = column.node.getBoundingClientRect();
    const factor = Math.exp(-event.deltaY * (event.deltaMode === 0 ? 0.002 : 0.06));
    column.zoomTo(column.zoom * factor, { x: event.clientX - box.left, y: event.clientY - box.top });
  }

  private _startClock(): void {
    window.clearInterval(this._clock);
    this._clock = window.setInterval(() => {
      showElapsed(this._frame.stage, this._opening?.elapsed ?? 0, this._services.trans);
    }, 500);
  }

  private _showOpening(): void {
    const state = this._opening?.state;
    if (!state || this.isDisposed) {
      return;
    }
    const over = this._reading !== null;
    this._frame.showState(state, this.name, over, {
      cancel: () => this._opening?.cancel(),
      extend: () => void this._opening?.extend(),
      retry: engine => void this.open(engine ? { engine } : {}),
      openAnyway: () => void this.open({ anyway: true }),
      unlock: password => void this.open({ password })
    });
    this._changed.emit();
  }

  /** Show an opened document: at once where there is none, else when its first page is there. */
  private async _take(opening: Opening, opened: IDocument): Promise<void> {
    const { client, places, trans } = this._services;
    const kept = await places.of(this.path);
    if (opening !== this._opening || this.isDisposed) {
      await client.release(opened).catch(() => undefined);
      return;
    }
    const old = this._reading;
    const place = old?.column.place ?? kept ?? this._firstPlace();
    this._tab = old
      ? old.tab
      : kept
        ? kept.sidebar
        : this._services.options.values.showThumbnails
          ? 'thumbnails'
          : null;
    const reading = new Reading(client, opened, trans, place, this.isNight);
    this._frame.addColumn(reading.column.node, old !== null);
    if (old) {
      await reading.column.firstPicture;
      if (opening !== this._opening || this.isDisposed) {
        this._release(reading);
        return;
      }
    }
    this._begin(reading, old);
  }

  private _begin(reading: Reading, old: Reading | null): void {
    const { trans, neighbours } = this._services;
    const hadFocus = old?.column.node.contains(document.activeElement) ?? this.node.contains(document.activeElement);
    this._reading = reading;
    this._release(old);
    reading.column.node.classList.remove('dp-mod-coming');
    reading.column.changed.connect(() => this._onMoved());
    reading.searched.connect((_, search) => this._findBar.show(search));
    reading.switched.connect(() => this._showSidebar());
    reading.showTab(this._tab);
    this._frame.setNotices(words.notices(trans, reading.document));
    if (this._findBar.isOpen) {
      reading.find(this._findBar.query);
    }
    if (hadFocus && !this._findBar.isOpen) {
      reading.column.node.focus();
    }
    this._showOpening();
    this._frame.announce(trans.__('%1, page %2 of %3', this.name, reading.column.page + 1, reading.column.pageCount));
    if (this.isVisible) {
      neighbours.around(this.path);
    }
  }

  private _firstPlace(): IPlace {
    const { zoom } = this._services.options.values;
    return { anchor: { page: 0, x: 0, y: -1 }, fit: zoom === 'actual' ? 'free' : zoom, zoom: 1 };
  }

  private _showSidebar(): void {
    this._frame.setSidebar(this._reading?.sidebar ?? null);
    this._keepPlace();
    this._changed.emit();
  }

  private _onMoved(): void {
    const column = this._reading?.column;
    if (column) {
      this._frame.announceSoon(this._services.trans.__('Page %1 of %2', column.page + 1, column.pageCount));
      this._keepPlace();
      this._changed.emit();
    }
  }

  private _keepPlace(): void {
    const reading = this._reading;
    if (reading && reading.column.place !== this._place) {
      this._place = reading.column.place;
      this._services.places.keep(this.path, { ...this._place, sidebar: reading.tab });
    }
  }

  private async _output(act: output.Act): Promise<void> {
    const once = async (): Promise<void> => {
      if (this._reading) {
        await act(this._services.client, this._reading.document);
      }
    };
    await output
      .persistently(once, () => this._reopening)
      .catch(error => this._frame.setWarning(error instanceof Error ? error.message : String(error)));
  }

  private _release(reading: Reading | null): void {
    if (reading) {
      reading.dispose();
      void this._services.client.release(reading.document).catch(() => undefined); // gone already
    }
  }
}

/** Lab's own search (Edit → Find…) over the pages of a document, beside the viewer's find bar. */

import { DocumentWidget } from '@jupyterlab/docregistry';
import { ISearchMatch, ISearchProviderFactory, SearchProvider } from '@jupyterlab/documentsearch';
import { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import { phraseOf } from './phrase';
import { DocumentSearch, IQuery } from './search';
import { Viewer } from './viewer';

const NOTHING: IQuery = { phrase: '', matchCase: false, wholeWords: false };

class ViewerSearchProvider extends SearchProvider<DocumentWidget<Viewer>> {
  private _search: DocumentSearch | null = null;

  constructor(
    widget: DocumentWidget<Viewer>,
    private readonly _trans: TranslationBundle
  ) {
    super(widget);
  }

  override get isReadOnly(): boolean {
    return true;
  }

  override get matchesCount(): number | null {
    return this._search?.count ?? null;
  }

  override get currentMatchIndex(): number | null {
    return this._search?.position ? this._search.position - 1 : null;
  }

  override getInitialQuery(): string {
    return this.widget.content.reading?.selection() ?? '';
  }

  async startQuery(query: RegExp): Promise<void> {
    const asked = phraseOf(query);
    if (!asked) {
      throw new Error(this._trans.__('Regular expressions do not work in document previews.'));
    }
    const reading = this.widget.content.reading;
    reading?.find(asked);
    this._search = reading?.search ?? null;
    this._search?.changed.connect(() => this._stateChanged.emit());
    await this._search?.firstNews;
  }

  async endQuery(): Promise<void> {
    this._search = null;
    this.widget.content.reading?.find(NOTHING);
  }

  async clearHighlight(): Promise<void> {
    await this.endQuery();
  }

  highlightNext(): Promise<ISearchMatch | undefined> {
    return this._step(1);
  }

  highlightPrevious(): Promise<ISearchMatch | undefined> {
    return this._step(-1);
  }

  async replaceCurrentMatch(): Promise<boolean> {
    return false;
  }

  async replaceAllMatches(): Promise<boolean> {
    return false;
  }

  private async _step(direction: number): Promise<ISearchMatch | undefined> {
    this.widget.content.reading?.step(direction);
    const position = this.currentMatchIndex;
    return position === null ? undefined : { text: this._search?.query.phrase ?? '', position };
  }
}

export function searchProvider(trans: TranslationBundle): ISearchProviderFactory<Widget> {
  return {
    createNew: widget => new ViewerSearchProvider(widget as DocumentWidget<Viewer>, trans),
    isApplicable: (widget: Widget): widget is DocumentWidget<Viewer> =>
      widget instanceof DocumentWidget && widget.content instanceof Viewer
  };
}

/** The parts of a viewer around the pages: notices, find bar, sidebar, stage, and what screen readers are told. */

import { TranslationBundle } from '@jupyterlab/translation';

import { button, element, iconButton } from './dom';
import { icons } from './icons';
import { OpeningState } from './opening';
import { buildPanel, IPanelActions, showElapsed } from './panels';
import * as words from './words';

/** Who turns pages fast does not want to hear each. */
const ANNOUNCE_PAUSE_MS = 700;

export class Frame {
  readonly stage = element('div', { class: 'dp-Stage', tabindex: '-1' });
  private readonly _notices = element('div', { class: 'dp-Notices', hidden: '' });
  private readonly _warning = element('div', { class: 'dp-Warning', role: 'alert', hidden: '' });
  private readonly _news = element('div', { class: 'dp-News', hidden: '' });
  private readonly _sidebar = element('div', { class: 'dp-SidebarSlot', hidden: '' });
  private readonly _live = element('div', { class: 'dp-Live', role: 'status', 'aria-live': 'polite' });
  private readonly _body = element('div', { class: 'dp-Body' }, this._sidebar, this.stage);
  private _panel: HTMLElement | null = null;
  private _shown = '';
  private _timer = 0;

  constructor(
    private readonly _findBar: HTMLElement,
    private readonly _trans: TranslationBundle
  ) {}

  get nodes(): HTMLElement[] {
    return [this._warning, this._notices, this._findBar, this._news, this._body, this._live];
  }

  /** Show the state of an opening: in the place of the pages, or in a line above them where they stay (`over`). */
  showState(state: OpeningState, name: string, over: boolean, actions: IPanelActions): void {
    const shown = JSON.stringify([state.kind === 'working' ? { ...state, elapsed: 0 } : state.kind, over]);
    const isSame = shown === this._shown && state.kind === 'working';
    this._shown = shown;
    if (!isSame) {
      if (this._panel?.contains(document.activeElement)) {
        this.stage.focus(); // else the keyboard would be out of the viewer with the button that was pressed
      }
      this._panel?.remove();
      this._panel = null;
      this._news.hidden = true;
      if (over && state.kind !== 'ready' && state.kind !== 'password' && state.kind !== 'large') {
        this._showNews(state, actions);
      } else {
        this._showPanel(state, name, actions);
      }
    }
    if (state.kind === 'working') {
      showElapsed(this.stage, state.elapsed, this._trans);
    }
  }

  /** Put pages onto the stage; `coming` ones stay invisible until their first picture is there. */
  addColumn(column: HTMLElement, coming: boolean): void {
    column.classList.toggle('dp-mod-coming', coming);
    this.stage.append(column);
  }

  setSidebar(sidebar: HTMLElement | null): void {
    this._sidebar.hidden = sidebar === null;
    this._sidebar.replaceChildren(...(sidebar ? [sidebar] : []));
  }

  /** What is worth knowing about the document; a person can unfold it and put it away. */
  setNotices(notices: readonly words.INotice[]): void {
    this._notices.hidden = notices.length === 0;
    const sign = element('span', { class: 'dp-NoticeIcon' });
    icons.information.element({ container: sign });
    const close = iconButton(icons.close, this._trans.__('Close'), () => (this._notices.hidden = true));
    this._notices.replaceChildren(sign, element('div', { class: 'dp-NoticeTexts' }, ...notices.map(notice)), close);
  }

  setWarning(text: string): void {
    this._warning.hidden = text === '';
    const close = iconButton(icons.close, this._trans.__('Close'), () => (this._warning.hidden = true));
    this._warning.replaceChildren(element('span', {}, text), close);
  }

  announce(text: string): void {
    window.clearTimeout(this._timer);
    if (this._live.textContent !== text) {
      this._live.textContent = text;
    }
  }

  announceSoon(text: string): void {
    window.clearTimeout(this._timer);
    this._timer = window.setTimeout(() => this.announce(text), ANNOUNCE_PAUSE_MS);
  }

  private _showPanel(state: OpeningState, name: string, actions: IPanelActions): void {
    this._panel = buildPanel(state, name, this._trans, actions);
    this.stage.classList.toggle('dp-mod-panel', this._panel !== null);
    if (this._panel) {
      this.stage.append(this._panel);
      this.announce(this._panel.getAttribute('aria-label') ?? '');
      this._panel.querySelector('input')?.focus();
    }
  }

  private _showNews(state: OpeningState, actions: IPanelActions): void {
    this._news.hidden = state.kind === 'cancelled';
    if (state.kind === 'working') {
      const text = words.phase(this._trans, state.phase, state.place);
      this._news.replaceChildren(
        element('div', { class: 'dp-Progress', role: 'progressbar', 'aria-label': text }),
        element('span', {}, text),
        ...(state.isLate ? [button(this._trans.__('Keep waiting'), actions.extend)] : []),
        button(this._trans.__('Cancel'), actions.cancel)
      );
    } else if (state.kind === 'failed') {
      const text = words.headline(this._trans, state.failure);
      this._news.replaceChildren(
        element(
          'span',
          { role: 'alert' },
          this._trans.__('These are the last pages that could be had. %1', `${text}: ${state.failure.message}`)
        ),
        button(this._trans.__('Retry'), () => actions.retry())
      );
    }
  }
}

function notice({ text, details }: words.INotice): HTMLElement {
  if (!details.length) {
    return element('div', {}, text);
  }
  return element('details', {}, element('summary', {}, text), element('p', {}, details.join(', ')));
}

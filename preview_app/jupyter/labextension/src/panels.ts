/** What stands in the place of the pages: progress, a question, a failure. */

import { TranslationBundle } from '@jupyterlab/translation';

import { button, element } from './dom';
import { icons } from './icons';
import { OpeningState } from './opening';
import { IFailure } from './protocol';
import * as words from './words';

export interface IPanelActions {
  cancel(): void;
  extend(): void;
  retry(engine?: string): void;
  openAnyway(): void;
  unlock(password: string): void;
}

/** The panel of a state; `null` where there is nothing to say. The one of progress is updated in place. */
export function buildPanel(
  state: OpeningState,
  name: string,
  trans: TranslationBundle,
  actions: IPanelActions
): HTMLElement | null {
  switch (state.kind) {
    case 'working':
      return workingPanel(state, name, trans, actions);
    case 'large':
      return largePanel(state.bytes, name, trans, actions);
    case 'password':
      return passwordPanel(state.wrong, name, trans, actions);
    case 'failed':
      return failurePanel(state.failure, name, trans, actions);
    case 'cancelled':
      return panel('cancelled', trans.__('Cancelled'), [
        element('p', {}, name),
        row(button(trans.__('Open'), () => actions.retry()))
      ]);
    default:
      return null;
  }
}

function panel(kind: string, title: string, children: (Node | null)[]): HTMLElement {
  return element(
    'section',
    { class: `dp-Panel dp-mod-${kind}`, 'aria-label': title },
    element('h2', {}, title),
    ...children
  );
}

function row(...buttons: (HTMLElement | null)[]): HTMLElement {
  return element('div', { class: 'dp-PanelButtons' }, ...buttons);
}

function workingPanel(
  state: Extract<OpeningState, { kind: 'working' }>,
  name: string,
  trans: TranslationBundle,
  actions: IPanelActions
): HTMLElement {
  const title = state.isLate ? trans.__('Still working on it') : words.phase(trans, state.phase, state.place);
  const more = state.isLate
    ? button(trans.__('Keep waiting'), actions.extend, { class: 'jp-mod-styled jp-mod-accept' })
    : null;
  return panel('working', title, [
    element('p', {}, name),
    element('p', {}, state.message),
    element('div', { class: 'dp-Progress', role: 'progressbar', 'aria-label': title }),
    element('p', { class: 'dp-Elapsed', 'aria-hidden': 'true' }),
    row(more, button(trans.__('Cancel'), actions.cancel))
  ]);
}

/** Show how long it has taken, from when on a person begins to wonder. */
export function showElapsed(within: HTMLElement, seconds: number, trans: TranslationBundle): void {
  const line = within.querySelector('.dp-Elapsed');
  if (line && seconds >= 1) {
    line.textContent = trans._n('%1 second', '%1 seconds', Math.floor(seconds));
  }
}

function largePanel(count: number, name: string, trans: TranslationBundle, actions: IPanelActions): HTMLElement {
  return panel('large', trans.__('This is a large file'), [
    element('p', {}, trans.__('%1 has %2. Converting it may take a while.', name, words.bytes(count))),
    row(button(trans.__('Open anyway'), actions.openAnyway, { class: 'jp-mod-styled jp-mod-accept' }))
  ]);
}

function passwordPanel(wrong: boolean, name: string, trans: TranslationBundle, actions: IPanelActions): HTMLElement {
  const input = element('input', {
    type: 'password',
    class: 'jp-mod-styled',
    autocomplete: 'off',
    required: '',
    'aria-label': trans.__('Password'),
    placeholder: trans.__('Password')
  });
  const submit = button(trans.__('Open'), () => undefined, { type: 'submit', class: 'jp-mod-styled jp-mod-accept' });
  const form = element('form', { class: 'dp-PanelButtons' }, input, submit);
  form.addEventListener('submit', event => {
    event.preventDefault();
    const password = input.value;
    input.value = '';
    actions.unlock(password);
  });
  return panel('password', trans.__('A password is needed'), [
    element('p', {}, trans.__('%1 is encrypted. The password is not kept.', name)),
    wrong ? element('p', { class: 'dp-Wrong', role: 'alert' }, trans.__('That password does not fit.')) : null,
    form
  ]);
}

function failurePanel(failure: IFailure, name: string, trans: TranslationBundle, actions: IPanelActions): HTMLElement {
  const again = failure.retry
    ? button(trans.__('Retry'), () => actions.retry(), { class: 'jp-mod-styled jp-mod-accept' })
    : null;
  const others = (failure.other_engines ?? []).map(engine =>
    button(trans.__('Retry with %1', engineName(engine, trans)), () => actions.retry(engine))
  );
  const details = JSON.stringify({ file: name, ...failure }, null, 2);
  const copy = button(trans.__('Copy details'), () => void navigator.clipboard.writeText(details));
  const sign = element('div', { class: 'dp-PanelIcon' });
  icons.warning.element({ container: sign });
  const shown = panel('failed', words.headline(trans, failure), [
    element('p', {}, name),
    element('p', {}, failure.message),
    element('p', { class: 'dp-Advice' }, words.advice(trans, failure)),
    row(again, ...others, copy),
    failure.diagnostics
      ? element('details', {}, element('summary', {}, trans.__('Details')), element('pre', {}, failure.diagnostics))
      : null
  ]);
  shown.prepend(sign);
  shown.setAttribute('role', 'alert');
  return shown;
}

export function engineName(engine: string, trans: TranslationBundle): string {
  return engine === 'native' ? trans.__('the installed LibreOffice') : trans.__('the bundled engine');
}

/** The About entry: version, engines, licence, and where the source is to be had (AGPL). */

import { Dialog, ICommandPalette, showDialog } from '@jupyterlab/apputils';
import { IMainMenu } from '@jupyterlab/mainmenu';
import { TranslationBundle } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { Widget } from '@lumino/widgets';

import { PreviewClient } from './client';
import { element } from './dom';
import { icons } from './icons';
import { IAbout } from './protocol';

export function addAbout(
  commands: CommandRegistry,
  client: PreviewClient,
  trans: TranslationBundle,
  palette: ICommandPalette | null,
  menu: IMainMenu | null
): void {
  const command = 'docpeek:about';
  commands.addCommand(command, {
    label: trans.__('About docpeek'),
    icon: icons.docpeek,
    describedBy: { args: { type: 'object', properties: {} } },
    execute: () => showAbout(client, trans)
  });
  palette?.addItem({ command, category: trans.__('Help') });
  menu?.helpMenu.addGroup([{ command }], 30);
}

async function showAbout(client: PreviewClient, trans: TranslationBundle): Promise<void> {
  const body = await client.about().then(
    about => aboutBody(about, client, trans),
    error => element('p', { role: 'alert' }, String(error.message ?? error))
  );
  await showDialog({
    title: trans.__('About docpeek'),
    body: new Widget({ node: element('div', { class: 'dp-About' }, body) }),
    buttons: [Dialog.okButton({ label: trans.__('Close') })]
  });
}

function aboutBody(about: IAbout, client: PreviewClient, trans: TranslationBundle): HTMLElement {
  const engines = about.engines.map(engine =>
    element(
      'li',
      {},
      `${engine.name} ${engine.version}${engine.in_use ? ` – ${trans.__('in use')}` : ''}`,
      engine.note ? element('div', { class: 'dp-AboutNote' }, engine.note) : null
    )
  );
  const source = element(
    'a',
    { href: client.sourceUrl(about), target: '_blank', rel: 'noopener noreferrer' },
    trans.__('Source code of this program')
  );
  return element(
    'div',
    {},
    element('p', {}, `${about.name} ${about.version}`),
    element('p', {}, trans.__('Free software under %1.', about.licence), ' ', source),
    element('h3', {}, trans.__('Conversion engines')),
    element('ul', {}, ...engines)
  );
}

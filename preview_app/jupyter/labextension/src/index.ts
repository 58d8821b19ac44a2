/** The plugins of docpeek for JupyterLab and Notebook. */

import { ILayoutRestorer, JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette, IThemeManager, WidgetTracker } from '@jupyterlab/apputils';
import { DocumentWidget } from '@jupyterlab/docregistry';
import { IFileBrowserFactory } from '@jupyterlab/filebrowser';
import { IMainMenu } from '@jupyterlab/mainmenu';
import { ISearchProviderRegistry } from '@jupyterlab/documentsearch';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { IStateDB } from '@jupyterlab/statedb';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { addAbout } from './about';
import { PreviewClient } from './client';
import { addCommands } from './commands';
import { FACTORY_NAME, ViewerFactory } from './factory';
import { labFileTypes, OFFICE_TYPES, officeFileTypes } from './filetypes';
import { ByPageModelFactory, MODEL_NAME } from './model';
import { Options } from './options';
import { Places } from './places';
import { Neighbours } from './prefetch';
import { searchProvider } from './searchprovider';
import { IServices, Viewer } from './viewer';

const PLUGIN_ID = 'docpeek:plugin';

const plugin: JupyterFrontEndPlugin<void> = {
  id: PLUGIN_ID,
  description: 'Shows office documents page by page.',
  autoStart: true,
  optional: [
    ...[ITranslator, ISettingRegistry, ILayoutRestorer, IStateDB, IThemeManager],
    ...[IFileBrowserFactory, ICommandPalette, IMainMenu, ISearchProviderRegistry]
  ],
  activate
};

function activate(
  app: JupyterFrontEnd,
  translator: ITranslator | null,
  settings: ISettingRegistry | null,
  restorer: ILayoutRestorer | null,
  state: IStateDB | null,
  themes: IThemeManager | null,
  browsers: IFileBrowserFactory | null,
  palette: ICommandPalette | null,
  menu: IMainMenu | null,
  searches: ISearchProviderRegistry | null
): void {
  const trans = (translator ?? nullTranslator).load('docpeek');
  const client = new PreviewClient(app.serviceManager.serverSettings);
  const services: IServices = {
    client,
    contents: app.serviceManager.contents,
    options: new Options(),
    places: new Places(state),
    neighbours: new Neighbours(client, browsers),
    trans
  };
  const tracker = addFactory(app, services, translator);
  followTheme(services.options, themes);
  void followSettings(services.options, settings);
  addCommands(app.commands, palette, trans, () => tracker.currentWidget?.content ?? null);
  searches?.add('docpeek', searchProvider(trans));
  addAbout(app.commands, client, trans, palette, menu);
  void restorer?.restore(tracker, {
    command: 'docmanager:open',
    args: widget => ({ path: widget.context.path, factory: FACTORY_NAME }),
    name: widget => widget.context.path
  });
}

function addFactory(
  app: JupyterFrontEnd,
  services: IServices,
  translator: ITranslator | null
): WidgetTracker<DocumentWidget<Viewer>> {
  const registry = app.docRegistry;
  officeFileTypes(services.trans).forEach(type => registry.addFileType(type));
  registry.addModelFactory(new ByPageModelFactory());
  const factory = new ViewerFactory(
    {
      name: FACTORY_NAME,
      label: services.trans.__('Document Preview (docpeek)'),
      modelName: MODEL_NAME,
      fileTypes: [...OFFICE_TYPES, ...labFileTypes(registry)],
      defaultFor: OFFICE_TYPES,
      readOnly: true,
      ...(translator ? { translator } : {})
    },
    services
  );
  const tracker = new WidgetTracker<DocumentWidget<Viewer>>({ namespace: 'docpeek' });
  factory.widgetCreated.connect((_, widget) => {
    widget.context.pathChanged.connect(() => void tracker.save(widget));
    widget.content.changed.connect(() => app.commands.notifyCommandChanged());
    void tracker.add(widget);
  });
  registry.addWidgetFactory(factory);
  return tracker;
}

function followTheme(options: Options, themes: IThemeManager | null): void {
  const tell = (): void => options.setDarkTheme(themes?.theme ? !themes.isLight(themes.theme) : false);
  themes?.themeChanged.connect(tell);
  tell();
}

async function followSettings(options: Options, registry: ISettingRegistry | null): Promise<void> {
  try {
    const settings = await registry?.load(PLUGIN_ID);
    if (settings) {
      settings.changed.connect(() => options.take(settings));
      options.take(settings);
    }
  } catch (error) {
    console.warn('docpeek: the settings could not be read; the defaults are used.', error);
  }
}

export default plugin;

/** Makes the widget of a document. */

import { ABCWidgetFactory, DocumentRegistry, DocumentWidget } from '@jupyterlab/docregistry';

import { iconOf } from './filetypes';
import { toolbarItems } from './toolbar';
import { IServices, Viewer } from './viewer';

export const FACTORY_NAME = 'docpeek';

export class ViewerFactory extends ABCWidgetFactory<DocumentWidget<Viewer>> {
  constructor(
    options: DocumentRegistry.IWidgetFactoryOptions<DocumentWidget<Viewer>>,
    private readonly _services: IServices
  ) {
    super(options);
  }

  protected createNewWidget(
    context: DocumentRegistry.IContext<DocumentRegistry.IModel>
  ): DocumentWidget<Viewer, DocumentRegistry.IModel> {
    const content = new Viewer(context, this._services);
    const widget = new DocumentWidget<Viewer>({ content, context });
    widget.title.icon = iconOf(context.path);
    return widget;
  }

  protected override defaultToolbarFactory(widget: DocumentWidget<Viewer>): DocumentRegistry.IToolbarItem[] {
    return toolbarItems(widget.content, this._services.trans);
  }
}

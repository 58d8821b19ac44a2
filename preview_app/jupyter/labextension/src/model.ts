/** A document model that never fetches the content: pages come from the server extension, one by one. */

import { TextModelFactory } from '@jupyterlab/docregistry';
import { Contents } from '@jupyterlab/services';

export const MODEL_NAME = 'docpeek-by-page';

export class ByPageModelFactory extends TextModelFactory {
  constructor() {
    super(false); // nothing is edited, so nothing is shared
  }

  override get name(): string {
    return MODEL_NAME;
  }

  override get contentType(): Contents.ContentType {
    return 'file';
  }

  /** No format: Lab then asks for the metadata only. */
  override get fileFormat(): Contents.FileFormat {
    return null;
  }
}

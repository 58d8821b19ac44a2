/** The PDF of a document, out of the browser: into a file, or onto paper. */

import { PreviewClient, PreviewError } from './client';
import { IDocument } from './protocol';

export type Act = (client: PreviewClient, opened: IDocument) => Promise<void>;

/** Do it; once more where the server had let go of the document, and it was opened again. Raises. */
export async function persistently(once: () => Promise<void>, reopened: () => Promise<void>): Promise<void> {
  try {
    await once();
  } catch (error) {
    if (!(error instanceof PreviewError && error.isGone)) {
      throw error;
    }
    await reopened();
    await once();
  }
}

/** Let the browser fetch the PDF into a file of its own. Raises where the server would not give it. */
export async function download(client: PreviewClient, opened: IDocument): Promise<void> {
  await client.probePdf(opened);
  const link = document.createElement('a');
  link.href = client.pdfUrl(opened);
  link.download = opened.name.replace(/\.[^.]*$/, '') + '.pdf';
  link.hidden = true;
  document.body.append(link);
  link.click();
  link.remove();
}

/** Print the PDF by the browser's own viewer; where it has none, a download is the next best. Raises. */
export async function print(client: PreviewClient, opened: IDocument): Promise<void> {
  if (!navigator.pdfViewerEnabled) {
    await download(client, opened);
    return;
  }
  const pdf = await client.pdf(opened, new AbortController().signal);
  const url = URL.createObjectURL(new Blob([pdf], { type: 'application/pdf' }));
  document.querySelectorAll('iframe.dp-Print').forEach(old => old.remove()); // of the last time: its dialog is closed
  const frame = document.createElement('iframe');
  frame.className = 'dp-Print';
  frame.src = url;
  await new Promise(resolve => {
    frame.addEventListener('load', resolve, { once: true });
    document.body.append(frame);
  });
  URL.revokeObjectURL(url);
  frame.contentWindow?.focus();
  frame.contentWindow?.print();
}

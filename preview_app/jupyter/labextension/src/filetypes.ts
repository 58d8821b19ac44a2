/** What docpeek opens: file types with icons, and which of them it is the default for. */

import { DocumentRegistry } from '@jupyterlab/docregistry';
import { TranslationBundle } from '@jupyterlab/translation';
import { LabIcon } from '@jupyterlab/ui-components';

import { icons } from './icons';

interface IKind {
  readonly id: string;
  readonly label: (trans: TranslationBundle) => string;
  readonly icon: LabIcon;
  readonly suffixes: readonly string[];
}

const KINDS: readonly IKind[] = [
  {
    id: 'docpeek-text',
    label: trans => trans.__('Office text document'),
    icon: icons.text,
    suffixes: ['docx', 'docm', 'dotx', 'dotm', 'doc', 'dot', 'wiz', 'rtf', 'odt', 'ott', 'fodt']
  },
  {
    id: 'docpeek-sheet',
    label: trans => trans.__('Office spreadsheet'),
    icon: icons.sheet,
    suffixes: ['xlsx', 'xlsm', 'xltx', 'xltm', 'xlsb', 'xls', 'xlt', 'xlw', 'ods', 'ots', 'fods']
  },
  {
    id: 'docpeek-slides',
    label: trans => trans.__('Office presentation'),
    icon: icons.slides,
    suffixes: [...['pptx', 'pptm', 'ppsx', 'ppsm', 'potx', 'potm', 'ppt', 'pps', 'pot'], ...['odp', 'otp', 'fodp']]
  },
  {
    id: 'docpeek-drawing',
    label: trans => trans.__('Office drawing'),
    icon: icons.drawing,
    suffixes: ['odg', 'otg', 'fodg']
  }
];

/** Lab has viewers of its own for these: docpeek stands under "Open With" only. Lab's names for them. */
const LAB_TYPES = ['pdf', 'PDF', 'csv', 'tsv', 'text', 'html'];

const OFFICE_SUFFIXES = new Set(KINDS.flatMap(kind => kind.suffixes));

/** The file types that docpeek brings along. No MIME type is claimed: the server looks at the bytes. */
export function officeFileTypes(trans: TranslationBundle): Partial<DocumentRegistry.IFileType>[] {
  return KINDS.map(kind => ({
    name: kind.id,
    displayName: kind.label(trans),
    extensions: kind.suffixes.map(suffix => `.${suffix}`),
    icon: kind.icon,
    contentType: 'file',
    fileFormat: 'base64',
    mimeTypes: []
  }));
}

export const OFFICE_TYPES: string[] = KINDS.map(kind => kind.id);

/** The names of Lab's own file types that docpeek shows as well, as far as they are there. */
export function labFileTypes(registry: DocumentRegistry): string[] {
  const known = new Set([...registry.fileTypes()].map(type => type.name));
  return LAB_TYPES.filter(name => known.has(name));
}

/** Whether a file's name promises an office document. */
export function isOfficeName(name: string): boolean {
  const dot = name.lastIndexOf('.');
  return dot > 0 && OFFICE_SUFFIXES.has(name.slice(dot + 1).toLowerCase());
}

export function iconOf(name: string): LabIcon {
  const suffix = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return KINDS.find(kind => kind.suffixes.includes(suffix))?.icon ?? icons.docpeek;
}

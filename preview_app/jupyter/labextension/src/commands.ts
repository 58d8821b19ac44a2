/** The commands of the viewer that is in front: for the palette, the menus and the keyboard. */

import { ICommandPalette } from '@jupyterlab/apputils';
import { TranslationBundle } from '@jupyterlab/translation';
import { LabIcon } from '@jupyterlab/ui-components';
import { CommandRegistry } from '@lumino/commands';

import { icons } from './icons';
import { Viewer } from './viewer';

interface ICommand {
  readonly id: string;
  readonly label: string;
  readonly act: (viewer: Viewer) => unknown;
  readonly icon?: LabIcon;
  readonly isToggled?: (viewer: Viewer) => boolean;
  readonly isEnabled?: (viewer: Viewer) => boolean;
}

const isReading = (viewer: Viewer): boolean => viewer.reading !== null;

function viewCommands(trans: TranslationBundle): ICommand[] {
  return [
    {
      id: 'zoom-in',
      label: trans.__('Zoom In'),
      icon: icons.zoomIn,
      act: viewer => viewer.reading?.column.zoomStep(1)
    },
    {
      id: 'zoom-out',
      label: trans.__('Zoom Out'),
      icon: icons.zoomOut,
      act: viewer => viewer.reading?.column.zoomStep(-1)
    },
    { id: 'zoom-actual', label: trans.__('Actual Size'), act: viewer => viewer.reading?.column.zoomTo(1) },
    {
      id: 'fit-width',
      label: trans.__('Fit Width'),
      icon: icons.fitWidth,
      act: viewer => viewer.reading?.column.setFit('width')
    },
    {
      id: 'fit-page',
      label: trans.__('Fit Page'),
      icon: icons.fitPage,
      act: viewer => viewer.reading?.column.setFit('page')
    },
    {
      id: 'fit-automatic',
      label: trans.__('Automatic Zoom'),
      act: viewer => viewer.reading?.column.setFit('automatic')
    },
    {
      id: 'night',
      label: trans.__('Light Text on Dark Pages'),
      icon: icons.night,
      isToggled: viewer => viewer.isNight,
      act: viewer => viewer.toggleNight()
    },
    { id: 'first-page', label: trans.__('First Page'), act: viewer => viewer.reading?.column.goTo(0) },
    { id: 'last-page', label: trans.__('Last Page'), act: viewer => viewer.reading?.column.goTo(Infinity) },
    { id: 'next-page', label: trans.__('Next Page'), act: viewer => turn(viewer, 1) },
    { id: 'previous-page', label: trans.__('Previous Page'), act: viewer => turn(viewer, -1) },
    {
      id: 'go-back',
      label: trans.__('Back to where the Link Was'),
      isEnabled: viewer => viewer.reading?.canGoBack ?? false,
      act: viewer => viewer.reading?.goBack()
    }
  ];
}

function documentCommands(trans: TranslationBundle): ICommand[] {
  return [
    { id: 'find', label: trans.__('Find…'), icon: icons.search, act: viewer => viewer.openFind() },
    { id: 'find-next', label: trans.__('Find Next'), act: viewer => viewer.findStep(1) },
    { id: 'find-previous', label: trans.__('Find Previous'), act: viewer => viewer.findStep(-1) },
    {
      id: 'thumbnails',
      label: trans.__('Show Thumbnails'),
      icon: icons.sidebar,
      isToggled: viewer => viewer.reading?.tab === 'thumbnails',
      act: viewer => viewer.toggleTab('thumbnails')
    },
    {
      id: 'outline',
      label: trans.__('Show Outline'),
      isToggled: viewer => viewer.reading?.tab === 'outline',
      act: viewer => viewer.toggleTab('outline')
    },
    {
      id: 'details',
      label: trans.__('Show Details'),
      icon: icons.information,
      isToggled: viewer => viewer.reading?.tab === 'facts',
      act: viewer => viewer.toggleTab('facts')
    },
    { id: 'download-pdf', label: trans.__('Download as PDF'), icon: icons.save, act: viewer => viewer.download() },
    { id: 'print', label: trans.__('Print Document…'), icon: icons.print, act: viewer => viewer.print() },
    { id: 'select-all', label: trans.__('Select All Text'), act: viewer => viewer.reading?.selectAll() },
    { id: 'copy', label: trans.__('Copy Text'), icon: icons.copy, act: viewer => viewer.reading?.copy() },
    { id: 'reload', label: trans.__('Convert Again'), isEnabled: () => true, act: viewer => viewer.open() },
    {
      id: 'print-layout',
      label: trans.__('Spreadsheet as Printed'),
      isToggled: viewer => viewer.isPrintLayout,
      act: viewer => viewer.togglePrintLayout()
    }
  ];
}

function turn(viewer: Viewer, step: number): void {
  const column = viewer.reading?.column;
  column?.goTo(column.page + step);
}

/** Register the commands; `current` is the viewer in front. */
export function addCommands(
  commands: CommandRegistry,
  palette: ICommandPalette | null,
  trans: TranslationBundle,
  current: () => Viewer | null
): void {
  const category = trans.__('Document Preview');
  const test = (check: (viewer: Viewer) => boolean): boolean => {
    const viewer = current();
    return viewer !== null && check(viewer);
  };
  for (const command of [...viewCommands(trans), ...documentCommands(trans)]) {
    const id = `docpeek:${command.id}`;
    commands.addCommand(id, {
      label: command.label,
      describedBy: { args: { type: 'object', properties: {} } },
      ...(command.icon ? { icon: command.icon } : {}),
      isEnabled: () => test(command.isEnabled ?? isReading),
      ...(command.isToggled ? { isToggleable: true, isToggled: () => test(command.isToggled ?? isReading) } : {}),
      execute: async () => {
        const viewer = current();
        if (viewer) {
          await command.act(viewer);
        }
      }
    });
    palette?.addItem({ command: id, category });
  }
}

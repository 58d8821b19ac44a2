/** The desktop application's icons, as Lab's. */

import { LabIcon } from '@jupyterlab/ui-components';

import closeSvg from '../../../../assets/icons/close.svg';
import copySvg from '../../../../assets/icons/copy.svg';
import docpeekSvg from '../../../../assets/icons/docpeek.svg';
import fitPageSvg from '../../../../assets/icons/fit-page.svg';
import fitWidthSvg from '../../../../assets/icons/fit-width.svg';
import informationSvg from '../../../../assets/icons/information.svg';
import nextSvg from '../../../../assets/icons/next.svg';
import nightSvg from '../../../../assets/icons/night.svg';
import previousSvg from '../../../../assets/icons/previous.svg';
import printSvg from '../../../../assets/icons/print.svg';
import saveSvg from '../../../../assets/icons/save.svg';
import searchSvg from '../../../../assets/icons/search.svg';
import sidebarSvg from '../../../../assets/icons/sidebar.svg';
import drawingSvg from '../../../../assets/icons/type-drawing.svg';
import sheetSvg from '../../../../assets/icons/type-sheet.svg';
import slidesSvg from '../../../../assets/icons/type-slides.svg';
import textSvg from '../../../../assets/icons/type-text.svg';
import warningSvg from '../../../../assets/icons/warning.svg';
import zoomInSvg from '../../../../assets/icons/zoom-in.svg';
import zoomOutSvg from '../../../../assets/icons/zoom-out.svg';

const icon = (name: string, svgstr: string): LabIcon => new LabIcon({ name: `docpeek:${name}`, svgstr });

export const icons = {
  close: icon('close', closeSvg),
  copy: icon('copy', copySvg),
  docpeek: icon('docpeek', docpeekSvg),
  drawing: icon('drawing', drawingSvg),
  fitPage: icon('fit-page', fitPageSvg),
  fitWidth: icon('fit-width', fitWidthSvg),
  information: icon('information', informationSvg),
  next: icon('next', nextSvg),
  night: icon('night', nightSvg),
  previous: icon('previous', previousSvg),
  print: icon('print', printSvg),
  save: icon('save', saveSvg),
  search: icon('search', searchSvg),
  sheet: icon('sheet', sheetSvg),
  sidebar: icon('sidebar', sidebarSvg),
  slides: icon('slides', slidesSvg),
  text: icon('text', textSvg),
  warning: icon('warning', warningSvg),
  zoomIn: icon('zoom-in', zoomInSvg),
  zoomOut: icon('zoom-out', zoomOutSvg)
};

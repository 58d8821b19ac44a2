/** The toolbar of a viewer. */

import { DocumentRegistry } from '@jupyterlab/docregistry';
import { TranslationBundle } from '@jupyterlab/translation';
import { LabIcon, Toolbar } from '@jupyterlab/ui-components';
import { Widget } from '@lumino/widgets';

import { element, iconButton } from './dom';
import { Fit, ZOOM_STEPS } from './geometry';
import { icons } from './icons';
import { Viewer } from './viewer';

/** The items of the toolbar, in order. They follow the viewer until it is gone. */
export function toolbarItems(viewer: Viewer, trans: TranslationBundle): DocumentRegistry.IToolbarItem[] {
  const press = (icon: LabIcon, name: string, act: () => void, isOn?: () => boolean): Widget =>
    new ToolbarPress(viewer, iconButton(icon, name, act), isOn);
  return [
    {
      name: 'sidebar',
      widget: press(
        icons.sidebar,
        trans.__('Pages, outline, details'),
        () => viewer.toggleTab(),
        () => !!viewer.reading?.tab
      )
    },
    { name: 'page', widget: new PageBox(viewer, trans) },
    { name: 'zoom-out', widget: press(icons.zoomOut, trans.__('Zoom out'), () => viewer.reading?.column.zoomStep(-1)) },
    { name: 'zoom', widget: new ZoomBox(viewer, trans) },
    { name: 'zoom-in', widget: press(icons.zoomIn, trans.__('Zoom in'), () => viewer.reading?.column.zoomStep(1)) },
    { name: 'find', widget: press(icons.search, trans.__('Find'), () => viewer.openFind()) },
    { name: 'spacer', widget: Toolbar.createSpacerItem() },
    {
      name: 'facts',
      widget: press(
        icons.information,
        trans.__('Details'),
        () => viewer.toggleTab('facts'),
        () => viewer.reading?.tab === 'facts'
      )
    },
    { name: 'download', widget: press(icons.save, trans.__('Download as PDF'), () => void viewer.download()) },
    { name: 'print', widget: press(icons.print, trans.__('Print'), () => void viewer.print()) }
  ];
}

/** A widget of the toolbar that is brought up to date when the viewer changes. */
abstract class Following extends Widget {
  constructor(
    protected readonly viewer: Viewer,
    node: HTMLElement
  ) {
    super({ node });
    this.addClass('dp-ToolbarItem');
    viewer.changed.connect(this._follow, this);
  }

  protected abstract follow(): void;

  private _follow(): void {
    if (!this.isDisposed) {
      this.follow();
    }
  }
}

class ToolbarPress extends Following {
  constructor(
    viewer: Viewer,
    private readonly _button: HTMLButtonElement,
    private readonly _isOn?: () => boolean
  ) {
    super(viewer, element('div', {}, _button));
    this.follow();
  }

  protected follow(): void {
    this._button.disabled = this.viewer.reading === null;
    if (this._isOn) {
      this._button.setAttribute('aria-pressed', String(this._isOn()));
    }
  }
}

class PageBox extends Following {
  private readonly _input: HTMLInputElement;
  private readonly _count = element('span', { class: 'dp-PageCount' });

  constructor(viewer: Viewer, trans: TranslationBundle) {
    const input = element('input', {
      class: 'dp-PageInput',
      inputmode: 'numeric',
      'aria-label': trans.__('Page'),
      title: trans.__('Page')
    });
    const node = element('div', { class: 'dp-PageBox' });
    super(viewer, node);
    this._input = input;
    node.append(input, this._count);
    input.addEventListener('change', () => this._go());
    input.addEventListener('focus', () => input.select());
    input.addEventListener('keydown', event => this._onKey(event));
    this.follow();
  }

  protected follow(): void {
    const column = this.viewer.reading?.column;
    this._input.disabled = !column;
    if (document.activeElement !== this._input) {
      this._input.value = column ? String(column.page + 1) : '';
    }
    this._count.textContent = column ? `/ ${column.pageCount}` : '';
  }

  private _go(): void {
    const column = this.viewer.reading?.column;
    const page = Number.parseInt(this._input.value, 10);
    if (column && Number.isFinite(page)) {
      column.goTo(page - 1);
    }
    this._input.value = String((column?.page ?? 0) + 1);
  }

  private _onKey(event: KeyboardEvent): void {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const column = this.viewer.reading?.column;
    if (event.key === 'Enter') {
      this._go();
      column?.node.focus();
    } else if (step && column) {
      column.goTo(column.page + step);
      this._input.value = String(column.page + 1);
      event.preventDefault();
    }
    event.stopPropagation();
  }
}

class ZoomBox extends Following {
  private readonly _select: HTMLSelectElement;
  private readonly _current: HTMLOptionElement;

  constructor(viewer: Viewer, trans: TranslationBundle) {
    const current = element('option', { value: 'current', hidden: '' });
    const fits: [string, string][] = [
      ['automatic', trans.__('Automatic')],
      ['width', trans.__('Fit width')],
      ['page', trans.__('Fit page')]
    ];
    const steps: [string, string][] = ZOOM_STEPS.filter(step => step >= 0.25).map(step => [
      String(step),
      percent(step)
    ]);
    const options = [...fits, ...steps].map(([value, label]) => element('option', { value }, label));
    const select = element('select', { class: 'dp-ZoomSelect', 'aria-label': trans.__('Zoom') }, current, ...options);
    super(viewer, element('div', {}, select));
    this._select = select;
    this._current = current;
    select.title = trans.__('Zoom');
    select.addEventListener('change', () => this._choose());
    this.follow();
  }

  protected follow(): void {
    const column = this.viewer.reading?.column;
    this._select.disabled = !column;
    this._current.textContent = column ? percent(column.zoom) : '';
    this._select.value = 'current';
  }

  private _choose(): void {
    const column = this.viewer.reading?.column;
    const { value } = this._select;
    if (Number(value)) {
      column?.zoomTo(Number(value));
    } else if (value !== 'current') {
      column?.setFit(value as Exclude<Fit, 'free'>);
    }
    column?.node.focus();
    this.follow();
  }
}

function percent(zoom: number): string {
  return `${Math.round(zoom * 100)} %`;
}

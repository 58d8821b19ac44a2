/** What is known about a document, for quality assurance: readable here, copied as JSON. */

import { TranslationBundle } from '@jupyterlab/translation';

import { button, element } from './dom';
import { bytes } from './words';

type Told = Node | string;
/** What a fact is called, and how its value is told; without it as it is. */
type Reader = readonly [label: string, tell?: (value: any) => Told];

const MM_A_POINT = 25.4 / 72;

export class Facts {
  readonly node: HTMLElement;

  constructor(private readonly _trans: TranslationBundle) {
    this.node = element('section', { class: 'dp-Facts', 'aria-label': _trans.__('Details') });
  }

  show(facts: Readonly<Record<string, unknown>>): void {
    const json = JSON.stringify(facts, null, 2);
    const copy = button(this._trans.__('Copy as JSON'), () => void navigator.clipboard.writeText(json));
    this.node.replaceChildren(copy, list(facts, readers(this._trans)));
  }

  fail(message: string): void {
    this.node.replaceChildren(element('p', { class: 'dp-Empty', role: 'alert' }, message));
  }
}

/** By the names that facts have in JSON; what only programs need is not among them. */
function readers(trans: TranslationBundle): Readonly<Record<string, Reader>> {
  const seconds: Readonly<Record<string, Reader>> = {
    queue: [trans.__('Waiting')],
    convert: [trans.__('Converting')],
    total: [trans.__('In all')]
  };
  return {
    file: [trans.__('File')],
    type: [trans.__('Type')],
    bytes: [trans.__('Size'), exactBytes],
    modified: [trans.__('Changed'), moment],
    pages: [trans.__('Pages')],
    page_sizes_pt: [trans.__('Page sizes'), sizes => lines(sizes.map(pageSize))],
    notices: [trans.__('Notices'), lines],
    missing_fonts: [trans.__('Replaced fonts'), fonts => lines(fonts.map(replacement))],
    engine: [trans.__('Engine')],
    engine_version: [trans.__('Engine version')],
    pdf_bytes: [trans.__('Size as PDF'), exactBytes],
    seconds: [trans.__('Seconds'), times => list(times, seconds)],
    from_cache: [trans.__('Converted before'), before => (before ? trans.__('yes') : trans.__('no'))],
    digest: [trans.__('Digest'), code],
    generation: [trans.__('Generation'), code],
    docpeek: ['docpeek']
  };
}

function list(facts: Readonly<Record<string, unknown>>, by: Readonly<Record<string, Reader>>): HTMLElement {
  const isTold = (value: unknown): boolean =>
    value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);
  const rows = Object.entries(by)
    .filter(([name]) => isTold(facts[name]))
    .flatMap(([name, [label, tell = plain]]) => [element('dt', {}, label), element('dd', {}, tell(facts[name]))]);
  return element('dl', {}, ...rows);
}

function plain(value: unknown): string {
  return typeof value === 'number' ? value.toLocaleString() : String(value);
}

function lines(texts: readonly string[]): Node {
  return element('div', {}, ...texts.map(text => element('div', {}, text)));
}

function code(text: string): Node {
  return element('code', {}, text);
}

function exactBytes(count: number): Node {
  return element('span', { title: `${count.toLocaleString()} B` }, bytes(count));
}

function moment(iso: string): Told {
  const when = new Date(iso);
  return Number.isNaN(when.getTime()) ? iso : element('time', { datetime: iso, title: iso }, when.toLocaleString());
}

function pageSize({ width, height, pages }: { width: number; height: number; pages: number }): string {
  const [wide, high] = [width, height].map(points => Math.round(points * MM_A_POINT).toLocaleString());
  return `${wide} × ${high} mm${pages > 1 ? ` (${pages.toLocaleString()})` : ''}`;
}

function replacement({ requested, used }: { requested: string; used?: string | null }): string {
  return used ? `${requested} → ${used}` : requested;
}

/** Invisible text over the picture of a page, for selecting, copying and screen readers; links and marks. */

import { Box, IHit, ILine, ILink, IPageText } from './protocol';

const FONT = 'sans-serif';

let ruler: CanvasRenderingContext2D | null = null;

/** How wide the browser sets a text in a font of 100 px. */
function measuredWidth(text: string): number {
  ruler ??= document.createElement('canvas').getContext('2d');
  if (!ruler) {
    return 0;
  }
  ruler.font = `100px ${FONT}`;
  return ruler.measureText(text).width;
}

/** A layer laid out in points; whoever shows it scales it. */
export function buildTextLayer(text: IPageText): HTMLElement {
  const layer = document.createElement('div');
  layer.className = 'dp-TextLayer';
  let block = -1;
  let paragraph: HTMLElement | null = null;
  for (const line of text.lines) {
    if (!paragraph || line.block !== block) {
      block = line.block;
      paragraph = document.createElement('p');
      layer.append(paragraph);
    }
    paragraph.append(buildLine(line));
  }
  return layer;
}

function buildLine(line: ILine): HTMLElement {
  const span = document.createElement('span');
  span.className = 'dp-Line';
  span.textContent = line.text;
  const [x0, y0, x1, y1] = line.box;
  const length = line.vertical ? y1 - y0 : x1 - x0;
  const thickness = Math.max(1, line.vertical ? x1 - x0 : y1 - y0);
  const backwards = (line.edges[line.edges.length - 1] ?? 0) < (line.edges[0] ?? 0);
  const natural = (measuredWidth(line.text) * thickness) / 100;
  const stretch = natural > 0 ? length / natural : 1;
  const turn = line.vertical ? (backwards ? 'rotate(-90deg) ' : 'rotate(90deg) ') : '';
  span.style.left = `${line.vertical && !backwards ? x1 : x0}px`;
  span.style.top = `${line.vertical && backwards ? y1 : y0}px`;
  span.style.fontSize = `${thickness}px`;
  span.style.transform = `${turn}scaleX(${stretch.toFixed(4)})`;
  if (backwards && !line.vertical) {
    span.dir = 'rtl';
  }
  return span;
}

/** Only these lead out of the document; `javascript:` and the like do not become links. */
export function isSafeAddress(uri: string): boolean {
  return /^(https?|mailto|ftp):/i.test(uri.trim());
}

export function buildLinks(
  links: readonly ILink[],
  go: (link: ILink) => void,
  describe: (link: ILink) => string
): HTMLElement {
  const layer = document.createElement('div');
  layer.className = 'dp-LinkLayer';
  for (const link of links) {
    const anchor = buildLink(link, go);
    if (anchor) {
      anchor.setAttribute('aria-label', describe(link));
      anchor.title = describe(link);
      place(anchor, link.box);
      layer.append(anchor);
    }
  }
  return layer;
}

function buildLink(link: ILink, go: (link: ILink) => void): HTMLAnchorElement | null {
  const anchor = document.createElement('a');
  if (link.uri && isSafeAddress(link.uri)) {
    anchor.href = link.uri;
    anchor.target = '_blank';
    anchor.rel = 'noopener noreferrer';
    return anchor;
  }
  if (link.page === undefined || link.page === null) {
    return null;
  }
  anchor.href = '#';
  anchor.addEventListener('click', event => {
    event.preventDefault();
    go(link);
  });
  return anchor;
}

/** The marks of what was found on a page; `current` is the index of the one that a person looks at, or -1. */
export function buildMarks(hits: readonly IHit[], current: number): HTMLElement {
  const layer = document.createElement('div');
  layer.className = 'dp-MarkLayer';
  hits.forEach((hit, index) => {
    for (const box of hit.boxes) {
      const mark = document.createElement('div');
      mark.className = index === current ? 'dp-Mark dp-mod-current' : 'dp-Mark';
      place(mark, box);
      layer.append(mark);
    }
  });
  return layer;
}

function place(element: HTMLElement, [x0, y0, x1, y1]: Box): void {
  element.style.left = `${x0}px`;
  element.style.top = `${y0}px`;
  element.style.width = `${x1 - x0}px`;
  element.style.height = `${y1 - y0}px`;
}

/** The selected text under `root`: a line of the document is a line, whatever the browser makes of it. */
export function selectedText(root: HTMLElement, selection: Selection): string {
  const ranges = Array.from({ length: selection.rangeCount }, (_, index) => selection.getRangeAt(index));
  const lines: string[] = [];
  for (const line of root.querySelectorAll<HTMLElement>('.dp-Line')) {
    const range = ranges.find(each => each.intersectsNode(line));
    const part = range ? partOf(line, range) : '';
    if (part) {
      lines.push(part);
    }
  }
  return lines.join('\n');
}

function partOf(line: HTMLElement, range: Range): string {
  const text = line.textContent ?? '';
  const node = line.firstChild;
  const from = range.startContainer === node ? range.startOffset : 0;
  const to = range.endContainer === node ? range.endOffset : text.length;
  return text.slice(from, to);
}

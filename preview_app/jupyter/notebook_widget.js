/*
 * A preview inside a notebook: pages in a column of their own, fetched from the kernel as they come into view.
 *
 * Theory. The kernel is told the whole list of what is wanted now, most urgent first; a new list replaces the last one,
 * so that what has been scrolled past is given up there. The next list is sent only once the last one was seen: however
 * busy the kernel is, one message of ours waits for it. A picture is shown only if it is still wanted when it comes.
 * Lengths are whole device pixels where pages are laid out, so that a page's pixels land on the screen's; points (pt)
 * where the kernel tells them. Pages are told apart by their numbers in the document, from 1.
 */

const GAP = 10;
const ACTUAL_SIZE = 96 / 72;
const ZOOM_STEPS = [0.1, 0.25, 0.33, 0.5, 0.67, 0.75, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4, 5, 6, 8];
const ZOOM_MIN = 0.1;
const DPI_MAX = 1190;
const FIT_ZOOM_MAX = 1.5;
const COLUMN_HEIGHT_MAX = 16_000_000; // CSS pixels; browsers lay out no element higher than about this
const HEIGHT_FIRST_MAX = 640;
const TILE = 1024;
const WHOLE_PIXELS_MAX = 6_000_000;
const UNDERLAY_PIXELS = 1_000_000;
const TEXT_LINES_MAX = 4000;
const SILENCE_MS = 4000;
const SAFE_ADDRESS = /^(https?|mailto|ftp):/i;

const ICONS = {
  previous: 'M15 5l-7 7 7 7',
  next: 'M9 5l7 7-7 7',
  'zoom-out': 'M17 10.5a6.5 6.5 0 1 1-13 0 6.5 6.5 0 0 1 13 0zM15.5 15.5l5 5M7.8 10.5h5.4',
  'zoom-in': 'M17 10.5a6.5 6.5 0 1 1-13 0 6.5 6.5 0 0 1 13 0zM15.5 15.5l5 5M10.5 7.8v5.4M7.8 10.5h5.4'
};

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

function iconButton(icon, label, act) {
  const button = element('button', { type: 'button', class: 'dpn-Button', 'aria-label': label, title: label });
  button.innerHTML =
    '<svg viewBox="0 0 24 24" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.7"' +
    ` stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${ICONS[icon]}"/></svg>`;
  button.addEventListener('click', act);
  return button;
}

function textButton(label, act) {
  const button = element('button', { type: 'button', class: 'dpn-TextButton' }, label);
  button.addEventListener('click', act);
  return button;
}

function setBox(node, box, ratio) {
  node.style.left = `${box.x / ratio}px`;
  node.style.top = `${box.y / ratio}px`;
  node.style.width = `${box.width / ratio}px`;
  node.style.height = `${box.height / ratio}px`;
}

/* The text of a page, invisible over its picture: to select, to copy, to be read aloud. Laid out in points. */

let ruler = null;

function naturalWidth(text) {
  ruler ??= document.createElement('canvas').getContext('2d');
  ruler.font = '100px sans-serif';
  return ruler.measureText(text).width;
}

function textLine(line) {
  const span = element('span', { class: 'dpn-Line' }, line.text);
  const [x0, y0, x1, y1] = line.box;
  const thickness = Math.max(1, line.vertical ? x1 - x0 : y1 - y0);
  const natural = (naturalWidth(line.text) * thickness) / 100;
  const stretch = natural > 0 ? (line.vertical ? y1 - y0 : x1 - x0) / natural : 1;
  span.style.left = `${line.vertical ? x1 : x0}px`;
  span.style.top = `${y0}px`;
  span.style.fontSize = `${thickness}px`;
  span.style.transform = `${line.vertical ? 'rotate(90deg) ' : ''}scaleX(${stretch.toFixed(4)})`;
  return span;
}

function textLayer(text) {
  const layer = element('div', { class: 'dpn-Text' });
  let block = -1;
  let paragraph = null;
  for (const line of text.lines.slice(0, TEXT_LINES_MAX)) {
    if (line.block !== block || !paragraph) {
      block = line.block;
      paragraph = element('p');
      layer.append(paragraph);
    }
    paragraph.append(textLine(line), '\n');
  }
  return layer;
}

function linkLayer(links, goTo) {
  const layer = element('div');
  for (const link of links) {
    const label = link.uri ?? `Page ${link.page}`;
    const anchor = element('a', { class: 'dpn-Link', href: '#', title: label, 'aria-label': label });
    const [x0, y0, x1, y1] = link.box;
    setBox(anchor, { x: x0, y: y0, width: x1 - x0, height: y1 - y0 }, 1);
    if (link.uri && SAFE_ADDRESS.test(link.uri)) {
      Object.assign(anchor, { href: link.uri, target: '_blank', rel: 'noopener noreferrer' });
    } else if (link.page) {
      anchor.addEventListener('click', event => {
        event.preventDefault();
        goTo(link.page);
      });
    } else {
      continue;
    }
    layer.append(anchor);
  }
  return layer;
}

/* Where each page lies, in whole device pixels. */

class Layout {
  constructor(pages, scale, gap, viewWidth) {
    this.scale = scale;
    const sizes = pages.map(page => ({
      width: Math.max(1, Math.round(page.width * scale)),
      height: Math.max(1, Math.round(page.height * scale))
    }));
    this.width = Math.max(viewWidth, ...sizes.map(size => size.width + 2 * gap));
    let y = gap;
    this.boxes = sizes.map(size => {
      const box = { ...size, x: Math.floor((this.width - size.width) / 2), y };
      y += size.height + gap;
      return box;
    });
    this.height = y;
  }

  /** The index of the last page that begins at or above `y`. */
  at(y) {
    let low = 0;
    let high = this.boxes.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.boxes[middle].y <= y) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /** The page that a person would say they are on. */
  current(top, height) {
    const first = this.at(top);
    const box = this.boxes[first];
    const rows = Math.min(box.y + box.height, top + height) - top;
    return first + 1 < this.boxes.length && 2 * rows < Math.min(box.height, height) ? first + 1 : first;
  }
}

/* One page on the screen. */

class Page {
  constructor(page, count, viewer) {
    this.number = page.number;
    this.size = page;
    this.viewer = viewer;
    this.images = new Map();
    this.failed = new Set();
    this.hasText = false;
    this.pictures = element('div');
    this.overlay = element('div', { class: 'dpn-Overlay' });
    this.node = element('div', {
      class: 'dpn-Page',
      role: 'group',
      'data-page': page.number,
      'aria-label': `Page ${page.number} of ${count}`
    });
    this.node.append(this.pictures, this.overlay);
  }

  place(box, scale, ratio) {
    Object.assign(this, { box, scale, ratio });
    setBox(this.node, box, ratio);
    this.overlay.style.transform = `scale(${scale / ratio})`;
    for (const [key, image] of this.images) {
      this.fit(key, image);
    }
  }

  /** The pieces wanted of this page; `view` is the part of the column on the screen. */
  pieces(view) {
    const area = this.box.width * this.box.height;
    if (area <= WHOLE_PIXELS_MAX) {
      return [{ key: `${this.number}@${this.scale.toFixed(4)}`, dpi: this.scale * 72 }];
    }
    const under = this.scale * Math.sqrt(UNDERLAY_PIXELS / area);
    return [{ key: `${this.number}@under`, dpi: Math.max(4, under * 72) }, ...this.tiles(view)];
  }

  tiles(view) {
    const found = [];
    const { box, scale } = this;
    const from = offset => Math.max(0, Math.floor(offset / TILE));
    for (let row = from(view.y - box.y); row * TILE < Math.min(box.height, view.y + view.height - box.y); row++) {
      for (let column = from(view.x - box.x); column * TILE < Math.min(box.width, view.x + view.width - box.x); column++) {
        const clip = [column, row, column + 1, row + 1].map(edge => (edge * TILE) / scale);
        found.push({ key: `${this.number}@${scale.toFixed(4)}#${column},${row}`, dpi: scale * 72, clip });
      }
    }
    return found;
  }

  async show(key, data) {
    const image = new Image();
    image.alt = '';
    image.draggable = false;
    const url = URL.createObjectURL(new Blob([data], { type: 'image/png' }));
    image.src = url;
    const decoded = await image.decode().then(() => true, () => false);
    URL.revokeObjectURL(url);
    if (decoded && !this.images.has(key) && this.viewer.wants(key)) {
      this.add(key, image);
      this.node.querySelector('.dpn-PageNote')?.remove();
      this.dropOthers();
    } else {
      this.viewer.askAnew();
    }
  }

  add(key, image) {
    this.images.set(key, image);
    image.className = key.includes('#') ? 'dpn-Tile' : 'dpn-Picture';
    this.pictures[key.includes('#') ? 'append' : 'prepend'](image);
    this.fit(key, image);
  }

  /** The picture that came with the preview itself, until the kernel has time for one that fits the screen. */
  showStill(data) {
    const image = new Image();
    image.alt = '';
    image.src = URL.createObjectURL(new Blob([data], { type: 'image/png' }));
    image.addEventListener('load', () => URL.revokeObjectURL(image.src), { once: true });
    this.add(`${this.number}@still`, image);
  }

  /** Size a picture: to the exact pixel at its own scale, as wide as the page meanwhile at another one. */
  fit(key, image) {
    const tile = key.match(/@([\d.]+)#(\d+),(\d+)$/);
    if (tile && tile[1] !== this.scale.toFixed(4)) {
      image.remove();
      this.images.delete(key);
      return;
    }
    const exact = key.endsWith(`@${this.scale.toFixed(4)}`) || tile;
    const size = exact ? { width: image.naturalWidth, height: image.naturalHeight } : this.box;
    const place = tile ? { x: Number(tile[2]) * TILE, y: Number(tile[3]) * TILE } : { x: 0, y: 0 };
    setBox(image, { ...place, width: size.width, height: size.height }, this.ratio);
  }

  /** Once a picture of the present scale is there, those of other scales go. */
  dropOthers() {
    const wanted = this.viewer.wantedOf(this.number);
    if (!wanted.some(key => this.images.has(key))) {
      return;
    }
    for (const [key, image] of this.images) {
      if (!wanted.includes(key)) {
        image.remove();
        this.images.delete(key);
      }
    }
  }

  setText(text, goTo) {
    if (!this.hasText) {
      this.hasText = true;
      this.overlay.append(textLayer(text), linkLayer(text.links, goTo));
    }
  }

  fail(key, message, retry) {
    this.failed.add(key);
    if (this.images.size || this.node.querySelector('.dpn-PageNote')) {
      return;
    }
    const again = textButton('Retry', () => {
      note.remove();
      this.failed.clear();
      retry();
    });
    const note = element('div', { class: 'dpn-PageNote', role: 'alert' }, message, again);
    this.node.append(note);
  }
}

/* The whole preview in one output cell. */

class Viewer {
  constructor(model, root) {
    this.model = model;
    this.root = root;
    this.view = Math.random().toString(36).slice(2);
    this.fit = 'width';
    this.zoom = 1;
    this.pages = new Map();
    this.wanted = new Map();
    this.isOnScreen = true;
    this.ends = new AbortController();
    this.sent = 0;
    this.seen = 0;
    this.build();
    this.follow();
    this.onMessage = this.onMessage.bind(this);
    model.on('msg:custom', this.onMessage);
  }

  get document() {
    return this.model.get('document');
  }

  build() {
    const { name, pages, page_count: count, notices } = this.document;
    this.ratio = window.devicePixelRatio || 1;
    this.count = count;
    this.input = element('input', { class: 'dpn-PageInput', inputmode: 'numeric', 'aria-label': 'Page', title: 'Page' });
    this.select = element('select', { class: 'dpn-Zoom', 'aria-label': 'Zoom', title: 'Zoom' });
    this.current = element('option', { value: 'current', hidden: '' });
    const choices = [['width', 'Fit width'], ['page', 'Fit page']];
    const steps = ZOOM_STEPS.filter(step => step >= 0.25).map(step => [String(step), `${Math.round(step * 100)} %`]);
    this.select.append(
      this.current,
      ...[...choices, ...steps].map(([value, label]) => element('option', { value }, label))
    );
    this.previous = iconButton('previous', 'Previous page', () => this.step(-1));
    this.next = iconButton('next', 'Next page', () => this.step(1));
    const bar = element(
      'div',
      { class: 'dpn-Bar', role: 'toolbar', 'aria-label': `Preview of ${name}` },
      element('span', { class: 'dpn-Name', title: name }, name),
      element('span', { class: 'dpn-Spacer' }),
      this.previous,
      element('span', { class: 'dpn-PageBox' }, this.input, `/ ${count}`),
      this.next,
      iconButton('zoom-out', 'Zoom out', () => this.zoomStep(-1)),
      this.select,
      iconButton('zoom-in', 'Zoom in', () => this.zoomStep(1))
    );
    this.sheet = element('div', { class: 'dpn-Sheet' });
    this.column = element(
      'div',
      { class: 'dpn-Column', tabindex: '0', role: 'document', 'aria-label': `Pages of ${name}` },
      this.sheet
    );
    this.live = element('div', { class: 'dpn-Live', 'aria-live': 'polite' });
    this.hint = element('div', { class: 'dpn-Hint', role: 'status', hidden: '' });
    // Lab and Notebook take single keys as commands of their own, unless an element says that they are not for them.
    this.frame = element('div', { class: 'dpn-Frame', 'data-lm-suppress-shortcuts': 'true' }, bar);
    if (notices.length) {
      this.frame.append(notice(notices));
    }
    this.frame.append(this.hint, this.column, this.live);
    this.frame.dataset.pages = pages.length;
    this.root.append(this.frame);
  }

  follow() {
    const { signal } = this.ends;
    const on = (node, type, act, options = {}) => node.addEventListener(type, act, { signal, ...options });
    on(this.column, 'scroll', () => this.refresh());
    on(this.column, 'wheel', event => this.onWheel(event), { passive: false });
    on(this.frame, 'keydown', event => this.onKey(event));
    on(this.input, 'change', () => this.goTo(Number.parseInt(this.input.value, 10)));
    on(this.input, 'focus', () => this.input.select());
    on(this.select, 'change', () => this.chooseZoom());
    on(this.column, 'copy', event => this.onCopy(event));
    this.resizing = new ResizeObserver(() => this.onResize());
    this.resizing.observe(this.column);
    this.watching = new IntersectionObserver(entries => {
      this.isOnScreen = entries[entries.length - 1].isIntersecting;
      this.refresh();
    });
    this.watching.observe(this.frame);
    this.watchRatio();
    // Where outputs are put together from parts, ours may come into the notebook only after this.
    window.requestAnimationFrame(() => !signal.aborted && this.showStill(false));
  }

  /** Draw again when the window goes to another screen, or the browser's own zoom changes. */
  watchRatio() {
    const query = window.matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
    const changed = () => {
      this.ratio = window.devicePixelRatio || 1;
      this.relayout();
      this.watchRatio();
    };
    query.addEventListener('change', changed, { once: true, signal: this.ends.signal });
  }

  dispose() {
    this.ends.abort();
    this.resizing.disconnect();
    this.watching.disconnect();
    window.clearTimeout(this.timer);
    this.model.off('msg:custom', this.onMessage);
    this.showStill(true);
    this.send({ type: 'leave', view: this.view });
    this.frame.remove();
  }

  /** The picture that is saved with the notebook stands in the output before ours, and is for when we are gone. */
  showStill(isShown) {
    const child = this.root.closest('.jp-OutputArea-child, .output_container, .output_area');
    const before = this.still ?? child?.previousElementSibling;
    if (before && (this.still || before.querySelector('img')?.src.endsWith(this.document.still_end))) {
      this.still = before;
      before.style.display = isShown ? '' : 'none';
    }
  }

  /* Zoom and place */

  onResize() {
    if (!this.column.clientWidth) {
      this.wasHidden = true; // another tab, a collapsed output, a cell that was scrolled away: its place may be lost
      return;
    }
    if (this.wasHidden && this.place) {
      [this.column.scrollLeft, this.column.scrollTop] = this.place;
    }
    this.wasHidden = false;
    const first = !this.layout;
    if (first) {
      this.column.style.height = `${HEIGHT_FIRST_MAX}px`;
    }
    this.relayout();
    if (first) {
      const height = Math.min(HEIGHT_FIRST_MAX, Math.ceil(this.layout.height / this.ratio) + 1);
      this.column.style.height = `${height}px`;
    }
  }

  fittingZoom() {
    const { pages } = this.document;
    const page = pages[this.index ?? 0] ?? pages[0];
    const alike = pages.filter(each => each.width <= 1.5 * page.width);
    const width = Math.max(1, this.column.clientWidth - 2 * GAP);
    const height = Math.max(1, this.column.clientHeight - 2 * GAP);
    if (this.fit === 'page') {
      return Math.min(width / page.width, height / page.height) / ACTUAL_SIZE;
    }
    return Math.min(FIT_ZOOM_MAX, width / Math.max(...alike.map(each => each.width)) / ACTUAL_SIZE);
  }

  bounded(zoom) {
    const points = this.document.pages.reduce((sum, page) => sum + page.height, 1);
    const most = Math.min(8, DPI_MAX / (96 * this.ratio), COLUMN_HEIGHT_MAX / (points * ACTUAL_SIZE));
    return Math.min(Math.max(zoom, ZOOM_MIN), most);
  }

  /** Lay the pages out anew; what lies at the point `x`, `y` of the view (CSS pixels) stays there. */
  relayout(x = this.column.clientWidth / 2, y = 0) {
    const { column, ratio } = this;
    const anchor = this.layout && this.anchor(column.scrollLeft + x, column.scrollTop + y);
    this.zoom = this.bounded(this.fit === 'free' ? this.zoom : this.fittingZoom());
    const scale = this.zoom * ACTUAL_SIZE * ratio;
    this.layout = new Layout(this.document.pages, scale, Math.round(GAP * ratio), Math.floor(column.clientWidth * ratio));
    this.sheet.style.width = `${this.layout.width / ratio}px`;
    this.sheet.style.height = `${this.layout.height / ratio}px`;
    if (anchor) {
      const box = this.layout.boxes[anchor.index];
      column.scrollLeft = (box.x + anchor.x * box.width) / ratio - x;
      column.scrollTop = (box.y + anchor.y * box.height) / ratio - y;
    }
    this.current.textContent = `${Math.round(this.zoom * 100)} %`;
    this.select.value = this.fit === 'free' ? 'current' : this.fit;
    this.refresh();
  }

  anchor(x, y) {
    const index = this.layout.at(y * this.ratio);
    const box = this.layout.boxes[index];
    return { index, x: (x * this.ratio - box.x) / box.width, y: (y * this.ratio - box.y) / box.height };
  }

  zoomTo(zoom, x, y) {
    this.fit = 'free';
    this.zoom = zoom;
    this.relayout(x, y);
  }

  zoomStep(direction) {
    const next = direction > 0 ? ZOOM_STEPS.find(step => step > this.zoom * 1.005) : ZOOM_STEPS.findLast(step => step < this.zoom * 0.995);
    this.zoomTo(next ?? this.zoom);
  }

  chooseZoom() {
    const { value } = this.select;
    if (Number(value)) {
      this.zoomTo(Number(value));
    } else if (value !== 'current') {
      this.fit = value;
      this.relayout();
    }
    this.column.focus({ preventScroll: true });
  }

  step(direction) {
    const page = this.document.pages[this.index + direction];
    if (page) {
      this.goTo(page.number);
    }
  }

  goTo(number) {
    const { pages } = this.document;
    let index = pages.findIndex(page => page.number >= number);
    index = Number.isFinite(number) ? (index < 0 ? pages.length - 1 : index) : this.index;
    this.column.scrollTop = Math.max(0, this.layout.boxes[index].y / this.ratio - GAP);
    this.input.value = String(pages[index].number);
    this.refresh();
  }

  onWheel(event) {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const box = this.column.getBoundingClientRect();
      const zoom = this.zoom * Math.exp(-event.deltaY / 400);
      this.zoomTo(zoom, event.clientX - box.left, event.clientY - box.top);
    }
  }

  onKey(event) {
    if (event.target === this.input && event.key === 'Enter') {
      this.goTo(Number.parseInt(this.input.value, 10));
      this.column.focus({ preventScroll: true });
    }
    const control = event.ctrlKey || event.metaKey;
    const inColumn = this.column.contains(event.target);
    const acts = {
      '+': () => this.zoomStep(1),
      '=': () => this.zoomStep(1),
      '-': () => this.zoomStep(-1),
      0: () => this.zoomTo(1),
      w: () => this.setFit('width'),
      p: () => this.setFit('page'),
      ArrowRight: () => this.step(1),
      ArrowLeft: () => this.step(-1),
      Home: () => (this.column.scrollTop = 0),
      End: () => (this.column.scrollTop = this.column.scrollHeight)
    };
    const act = Object.hasOwn(acts, event.key) ? acts[event.key] : undefined;
    const scrolls = this.column.scrollWidth > this.column.clientWidth && event.key.startsWith('Arrow');
    if (act && inColumn && !event.altKey && !scrolls && !control) {
      act();
      event.preventDefault();
    }
    if (!control || act) {
      event.stopPropagation();
    }
  }

  setFit(fit) {
    this.fit = fit;
    this.relayout();
  }

  onCopy(event) {
    const text = String(window.getSelection()).replace(/\n{2,}/g, '\n');
    if (text) {
      event.clipboardData.setData('text/plain', text);
      event.preventDefault();
      event.stopPropagation();
    }
  }

  /* What is to be seen, and asking for it */

  refresh() {
    if (!this.layout || !this.column.clientWidth) {
      return;
    }
    if (this.wasHidden) {
      return; // until its place is found again
    }
    const { column, ratio, layout } = this;
    this.place = [column.scrollLeft, column.scrollTop];
    const view = {
      x: column.scrollLeft * ratio,
      y: column.scrollTop * ratio,
      width: column.clientWidth * ratio,
      height: column.clientHeight * ratio
    };
    const first = layout.at(view.y);
    const last = layout.at(view.y + view.height - 1);
    this.followPage(layout.current(view.y, view.height));
    this.keep(Math.max(0, first - 1), Math.min(layout.boxes.length - 1, last + 1));
    this.want(first, last, view);
  }

  followPage(index) {
    const { pages } = this.document;
    this.previous.disabled = index <= 0;
    this.next.disabled = index >= pages.length - 1;
    if (document.activeElement !== this.input) {
      this.input.value = String(pages[index].number);
    }
    if (this.index !== index && this.index !== undefined) {
      this.live.textContent = `Page ${pages[index].number} of ${this.count}`;
    }
    this.index = index;
  }

  /** Have nodes for these pages and no others. */
  keep(first, last) {
    for (const [index, page] of this.pages) {
      if (index < first || index > last) {
        page.node.remove();
        this.pages.delete(index);
      }
    }
    for (let index = first; index <= last; index++) {
      let page = this.pages.get(index);
      if (!page) {
        page = new Page(this.document.pages[index], this.count, this);
        this.pages.set(index, page);
        const after = [...this.pages.keys()].filter(each => each > index).sort((a, b) => a - b)[0];
        this.sheet.insertBefore(page.node, after === undefined ? null : this.pages.get(after).node);
        page.place(this.layout.boxes[index], this.layout.scale, this.ratio);
        if (page.number === this.document.still_page && this.model.get('still')) {
          page.showStill(this.model.get('still'));
        }
      }
      if (page.box !== this.layout.boxes[index] || page.ratio !== this.ratio) {
        page.place(this.layout.boxes[index], this.layout.scale, this.ratio);
      }
    }
  }

  /** What is to be seen first, then its text, then the pages beside it. */
  want(first, last, view) {
    const seen = [];
    const texts = [];
    const beside = [];
    for (const [index, page] of this.isOnScreen ? this.pages : []) {
      const isSeen = index >= first && index <= last;
      const pieces = isSeen ? page.pieces(view) : page.pieces({ x: 0, y: 0, width: 0, height: 0 });
      (isSeen ? seen : beside).push(...pieces.map(piece => ({ ...piece, page: page.number, kind: 'picture', ahead: !isSeen })));
      if (isSeen && !page.hasText) {
        texts.push({ key: `${page.number}:text`, page: page.number, kind: 'text', ahead: true });
      }
    }
    this.wanted = new Map([...seen, ...texts, ...beside].map(wish => [wish.key, wish]));
    for (const page of this.pages.values()) {
      page.dropOthers();
    }
    this.ask();
  }

  wants(key) {
    return this.wanted.has(key);
  }

  wantedOf(number) {
    return [...this.wanted.values()].filter(wish => wish.page === number && wish.kind === 'picture').map(wish => wish.key);
  }

  page(number) {
    return [...this.pages.values()].find(page => page.number === number);
  }

  isMissing(wish) {
    const page = this.page(wish.page);
    return page && !page.images.has(wish.key) && !page.failed.has(wish.key);
  }

  ask() {
    if (this.seen < this.sent) {
      return; // the answer to the last list asks again
    }
    const wishes = [...this.wanted.values()].filter(wish => this.isMissing(wish));
    const said = JSON.stringify(wishes.map(wish => wish.key));
    if (said === this.said) {
      return;
    }
    this.said = said;
    this.sent += 1;
    this.send({ type: 'want', view: this.view, number: this.sent, wishes });
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.showSilence(), SILENCE_MS);
  }

  send(message) {
    try {
      this.model.send(message);
    } catch {
      this.showSilence();
    }
  }

  onMessage(message, buffers) {
    if (message.view !== this.view) {
      return;
    }
    const page = this.page(message.page);
    if (message.type === 'picture' && (!page || !this.wants(message.key))) {
      this.askAnew(); // it came too late; whoever comes back to that page asks again
    } else if (message.type === 'seen') {
      this.seen = message.number;
      window.clearTimeout(this.timer);
      this.hint.hidden = true;
      this.ask();
    } else if (message.type === 'picture') {
      void page.show(message.key, buffers[0]);
    } else if (message.type === 'text' && page) {
      page.setText(message.text, number => this.goTo(number));
    } else if (message.type === 'failed' && page) {
      page.fail(message.key, message.message, () => this.again());
    } else if (message.type === 'changed') {
      this.tell(message.message);
    }
  }

  /** The last list may have been answered in vain: the next one is sent even if it says the same. */
  askAnew() {
    this.said = null;
    this.ask();
  }

  again() {
    this.said = null;
    this.seen = this.sent;
    this.hint.hidden = true;
    this.refresh();
  }

  showSilence() {
    this.tell('The pages come from the kernel, which is busy or has ended. If it has, run the cell again.');
    this.hint.append(textButton('Retry', () => this.again()));
  }

  tell(text) {
    this.hint.replaceChildren(element('span', {}, text));
    this.hint.hidden = false;
  }
}

function notice(notices) {
  const [first, ...more] = notices;
  if (!more.length) {
    return element('div', { class: 'dpn-Notice' }, first);
  }
  const lines = more.map(text => element('div', {}, text));
  return element('details', { class: 'dpn-Notice' }, element('summary', {}, first), ...lines);
}

export default {
  render({ model, el }) {
    const viewer = new Viewer(model, el);
    return () => viewer.dispose();
  }
};

/** What is said to people, in one place. */

import { TranslationBundle } from '@jupyterlab/translation';

import { PreviewError } from './client';
import { IDocument, IFailure, Phase } from './protocol';
import { FileNews } from './watch';

/** Bytes for people, in the units of their file manager. */
export function bytes(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  let value = count;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value.toLocaleString(undefined, { maximumFractionDigits: value < 10 && unit ? 1 : 0 })} ${units[unit]}`;
}

export function phase(trans: TranslationBundle, now: Phase, place: number): string {
  switch (now) {
    case 'preparing':
      return trans.__('Preparing the conversion engine, once on this machine…');
    case 'waiting':
      return place > 0
        ? trans._n('Waiting: %1 document is before this one', 'Waiting: %1 documents are before this one', place)
        : trans.__('Waiting…');
    case 'reading':
      return trans.__('Reading the file…');
    case 'screening':
      return trans.__('Looking at the file…');
    case 'converting':
      return trans.__('Converting…');
    case 'checking':
      return trans.__('Checking the pages…');
    default:
      return trans.__('Opening…');
  }
}

/** A headline for a failure: whose fault it is, in plain words. */
export function headline(trans: TranslationBundle, failure: IFailure): string {
  const said: Record<string, string> = {
    unsupported: trans.__('This is not a document that docpeek shows'),
    corrupt: trans.__('This document is damaged'),
    empty: trans.__('This file is empty'),
    limit: trans.__('This document is beyond the limits'),
    timeout: trans.__('This document takes too long'),
    unavailable: trans.__('There is no conversion engine yet'),
    engine: trans.__('The engine failed on this document'),
    not_found: trans.__('The file is not there any more'),
    not_allowed: trans.__('This file may not be opened here'),
    changed: trans.__('The file changed while it was read'),
    busy: trans.__('The server is busy'),
    evicted: trans.__('The server is busy'),
    closed: trans.__('The server is shutting down'),
    network: trans.__('The server cannot be reached')
  };
  return said[failure.kind] ?? trans.__('This document cannot be shown');
}

/** What a person can do about it; empty if the message says it all. */
export function advice(trans: TranslationBundle, failure: IFailure): string {
  if (failure.kind === 'not_installed') {
    return trans.__(
      'The server does not know docpeek. Is its server extension enabled (“jupyter server extension list”)?'
    );
  }
  if (failure.kind === 'login') {
    return trans.__('You may have been logged out. Reload the page in the browser.');
  }
  switch (failure.fault) {
    case 'engine':
      return trans.__('Another attempt gets a fresh engine.');
    case 'load':
      return trans.__('Try again in a moment.');
    case 'network':
      return trans.__('Check that the server runs, then try again.');
    default:
      return '';
  }
}

/** Why a page has no picture, and what can be done about it. */
export function pageFailure(trans: TranslationBundle, error: unknown): string {
  const failure = error instanceof PreviewError ? error.failure : null;
  const isOurs = failure !== null && failure.fault !== 'network';
  const more = failure ? [isOurs ? failure.message : '', advice(trans, failure)] : [];
  return [trans.__('This page could not be drawn.'), ...more].filter(part => part).join(' ');
}

/** What is told above the pages while something stands in the way of the file; empty when nothing does. */
export function trouble(trans: TranslationBundle, news: FileNews): string {
  switch (news) {
    case 'missing':
      return trans.__('The file was moved or deleted; these are its last pages.');
    case 'away':
      return trans.__('The server cannot be reached; the document comes back by itself when the server does.');
    case 'refused':
      return trans.__('The server does not let you look at this file any more. You may have been logged out.');
    default:
      return '';
  }
}

/** What is worth telling beside the pages: a headline each, with what there is to unfold. */
export function notices(trans: TranslationBundle, document: IDocument): INotice[] {
  const said: INotice[] = document.notices.map(notice => ({ text: notice.message, details: [] }));
  const fonts = document.missing_fonts;
  if (fonts.length) {
    said.push({
      text: trans._n(
        'One font that is not here was replaced',
        '%1 fonts that are not here were replaced',
        fonts.length
      ),
      details: fonts.map(font => (font.replacement ? `${font.family} → ${font.replacement}` : font.family))
    });
  }
  return said;
}

export interface INotice {
  readonly text: string;
  readonly details: readonly string[];
}

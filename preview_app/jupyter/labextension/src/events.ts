/** The events of an opening, as they come over the wire, checked before anybody relies on them. Pure. */

import { OpenEvent } from './protocol';

type Loose = Readonly<Record<string, any>>;

/** What an event must bring along. */
const NEEDED: Readonly<Record<OpenEvent['event'], (event: Loose) => boolean>> = {
  accepted: event => typeof event['ticket'] === 'string',
  phase: event => typeof event['phase'] === 'string',
  still_working: () => true,
  large: event => typeof event['source_bytes'] === 'number',
  ready: event => typeof event['document']?.id === 'string' && Array.isArray(event['document'].pages),
  failed: event => typeof event['error']?.kind === 'string'
};

/** An event; `null` for one that only a newer server knows. Raises `SyntaxError` where a part of it is missing. */
export function openEvent(line: object): OpenEvent | null {
  const said: Loose = 'error' in line && !('event' in line) ? { event: 'failed', ...line } : line;
  if (typeof said['event'] !== 'string') {
    throw new SyntaxError('This line is no event.');
  }
  const isWhole = Object.hasOwn(NEEDED, said['event']) ? NEEDED[said['event'] as OpenEvent['event']] : null;
  if (isWhole && !isWhole(said)) {
    throw new SyntaxError(`The event "${said['event']}" is not whole.`);
  }
  return isWhole ? (said as OpenEvent) : null;
}

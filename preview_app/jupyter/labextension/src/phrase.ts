/** What a person typed into Lab's search box, out of the regular expression that Lab makes of it. Pure. */

export interface IPhrase {
  readonly phrase: string;
  readonly matchCase: boolean;
  readonly wholeWords: boolean;
}

const ESCAPED = /\\([-[\]{}()*+?.\\^$|/])/g;
const META = /[[\]{}()*+?.\\^$|]/;
const BOUNDARY = '\\b';

/** `null` where it is a regular expression of its own. */
export function phraseOf(query: RegExp): IPhrase | null {
  let source = query.source;
  const wholeWords = source.length > 4 && source.startsWith(BOUNDARY) && source.endsWith(BOUNDARY);
  if (wholeWords) {
    source = source.slice(BOUNDARY.length, -BOUNDARY.length);
  }
  if (META.test(source.replace(ESCAPED, ''))) {
    return null;
  }
  return { phrase: source.replace(ESCAPED, '$1'), matchCase: !query.ignoreCase, wholeWords };
}

/** JSON objects, one a line, as they come over the network. Pure but for the stream it reads. */

/** Puts lines together from pieces that are cut anywhere. */
export class LineAssembler {
  private _rest = '';

  /** The whole lines that this piece completes, without empty ones. */
  push(piece: string): string[] {
    const lines = (this._rest + piece).split('\n');
    this._rest = lines.pop() ?? '';
    return lines.filter(line => line.trim() !== '');
  }

  /** What is left when the stream has ended. */
  end(): string[] {
    const rest = this._rest;
    this._rest = '';
    return rest.trim() ? [rest] : [];
  }
}

/** A line as an object. Raises `SyntaxError` for everything else, `null` and lists too. */
function objectOf(line: string): object {
  const value: unknown = JSON.parse(line);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SyntaxError('This line is no object.');
  }
  return value;
}

/**
 * The objects of a stream of bytes. A stream that is given up is cancelled, which the server notices.
 *
 * Raises `SyntaxError` at a line that is no JSON object, and what the stream raises.
 */
export async function* readObjects<T>(stream: ReadableStream<Uint8Array>): AsyncGenerator<T> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  const lines = new LineAssembler();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const ready = done ? lines.end() : lines.push(decoder.decode(value, { stream: true }));
      for (const line of ready) {
        yield objectOf(line) as T;
      }
      if (done) {
        return;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

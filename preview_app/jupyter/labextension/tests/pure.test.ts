import { strict as assert } from 'node:assert';
import { test } from 'node:test';

import { openEvent } from '../src/events';
import { PageLayout } from '../src/geometry';
import { LineAssembler, readObjects } from '../src/ndjson';
import { phraseOf } from '../src/phrase';
import { isTiled, pieceKey, plan, TILE_PIXELS } from '../src/plan';

const A4 = { width: 595, height: 842 };

test('lines are put together from pieces that are cut anywhere', () => {
  const lines = new LineAssembler();
  assert.deepEqual(lines.push('{"a":'), []);
  assert.deepEqual(lines.push('1}\n\n{"b"'), ['{"a":1}']);
  assert.deepEqual(lines.push(':2}'), []);
  assert.deepEqual(lines.end(), ['{"b":2}']);
  assert.deepEqual(lines.end(), []);
});

test('objects of a stream, in letters of several bytes', async () => {
  const bytes = new TextEncoder().encode('{"name":"Größe"}\n{"name":"b"}\n');
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      bytes.forEach(byte => controller.enqueue(Uint8Array.of(byte)));
      controller.close();
    }
  });
  const names: string[] = [];
  for await (const { name } of readObjects<{ name: string }>(stream)) {
    names.push(name);
  }
  assert.deepEqual(names, ['Größe', 'b']);
});

test('who stops reading cancels the stream', async () => {
  let cancelled = false;
  const stream = new ReadableStream<Uint8Array>({
    start: controller => controller.enqueue(new TextEncoder().encode('{}\n')),
    cancel: () => void (cancelled = true)
  });
  for await (const each of readObjects(stream)) {
    assert.deepEqual(each, {});
    break;
  }
  assert.ok(cancelled);
});

test('a line that is no object is a damaged answer', async () => {
  for (const line of ['null', '[]', '3', '"phase"', 'true', '<html>', '{"event":"pha']) {
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(`{"event":"accepted"}\n${line}\n`));
        controller.close();
      }
    });
    const objects = readObjects(stream);
    assert.deepEqual((await objects.next()).value, { event: 'accepted' });
    await assert.rejects(objects.next(), SyntaxError, line);
  }
});

test('events are checked before anybody relies on them', () => {
  const ready = { event: 'ready', document: { id: 'a', pages: [[595, 842]] } };
  assert.equal(openEvent(ready), ready);
  assert.deepEqual(openEvent({ error: { kind: 'limit' } }), { event: 'failed', error: { kind: 'limit' } });
  assert.equal(openEvent({ event: 'of a newer server' }), null);
  assert.equal(openEvent({ event: 'toString' }), null);
  const damaged = [
    {},
    { event: null },
    { event: 'accepted' },
    { event: 'phase', elapsed_s: 1 },
    { event: 'large' },
    { event: 'ready' },
    { event: 'ready', document: null },
    { event: 'ready', document: { id: 'a', pages: 3 } },
    { event: 'failed' },
    { error: null }
  ];
  damaged.forEach(each => assert.throws(() => openEvent(each), SyntaxError, JSON.stringify(each)));
});

test('the visible page comes first, then those ahead, then one behind', () => {
  const layout = new PageLayout(Array(9).fill(A4), 1, 10, 800);
  const view = { left: 0, top: 4 * 852, width: 800, height: 400, direction: 1 };
  assert.deepEqual(
    plan(layout, view).map(({ page, lane }) => [page, lane]),
    [
      [4, 'critical'],
      [5, 'high'],
      [6, 'high'],
      [3, 'normal']
    ]
  );
  assert.deepEqual(
    plan(layout, { ...view, direction: -1 }).map(({ page }) => page),
    [4, 3, 2, 5]
  );
});

test('a large page comes in tiles that cover the view, over a small picture', () => {
  const layout = new PageLayout([A4], 8, 10, 800);
  assert.ok(isTiled(layout.box(0)));
  const pieces = plan(layout, { left: 1500, top: 2500, width: 1000, height: 700, direction: 1 });
  const [standIn, ...tiles] = pieces;
  assert.ok(standIn);
  assert.ok(!standIn.tile && standIn.scale < layout.scale);
  assert.deepEqual(
    new Set(tiles.map(({ tile }) => `${tile?.column},${tile?.row}`)),
    new Set(['1,2', '2,2', '1,3', '2,3'])
  );
  for (const { clip, tile } of tiles) {
    assert.equal((clip?.[0] ?? 0) * 8, (tile?.column ?? 0) * TILE_PIXELS);
  }
  assert.equal(new Set(pieces.map(piece => pieceKey(piece, false))).size, pieces.length);
  assert.notEqual(pieceKey(standIn, false), pieceKey(standIn, true));
});

test("a phrase out of Lab's regular expression", () => {
  assert.deepEqual(phraseOf(/a\.b \(c\)/gim), { phrase: 'a.b (c)', matchCase: false, wholeWords: false });
  assert.deepEqual(phraseOf(/\bword\b/gm), { phrase: 'word', matchCase: true, wholeWords: true });
  assert.equal(phraseOf(/a.*b/gim), null);
  assert.equal(phraseOf(/[ab]/g), null);
});

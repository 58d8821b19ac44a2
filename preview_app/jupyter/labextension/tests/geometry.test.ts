import { strict as assert } from 'node:assert';
import { test } from 'node:test';

import { ACTUAL_SIZE, bounded, fitZoom, nextStep, PageLayout } from '../src/geometry';

const A4 = { width: 595, height: 842 };
const layout = new PageLayout(Array(5).fill(A4), 1, 10, 800);

test('pages stand below each other, a gap apart, in the middle', () => {
  assert.deepEqual(layout.box(1), { x: 102, y: 862, width: 595, height: 842 });
  assert.equal(layout.height, 5 * 852 + 10);
});

test('what a view shows', () => {
  assert.deepEqual(layout.visible(0, 500), { first: 0, end: 1 });
  assert.deepEqual(layout.visible(851, 12), { first: 0, end: 2 });
  assert.deepEqual(layout.visible(853, 5), { first: 1, end: 1 }); // the gap
  assert.deepEqual(layout.visible(1e6, 500), { first: 5, end: 5 });
  assert.deepEqual(new PageLayout([], 1, 10, 800).visible(0, 500), { first: 0, end: 0 });
});

test('the page that a person is on', () => {
  assert.equal(layout.current(0, 900), 0);
  assert.equal(layout.current(600, 900), 1);
  assert.equal(layout.current(1e6, 500), 4);
});

test('an anchor survives another zoom', () => {
  const larger = new PageLayout(Array(5).fill(A4), 3, 10, 800);
  for (const y of [100, 1500, 4200]) {
    const anchor = layout.anchor(300, y);
    const there = larger.position(anchor);
    assert.equal(larger.anchor(there.x, there.y).page, anchor.page);
    assert.ok(Math.abs(larger.anchor(there.x, there.y).y - anchor.y) < 0.01);
  }
});

test('an anchor in a gap belongs to the page below', () => {
  assert.equal(layout.anchor(0, 855).page, 1);
  for (const y of [0, 100, 855, 1500, 4200]) {
    assert.deepEqual(layout.position(layout.anchor(300, y)), { x: 300, y });
  }
});

test('fits', () => {
  const view = { width: 1000, height: 700 };
  assert.equal(fitZoom('width', [A4], 0, view, 10), 980 / 595 / ACTUAL_SIZE);
  assert.equal(fitZoom('page', [A4], 0, view, 10), 680 / 842 / ACTUAL_SIZE);
  assert.ok(fitZoom('automatic', [A4], 0, { width: 4000, height: 700 }, 10) <= 1.5);
  assert.equal(fitZoom('width', [], 0, view, 10), 1);
});

test('one very wide page does not make the others small', () => {
  const pages = [A4, { width: 5000, height: 842 }];
  const view = { width: 1000, height: 700 };
  assert.equal(fitZoom('width', pages, 0, view, 10), fitZoom('width', [A4], 0, view, 10));
});

test('a zoom stays where browsers and the server can follow', () => {
  assert.equal(bounded(100, [A4]), 8);
  assert.equal(bounded(0, [A4]), 0.1);
  assert.ok(bounded(8, [A4], 2) * 96 * 2 <= 1200);
  const many = Array(2000).fill(A4);
  assert.ok(bounded(8, many) * ACTUAL_SIZE * 2000 * 842 <= 16_000_001);
});

test('steps of zooming', () => {
  assert.equal(nextStep(1, 1), 1.1);
  assert.equal(nextStep(1, -1), 0.9);
  assert.equal(nextStep(0.937, 1), 1);
  assert.equal(nextStep(8, 1), 8);
  assert.equal(nextStep(0.1, -1), 0.1);
});

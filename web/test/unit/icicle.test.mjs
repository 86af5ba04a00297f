import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";

const { Tree, tintOf } = createRequire(import.meta.url)("../../icicle/icicle.js");

const tree = (parent, self, more = {}) => new Tree({ parent: Int32Array.from(parent), frame: Int32Array.from(parent), self: Float64Array.from(self), ...more });

test("a node is as wide as what lies below it, widest first", () => {
  //  0 - 1 (1) - 3 (4)
  //    - 2 (7)
  const t = tree([0, 0, 0, 1], [0, 1, 7, 4]);
  assert.deepEqual([...t.total], [12, 5, 7, 4]);
  assert.deepEqual([...t.start], [0, 7, 0, 7]);
  assert.deepEqual([...t.children], [2, 1, 3]);
  assert.equal(t.rows, 3);
});

test("equal widths keep their order", () => {
  const t = tree([0, 0, 0, 0], [0, 2, 2, 2]);
  assert.deepEqual([...t.children], [1, 2, 3]);
});

test("many children are sorted as few are", () => {
  const n = 500;
  const self = Array.from({ length: n + 1 }, (_, i) => (i === 0 ? 0 : (i * 7919) % 101));
  const t = tree(Array.from({ length: n + 1 }, () => 0), self);
  for (let c = 1; c < n; c++) {
    const [a, b] = [t.children[c - 1], t.children[c]];
    assert.ok(self[a] > self[b] || (self[a] === self[b] && a < b));
  }
});

test("given totals are kept, and a start makes an order of time", () => {
  const t = tree([0, 0, 0], [0, 0, 0], { total: Float64Array.from([100, 30, 20]), start: Float64Array.from([0, 60, 10]) });
  assert.deepEqual([...t.children], [2, 1]);
  assert.deepEqual([...t.start], [0, 60, 10]);
  assert.deepEqual([...t.total], [100, 30, 20]);
});

test("a difference is as wide as both profiles", () => {
  const t = tree([0, 0, 0], [0, 1, 2], { before: Float64Array.from([0, 4, 0]) });
  assert.deepEqual([t.width(0), t.width(1), t.width(2)], [7, 5, 2]);
});

test("a million nodes are placed in time", () => {
  const n = 1000000;
  const parent = new Int32Array(n);
  const self = new Float64Array(n);
  for (let i = 1; i < n; i++) {
    parent[i] = Math.max(0, i - 1 - ((i * 2654435761) >>> 0) % 3 * 7);
    self[i] = 1 + (i % 13);
  }
  const began = performance.now();
  const t = new Tree({ parent, frame: parent, self });
  assert.ok(performance.now() - began < 20000); // quadratic work would take hours
  assert.equal(t.total[0], self.reduce((a, b) => a + b, 0));
});

test("a colour belongs to a file, or to a package", () => {
  assert.equal(tintOf("f", ""), -1);
  assert.equal(Math.floor(tintOf("a.b.C.f", "") / 4), Math.floor(tintOf("a.b.D.g", "") / 4));
  assert.equal(Math.floor(tintOf("x", "lib.js") / 4), Math.floor(tintOf("y", "lib.js") / 4));
});

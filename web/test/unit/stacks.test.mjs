import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { stacksOf, namesOf, nodeAt, placeOf, countsBelow, REST } = await load("parts/stacks.ts");
const { chartOfSlices, chartStacks } = await load("parts/chart-tree.ts");

const methods = { id: [10, 11, 12, 13], name: ["main", "work", "(idle)", null], file: [1, 0, -1, -1], texts: ["b.js", "a.js"], line: [1, null, null, null] };
const names = namesOf(methods);
// main(1) > work(5) > main(2);  (idle)(4);  and 3 more below work, 7 together
const reply = {
  total: 19, count: 8, id: [1, 2, 3, 4], path: ["00000000000000a1", "00000000000000a2", "00000000000000a3", "00000000000000a4"], unstable: [], parent: [-1, 0, 1, -1], method: [0, 1, 0, 2], self: [1, 5, 2, 4], totals: [15, 14, 2, 4], counts: [1, 3, 1, 2],
  rest: { parent: [1], n: [3], total: [7] }, capped: false,
};

test("a reply becomes a tree with what was left out as nodes", () => {
  const s = stacksOf(reply, names, "ns");
  assert.deepEqual([...s.tree.parent], [0, 0, 1, 2, 0, 2]);
  assert.deepEqual([...s.tree.total], [19, 15, 14, 2, 4, 7]);
  assert.equal(s.tree.frame[5], REST);
  assert.equal(s.left[5], 3);
  assert.ok(s.cut);
  assert.deepEqual([...countsBelow(s)], [7, 5, 4, 1, 2, 0]);
});

test("names say where, and have a text where there is none", () => {
  assert.deepEqual(names.where, ["a.js:1", "b.js", "", ""]);
  assert.equal(names.label[3], "unknown function");
});

test("a node upside down is found by where its path is and where it begins", () => {
  // work(5) < main, main(3) < work < main: the root is in both; no path has an id of its own
  const s = stacksOf({ ...reply, path: reply.path.concat("00000000000000a5"), unstable: [0, 1, 2, 3, 4], id: [2, 1, 3, 2, 1], leaf: [2, 2, 3, 3, 3], parent: [-1, 0, -1, 2, 3], method: [1, 0, 0, 1, 0], self: [0, 5, 1, 0, 2],
    totals: [5, 5, 3, 2, 2], counts: [0, 1, 1, 0, 1], rest: { parent: [], n: [], total: [] } }, names, "ns");
  for (let i = 1; i < s.tree.n; i++) {
    assert.equal(nodeAt(s, placeOf(s, i)), i);
  }
  assert.equal(placeOf(s, 5), "1,3");
  assert.equal(nodeAt(s, "1,9"), 0);
  assert.equal(nodeAt(s, ""), 0);
  assert.equal(nodeAt(stacksOf(reply, names, "ns"), "3"), 3);
});

test("a node is found by its call path, in a tree of another database, too", () => {
  const s = stacksOf(reply, names, "ns");
  const other = stacksOf({ ...reply, id: [9, 8, 7, 6], path: ["00000000000000b1", "00000000000000a1", "00000000000000a3", "00000000000000a2"], unstable: [3] }, names, "ns");
  assert.equal(placeOf(s, 3), "00000000000000a3");
  assert.equal(nodeAt(other, placeOf(s, 3)), 3);
  assert.equal(nodeAt(other, placeOf(s, 1)), 2);
  assert.equal(nodeAt(other, placeOf(s, 4)), 0); // not there
  assert.equal(placeOf(other, 4), "6"); // one of two of one path
  assert.equal(nodeAt(other, placeOf(s, 2)), 0);
  assert.equal(nodeAt(other, "6"), 4);
});

test("bars in the order of time stand below those that they lie in", () => {
  const s = chartStacks({
    from: 100, to: 200, px_ns: 1, depth_cut: false, methods,
    bars: { depth: [1, 0, 0, 1], ts: [160, 100, 150, 110], dur: [10, 40, 50, 20], node: [4, 1, 3, 2], method: [1, 0, 0, 1] },
    small: { depth: [2, 2], ts: [161, 145], dur: [3, 2], n: [5, 1], ns: [2, 1] },
  });
  // the second small one lies in no bar of depth 1 and is left out
  assert.deepEqual([...s.tree.parent], [0, 0, 0, 1, 2, 4]);
  assert.deepEqual([...s.tree.start], [0, 0, 50, 10, 60, 61]);
  assert.equal(s.tree.frame[5], REST);
  assert.equal(s.left[5], 5);
});

test("traced calls in the order of time are the same graph", () => {
  const slices = { px_ns: 10, methods, threads: [{ itid: 1, id: [7, 8, 9], ts: [105, 130, 150], dur: [80, 20, 5], depth: [0, 1, null], node: [1, 2, 3], method: [0, 1, 0], more: false,
    small: { x: [10, 14, 19], depth: [1, 2, 1], n: [3, 1, 2], ns: [9, 2, 4], more: false } }] };
  const chart = chartOfSlices(slices, 100, 200);
  assert.deepEqual(chart.bars, { depth: [0, 1], ts: [105, 130], dur: [80, 20], node: [1, 2], method: [0, 1] });
  assert.deepEqual(chart.small, { depth: [1, 2, 1], ts: [100, 140, 190], dur: [10, 10, 10], n: [3, 1, 2], ns: [9, 2, 4] });
  const s = chartStacks(chart);
  // main from 105 to 185; in it the short ones of its first column, and work with one below it; what lies behind it is left out
  assert.deepEqual([...s.tree.parent], [0, 0, 1, 1, 3]);
  assert.deepEqual([...s.tree.start], [0, 5, 5, 30, 40]);
  assert.deepEqual([...s.tree.total], [100, 80, 5, 20, 10]);
  assert.deepEqual([...s.left], [0, 0, 3, 0, 1]);
  assert.equal(s.cut, false);
});

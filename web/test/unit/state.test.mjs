import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { parseFragment, fragmentOf, routeTo } = await load("state.ts");

test("a fragment stands for a view and its parameters", () => {
  assert.deepEqual(parseFragment("#/flame?src=1&thr=3,5&from=0&to=9e9&w=wall&view=left&root=812&q=parse"), {
    view: "flame",
    params: { src: "1", thr: "3,5", from: "0", to: "9e9", w: "wall", view: "left", root: "812", q: "parse" },
  });
});

test("what is no state is the overview", () => {
  for (const text of ["", "#", "#/", "#/nothing", "#nothing?", "#/../x"]) {
    assert.deepEqual(parseFragment(text), { view: "overview", params: {} });
  }
});

test("a state comes back from its fragment", () => {
  for (const params of [{}, { q: "a b+c&d=e#f%" }, { sql: "SELECT 'é€😀', \"x\"\n-- ?" }, { "p.limit": "5", question: "cpu_hot_methods" }, { thr: "1,2,3" }]) {
    const route = { view: "sql", params };
    assert.deepEqual(parseFragment(fragmentOf(route)), route);
  }
});

test("lists and names stay readable, a lone surrogate does not throw", () => {
  assert.equal(fragmentOf({ view: "flame", params: { thr: "3,5", q: "a/b:c d" } }), "#/flame?thr=3,5&q=a/b:c+d");
  assert.equal(fragmentOf({ view: "sql", params: { q: "\ud800" } }), "#/sql?q=%EF%BF%BD");
  assert.deepEqual(parseFragment("#/sql?q=%ff"), { view: "sql", params: { q: "%ff" } });
});

test("another view keeps what is looked at, not how", () => {
  const from = parseFragment("#/flame?db=a.db&src=2&thr=4&from=1&to=2&view=left&root=9&q=x");
  assert.deepEqual(routeTo(from, "timeline").params, { db: "a.db", src: "2", thr: "4", from: "1", to: "2" });
  assert.deepEqual(routeTo(from, "flame", { thr: "7" }).params, { db: "a.db", src: "2", thr: "7", from: "1", to: "2" });
});

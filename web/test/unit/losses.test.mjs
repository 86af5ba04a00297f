import assert from "node:assert";
import { test } from "node:test";
import { load } from "./load.mjs";

const { losses } = await load("parts/losses.ts");
const row = (what, more = {}) => ({ severity: "data_loss", kind: "issue", what, count: 1, path: "", recording: "", message: what, source: 1, offset: "", ...more });
const root = (source) => (source < 10 ? 1 : source);

test("a file that is cut is one loss, of the file, of the recording in it and of all that it held", () => {
  const all = [row("segment_truncated", { offset: "1197" }), row("profile_incomplete", { source: 2, offset: "1197" }), row("bytes", { kind: "count", count: 39198 }), row("cpu_samples", { kind: "count", count: 604, source: 2 })];
  assert.deepStrictEqual(losses(all, root).map((one) => [one.what, one.count]), [["segment_truncated", 1]]);
});

test("defects of one kind are one loss with their number, and a text that says what it is", () => {
  const all = [row("method_missing", { count: 177, message: "and 177 more" }), ...[1, 2, 3, 4, 5].map((n) => row("method_missing", { message: `method ${n} has no name` }))];
  assert.deepStrictEqual(losses(all, root).map((one) => [one.message, one.count]), [["method 1 has no name", 182]]);
});

test("other places, kinds and files are losses of their own; notes are none", () => {
  const all = [row("a", { offset: "1" }), row("b", { offset: "2" }), row("a", { source: 10, offset: "1" }), row("c", { severity: "info" }), row("d", { severity: "warning" })];
  assert.strictEqual(losses(all, root).length, 3);
});

test("numbers count when no issue says what was lost", () => {
  assert.deepStrictEqual(losses([row("bytes", { kind: "count", count: 7 })], root).map((one) => one.count), [7]);
  assert.deepStrictEqual(losses([], root), []);
});

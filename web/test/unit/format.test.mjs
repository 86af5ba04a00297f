import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { amount, count, duration, bytes, clean, percent, absoluteTime, tickStep, tickText, plural, measured } = await load("format.ts");

test("durations have the unit that fits them", () => {
  assert.equal(duration(0), "0 ns");
  assert.equal(duration(999), "999 ns");
  assert.equal(duration(1000), "1.00 µs");
  assert.equal(duration(1500000), "1.50 ms");
  assert.equal(duration(59058000000), "59.06 s");
  assert.equal(duration(-2500), "−2.50 µs");
  assert.equal(duration(null), "–");
  assert.equal(amount(43000, "µs"), "43.00 ms");
  assert.equal(amount(12, "%"), "12 %");
});

test("sizes count by 1024", () => {
  assert.equal(bytes(1023), "1,023 B");
  assert.equal(bytes(1048576), "1.00 MiB");
});

test("counts keep all digits", () => {
  assert.equal(count(1234567), "1,234,567");
  assert.equal(count("9223372036854775807"), "9,223,372,036,854,775,807");
  assert.equal(count(-1000), "−1,000");
  assert.equal(amount(12, "count"), "12");
  assert.equal(plural(1, "row"), "1 row");
  assert.equal(plural(2, "row"), "2 rows");
});

test("nothing in a recorded text steers other text", () => {
  assert.equal(clean("a\u202eb\u0000c\nd"), "a·b·c·d");
  assert.equal(clean("x\ud800y"), "x·y");
  assert.equal(clean("ok 😀"), "ok 😀");
  assert.equal(clean("😀\u200f"), "😀·");
  assert.equal(clean("abcdef", 3), "abc…");
  assert.equal(clean("<img src=x onerror=alert(1)>"), "<img src=x onerror=alert(1)>");
  assert.equal(clean(null), "");
});

test("shares", () => {
  assert.equal(percent(1, 3), "33.3 %");
  assert.equal(percent(0, 0), "–");
});

test("absolute times", () => {
  assert.equal(absoluteTime(1750000000000000000n, "realtime"), "2025-06-15 15:06:40.000 UTC");
  assert.equal(absoluteTime(1750000000000000001n, "realtime"), "2025-06-15 15:06:40.000000001 UTC");
  assert.equal(absoluteTime(2500000000n, "boottime"), "2.500000000 s (boottime)");
});

test("ticks are 1, 2 or 5 times a power of ten", () => {
  assert.equal(tickStep(100, 10), 10);
  assert.equal(tickStep(59e9, 10), 10e9);
  assert.equal(tickStep(0.9, 10), 0.1);
  assert.equal(tickStep(0, 10), 1);
  assert.equal(tickText(20e9, 10e9, 59e9), "20 s");
  assert.equal(tickText(1.5e6, 5e5, 9e6), "1.5 ms");
  assert.equal(tickText(0, 1, 10), "0 ns");
});

test("measured values", () => {
  assert.equal(measured(0.12345, "fraction"), "0.123 fraction");
  assert.equal(measured(-2.5, ""), "−2.5");
  assert.equal(measured(1400, ""), "1,400");
  assert.equal(measured(98.69 * 1048576, "bytes"), "98.69 MiB");
  assert.equal(measured(12.5, "%"), "12.5 %");
  assert.equal(measured(null, "%"), "–");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { parametersOf, valueOf, asDelimited, asJson, asMarkdown } = await load("parts/sqltext.ts");
const { matcher } = await load("parts/search.ts");
const { cellText, cellNumber, parametersJson, urlOf } = await load("api.ts");

test("parameters are found outside of strings, names and comments", () => {
  assert.deepEqual(parametersOf("SELECT :a, ':b', \":c\", [:d], `:e` -- :f\n, /* :g */ @h, $i, :a"), ["a", "h", "i"]);
  assert.deepEqual(parametersOf("SELECT 'it''s :x', :y"), ["y"]);
  assert.deepEqual(parametersOf("SELECT 1 /* :open"), []);
});

test("values of parameters keep their digits", () => {
  assert.equal(valueOf(""), null);
  assert.equal(valueOf(" 12 "), 12);
  assert.equal(valueOf("-1.5e3"), -1500);
  assert.equal(valueOf("1750000000040000000"), 1750000000040000000n);
  assert.equal(valueOf("99999999999999999999"), 1e20);
  assert.equal(parametersJson({ a: 1750000000040000001n, b: "x\"", c: null }), '{"a":1750000000040000001,"b":"x\\"","c":null}');
  assert.equal(valueOf("'12'"), "12");
  assert.equal(valueOf("'it''s'"), "it's");
  assert.equal(valueOf("sql"), "sql");
});

test("copies", () => {
  const columns = ["a", "b|c"];
  const rows = [[1, 'x "y", z\n'], [null, { text: "long", bytes: 9 }]];
  assert.equal(asDelimited(columns, rows, ","), 'a,b|c\r\n1,"x ""y"", z\n"\r\n,long\r\n');
  assert.equal(asDelimited(columns, rows, "\t"), 'a\tb|c\r\n1\tx "y", z \r\n\tlong\r\n');
  assert.deepEqual(JSON.parse(asJson(["a", "a"], [[1, 2]])), [{ a: 1, a_2: 2 }]);
  assert.equal(asMarkdown(columns, [[1, "p|q\\"]]), "| a | b\\|c |\n| --- | --- |\n| 1 | p\\|q\\\\ |\n");
});

test("a search is a part of a text, or a regular expression between slashes", () => {
  assert.equal(matcher("  "), undefined);
  assert.ok(matcher("PARSE")("json.parseValue"));
  assert.ok(matcher("/^json\\.p/")("Json.parse"));
  assert.ok(!matcher("/^parse/")("json.parse"));
  assert.ok(matcher("/(/")("a/(/b")); // no regular expression: a part
});

test("cells", () => {
  assert.equal(cellText({ base64: "AA==" }), "AA==");
  assert.equal(cellNumber("9007199254740993"), 9007199254740992);
  assert.equal(cellNumber("x"), 0);
  assert.equal(urlOf("/api/flame", { db: "a b", from: 1.4, src: "" }), "/api/flame?db=a+b&from=1");
});

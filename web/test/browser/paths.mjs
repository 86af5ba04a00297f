// Ids of call paths as their definition says (docs/serve.md), from the rows of a database: what links of the page name.
import { sql } from "./run.mjs";

const word = (v) => BigInt.asUintN(64, v);
const left = (v, n) => word(v << n) | (v >> (64n - n));

/** SipHash-1-3 of words, with a key of zeros. */
function siphash(words) {
  const v = [0x736f6d6570736575n, 0x646f72616e646f6dn, 0x6c7967656e657261n, 0x7465646279746573n];
  const half = (a, b, n, c, d, m) => {
    v[a] = word(v[a] + v[b]);
    v[b] = left(v[b], n) ^ v[a];
    v[a] = left(v[a], 32n);
    v[c] = word(v[c] + v[d]);
    v[d] = left(v[d], m) ^ v[c];
  };
  const round = () => {
    half(0, 1, 13n, 2, 3, 16n);
    half(2, 1, 17n, 0, 3, 21n);
  };
  for (const one of words) {
    v[3] ^= one;
    round();
    v[0] ^= one;
  }
  v[2] ^= 0xffn;
  round();
  round();
  round();
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

function wordsOf(text) {
  const bytes = Buffer.from(text ?? "");
  const words = [BigInt(bytes.length)];
  let at = 0;
  for (; at + 8 <= bytes.length; at += 8) {
    words.push(bytes.readBigUInt64LE(at));
  }
  const last = Buffer.alloc(8);
  bytes.copy(last, 0, at);
  last[7] = bytes.length & 255;
  return [...words, last.readBigUInt64LE(0)];
}

const hex = (id) => id.toString(16).padStart(16, "0");

/** Of each id the first call path that has it: down as its node, up as node and leaf. */
export function pathsOf(db) {
  const keys = new Map(sql(db, "SELECT id, library, package, class, name, signature, file, line FROM stack_method").map((m) => [m.id,
    siphash([m.library, m.package, m.class, m.name, m.signature, m.file].flatMap(wordsOf).concat(word(m.name || m.line === null ? -1n << 63n : BigInt(m.line)))) || 1n]));
  const nodes = new Map(sql(db, "SELECT id, parent_id AS parent, method_id AS method FROM stack_node ORDER BY id").map((n) => [n.id, { ...n, key: keys.get(n.method) ?? 0n }]));
  const down = new Map();
  const up = new Map();
  for (const node of nodes.values()) {
    node.path = siphash([nodes.get(node.parent)?.path ?? 0n, node.key]);
    down.has(hex(node.path)) || down.set(hex(node.path), node.id);
    let id = 0n;
    for (let at = node; at !== undefined; at = nodes.get(at.parent)) {
      id = siphash([id, at.key]);
      up.has(hex(id)) || up.set(hex(id), [at.id, node.id]);
    }
  }
  return { down, up };
}

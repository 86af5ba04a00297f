// Stacks as the server gives them, and what the page makes of them.
import { clean } from "../format.ts";
import { Tree, tintOf } from "../../icicle/icicle.js";

type Numbers = readonly (number | string | null)[];

export interface MethodsReply {
  readonly id: Numbers;
  readonly name: readonly (string | null)[];
  /** Places in `texts`, -1 for none. */
  readonly file: readonly number[];
  readonly line: Numbers;
  readonly texts: readonly string[];
}

export interface TreeReply {
  readonly total: number | string;
  readonly count: number;
  readonly id: Numbers;
  /** Of a tree that is upside down: where the path of each node begins. */
  readonly leaf?: Numbers;
  /** Ids of the call paths, equal in all databases, and the places of those that are not. */
  readonly path: readonly string[];
  readonly unstable: readonly number[];
  readonly parent: readonly number[];
  readonly method: readonly number[];
  readonly line?: Numbers;
  readonly self: Numbers;
  readonly totals: Numbers;
  readonly counts: readonly number[];
  readonly rest: { readonly parent: readonly number[]; readonly n: readonly number[]; readonly total: Numbers };
  readonly capped: boolean;
}

export interface FlameReply extends TreeReply {
  /** Of a difference: the older side of the same nodes. */
  readonly before?: { readonly all: number | string; readonly self: Numbers; readonly totals: Numbers; readonly rest: Numbers };
  readonly weight?: string;
  readonly unit: string;
  /** Of all stacks, also those that filters leave out. */
  readonly all?: { readonly total: number | string; readonly count: number };
  readonly no_stack?: { readonly total: number | string; readonly count: number };
  readonly methods: MethodsReply;
  readonly callees?: TreeReply;
  readonly callers?: TreeReply;
  readonly callers_cut?: boolean;
}

/** What frames are called and where they are, by the number that trees have for them. */
export interface Names {
  readonly label: readonly string[];
  readonly where: readonly string[];
  readonly file: readonly string[];
  readonly id: readonly number[];
  readonly tint: readonly number[];
}

/** A frame that means several, which the server left out. */
export const REST = -2;
const ROOT = -1;

/** A tree with what is known of its nodes. Node 0 is all of it. */
export interface Stacks {
  readonly tree: Tree;
  readonly names: Names;
  readonly unit: string;
  /** Of stack_node; -1 for a node that stands for several. */
  readonly id: Float64Array;
  /** Upside down, where the path of each node begins: several may have the same id. */
  readonly leaf?: Float64Array | undefined;
  /** The call path, where it has an id that means the same in every database; else "". */
  readonly path: readonly string[];
  readonly count: Float64Array;
  /** Nodes left out, for frames that are REST. */
  readonly left: Float64Array;
  readonly cut: boolean;
}

/** What a function is called of which neither name nor place are known. */
export const UNKNOWN = "unknown function";

export function namesOf(methods: MethodsReply): Names {
  const shared = methods.texts.map((one) => clean(one, 1000));
  const file = methods.file.map((at) => shared[at] ?? "");
  // A function without a name that is somewhere is anonymous.
  const label = methods.name.map((name, i) => (name === null || name === "" || (name === "(anonymous)" && file[i] === "") ? UNKNOWN : clean(name, 1000)));
  return {
    label,
    file,
    where: file.map((name, i) => {
      const line = Number(methods.line[i] ?? 0);
      return name === "" ? "" : line > 0 ? `${name}:${line}` : name;
    }),
    id: methods.id.map(Number),
    tint: methods.name.map((name, i) => (name?.startsWith("(") ? -1 : tintOf(name ?? "", methods.texts[methods.file[i] ?? -1] ?? ""))),
  };
}

/** The stacks of a reply, and its rest as nodes of their own. older: the other side of a difference; scale: what it is multiplied by. */
export function stacksOf(reply: TreeReply, names: Names, unit: string, older?: FlameReply["before"], scale = 1): Stacks {
  const n = reply.parent.length;
  const rest = reply.rest.parent.length;
  const size = 1 + n + rest;
  const parent = new Int32Array(size);
  const frame = new Int32Array(size).fill(ROOT, 0, 1);
  const self = new Float64Array(size);
  const total = new Float64Array(size);
  const id = new Float64Array(size).fill(-1);
  const leaf = reply.leaf === undefined ? undefined : new Float64Array(size).fill(-1);
  const before = older === undefined ? null : new Float64Array(size);
  const path = ["", ...reply.path];
  for (const i of reply.unstable) {
    path[i + 1] = "";
  }
  const count = new Float64Array(size);
  const left = new Float64Array(size);
  total[0] = Number(reply.total);
  count[0] = reply.count;
  for (let i = 0; i < n; i++) {
    parent[i + 1] = (reply.parent[i] ?? -1) + 1;
    frame[i + 1] = reply.method[i] ?? -1;
    self[i + 1] = Number(reply.self[i]);
    total[i + 1] = Number(reply.totals[i]);
    id[i + 1] = Number(reply.id[i]);
    if (leaf !== undefined) {
      leaf[i + 1] = Number(reply.leaf?.[i]);
    }
    count[i + 1] = reply.counts[i] ?? 0;
    if (before !== null) {
      before[i + 1] = Number(older?.self[i]);
    }
  }
  for (let k = 0; k < rest; k++) {
    const i = 1 + n + k;
    parent[i] = (reply.rest.parent[k] ?? -1) + 1;
    frame[i] = REST;
    self[i] = Number(reply.rest.total[k]);
    total[i] = self[i] ?? 0;
    left[i] = reply.rest.n[k] ?? 0;
    if (before !== null) {
      before[i] = Number(older?.rest[k]);
    }
  }
  const tree = new Tree({ parent, frame, self, total, before });
  if (scale !== 1) {
    tree.scale = scale;
    tree.place();
  }
  return { tree, names, unit, id, leaf, path, count, left, cut: rest > 0 };
}

/** Whether a node grew, from -1 (it is gone) to 1 (it is new). */
export function growth(tree: Tree, i: number): number {
  const after = tree.total[i] ?? 0;
  const before = (tree.before?.[i] ?? 0) * tree.scale;
  return after + before > 0 ? (after - before) / (after + before) : 0;
}

/** A node as text of the URL: its call path, or its place in this database where that is not enough. */
export const placeOf = (stacks: Stacks, i: number): string =>
  stacks.path[i] || `${stacks.id[i] ?? -1}${stacks.leaf === undefined ? "" : `,${stacks.leaf[i] ?? -1}`}`;

/** The node with such a text; 0, which is all of the tree, when there is none. */
export function nodeAt(stacks: Stacks, place: string): number {
  if (/^[0-9a-f]{16}$/.test(place)) {
    return Math.max(0, stacks.path.indexOf(place));
  }
  const [id, leaf] = place.split(",").map(Number);
  if ((leaf === undefined) !== (stacks.leaf === undefined)) {
    return 0; // of a tree the other way round
  }
  let at = place === "" ? -1 : stacks.id.indexOf(id ?? -1, 1);
  while (at > 0 && leaf !== undefined && stacks.leaf?.[at] !== leaf) {
    at = stacks.id.indexOf(id ?? -1, at + 1);
  }
  return Math.max(0, at);
}

/** Rows of samples or calls in and below a node, from those of the nodes alone. */
export function countsBelow(stacks: Stacks): Float64Array {
  const { tree } = stacks;
  const below = Float64Array.from(stacks.count);
  below[0] = 0;
  for (let i = tree.n - 1; i > 0; i--) {
    const up = tree.parent[i] ?? 0;
    below[up] = (below[up] ?? 0) + (below[i] ?? 0);
  }
  return below;
}

// The flame graph of a profile: drawn on a canvas, from the JSON text in #data (src/export/export_flame.c writes it).
// No library, no request, and no markup made of texts from the profile.
"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const {Tree, Graph} = icicle;
  const ROWS_SHOWN = 300;

  // --- the data --------------------------------------------------------------------------------------------------

  const data = JSON.parse($("data").textContent);
  const difference = data.before !== null;
  // What steers text, or is not seen, is shown as a dot.
  // eslint-disable-next-line no-control-regex
  const unseen = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
  const labels = data.frames.label.map((text) => text.replace(unseen, "·"));
  const files = data.files.map((text) => text.replace(unseen, "·"));
  const frameCount = labels.length;
  const idleFrame = labels.indexOf("(idle)");

  const whereOf = (frame) => {
    const file = files[data.frames.file[frame]];
    const line = data.frames.line[frame];
    return file === "" ? "" : line > 0 ? `${file}:${line}` : file;
  };

  function treeOf(parent, frame, self, before) {
    return new Tree({
      parent: Int32Array.from(parent),
      frame: Int32Array.from(frame),
      self: Float64Array.from(self),
      before: difference ? Float64Array.from(before) : null,
    });
  }

  function wholeTree(withIdle) {
    const nodes = data.nodes;
    const n = nodes.frame.length;
    const place = new Int32Array(n + 1);
    const parent = [0];
    const frame = [-1];
    const self = [0];
    const before = difference ? [0] : null;
    for (let i = 1; i <= n; i++) {
      const up = place[i - nodes.parent[i - 1]];
      if (up < 0 || (!withIdle && nodes.frame[i - 1] === idleFrame)) {
        place[i] = -1;
        continue;
      }
      place[i] = parent.length;
      parent.push(up);
      frame.push(nodes.frame[i - 1]);
      self.push(nodes.self[i - 1]);
      if (difference) {
        before.push(nodes.before[i - 1]);
      }
    }
    return treeOf(parent, frame, self, before);
  }

  // Joins paths with equal frames: rows are added below node 0.
  class Joiner {
    constructor() {
      this.parent = [0];
      this.frame = [-1];
      this.self = [0];
      this.before = difference ? [0] : null;
      this.known = new Map();
    }

    child(at, frame) {
      const key = at * (frameCount + 1) + frame;
      let node = this.known.get(key);
      if (node === undefined) {
        node = this.parent.length;
        this.known.set(key, node);
        this.parent.push(at);
        this.frame.push(frame);
        this.self.push(0);
        if (difference) {
          this.before.push(0);
        }
      }
      return node;
    }

    add(at, value, before) {
      this.self[at] += value;
      if (difference) {
        this.before[at] += before;
      }
    }

    tree(scale) {
      const made = treeOf(this.parent, this.frame, this.self, this.before);
      if (made.scale !== scale) {
        made.scale = scale;
        made.place();
      }
      return made;
    }
  }

  // Outermost nodes of each frame: recursion counts once.
  function outermostOf(tree) {
    const open = new Int32Array(frameCount);
    const outer = new Uint8Array(tree.n);
    const stack = [0];
    while (stack.length > 0) {
      const i = stack.pop();
      if (i < 0) {
        open[tree.frame[~i]]--;
        continue;
      }
      if (i > 0) {
        outer[i] = open[tree.frame[i]]++ === 0 ? 1 : 0;
        stack.push(~i);
      }
      for (let c = tree.first[i]; c < tree.first[i + 1]; c++) {
        stack.push(tree.children[c]);
      }
    }
    return outer;
  }

  function functionsOf(tree) {
    const outer = outermostOf(tree);
    const all = Array.from({length: frameCount}, (_, frame) => ({frame, self: 0, total: 0, selfBefore: 0, before: 0}));
    for (let i = 1; i < tree.n; i++) {
      const f = all[tree.frame[i]];
      f.self += tree.self[i];
      f.total += outer[i] ? tree.total[i] : 0;
      if (difference) {
        f.selfBefore += tree.selfBefore[i];
        f.before += outer[i] ? tree.before[i] : 0;
      }
    }
    return {outer, all: all.filter((f) => f.total > 0 || f.before > 0)};
  }

  function callersOf(tree, outer, frame) {
    const join = new Joiner();
    for (let i = 1; i < tree.n; i++) {
      if (tree.frame[i] === frame && outer[i]) {
        let at = join.child(0, frame);
        for (let up = tree.parent[i]; up > 0; up = tree.parent[up]) {
          at = join.child(at, tree.frame[up]);
        }
        join.add(at, tree.total[i], difference ? tree.before[i] : 0);
      }
    }
    return join.tree(tree.scale);
  }

  function calleesOf(tree, outer, frame) {
    const join = new Joiner();
    const place = new Int32Array(tree.n); // of nodes below an outermost one
    for (let i = 1; i < tree.n; i++) {
      const up = place[tree.parent[i]];
      if (up > 0 || (tree.frame[i] === frame && outer[i])) {
        place[i] = join.child(up, tree.frame[i]);
        join.add(place[i], tree.self[i], difference ? tree.selfBefore[i] : 0);
      }
    }
    return join.tree(tree.scale);
  }

  // --- numbers ---------------------------------------------------------------------------------------------------

  const scales = {
    ns: [[1, "ns"], [1e3, "µs"], [1e6, "ms"], [1e9, "s"]],
    bytes: [[1, "B"], [1024, "KiB"], [1048576, "MiB"], [1073741824, "GiB"]],
  };

  // The unit in which `value` has one to four digits before the point.
  function unitFor(value) {
    const known = scales[data.unit];
    if (known === undefined) {
      return [1, data.unit === "count" ? "" : data.unit.replace(unseen, "·")];
    }
    let found = known[0];
    for (const one of known) {
      found = Math.abs(value) >= one[0] ? one : found;
    }
    return found;
  }

  function inUnit(value, unit, most = 2) {
    const digits = unit[0] === 1 ? 0 : most;
    const text = (value / unit[0]).toLocaleString("en", {minimumFractionDigits: digits, maximumFractionDigits: digits});
    return unit[1] === "" ? text : `${text} ${unit[1]}`;
  }

  const amount = (value) => inUnit(value, unitFor(value));
  const percent = (part, whole) => (whole > 0 ? `${((100 * part) / whole).toFixed(2)} %` : "–");
  const signed = (value, text) => (value > 0 ? `+${text}` : text);

  // --- colours ---------------------------------------------------------------------------------------------------

  const tints = data.frames.label.map((label, i) => icicle.tintOf(label, data.files[data.frames.file[i]]));
  let colours = {};
  function readTheme() {
    colours = icicle.coloursOf(document.documentElement.dataset.theme === "dark", getComputedStyle(document.documentElement));
  }

  function mix(a, b, t) {
    return `rgb(${a.map((v, i) => Math.round(v + (b[i] - v) * t)).join(" ")})`;
  }

  // From -1, all of it went, to 1, all of it came.
  function changeOf(tree, i) {
    const after = tree.total[i];
    const before = tree.before[i] * tree.scale;
    return after + before > 0 ? (after - before) / (after + before) : 0;
  }

  function boxColour(tree, i) {
    if (i === 0) {
      return colours.root;
    }
    if (difference) {
      const change = changeOf(tree, i);
      const t = Math.min(1, Math.sqrt(Math.abs(change)));
      const none = colours.dark ? [57, 65, 78] : [226, 230, 236];
      const grew = colours.dark ? [158, 58, 50] : [240, 138, 126];
      const shrank = colours.dark ? [44, 92, 168] : [134, 178, 244];
      return mix(none, change > 0 ? grew : shrank, t);
    }
    return colours.boxes[tints[tree.frame[i]]] ?? colours.plain;
  }

  // --- graphs ----------------------------------------------------------------------------------------------------

  const found = new Uint8Array(frameCount); // by frame: the search matches
  let searching = false;

  function graphIn(id, options) {
    return new Graph($(id), {
      colours: () => colours,
      label: (t, i) => (i === 0 ? rootLabel() : labels[t.frame[i]]),
      colour: boxColour,
      get found() {
        return searching ? (t, i) => found[t.frame[i]] === 1 : null;
      },
      focused: (graph, i) => tell(graph.tree, i),
      hovered: (graph, i, x, y) => showTip(graph.tree, i, x, y),
      opened: (graph, i) => openFunction(graph.tree.frame[i]),
      key: (graph, e) => {
        const taken = e.key.toLowerCase() === "s" && graph.focus > 0;
        if (taken) {
          openFunction(graph.tree.frame[graph.focus]);
        }
        return taken;
      },
      zoomed: () => {},
      ...options,
    });
  }

  function tell(t, i) {
    const name = document.createElement("b");
    name.textContent = i === 0 ? rootLabel() : labels[t.frame[i]];
    $("status").replaceChildren(name, `  ${describe(t, i)}${i > 0 && whereOf(t.frame[i]) !== "" ? `  ·  ${whereOf(t.frame[i])}` : ""}`);
  }

  // --- texts -----------------------------------------------------------------------------------------------------

  function rootLabel() {
    return `all stacks, ${amount(tree.total[0])}`;
  }

  // Of an older value as it is compared.
  const scaled = (value, t) => value * t.scale;

  function describe(t, i) {
    const whole = tree.total[0];
    let text = `self ${amount(t.self[i])} (${percent(t.self[i], whole)})  ·  total ${amount(t.total[i])} (${percent(t.total[i], whole)})`;
    if (difference) {
      const delta = t.total[i] - scaled(t.before[i], t);
      text += `  ·  before ${amount(scaled(t.before[i], t))}  ·  change ${signed(delta, amount(delta))}`;
    }
    return text;
  }

  function tipRows(t, i) {
    const whole = tree.total[0];
    const unit = unitFor(Math.max(t.total[i], difference ? scaled(t.before[i], t) : 0));
    const rows = [
      ["Self", inUnit(t.self[i], unit), percent(t.self[i], whole)],
      ["Total", inUnit(t.total[i], unit), percent(t.total[i], whole)],
    ];
    if (difference) {
      const wholeBefore = scaled(tree.before[0], tree);
      const self = scaled(t.selfBefore[i], t);
      const total = scaled(t.before[i], t);
      rows[0].push(inUnit(self, unit), signed(t.self[i] - self, inUnit(t.self[i] - self, unit)));
      rows[1].push(inUnit(total, unit), signed(t.total[i] - total, inUnit(t.total[i] - total, unit)));
      rows.unshift(["", "After", "of all", "Before", "Change"]);
      rows.push(["Share", "", percent(t.total[i], whole), percent(total, wholeBefore), ""]);
    } else if (i !== 0 && t.parent[i] !== 0) {
      rows.push(["Of caller", "", percent(t.total[i], t.total[t.parent[i]])]);
    }
    return rows;
  }

  function element(tag, className, text) {
    const e = document.createElement(tag);
    e.className = className;
    e.textContent = text;
    return e;
  }

  function showTip(t, i, x, y) {
    const tip = $("tip");
    if (i < 0) {
      hideTip();
      return;
    }
    const name = i === 0 ? rootLabel() : labels[t.frame[i]];
    const parts = [element("div", "name", name)];
    if (i > 0 && whereOf(t.frame[i]) !== "") {
      parts.push(element("div", "file", whereOf(t.frame[i])));
    }
    const table = document.createElement("table");
    for (const row of tipRows(t, i)) {
      const tr = document.createElement("tr");
      row.forEach((text, k) => tr.append(element(k === 0 ? "th" : "td", "", text)));
      table.append(tr);
    }
    parts.push(table);
    tip.replaceChildren(...parts);
    tip.hidden = false;
    const w = tip.offsetWidth;
    const h = tip.offsetHeight;
    tip.style.left = `${Math.max(8, Math.min(x + 14, window.innerWidth - w - 8))}px`;
    tip.style.top = `${y + 18 + h > window.innerHeight - 4 ? Math.max(4, y - h - 10) : y + 18}px`;
  }

  function hideTip() {
    $("tip").hidden = true;
  }

  // --- the page --------------------------------------------------------------------------------------------------

  let tree = wholeTree(true);
  let functions = functionsOf(tree);
  let view = "flame";
  let sortBy = "self";
  let descending = true;
  let shown = ROWS_SHOWN;
  let chosen = -1;

  const main = graphIn("graph-scroll", {
    up: true,
    hideRoot: false,
    zoomed: (g) => {
      showTrail(g);
      keepLink(g);
    },
    focused: (g, i) => {
      tell(g.tree, i);
      keepLink(g);
    },
  });
  const callers = graphIn("callers-scroll", {up: true, hideRoot: true});
  const callees = graphIn("callees-scroll", {up: false, hideRoot: true});
  const graphs = [main, callers, callees];

  // --- links: the call path that is looked at, in the fragment of the URL -----------------------------------------

  // SipHash-1-3 of two numbers with a key of zeros: ids of call paths as the server and other pages have them.
  const keys = data.frames.key.map((text) => BigInt(`0x${text}`));
  const low = (v) => BigInt.asUintN(64, v);
  const rotate = (v, bits) => low(v << bits) | (v >> (64n - bits));
  function idBelow(above, key) {
    let [v0, v1, v2, v3] = [0x736f6d6570736575n, 0x646f72616e646f6dn, 0x6c7967656e657261n, 0x7465646279746573n];
    const round = () => {
      v0 = low(v0 + v1);
      v2 = low(v2 + v3);
      v1 = rotate(v1, 13n) ^ v0;
      v3 = rotate(v3, 16n) ^ v2;
      v0 = low(rotate(v0, 32n) + v3);
      v2 = low(v2 + v1);
      v1 = rotate(v1, 17n) ^ v2;
      v3 = rotate(v3, 21n) ^ v0;
      v2 = rotate(v2, 32n);
    };
    for (const word of [above, key]) {
      v3 ^= word;
      round();
      v0 ^= word;
    }
    v2 ^= 0xffn;
    round();
    round();
    round();
    return v0 ^ v1 ^ v2 ^ v3;
  }

  function idOf(t, i) {
    const path = [];
    for (let up = i; up > 0; up = t.parent[up]) {
      path.unshift(keys[t.frame[up]]);
    }
    return path.reduce(idBelow, 0n).toString(16).padStart(16, "0");
  }

  // The node of that id; 0: there is none.
  function nodeOf(t, id) {
    const ids = new BigUint64Array(t.n);
    const wanted = BigInt(`0x${id}`);
    for (let i = 1; i < t.n; i++) {
      ids[i] = idBelow(ids[t.parent[i]], keys[t.frame[i]]);
      if (ids[i] === wanted) {
        return i;
      }
    }
    return 0;
  }

  function keepLink(graph) {
    const parts = [["at", graph.zoom], ["sel", graph.focus]].filter(([, i]) => i > 0).map(([name, i]) => `${name}=${idOf(graph.tree, i)}`);
    try {
      history.replaceState(null, "", `#${parts.join("&")}`);
    } catch {
      // A page inside another document may have no URL of its own.
    }
  }

  // The fragment of the page of `trace_streamer serve` names call paths in the same way.
  function openLink() {
    const wanted = ["at", "sel"].map((name) => new RegExp(`[#?&]${name}=([0-9a-f]{16})(?:&|$)`).exec(location.hash)?.[1]);
    const [zoom, focus] = wanted.map((id) => (id === undefined ? 0 : nodeOf(tree, id)));
    if (wanted.some((id, k) => id !== undefined && [zoom, focus][k] === 0)) {
      $("status").textContent = "The call path that the link names is not in this profile";
      return;
    }
    if (zoom > 0) {
      main.zoomTo(zoom, false);
    }
    if (focus > 0) {
      main.focusOn(focus);
    }
  }

  function showTrail(graph) {
    const trail = $("trail");
    const path = [];
    for (let i = graph.zoom; i > 0; i = graph.tree.parent[i]) {
      path.unshift(i);
    }
    path.unshift(0);
    // A long way is shown by its ends.
    const cut = path.length > 7 ? [...path.slice(0, 2), -1, ...path.slice(-4)] : path;
    const parts = [];
    cut.forEach((i, k) => {
      if (k > 0) {
        parts.push(element("span", "sep", "›"));
      }
      if (i < 0) {
        parts.push(element("span", "sep", "…"));
        return;
      }
      const b = element("button", "", i === 0 ? "all" : labels[graph.tree.frame[i]]);
      b.type = "button";
      b.title = b.textContent;
      b.addEventListener("click", () => graph.zoomTo(i, true));
      parts.push(b);
    });
    trail.replaceChildren(...(path.length > 1 ? parts : []));
  }

  // --- search ----------------------------------------------------------------------------------------------------

  // Stacks in which a matching frame stands, each counted once.
  function matchedPart() {
    const t = tree;
    const inside = new Uint8Array(t.n);
    let sum = 0;
    for (let i = 1; i < t.n; i++) {
      const above = inside[t.parent[i]];
      if (!above && found[t.frame[i]]) {
        sum += t.total[i];
      }
      inside[i] = above | found[t.frame[i]];
    }
    return sum;
  }

  function search() {
    const text = $("search").value.trim().toLowerCase();
    searching = text !== "";
    for (let i = 0; i < frameCount; i++) {
      found[i] = searching && (labels[i].toLowerCase().includes(text) || files[data.frames.file[i]].toLowerCase().includes(text)) ? 1 : 0;
    }
    $("matched").textContent = searching ? percent(matchedPart(), tree.total[0]) : "";
    shown = ROWS_SHOWN;
    fillTable();
    graphs.forEach((g) => g.ask());
  }

  // --- functions -------------------------------------------------------------------------------------------------

  function keyOf(f) {
    switch (sortBy) {
      case "total":
        return f.total;
      case "share": // the change, in a difference
        return difference ? f.self - f.selfBefore * tree.scale : f.self;
      default:
        return f.self;
    }
  }

  function sorted() {
    const list = functions.all.filter((f) => !searching || found[f.frame] === 1);
    const sign = descending ? -1 : 1;
    list.sort((a, b) =>
      sortBy === "name"
        ? sign * (labels[a.frame] < labels[b.frame] ? -1 : labels[a.frame] > labels[b.frame] ? 1 : a.frame - b.frame)
        : sign * (keyOf(a) - keyOf(b)) || b.total - a.total || a.frame - b.frame);
    return list;
  }

  function rowOf(f, unit) {
    const tr = document.createElement("tr");
    tr.tabIndex = 0;
    tr.setAttribute("aria-selected", String(f.frame === chosen));
    tr.dataset.frame = f.frame;
    const change = f.self - f.selfBefore * tree.scale;
    const second = difference
      ? element("td", `number ${change > 0 ? "grew" : change < 0 ? "shrank" : ""}`, signed(change, inUnit(change, unit, 3)))
      : element("td", "number", ((100 * f.self) / (tree.total[0] || 1)).toFixed(2));
    const name = element("td", "", labels[f.frame]);
    const where = whereOf(f.frame);
    name.title = where === "" ? labels[f.frame] : `${labels[f.frame]}\n${where}`;
    if (where !== "") {
      name.append(element("span", "file", where.slice(where.lastIndexOf("/") + 1)));
    }
    tr.append(element("td", "number", inUnit(f.self, unit, 3)), second, element("td", "number", inUnit(f.total, unit, 3)), name);
    return tr;
  }

  function fillTable() {
    if (view !== "functions") {
      return;
    }
    const list = sorted();
    if (chosen < 0 && list.length > 0) {
      chosen = list[0].frame;
    }
    const unit = unitFor(tree.total[0]); // one for all rows, so that they can be compared at a glance
    $("rows").replaceChildren(...list.slice(0, shown).map((f) => rowOf(f, unit)));
    $("more").hidden = list.length <= shown;
    $("more").textContent = `${(list.length - shown).toLocaleString("en")} more`;
    document.querySelectorAll("th button").forEach((b) => {
      const th = b.parentElement;
      if (b.dataset.by === sortBy) {
        th.setAttribute("aria-sort", descending ? "descending" : "ascending");
      } else {
        th.removeAttribute("aria-sort");
      }
    });
  }

  function showSandwich() {
    if (chosen < 0) {
      return;
    }
    const f = functions.all.find((one) => one.frame === chosen);
    $("chosen").textContent = labels[chosen];
    $("chosen-numbers").textContent = f === undefined ? "" : `self ${amount(f.self)}  ·  total ${amount(f.total)} (${percent(f.total, tree.total[0])})`;
    callers.show(callersOf(tree, functions.outer, chosen));
    callees.show(calleesOf(tree, functions.outer, chosen));
    callers.toRoot();
  }

  function openFunction(frame) {
    chosen = frame;
    hideTip();
    setView("functions");
    const row = $("rows").querySelector(`tr[data-frame="${frame}"]`);
    if (row !== null) {
      row.scrollIntoView({block: "nearest"});
    }
  }

  // --- views, themes, scales -------------------------------------------------------------------------------------

  function press(ids, id) {
    ids.forEach((one) => $(one).setAttribute("aria-pressed", String(one === id)));
  }

  function setView(next) {
    view = next;
    press(["view-flame", "view-icicle", "view-functions"], `view-${next}`);
    $("graph").hidden = next === "functions";
    $("functions").hidden = next !== "functions";
    $("trail").hidden = next === "functions";
    hideTip();
    if (next === "functions") {
      fillTable();
      showSandwich();
    } else {
      main.options.up = next === "flame";
      main.resize();
      main.toRoot();
    }
  }

  function setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    readTheme();
    graphs.forEach((g) => g.draw());
  }

  function rebuild() {
    tree = wholeTree($("idle").checked);
    setScale(scaleMode);
  }

  let scaleMode = "absolute";
  function setScale(mode) {
    scaleMode = mode;
    press(["scale-absolute", "scale-normalised"], `scale-${mode}`);
    if (difference) {
      tree.scale = mode === "normalised" && tree.before[0] > 0 && tree.total[0] > 0 ? tree.total[0] / tree.before[0] : 1;
      tree.place();
    }
    functions = functionsOf(tree);
    chosen = -1;
    main.show(tree);
    showTrail(main);
    search();
    if (view === "functions") {
      fillTable();
      showSandwich();
    }
    facts();
  }

  function facts() {
    const parts = [`${data.weight.replace(unseen, "·")}: ${amount(tree.total[0])}`];
    if (difference) {
      const before = tree.before[0];
      const delta = tree.total[0] - before;
      parts.push(`before ${amount(before)}`, `change ${signed(delta, amount(delta))}${before > 0 ? ` (${signed(delta, ((100 * delta) / before).toFixed(1))} %)` : ""}`);
    }
    parts.push(`${(tree.n - 1).toLocaleString("en")} call paths`, `${frameCount.toLocaleString("en")} functions`);
    if (difference) {
      parts.push("red grew, blue shrank");
    }
    $("facts").textContent = parts.join("  ·  ");
  }

  // --- wiring ----------------------------------------------------------------------------------------------------

  for (const name of ["flame", "icicle", "functions"]) {
    $(`view-${name}`).addEventListener("click", () => setView(name));
  }
  for (const name of ["absolute", "normalised"]) {
    $(`scale-${name}`).addEventListener("click", () => setScale(name));
  }
  $("idle").addEventListener("change", rebuild);
  $("search").addEventListener("input", search);
  $("reset").addEventListener("click", () => {
    $("search").value = "";
    search();
    main.back = [];
    graphs.forEach((g) => g.tree !== undefined && g.zoomTo(0, false));
    main.toRoot();
  });
  $("theme").addEventListener("click", () => {
    const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("trace_streamer.theme", next);
    } catch {
      // A page that was opened as a file may keep nothing.
    }
    setTheme(next);
  });
  $("more").addEventListener("click", () => {
    shown += 10 * ROWS_SHOWN;
    fillTable();
  });
  document.querySelectorAll("th button").forEach((b) => b.addEventListener("click", () => {
    descending = sortBy === b.dataset.by ? !descending : b.dataset.by !== "name";
    sortBy = b.dataset.by;
    fillTable();
  }));
  function chooseRow(target) {
    const tr = target.closest("tr");
    if (tr === null || tr.dataset.frame === undefined) {
      return;
    }
    chosen = Number(tr.dataset.frame);
    $("rows").querySelectorAll("tr").forEach((one) => one.setAttribute("aria-selected", String(one === tr)));
    showSandwich();
  }
  $("rows").addEventListener("click", (e) => chooseRow(e.target));
  $("rows").addEventListener("keydown", (e) => {
    const tr = e.target.closest("tr");
    const next = e.key === "ArrowDown" ? tr?.nextElementSibling : e.key === "ArrowUp" ? tr?.previousElementSibling : null;
    if (e.key === "Enter" || e.key === " ") {
      chooseRow(e.target);
      e.preventDefault();
    } else if (next) {
      next.focus();
      e.preventDefault();
    }
  });
  document.addEventListener("keydown", (e) => {
    const typing = e.target instanceof HTMLInputElement && e.target.type === "search";
    if (e.key === "/" && !typing) {
      $("search").focus();
      $("search").select();
      e.preventDefault();
    } else if (e.key === "Escape") {
      if (typing && $("search").value !== "") {
        $("search").value = "";
        search();
      } else if (view === "functions") {
        setView("flame");
      } else {
        main.goBack();
      }
      hideTip();
    }
  });

  function begin() {
    let theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    try {
      theme = localStorage.getItem("trace_streamer.theme") ?? theme;
    } catch {
      // As above.
    }
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (e) => setTheme(e.matches ? "dark" : "light"));
    const name = data.title.replace(unseen, "·");
    $("title").textContent = difference ? `${data.before.title.replace(unseen, "·")}  →  ${name}` : name;
    document.title = `${name} – flame graph`;
    $("scales").hidden = !difference;
    $("idle-label").hidden = idleFrame < 0;
    if (difference) {
      document.querySelector('[data-by="share"]').textContent = "Change";
      $("share-head").style.width = "104px";
    }
    facts();
    $("status").textContent = "Click zooms, Escape goes back  ·  / searches  ·  right click or S shows callers and callees";
    setTheme(theme);
    setView("flame");
    main.show(tree);
    openLink();
    addEventListener("hashchange", openLink);
    performance.mark("drawn");
  }
  begin();
})();

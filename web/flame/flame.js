// The flame graph of a profile: drawn on a canvas, from the JSON text in #data (src/export/export_flame.c writes it).
// No library, no request, and no markup made of texts from the profile.
"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const ROW = 19;
  const FONT = '12px system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif';
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

  // A call tree: node 0 is all stacks together, and a node's parent has a smaller number.
  class Tree {
    constructor(parent, frame, self, before) {
      const n = parent.length;
      this.n = n;
      this.parent = parent;
      this.frame = frame;
      this.self = self;
      this.total = Float64Array.from(self);
      this.selfBefore = before;
      this.before = before === null ? null : Float64Array.from(before);
      this.depth = new Int32Array(n);
      this.rows = 1;
      for (let i = n - 1; i > 0; i--) {
        this.total[parent[i]] += this.total[i];
        if (before !== null) {
          this.before[parent[i]] += this.before[i];
        }
      }
      for (let i = 1; i < n; i++) {
        this.depth[i] = this.depth[parent[i]] + 1;
        this.rows = Math.max(this.rows, this.depth[i] + 1);
      }
      this.scale = 1; // what older values are multiplied by
      this.place();
    }

    width(i) {
      return this.before === null ? this.total[i] : this.total[i] + this.before[i] * this.scale;
    }

    // Children of a node follow each other, widest first; each gets its place in the row.
    place() {
      const n = this.n;
      const count = new Int32Array(n + 1);
      for (let i = 1; i < n; i++) {
        count[this.parent[i] + 1]++;
      }
      for (let i = 0; i < n; i++) {
        count[i + 1] += count[i];
      }
      this.first = count.slice();
      this.children = new Int32Array(Math.max(0, n - 1));
      const at = count.slice();
      for (let i = 1; i < n; i++) {
        this.children[at[this.parent[i]]++] = i;
      }
      this.start = new Float64Array(n);
      for (let i = 0; i < n; i++) {
        const mine = this.children.subarray(this.first[i], this.first[i + 1]);
        if (mine.length > 1) {
          mine.sort((a, b) => this.width(b) - this.width(a) || a - b);
        }
      }
      // A child's place follows from its parent's, and that of a parent is set before.
      const order = [0];
      for (let k = 0; k < order.length; k++) {
        const i = order[k];
        let x = this.start[i];
        for (let c = this.first[i]; c < this.first[i + 1]; c++) {
          const child = this.children[c];
          this.start[child] = x;
          x += this.width(child);
          order.push(child);
        }
      }
    }
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
    return new Tree(Int32Array.from(parent), Int32Array.from(frame), Float64Array.from(self), difference ? Float64Array.from(before) : null);
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
      const made = new Tree(Int32Array.from(this.parent), Int32Array.from(this.frame), Float64Array.from(this.self), difference ? Float64Array.from(this.before) : null);
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

  // Hues of files, or of packages where there is no file: hashed, so that they stay from page to page.
  const hues = [212, 190, 168, 140, 96, 52, 34, 262];
  const hueOf = new Int8Array(frameCount);
  const shadeOf = new Uint8Array(frameCount);
  function hashOf(text) {
    let h = 2166136261;
    for (let k = 0; k < text.length; k++) {
      h = Math.imul(h ^ text.charCodeAt(k), 16777619);
    }
    return h >>> 8;
  }
  for (let i = 0; i < frameCount; i++) {
    const label = data.frames.label[i];
    const file = data.files[data.frames.file[i]];
    const key = file !== "" ? file : label.slice(0, Math.max(0, label.lastIndexOf(".", label.lastIndexOf(".") - 1)));
    hueOf[i] = key === "" ? -1 : hashOf(key) % hues.length;
    shadeOf[i] = hashOf(label) % 4;
  }

  const colours = {};
  function readTheme() {
    const style = getComputedStyle(document.documentElement);
    const dark = document.documentElement.dataset.theme === "dark";
    for (const name of ["bg", "panel", "text", "muted", "line", "accent"]) {
      colours[name] = style.getPropertyValue(`--${name}`).trim();
    }
    colours.dark = dark;
    // Four shades of each hue, so that neighbours of one file are told apart.
    colours.boxes = hues.map((h) => [0, 1, 2, 3].map((k) => (dark ? `hsl(${h} 30% ${27 + 3 * k}%)` : `hsl(${h} 52% ${86 - 3 * k}%)`)));
    colours.plain = dark ? "#39414e" : "#dfe3e9";
    colours.root = dark ? "#2b333f" : "#e9ecf1";
    colours.onBox = dark ? "#eef1f5" : "#1c2430";
    colours.faded = dark ? "#1d232d" : "#f0f2f5";
    colours.onFaded = dark ? "#77839a" : "#78849a";
    colours.found = dark ? "#f0b429" : "#f6b73c";
    colours.onFound = "#1c2430";
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
    const hue = hueOf[tree.frame[i]];
    return hue < 0 ? colours.plain : colours.boxes[hue][shadeOf[tree.frame[i]]];
  }

  // --- one graph -------------------------------------------------------------------------------------------------

  const found = new Uint8Array(frameCount); // by frame: the search matches
  let searching = false;

  class Graph {
    constructor(scroll, options) {
      this.scroll = scroll;
      this.canvas = scroll.querySelector("canvas");
      this.space = scroll.querySelector(".space");
      this.pen = this.canvas.getContext("2d");
      this.options = options; // up: grows upwards; hideRoot: row 0 is not drawn
      this.zoom = 0;
      this.back = [];
      this.over = -1;
      this.focus = 0;
      this.widths = new Map(); // of texts
      scroll.addEventListener("scroll", () => this.ask());
      new ResizeObserver(() => this.resize()).observe(scroll);
      this.canvas.addEventListener("mousemove", (e) => this.hover(e));
      this.canvas.addEventListener("mouseleave", () => this.leave());
      this.canvas.addEventListener("click", (e) => this.click(e));
      this.canvas.addEventListener("dblclick", () => this.doubleClick());
      this.canvas.addEventListener("contextmenu", (e) => this.menu(e));
      this.canvas.addEventListener("keydown", (e) => this.key(e));
      this.canvas.addEventListener("focus", () => this.tell(this.focus));
    }

    show(tree) {
      this.tree = tree;
      this.zoom = 0;
      this.back = [];
      this.focus = 0;
      this.over = -1;
      this.resize();
      this.toRoot();
    }

    get first() {
      return this.options.hideRoot ? 1 : 0;
    }

    get height() {
      return (this.tree.rows - this.first) * ROW + 2;
    }

    toRoot() {
      this.scroll.scrollTop = this.options.up ? this.scroll.scrollHeight : 0;
      this.ask();
    }

    resize() {
      if (this.tree === undefined || this.scroll.clientWidth === 0) {
        return;
      }
      const ratio = window.devicePixelRatio || 1;
      const w = this.scroll.clientWidth;
      const h = this.scroll.clientHeight;
      const under = this.options.up && this.h ? Math.max(0, this.shownHeight - this.h - this.scroll.scrollTop) : -1;
      this.w = w;
      this.h = h;
      if (this.canvas.width !== Math.round(w * ratio) || this.canvas.height !== Math.round(h * ratio)) {
        this.canvas.width = Math.round(w * ratio);
        this.canvas.height = Math.round(h * ratio);
        this.canvas.style.width = `${w}px`;
        this.canvas.style.height = `${h}px`;
      }
      // The canvas takes the height of the window; the rest makes the scroll bar.
      this.space.style.height = `${Math.max(0, this.height - h)}px`;
      this.shownHeight = Math.max(this.height, h);
      if (under >= 0) {
        this.scroll.scrollTop = this.shownHeight - h - under; // what grows upwards keeps its bottom
      }
      this.draw();
    }

    ask() {
      if (!this.asked) {
        this.asked = true;
        requestAnimationFrame(() => {
          this.asked = false;
          this.draw();
        });
      }
    }

    // Top of a row on the canvas.
    rowTop(depth) {
      const down = (depth - this.first) * ROW;
      const bottom = Math.max(this.height, this.h);
      return (this.options.up ? bottom - ROW - 1 - down : down + 1) - this.scroll.scrollTop;
    }

    // Place and width of a node on the canvas: callers of the zoomed one are as wide as all.
    box(i) {
      const t = this.tree;
      const whole = t.width(this.zoom);
      const scale = whole > 0 ? this.w / whole : 0;
      return [(t.start[i] - t.start[this.zoom]) * scale, t.width(i) * scale];
    }

    draw() {
      if (this.tree === undefined || !this.w) {
        return;
      }
      const pen = this.pen;
      const ratio = window.devicePixelRatio || 1;
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.fillStyle = colours.bg;
      pen.fillRect(0, 0, this.w, this.h);
      pen.font = FONT;
      pen.textBaseline = "middle";
      const up = [];
      for (let i = this.zoom; i > 0; i = this.tree.parent[i]) {
        up.push(this.tree.parent[i]);
      }
      for (const i of up) {
        this.drawBox(i, 0, this.w, true);
      }
      this.drawBelow();
      if (document.activeElement === this.canvas) {
        this.frameBox(this.focus, colours.accent, 2);
      }
      if (this.over >= 0) {
        this.frameBox(this.over, colours.text, 1);
      }
    }

    drawBelow() {
      const t = this.tree;
      const stack = [this.zoom];
      while (stack.length > 0) {
        const i = stack.pop();
        const [x, w] = this.box(i);
        const y = this.rowTop(t.depth[i]);
        if (y > -ROW && y < this.h && t.depth[i] >= this.first) {
          this.drawBox(i, x, w, false);
        }
        // Rows behind the window's end have nothing that is seen.
        if (this.options.up ? y < 0 : y > this.h) {
          continue;
        }
        for (let c = t.first[i]; c < t.first[i + 1]; c++) {
          const child = t.children[c];
          const wide = this.box(child)[1];
          if (wide < 0.4) {
            this.drawRest(i, child, x + w, t.depth[child]);
            break; // widest first: the others are thinner still
          }
          stack.push(child);
        }
      }
    }

    // Children that are too thin to be told apart: one strip from the first of them on.
    drawRest(parent, child, end, depth) {
      const t = this.tree;
      const x = this.box(child)[0];
      const last = t.children[t.first[parent + 1] - 1];
      const [lastX, lastW] = this.box(last);
      const y = this.rowTop(depth);
      const w = Math.min(end, lastX + lastW) - x;
      if (w > 0.2 && y > -ROW && y < this.h) {
        this.pen.fillStyle = searching ? colours.faded : colours.plain;
        this.pen.fillRect(x, y, w, ROW - 1);
      }
    }

    drawBox(i, x, w, above) {
      const t = this.tree;
      const y = this.rowTop(t.depth[i]);
      if (y <= -ROW || y >= this.h || t.depth[i] < this.first) {
        return;
      }
      const pen = this.pen;
      const hit = searching && i > 0 && found[t.frame[i]] === 1;
      const faded = searching && !hit;
      pen.globalAlpha = above ? 0.6 : 1;
      pen.fillStyle = hit ? colours.found : faded ? colours.faded : boxColour(t, i);
      pen.fillRect(x, y, Math.max(0.5, w > 2 ? w - 1 : w), ROW - 1);
      pen.globalAlpha = 1;
      if (w > 24) {
        const text = this.fitted(i === 0 ? rootLabel() : labels[t.frame[i]], w - 9);
        pen.fillStyle = hit ? colours.onFound : faded ? colours.onFaded : colours.onBox;
        pen.fillText(text, x + 4, y + ROW / 2);
      }
    }

    frameBox(i, colour, thick) {
      const above = i !== this.zoom && this.isAbove(i);
      const [x, w] = above ? [0, this.w] : this.box(i);
      const y = this.rowTop(this.tree.depth[i]);
      if (x < this.w && x + w > 0 && this.tree.depth[i] >= this.first) {
        this.pen.strokeStyle = colour;
        this.pen.lineWidth = thick;
        this.pen.strokeRect(x + thick / 2, y + thick / 2, Math.max(1, Math.min(w, this.w - x) - 1 - thick), ROW - 1 - thick);
      }
    }

    textWidth(text) {
      let w = this.widths.get(text);
      if (w === undefined) {
        w = this.pen.measureText(text).width;
        if (this.widths.size > 20000) {
          this.widths.clear();
        }
        this.widths.set(text, w);
      }
      return w;
    }

    // The text, without its package, without its class, or cut off.
    fitted(text, w) {
      if (text.length > 400) {
        text = text.slice(0, 400);
      }
      const dots = text.match(/^[\w$.]+$/) ? text.split(".") : [text];
      for (let from = 0; from < dots.length; from = from === 0 ? Math.max(1, dots.length - 2) : from + 1) {
        const part = from === 0 ? text : dots.slice(from).join(".");
        if (this.textWidth(part) <= w) {
          return part;
        }
      }
      const last = dots[dots.length - 1];
      let low = 0;
      let high = last.length;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (this.textWidth(last.slice(0, middle) + "…") <= w) {
          low = middle;
        } else {
          high = middle - 1;
        }
      }
      return low > 0 ? last.slice(0, low) + "…" : "";
    }

    isAbove(i) {
      for (let at = this.zoom; ; at = this.tree.parent[at]) {
        if (at === i) {
          return true;
        }
        if (at === 0) {
          return false;
        }
      }
    }

    // The node at a place on the canvas, or -1.
    at(x, y) {
      const t = this.tree;
      const bottom = Math.max(this.height, this.h);
      const below = this.options.up ? bottom - 1 - y - this.scroll.scrollTop : y + this.scroll.scrollTop - 1;
      const depth = Math.floor(below / ROW) + this.first;
      if (depth < this.first || depth >= t.rows || x < 0 || x >= this.w) {
        return -1;
      }
      let i = this.zoom;
      while (t.depth[i] > depth) {
        i = t.parent[i];
      }
      while (t.depth[i] < depth) {
        let next = -1;
        for (let c = t.first[i]; c < t.first[i + 1]; c++) {
          const [left, w] = this.box(t.children[c]);
          if (x >= left && x < left + Math.max(w, 0.4)) {
            next = t.children[c];
            break;
          }
          if (left > x) {
            break;
          }
        }
        if (next < 0) {
          return -1;
        }
        i = next;
      }
      return i;
    }

    point(e) {
      const r = this.canvas.getBoundingClientRect();
      return this.at(e.clientX - r.left, e.clientY - r.top);
    }

    hover(e) {
      const i = this.point(e);
      if (i !== this.over) {
        this.over = i;
        this.ask();
      }
      this.canvas.style.cursor = i >= 0 ? "pointer" : "default";
      showTip(this.tree, i, e.clientX, e.clientY);
    }

    leave() {
      this.over = -1;
      hideTip();
      this.ask();
    }

    zoomTo(i, remember) {
      if (i < 0 || i === this.zoom) {
        return;
      }
      if (remember) {
        this.back.push(this.zoom);
      }
      this.zoom = i;
      this.focus = i;
      this.reveal(i);
      this.tell(i);
      this.options.zoomed(this);
      this.ask();
    }

    goBack() {
      const i = this.back.pop();
      if (i !== undefined) {
        this.zoomTo(i, false);
      } else {
        this.zoomTo(0, false);
      }
    }

    click(e) {
      if (e.detail > 1) {
        return;
      }
      this.mark = this.back.length;
      this.markZoom = this.zoom;
      const i = this.point(e);
      if (i >= 0) {
        this.focus = i;
        this.zoomTo(i, true);
        this.tell(i);
      }
    }

    // What the first click of the two did is undone, and then the zoom before.
    doubleClick() {
      if (this.mark !== undefined) {
        this.back.length = this.mark;
        this.zoomTo(this.markZoom, false);
      }
      this.goBack();
    }

    menu(e) {
      const i = this.point(e);
      if (i > 0) {
        e.preventDefault();
        openFunction(this.tree.frame[i]);
      }
    }

    reveal(i) {
      const y = this.rowTop(this.tree.depth[i]);
      if (y < 0 || y > this.h - ROW) {
        this.scroll.scrollTop += y - this.h / 2;
      }
    }

    sibling(step) {
      const t = this.tree;
      if (this.focus === 0) {
        return 0;
      }
      const up = t.parent[this.focus];
      const at = t.children.indexOf(this.focus, t.first[up]) + step;
      return at >= t.first[up] && at < t.first[up + 1] ? t.children[at] : this.focus;
    }

    key(e) {
      const t = this.tree;
      const down = t.first[this.focus] < t.first[this.focus + 1] ? t.children[t.first[this.focus]] : this.focus;
      const moves = {
        ArrowUp: this.options.up ? down : t.parent[this.focus],
        ArrowDown: this.options.up ? t.parent[this.focus] : down,
        ArrowLeft: this.sibling(-1),
        ArrowRight: this.sibling(1),
        Home: 0,
      };
      if (e.key in moves) {
        this.focus = Math.max(moves[e.key], this.first === 1 && t.n > 1 ? 1 : 0);
        this.reveal(this.focus);
        this.tell(this.focus);
        this.ask();
      } else if (e.key === "Enter" || e.key === " ") {
        this.zoomTo(this.focus, true);
      } else if (e.key === "Backspace") {
        this.goBack();
      } else if (e.key.toLowerCase() === "s" && !e.ctrlKey && !e.metaKey && this.focus > 0) {
        openFunction(t.frame[this.focus]);
      } else {
        return;
      }
      e.preventDefault();
    }

    tell(i) {
      const status = $("status");
      const t = this.tree;
      const name = document.createElement("b");
      if (t === undefined) {
        return;
      }
      name.textContent = i === 0 ? rootLabel() : labels[t.frame[i]];
      status.replaceChildren(name, `  ${describe(t, i)}${i > 0 && whereOf(t.frame[i]) !== "" ? `  ·  ${whereOf(t.frame[i])}` : ""}`);
    }
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

  const main = new Graph($("graph-scroll"), {up: true, hideRoot: false, zoomed: (g) => showTrail(g)});
  const callers = new Graph($("callers-scroll"), {up: true, hideRoot: true, zoomed: () => {}});
  const callees = new Graph($("callees-scroll"), {up: false, hideRoot: true, zoomed: () => {}});
  const graphs = [main, callers, callees];

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
    performance.mark("drawn");
  }
  begin();
})();

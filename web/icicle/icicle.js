// Trees of stacks drawn on a canvas: for the page of --to=flame, into which tools/mkweb.c puts this file as it is, and for the page of serve,
// whose bundler takes it as a module (icicle.d.ts has its types). No library, no request, and no markup made of texts.
"use strict";
const icicle = (() => {
  const ROW = 19;
  const FONT = '12px system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif';
  const THIN = 0.4; // pixels below which children are drawn as one strip
  const HATCHED = 10; // pixels from which on a box shows its hatching

  // --- the tree ----------------------------------------------------------------------------------------------------

  // A call tree: node 0 is all stacks together, and a node's parent has a smaller number. `total` is what lies below a node with its own;
  // without it, it is computed from `self`. With `start`, nodes stand where they happened, else children follow each other, widest first.
  class Tree {
    constructor({parent, frame, self, before = null, total = null, start = null}) {
      const n = parent.length;
      this.n = n;
      this.parent = parent;
      this.frame = frame;
      this.self = self;
      this.selfBefore = before;
      // Copied as a whole: Float64Array.from asks for one number after the other.
      this.total = total ?? new Float64Array(self);
      this.before = before === null ? null : new Float64Array(before);
      for (const sums of [total === null ? this.total : null, this.before]) {
        for (let i = sums === null ? 0 : n - 1; i > 0; i--) {
          sums[parent[i]] += sums[i];
        }
      }
      const depth = new Int32Array(n);
      let rows = 1;
      for (let i = 1; i < n; i++) {
        const d = depth[parent[i]] + 1;
        depth[i] = d;
        rows = d < rows ? rows : d + 1;
      }
      this.depth = depth;
      this.rows = rows;
      this.ordered = start !== null;
      this.scale = 1; // what older values are multiplied by
      this.start = start;
      this.place();
    }

    width(i) {
      return this.before === null ? this.total[i] : this.total[i] + this.before[i] * this.scale;
    }

    // Puts children one after another in `children`, from first[i] to first[i + 1] those of i, and gives each its place in the row.
    place() {
      const n = this.n;
      const parent = this.parent;
      const first = new Int32Array(n + 1);
      for (let i = 1; i < n; i++) {
        first[parent[i] + 1]++;
      }
      for (let i = 0; i < n; i++) {
        first[i + 1] += first[i];
      }
      const children = new Int32Array(Math.max(0, n - 1));
      const at = first.slice();
      for (let i = 1; i < n; i++) {
        children[at[parent[i]]++] = i;
      }
      this.first = first;
      this.children = children;
      let widths = this.total;
      if (this.before !== null) {
        widths = new Float64Array(n);
        for (let i = 0; i < n; i++) {
          widths[i] = this.width(i);
        }
      }
      const key = this.ordered ? this.start : widths;
      const sign = this.ordered ? 1 : -1;
      const start = this.ordered ? this.start : new Float64Array(n);
      // A child's place follows from its parent's, which has a smaller number. All of a run is done while it is in the cache.
      for (let i = 0; i < n; i++) {
        const from = first[i];
        const to = first[i + 1];
        if (to - from > 1) {
          sortRun(children, from, to, key, sign);
        }
        if (!this.ordered) {
          let x = start[i];
          for (let c = from; c < to; c++) {
            const child = children[c];
            start[child] = x;
            x += widths[child];
          }
        }
      }
      this.start = start;
    }
  }

  // Sorts children[from..to) by key, equal ones by number. Most nodes have few children.
  function sortRun(children, from, to, key, sign) {
    if (to - from > 24) {
      children.subarray(from, to).sort((a, b) => sign * (key[a] - key[b]) || a - b);
      return;
    }
    for (let c = from + 1; c < to; c++) {
      const one = children[c];
      const own = sign * key[one];
      let k = c - 1;
      while (k >= from && sign * key[children[k]] > own) {
        children[k + 1] = children[k];
        k--;
      }
      children[k + 1] = one;
    }
  }

  // --- colours -----------------------------------------------------------------------------------------------------

  const hues = [212, 190, 168, 140, 96, 52, 34, 262];

  function hashOf(text) {
    let h = 2166136261;
    for (let k = 0; k < text.length; k++) {
      h = Math.imul(h ^ text.charCodeAt(k), 16777619);
    }
    return h >>> 8;
  }

  // Hue and shade of a frame: of its file, or of its package where there is no file. Hashed, so that they stay from page to page. -1: neither.
  function tintOf(label, file) {
    const key = file !== "" ? file : label.slice(0, Math.max(0, label.lastIndexOf(".", label.lastIndexOf(".") - 1)));
    return key === "" ? -1 : (hashOf(key) % hues.length) * 4 + (hashOf(label) % 4);
  }

  // The colours of a graph: those of the page, and boxes[tint] with four shades of each hue, so that neighbours of one file differ.
  function coloursOf(dark, style) {
    const colours = {dark};
    for (const name of ["bg", "panel", "text", "muted", "line", "accent"]) {
      colours[name] = style.getPropertyValue(`--${name}`).trim();
    }
    colours.boxes = hues.flatMap((h) => [0, 1, 2, 3].map((k) => (dark ? `hsl(${h} 30% ${27 + 3 * k}%)` : `hsl(${h} 52% ${86 - 3 * k}%)`)));
    colours.plain = dark ? "#39414e" : "#dfe3e9";
    colours.root = dark ? "#2b333f" : "#e9ecf1";
    colours.onBox = dark ? "#eef1f5" : "#1c2430";
    colours.faded = dark ? "#1d232d" : "#f0f2f5";
    colours.onFaded = dark ? "#77839a" : "#78849a";
    colours.found = dark ? "#f0b429" : "#f6b73c";
    colours.onFound = "#1c2430";
    colours.hatch = dark ? "#4a5464" : "#c3cad5";
    return colours;
  }

  // --- one graph ---------------------------------------------------------------------------------------------------

  // A canvas in `scroll`, which also holds the element `.space` that makes its scroll bar. Of the options only `colours`, `label` and `colour` are
  // needed; `up` and `found` may change between drawings.
  //   up: grows upwards; hideRoot: row 0 is not drawn; colours(): of coloursOf
  //   label(tree, i), colour(tree, i); found(tree, i): what a search has found, null when there is none; rest(tree, i): stands for several
  //   zoomed(graph), focused(graph, i), hovered(graph, i, x, y) with -1 for nothing, opened(graph, i), key(graph, event): true when it was taken
  class Graph {
    constructor(scroll, options) {
      this.scroll = scroll;
      this.canvas = scroll.querySelector("canvas");
      this.space = scroll.querySelector(".space");
      this.pen = this.canvas.getContext("2d");
      this.options = options;
      this.zoom = 0;
      this.back = [];
      this.over = -1;
      this.focus = 0;
      this.widths = new Map(); // of texts
      this.observer = new ResizeObserver(() => this.resize());
      this.observer.observe(scroll);
      scroll.addEventListener("scroll", () => this.ask());
      this.canvas.addEventListener("mousemove", (e) => this.hover(e));
      this.canvas.addEventListener("mouseleave", () => this.leave());
      this.canvas.addEventListener("click", (e) => this.click(e));
      this.canvas.addEventListener("dblclick", () => this.doubleClick());
      this.canvas.addEventListener("contextmenu", (e) => this.menu(e));
      this.canvas.addEventListener("keydown", (e) => this.key(e));
      this.canvas.addEventListener("focus", () => this.tell(this.focus));
    }

    destroy() {
      this.observer.disconnect();
      this.tree = undefined;
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

    pixelsPer() {
      const whole = this.tree.width(this.zoom);
      return whole > 0 ? this.w / whole : 0;
    }

    // Place and width of a node on the canvas: callers of the zoomed one are as wide as all.
    box(i) {
      const t = this.tree;
      const scale = this.pixelsPer();
      return [(t.start[i] - t.start[this.zoom]) * scale, t.width(i) * scale];
    }

    draw() {
      if (this.tree === undefined || !this.w) {
        return;
      }
      const pen = this.pen;
      const ratio = window.devicePixelRatio || 1;
      const colours = this.options.colours();
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.fillStyle = colours.bg;
      pen.fillRect(0, 0, this.w, this.h);
      pen.font = FONT;
      pen.textBaseline = "middle";
      this.colours = colours;
      this.fills = new Map(); // colour: x, y, w of its boxes, drawn together because a change of colour costs more than a box
      this.texts = new Map();
      for (let i = this.zoom; i > 0; i = this.tree.parent[i]) {
        this.drawBox(this.tree.parent[i], 0, this.w, true);
      }
      pen.globalAlpha = 0.6;
      this.flushBoxes();
      pen.globalAlpha = 1;
      this.drawBelow();
      this.flushBoxes();
      this.flushTexts();
      if (document.activeElement === this.canvas) {
        this.frameBox(this.focus, colours.accent, 2);
      }
      if (this.over >= 0) {
        this.frameBox(this.over, colours.text, 1);
      }
    }

    flushBoxes() {
      const pen = this.pen;
      for (const [colour, boxes] of this.fills) {
        pen.fillStyle = colour;
        for (let k = 0; k < boxes.length; k += 3) {
          pen.fillRect(boxes[k], boxes[k + 1], boxes[k + 2], ROW - 1);
        }
      }
      this.fills.clear();
    }

    flushTexts() {
      const pen = this.pen;
      for (const [colour, texts] of this.texts) {
        pen.fillStyle = colour;
        for (let k = 0; k < texts.length; k += 3) {
          pen.fillText(texts[k], texts[k + 1], texts[k + 2]);
        }
      }
      this.texts.clear();
    }

    add(colour, x, y, w) {
      const known = this.fills.get(colour);
      if (known === undefined) {
        this.fills.set(colour, [x, y, w]);
      } else {
        known.push(x, y, w);
      }
    }

    drawBelow() {
      const t = this.tree;
      const scale = this.pixelsPer();
      const left = t.start[this.zoom];
      const stack = [this.zoom];
      while (stack.length > 0) {
        const i = stack.pop();
        const x = (t.start[i] - left) * scale;
        const y = this.rowTop(t.depth[i]);
        if (y > -ROW && y < this.h && t.depth[i] >= this.first) {
          this.drawBox(i, x, t.width(i) * scale, false);
        }
        // Rows after the window's end have nothing that is seen.
        if (this.options.up ? y < 0 : y > this.h) {
          continue;
        }
        if (t.ordered) {
          this.pushOrdered(stack, i, left, scale);
          continue;
        }
        for (let c = t.first[i]; c < t.first[i + 1]; c++) {
          const child = t.children[c];
          if (t.width(child) * scale < THIN) {
            this.drawRest(i, child, x + t.width(i) * scale, t.depth[child]);
            break; // widest first: the others are thinner still
          }
          stack.push(child);
        }
      }
    }

    // Children in the order of time: neighbours that are too thin become one strip.
    pushOrdered(stack, i, left, scale) {
      const t = this.tree;
      const y = this.rowTop(t.depth[i] + 1);
      let from = -1;
      let to = -1;
      for (let c = t.first[i]; c < t.first[i + 1]; c++) {
        const child = t.children[c];
        const x = (t.start[child] - left) * scale;
        const w = t.width(child) * scale;
        if (w >= THIN) {
          stack.push(child);
          continue;
        }
        if (from >= 0 && x - to > 1) {
          this.add(this.colours.plain, from, y, Math.max(0.5, to - from));
          from = -1;
        }
        from = from < 0 ? x : from;
        to = Math.max(to, x + w);
      }
      if (from >= 0) {
        this.add(this.colours.plain, from, y, Math.max(0.5, to - from));
      }
    }

    // Children that are too thin to be seen singly: one strip from the first of them on.
    drawRest(parent, child, end, depth) {
      const t = this.tree;
      const x = this.box(child)[0];
      const last = t.children[t.first[parent + 1] - 1];
      const [lastX, lastW] = this.box(last);
      const y = this.rowTop(depth);
      const w = Math.min(end, lastX + lastW) - x;
      if (w > 0.2 && y > -ROW && y < this.h) {
        this.add(this.options.found ? this.colours.faded : this.colours.plain, x, y, w);
      }
    }

    drawBox(i, x, w, above) {
      const t = this.tree;
      const y = this.rowTop(t.depth[i]);
      if (y <= -ROW || y >= this.h || t.depth[i] < this.first) {
        return;
      }
      const colours = this.colours;
      const searching = Boolean(this.options.found);
      const hit = searching && i > 0 && this.options.found(t, i);
      const faded = searching && !hit;
      const wide = Math.max(0.5, w > 2 ? w - 1 : w);
      this.add(hit ? colours.found : faded ? colours.faded : this.options.colour(t, i), x, y, wide);
      if (wide >= HATCHED && this.options.rest?.(t, i)) {
        this.hatch(x, y, wide);
      }
      if (w > 24) {
        const text = this.fitted(this.options.label(t, i), w - 9);
        const colour = hit ? colours.onFound : faded ? colours.onFaded : colours.onBox;
        const known = this.texts.get(colour);
        if (known === undefined) {
          this.texts.set(colour, [text, x + 4, y + ROW / 2]);
        } else {
          known.push(text, x + 4, y + ROW / 2);
        }
      }
      if (above && this.fills.size > 400) {
        this.flushBoxes();
      }
    }

    // What stands for several frames that are not here.
    hatch(x, y, w) {
      const end = Math.min(x + w, this.w);
      for (let at = Math.max(x, -ROW); at < end; at += 6) {
        this.add(this.colours.hatch, at, y, Math.min(2, end - at));
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
          if (x >= left && x < left + Math.max(w, THIN)) {
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
      if (this.tree === undefined) {
        return;
      }
      const i = this.point(e);
      if (i !== this.over) {
        this.over = i;
        this.ask();
      }
      this.canvas.style.cursor = i >= 0 ? "pointer" : "default";
      this.options.hovered?.(this, i, e.clientX, e.clientY);
    }

    leave() {
      this.over = -1;
      this.options.hovered?.(this, -1, 0, 0);
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
      this.options.zoomed?.(this);
      this.ask();
    }

    goBack() {
      const i = this.back.pop();
      this.zoomTo(i ?? 0, false);
    }

    // The next node to which a test applies, in the order of the tree, becomes the focused one; -1 when there is none.
    next(wanted, step) {
      const n = this.tree.n;
      for (let k = 1; k <= n; k++) {
        const i = (((this.focus + step * k) % n) + n) % n;
        if (i > 0 && wanted(this.tree, i)) {
          this.focusOn(i);
          return i;
        }
      }
      return -1;
    }

    focusOn(i) {
      this.focus = i;
      this.reveal(i);
      this.tell(i);
      this.ask();
    }

    click(e) {
      if (e.detail > 1 || this.tree === undefined) {
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
      if (i > 0 && this.options.opened) {
        e.preventDefault();
        this.options.opened(this, i);
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
      if (t === undefined || e.ctrlKey || e.metaKey) {
        return;
      }
      const down = t.first[this.focus] < t.first[this.focus + 1] ? t.children[t.first[this.focus]] : this.focus;
      const moves = {
        ArrowUp: this.options.up ? down : t.parent[this.focus],
        ArrowDown: this.options.up ? t.parent[this.focus] : down,
        ArrowLeft: this.sibling(-1),
        ArrowRight: this.sibling(1),
        Home: 0,
      };
      if (e.key in moves) {
        this.focusOn(Math.max(moves[e.key], this.first === 1 && t.n > 1 ? 1 : 0));
      } else if (e.key === "Enter" || e.key === " ") {
        this.zoomTo(this.focus, true);
      } else if (e.key === "Backspace") {
        this.goBack();
      } else if (!this.options.key?.(this, e)) {
        return;
      }
      e.preventDefault();
    }

    tell(i) {
      if (this.tree !== undefined) {
        this.options.focused?.(this, i);
      }
    }
  }

  return {ROW, Tree, Graph, coloursOf, tintOf};
})();
// A bundler takes it as a module, the page of --to=flame as a script in front of its own.
if (typeof module === "object") {
  module.exports = icicle;
}

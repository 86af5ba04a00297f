// A graph of stacks as a file: every box of it, also those that the window does not show.
import type { Graph } from "../../icicle/icicle.js";
import { clean } from "../format.ts";

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly fill: string;
  readonly text: string;
  readonly title: string;
}

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly background: string;
  readonly ink: string;
  readonly boxes: readonly Box[];
}

const ROW = 19;
const FONT = '12px system-ui, "DejaVu Sans", sans-serif';
const LEAST = 0.5; // pixels
const MOST = 50000; // boxes

let shown: Graph | undefined;

/** The graph that is on the page; undefined: none. */
export function showsGraph(graph: Graph | undefined): void {
  shown = graph;
}

/** The boxes of the graph that is shown, from what it is zoomed to on. */
export function pictureOf(): Picture | undefined {
  const graph = shown;
  const tree = graph?.tree;
  if (graph === undefined || tree === undefined) {
    return undefined;
  }
  const { options, zoom } = graph;
  const colours = options.colours();
  const width = Math.max(400, graph.canvas.clientWidth);
  const pen = document.createElement("canvas").getContext("2d");
  if (pen === null) {
    return undefined;
  }
  pen.font = FONT;
  const fitted = (text: string, w: number): string => {
    let cut = clean(text, 300);
    const fits = (t: string): boolean => pen.measureText(t).width <= w;
    if (w < 16 || fits(cut)) {
      return w < 16 ? "" : cut;
    }
    while (cut.length > 1 && !fits(`${cut}…`)) {
      cut = cut.slice(0, -Math.max(1, Math.ceil(cut.length / 8)));
    }
    return cut.length > 1 ? `${cut}…` : "";
  };
  const scale = tree.width(zoom) > 0 ? width / tree.width(zoom) : 0;
  const boxes: Box[] = [];
  const put = (i: number, x: number, w: number): void => {
    const label = options.label(tree, i);
    boxes.push({ x, y: (tree.depth[i] ?? 0) * ROW, w, fill: i > 0 && options.found?.(tree, i) ? colours.found : options.colour(tree, i), text: fitted(label, w - 8), title: clean(label, 1000) });
  };
  for (let i = zoom; i > 0; i = tree.parent[i] ?? 0) {
    put(tree.parent[i] ?? 0, 0, width);
  }
  const open = [zoom];
  let deepest = tree.depth[zoom] ?? 0;
  while (open.length > 0 && boxes.length < MOST) {
    const i = open.pop() ?? 0;
    const w = tree.width(i) * scale;
    if (w >= LEAST) {
      put(i, ((tree.start[i] ?? 0) - (tree.start[zoom] ?? 0)) * scale, w);
      deepest = Math.max(deepest, tree.depth[i] ?? 0);
      for (let c = tree.first[i] ?? 0; c < (tree.first[i + 1] ?? 0); c++) {
        open.push(tree.children[c] ?? 0);
      }
    }
  }
  return { width, height: (deepest + 1) * ROW, background: colours.bg, ink: colours.onBox, boxes };
}

function download(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** Elements, so that no recorded text becomes markup. */
export function svgOf(picture: Picture): string {
  const SVG = "http://www.w3.org/2000/svg";
  const element = (name: string, attributes: Record<string, string | number>, text?: string): Element => {
    const one = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) {
      one.setAttribute(key, typeof value === "number" ? String(Math.round(value * 100) / 100) : value);
    }
    if (text !== undefined) {
      one.textContent = text;
    }
    return one;
  };
  const root = element("svg", { width: picture.width, height: picture.height, viewBox: `0 0 ${picture.width} ${picture.height}`, "font-family": "system-ui, sans-serif", "font-size": 12 });
  root.append(element("rect", { width: picture.width, height: picture.height, fill: picture.background }));
  for (const box of picture.boxes) {
    const group = element("g", {});
    group.append(element("title", {}, box.title), element("rect", { x: box.x, y: box.y, width: Math.max(0.5, box.w > 2 ? box.w - 1 : box.w), height: ROW - 1, fill: box.fill }));
    if (box.text !== "") {
      group.append(element("text", { x: box.x + 4, y: box.y + 13, fill: picture.ink }, box.text));
    }
    root.append(group);
  }
  return new XMLSerializer().serializeToString(root);
}

export function saveSvg(picture: Picture, name: string): void {
  download(new Blob([svgOf(picture)], { type: "image/svg+xml" }), `${name}.svg`);
}

export function savePng(picture: Picture, name: string): void {
  const canvas = document.createElement("canvas");
  const ratio = Math.min(2, 16000 / Math.max(picture.width, picture.height));
  canvas.width = Math.round(picture.width * ratio);
  canvas.height = Math.round(picture.height * ratio);
  const pen = canvas.getContext("2d");
  if (pen === null) {
    return;
  }
  pen.scale(ratio, ratio);
  pen.fillStyle = picture.background;
  pen.fillRect(0, 0, picture.width, picture.height);
  pen.font = FONT;
  for (const box of picture.boxes) {
    pen.fillStyle = box.fill;
    pen.fillRect(box.x, box.y, Math.max(0.5, box.w > 2 ? box.w - 1 : box.w), ROW - 1);
    pen.fillStyle = picture.ink;
    pen.fillText(box.text, box.x + 4, box.y + 13);
  }
  canvas.toBlob((blob) => blob !== null && download(blob, `${name}.png`), "image/png");
}

// Times of frames, and the graph alone with a million of them.
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Chromium draws as fast as it can, so that the time between two frames is what one costs. */
export const UNLIMITED = ["--disable-frame-rate-limit", "--disable-gpu-vsync"];

export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/**
 * ms of each of n frames; `act`, which runs in the page, changes something before every one. Gives the times from one frame to the next, which are
 * never less than those of the display where Chromium keeps to them, and those of the work: `act`, what is drawn, layout and painting.
 */
export const frameTimes = (view, act, n) =>
  view.run(`(async () => {
    const step = ${act};
    const next = () => new Promise((done) => requestAnimationFrame(done));
    const channel = new MessageChannel();
    let painted = () => undefined;
    channel.port1.onmessage = () => painted(performance.now());
    const between = [];
    const work = [];
    for (let i = 0; i < ${n}; i++) {
      const frame = await next();
      const begun = performance.now();
      // The first callback of the next frame; the message comes when that one is painted.
      const drawn = new Promise((done) => requestAnimationFrame(() => {
        const from = performance.now();
        painted = (until) => done(until - from);
        channel.port2.postMessage(0);
      }));
      step(i);
      const acted = performance.now() - begun;
      between.push((await next()) - frame);
      work.push(acted + (await drawn));
    }
    channel.port1.close();
    return [between, work];
  })()`);

/** ms until a graph of a million frames is shown, and the median of zooming in it. The view shows some other graph. */
export async function millionFrames(view, source) {
  await view.run(readFileSync(join(source, "web/icicle/icicle.js"), "utf8").replace("const icicle =", "window.icicle ="));
  return view.run(async () => {
    const n = 1000000;
    const parent = new Int32Array(n);
    const self = new Float64Array(n);
    const depth = new Uint8Array(n);
    let seed = 7;
    const random = () => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) / 4294967296;
    for (let i = 1; i < n; i++) {
      let up = Math.floor(random() * i);
      while (depth[up] >= 59) {
        up = parent[up];
      }
      parent[i] = up;
      depth[i] = depth[up] + 1;
      self[i] = 1 + Math.floor(random() * 9);
    }
    const place = document.createElement("div");
    place.className = "graph";
    place.style.cssText = "position: fixed; left: 0; top: 0; width: 1400px; height: 800px";
    place.append(document.createElement("canvas"), Object.assign(document.createElement("div"), { className: "space" }));
    document.body.append(place);
    const colours = icicle.coloursOf(false, getComputedStyle(document.documentElement));
    const began = performance.now();
    const tree = new icicle.Tree({ parent, frame: parent, self });
    const graph = new icicle.Graph(place, { colours: () => colours, label: (_, i) => `method${i % 2000}`, colour: (_, i) => colours.boxes[i % 32] });
    graph.show(tree);
    graph.draw();
    const shown = performance.now() - began;
    const times = [];
    for (let k = 0, i = 0; k < 9; k++) {
      i = k % 3 === 0 ? 0 : tree.children[tree.first[i]] ?? 0;
      const before = performance.now();
      graph.zoomTo(i, false);
      graph.draw();
      times.push(performance.now() - before);
    }
    graph.destroy();
    place.remove();
    return [shown, times.sort((a, b) => a - b)[4]];
  });
}

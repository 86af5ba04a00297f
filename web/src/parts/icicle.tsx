// The graph of stacks as a part of a view.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Graph, coloursOf, type Colours, type Tree } from "../../icicle/icicle.js";
import { amount, count, percent, signed, unitFor, inUnit } from "../format.ts";
import { theme } from "../state.ts";
import { showsGraph } from "./picture.ts";
import { nextMatch } from "./search.ts";
import { growth, REST, UNKNOWN, type Stacks } from "./stacks.ts";

let colours: Colours | undefined;
let coloursFor = "";

/** The colours of graphs in the theme of the page. */
export function graphColours(): Colours {
  if (colours === undefined || coloursFor !== theme.value) {
    document.documentElement.dataset["theme"] = theme.value;
    colours = coloursOf(theme.value === "dark", getComputedStyle(document.documentElement));
    coloursFor = theme.value;
  }
  return colours;
}

export const labelOf = (stacks: Stacks, i: number): string => {
  const frame = stacks.tree.frame[i] ?? -1;
  return i === 0 ? `all, ${amount(stacks.tree.total[0], stacks.unit)}` : frame === REST ? `${count(stacks.left[i])} more` : stacks.names.label[frame] ?? UNKNOWN;
};

const DOUBLE_CLICK = 500; // ms

/** A click chooses a frame, a double click or Enter zooms to it; what is chosen stays when the zoom changes. */
class Selecting extends Graph {
  private quiet = false;

  override click(e: MouseEvent): void {
    if (e.detail > 1 || this.tree === undefined) {
      return;
    }
    const i = this.point(e);
    if (i < 0) {
      return;
    }
    const { tree, zoom } = this;
    const began = performance.now();
    this.focusOn(i);
    // What is shown of the frame may lie where the graph was: the second of two clicks is taken wherever it lands.
    const again = (next: PointerEvent): void => {
      removeEventListener("pointerdown", again, true);
      if (performance.now() - began < DOUBLE_CLICK && Math.hypot(next.clientX - e.clientX, next.clientY - e.clientY) < 5 && this.tree === tree && this.zoom === zoom) {
        if (i === zoom) {
          this.goBack();
        } else {
          this.zoomTo(i, true);
        }
      }
    };
    addEventListener("pointerdown", again, true);
  }

  override doubleClick(): void {
    // Its second click was taken.
  }

  override zoomTo(i: number, remember: boolean): void {
    const kept = this.focus;
    this.quiet = true;
    super.zoomTo(i, remember);
    this.focus = kept;
    this.quiet = false;
  }

  /** Chooses without telling. */
  choose(i: number): void {
    if (i !== this.focus) {
      this.quiet = true;
      this.focusOn(i);
      this.quiet = false;
    }
  }

  override tell(i: number): void {
    if (!this.quiet) {
      super.tell(i);
    }
  }
}

interface Props {
  readonly stacks: Stacks;
  readonly label: string;
  readonly up?: boolean;
  readonly hideRoot?: boolean;
  readonly search?: ((text: string) => boolean) | undefined;
  /** The node that is zoomed to, when it is not changed by the graph itself. */
  readonly zoom?: number;
  /** What percentages are of, and how it is called. */
  readonly whole?: number;
  /** What is below a frame are its callers. */
  readonly turned?: boolean;
  /** The node that is chosen, when it is not kept by the graph itself; 0: none. */
  readonly selected?: number;
  readonly onZoom?: (i: number) => void;
  readonly onFocus?: (i: number) => void;
  readonly onOpen?: (i: number) => void;
  readonly onKey?: (key: string, i: number) => boolean;
}

interface Tip {
  readonly i: number;
  readonly x: number;
  readonly y: number;
}

export function Icicle(props: Props): JSX.Element {
  const scroll = useRef<HTMLDivElement>(null);
  const graph = useRef<Selecting | null>(null);
  const latest = useRef(props);
  latest.current = props;
  // What the graph has told comes back later as a property, when keys may have gone on: only what others choose is taken.
  const told = useRef<number[]>([]);
  const toldZoom = useRef<number[]>([]);
  const [tip, setTip] = useState<Tip | null>(null);
  const [said, setSaid] = useState("");
  useEffect(() => {
    const host = scroll.current;
    if (host === null) {
      return undefined;
    }
    const made = new Selecting(host, {
      up: props.up ?? false,
      hideRoot: props.hideRoot ?? false,
      colours: graphColours,
      label: (_, i) => labelOf(latest.current.stacks, i),
      colour: (tree, i) => colourOf(latest.current.stacks, tree, i),
      rest: (tree, i) => tree.frame[i] === REST,
      zoomed: (g) => {
        setTip(null);
        if (latest.current.zoom !== undefined) {
          toldZoom.current.push(g.zoom);
        }
        latest.current.onZoom?.(g.zoom);
      },
      focused: (_, i) => {
        setSaid(`${labelOf(latest.current.stacks, i)}, total ${amount(latest.current.stacks.tree.total[i], latest.current.stacks.unit)}`);
        const { selected, onFocus } = latest.current;
        if (selected === undefined) {
          onFocus?.(i);
        } else if (i !== (told.current.at(-1) ?? selected)) {
          told.current.push(i);
          onFocus?.(i);
        }
      },
      hovered: (_, i, x, y) => setTip(i < 0 ? null : { i, x, y }),
      opened: (_, i) => latest.current.onOpen?.(i),
      key: (g, e) => {
        if (e.key === "Escape" || e.key === "0") {
          g.zoomTo(0, true);
          return true;
        }
        return latest.current.onKey?.(e.key, g.focus) ?? false;
      },
    });
    graph.current = made;
    showsGraph(made);
    return () => {
      showsGraph(undefined);
      made.destroy();
    };
  }, []);
  useEffect(() => {
    graph.current?.show(props.stacks.tree);
    setTip(null); // of a frame that is not there any more
  }, [props.stacks]);
  const zoomTo = (i: number | undefined): void => {
    const g = graph.current;
    if (g?.tree !== undefined && i !== undefined && g.zoom !== i && i < g.tree.n) {
      g.zoomTo(i, false);
      toldZoom.current = [];
      setTip(null);
    }
  };
  useEffect(() => {
    toldZoom.current = [];
    zoomTo(props.zoom);
  }, [props.stacks]);
  useEffect(() => {
    const echo = toldZoom.current.indexOf(props.zoom ?? -1);
    if (echo >= 0) {
      toldZoom.current.splice(0, echo + 1);
    } else {
      zoomTo(props.zoom);
    }
  }, [props.zoom]);
  const take = (i: number | undefined): void => {
    const g = graph.current;
    if (g?.tree !== undefined && i !== undefined && i < g.tree.n) {
      g.choose(i);
    }
  };
  useEffect(() => {
    told.current = [];
    take(props.selected);
  }, [props.stacks]);
  useEffect(() => {
    const echo = told.current.indexOf(props.selected ?? -1);
    if (echo >= 0) {
      told.current.splice(0, echo + 1);
    } else {
      take(props.selected);
    }
  }, [props.selected]);
  useEffect(() => {
    const g = graph.current;
    if (g !== null) {
      g.options.up = props.up ?? false;
      g.options.found = props.search === undefined ? null : (tree, i) => hit(latest.current.stacks, latest.current.search, tree, i);
      g.resize();
      g.ask();
    }
  }, [props.search, props.up, theme.value]);
  const asked = nextMatch.value;
  useEffect(() => {
    const test = latest.current.search;
    if (asked.n > 0 && test !== undefined) {
      graph.current?.next((tree, i) => hit(latest.current.stacks, test, tree, i), asked.step);
    }
  }, [asked.n]);
  return (
    <div class="graph" ref={scroll} onScroll={() => setTip(null)}>
      <canvas tabIndex={0} role="application" aria-label={props.label} />
      <div class="space" />
      <div class="hidden" aria-live="polite">{said}</div>
      {tip !== null && tip.i < props.stacks.tree.n && <TipBox stacks={props.stacks} tip={tip} whole={props.whole ?? props.stacks.tree.total[0] ?? 0} turned={props.turned ?? props.up ?? false} />}
    </div>
  );
}

function hit(stacks: Stacks, test: ((text: string) => boolean) | undefined, tree: Tree, i: number): boolean {
  const frame = tree.frame[i] ?? -1;
  return frame >= 0 && test !== undefined && (test(stacks.names.label[frame] ?? "") || test(stacks.names.file[frame] ?? ""));
}

function colourOf(stacks: Stacks, tree: Tree, i: number): string {
  const c = graphColours();
  const frame = tree.frame[i] ?? -1;
  if (tree.before !== null && i > 0) {
    const change = growth(tree, i);
    const step = Math.round(4 * Math.abs(change));
    return step === 0 ? c.plain : `hsl(${change > 0 ? 8 : 214} ${c.dark ? 46 : 70}% ${c.dark ? 26 + 4 * step : 94 - 6 * step}%)`;
  }
  return i === 0 ? c.root : frame < 0 ? c.plain : c.boxes[stacks.names.tint[frame] ?? -1] ?? c.plain;
}

function TipBox({ stacks, tip, whole, turned }: { stacks: Stacks; tip: Tip; whole: number; turned: boolean }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const { i } = tip;
  const { tree } = stacks;
  const frame = tree.frame[i] ?? -1;
  const total = tree.total[i] ?? 0;
  const self = tree.self[i] ?? 0;
  const unit = unitFor(Math.max(total, tree.before?.[i] ?? 0), stacks.unit);
  const text = (v: number): string => `${inUnit(v, unit)}${unit[1] === "" ? "" : ` ${unit[1]}`}`;
  useEffect(() => {
    const element = box.current;
    if (element !== null) {
      const w = element.offsetWidth;
      const h = element.offsetHeight;
      element.style.left = `${Math.max(8, Math.min(tip.x + 14, innerWidth - w - 8))}px`;
      element.style.top = `${tip.y + 18 + h > innerHeight - 4 ? Math.max(4, tip.y - h - 10) : tip.y + 18}px`;
    }
  });
  return (
    <div class="tip" ref={box}>
      <div class="name">{labelOf(stacks, i)}</div>
      {frame >= 0 && stacks.names.where[frame] !== "" && <div class="file">{stacks.names.where[frame]}</div>}
      <table>
        <tbody>
          {tree.before !== null && <tr><th>Before</th><td>{text((tree.before[i] ?? 0) * tree.scale)}</td><td /></tr>}
          {tree.before !== null && <tr><th>Change</th><td>{signed(total - (tree.before[i] ?? 0) * tree.scale, text(total - (tree.before[i] ?? 0) * tree.scale))}</td><td /></tr>}
          <tr><th>Total</th><td>{text(total)}</td><td>{percent(total, whole)}</td></tr>
          {frame !== REST && !tree.ordered && <tr><th>Self</th><td>{text(self)}</td><td>{percent(self, whole)}</td></tr>}
          {i > 0 && (tree.parent[i] ?? 0) > 0 && !tree.ordered && <tr><th>{turned ? "Of callee" : "Of caller"}</th><td /><td>{percent(total, tree.total[tree.parent[i] ?? 0] ?? 0)}</td></tr>}
        </tbody>
      </table>
      {!tree.ordered && whole > 0 && <div class="file">of {amount(whole, stacks.unit)}</div>}
    </div>
  );
}

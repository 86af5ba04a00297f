// A narrow picture of the whole recording, in which a range of time is chosen by dragging or by keys.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { duration, tickStep, tickText } from "../format.ts";
import { extent, param, range, setParams, theme } from "../state.ts";
import { useSize } from "../use.ts";
import { graphColours } from "./icicle.tsx";
import type { Axis } from "../data.ts";

interface Props {
  readonly axis: Axis | null;
  readonly values: readonly number[];
  readonly label: string;
}

const HEIGHT = 46;

const text = (ns: number): string => String(Math.round(ns));

/** Sets the chosen range; one of nothing, or of everything, is none. */
export function chooseRange(from: number, to: number, replace: boolean): void {
  const { from: a, to: b } = extent.value;
  const low = Math.max(a, Math.min(from, to));
  const high = Math.min(b, Math.max(from, to));
  if (high - low < 1 || (low <= a && high >= b)) {
    setParams({ from: undefined, to: undefined }, replace);
  } else {
    setParams({ from: text(low), to: text(high) }, replace);
  }
}

export function RangeStrip({ axis, values, label }: Props): JSX.Element {
  const [place, size] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const { from, to } = extent.value;
  const span = Math.max(1, to - from);
  const drawn = drag === null ? range.value : { from: Math.min(drag.from, drag.to), to: Math.max(drag.from, drag.to) };
  const chosen = drawn;
  const x = (ns: number): number => ((ns - from) / span) * size.width;
  useEffect(() => {
    const element = canvas.current;
    const pen = element?.getContext("2d");
    if (element === null || pen === null || pen === undefined || size.width < 20) {
      return;
    }
    const ratio = devicePixelRatio || 1;
    const c = graphColours();
    element.width = Math.round(size.width * ratio);
    element.height = Math.round(HEIGHT * ratio);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, size.width, HEIGHT);
    const step = tickStep(span, Math.max(2, size.width / 110));
    pen.font = '11px system-ui, "DejaVu Sans", sans-serif';
    pen.textBaseline = "top";
    // One source counts from its own beginning.
    const base = param("src") === "" ? 0 : from;
    for (let t = base + Math.ceil((from - base) / step) * step; t <= to; t += step) {
      pen.fillStyle = c.line;
      pen.fillRect(Math.round(x(t)), 0, 1, HEIGHT);
      pen.fillStyle = c.muted;
      const label = tickText(t - base, step, to - base);
      if (x(t) + 4 + pen.measureText(label).width <= size.width) {
        pen.fillText(label, x(t) + 4, 1);
      }
    }
    const most = values.reduce((a, b) => Math.max(a, b), 0);
    if (axis !== null && most > 0) {
      const base = HEIGHT - 1;
      const tall = HEIGHT - 17;
      pen.fillStyle = c.accent;
      pen.globalAlpha = 0.55;
      values.forEach((value, i) => {
        const left = Math.round(x(axis.from + i * axis.step));
        const right = Math.round(x(axis.from + (i + 1) * axis.step));
        const h = tall * (value / most);
        pen.fillRect(Math.max(0, left), base - h, Math.max(1, Math.min(right, size.width) - Math.max(0, left) - (right - left > 4 ? 1 : 0)), h);
      });
      pen.globalAlpha = 1;
    }
    pen.fillStyle = c.line;
    pen.fillRect(0, HEIGHT - 1, size.width, 1);
    if (chosen !== undefined) {
      pen.fillStyle = c.bg;
      pen.globalAlpha = 0.65;
      pen.fillRect(0, 0, x(chosen.from), HEIGHT);
      pen.fillRect(x(chosen.to), 0, size.width, HEIGHT);
      pen.globalAlpha = 1;
      pen.fillStyle = c.accent;
      pen.fillRect(x(chosen.from), 0, 2, HEIGHT);
      pen.fillRect(x(chosen.to) - 2, 0, 2, HEIGHT);
    }
  }, [size.width, values, axis, from, to, param("src"), chosen?.from, chosen?.to, theme.value]);
  const timeAt = (e: PointerEvent): number => {
    const box = canvas.current?.getBoundingClientRect();
    return box === undefined ? 0 : from + (Math.max(0, Math.min(e.clientX - box.left, box.width)) / Math.max(1, box.width)) * span;
  };
  const onKey = (e: KeyboardEvent): void => {
    const now = range.value ?? { from, to };
    const step = span / 50;
    const moved: Record<string, readonly [number, number]> = {
      ArrowLeft: e.shiftKey ? [now.from, now.to - step] : [now.from - step, now.to - step],
      ArrowRight: e.shiftKey ? [now.from + step, now.to] : [now.from + step, now.to + step],
      Escape: [from, to],
      0: [from, to],
    };
    const next = moved[e.key];
    if (next !== undefined) {
      chooseRange(next[0], next[1], true);
      e.preventDefault();
    }
  };
  return (
    <div class="range" ref={place}>
      <canvas
        ref={canvas}
        tabIndex={0}
        role="application"
        aria-label={`${label}. Drag chooses a range of time; arrow keys move it, with Shift they change its length, Escape shows everything. ${chosen === undefined ? "Everything is chosen" : `${duration(chosen.to - chosen.from)} from ${duration(chosen.from)}`}`}
        onPointerDown={(e) => {
          e.currentTarget.setPointerCapture(e.pointerId);
          const t = timeAt(e);
          setDrag({ from: t, to: t });
        }}
        onPointerMove={(e) => {
          if (drag !== null) {
            setDrag({ from: drag.from, to: timeAt(e) });
          }
        }}
        onPointerUp={(e) => {
          if (drag !== null) {
            const t = timeAt(e);
            setDrag(null);
            chooseRange(drag.from, Math.abs(x(t) - x(drag.from)) < 3 ? drag.from : t, false);
          }
        }}
        onPointerCancel={() => setDrag(null)}
        onDblClick={() => chooseRange(from, to, false)}
        onKeyDown={onKey}
      />
      {chosen !== undefined && (
        <span class="chosen">{duration(Math.abs(chosen.to - chosen.from))} from {duration(Math.min(chosen.from, chosen.to) - from)} <button type="button" class="link" onClick={() => chooseRange(from, to, false)}>all</button></span>
      )}
    </div>
  );
}

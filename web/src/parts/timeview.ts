// The part of time that the timeline shows, and what of it is chosen: all of it is in the URL.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { waiting } from "../api.ts";
import { extent, param, range, setParams, type Extent } from "../state.ts";

/** The range that is seen. */
export const seen = (): Extent => range.value ?? (extent.value.to > extent.value.from ? extent.value : { from: 0, to: 1 });

export function see(from: number, to: number, replace = true): void {
  const { from: a, to: b } = extent.value;
  const span = Math.min(Math.max(to - from, 100), b - a);
  const low = Math.max(a, Math.min(from, b - span));
  setParams(span >= b - a ? { from: undefined, to: undefined } : { from: String(Math.round(low)), to: String(Math.round(low + span)) }, replace);
}

export function zoom(factor: number, at?: number): void {
  const { from, to } = seen();
  const middle = at ?? (from + to) / 2;
  see(middle - (middle - from) * factor, middle + (to - middle) * factor);
}

export function pan(part: number): void {
  const { from, to } = seen();
  const step = (to - from) * part;
  see(from + step, to + step);
}

export function selection(): Extent | undefined {
  const [from, to] = param("sel").split(",").map(Number);
  return from === undefined || to === undefined || !(to > from) ? undefined : { from, to };
}

export const marks = (): number[] => param("marks").split(",").filter((t) => t !== "").map(Number).filter(Number.isFinite);

/**
 * The value of before until nothing has changed for a moment, so that dragging does not ask at each step. begun: the value means something;
 * the first that does is taken at once.
 */
export function useSettled<T>(value: T, ms: number, begun = true): T {
  const [settled, setSettled] = useState(value);
  const early = useRef(!begun);
  const key = JSON.stringify(value);
  useLayoutEffect(() => {
    if (early.current) {
      early.current = !begun;
      setSettled(value);
      return undefined;
    }
    if (JSON.stringify(settled) === key) {
      return undefined;
    }
    waiting.value++;
    let over = false;
    const end = (): void => {
      if (!over) {
        over = true;
        waiting.value--;
      }
    };
    const timer = setTimeout(() => {
      setSettled(value);
      setTimeout(end, 20);
    }, ms);
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [key, begun]);
  return early.current ? value : settled;
}

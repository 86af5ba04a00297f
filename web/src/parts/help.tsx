import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

const KEYS: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  ["Everywhere", [
    ["?", "this help"],
    ["g then o f t p h c s", "Overview, Flame, Timeline, Pauses, Heap, Calls, SQL"],
    ["/", "search; Enter next, Shift+Enter previous"],
    ["Esc", "back, or close"],
  ]],
  ["Flame", [
    ["← → ↑ ↓", "move in the graph"],
    ["Enter", "zoom to the frame"],
    ["click, double click", "choose a frame, zoom to it"],
    ["Esc or 0", "whole graph"],
    ["f", "callers and callees of the frame"],
    ["i", "inverted: callers below"],
  ]],
  ["Timeline", [
    ["W S", "zoom in and out"],
    ["A D", "move left and right"],
    ["m", "mark the selection, or where the pointer is"],
    ["0", "everything"],
    ["f", "the selection, or everything"],
  ]],
  ["SQL", [
    ["Ctrl+Enter", "run"],
    ["Ctrl+Space", "complete"],
    ["Esc then Tab", "leave the editor"],
  ]],
];

export function Help({ onClose }: { onClose: () => void }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} class="help" onClose={onClose} aria-labelledby="help-title" onClick={(e) => {
      if (e.target === dialog.current) {
        dialog.current?.close();
      }
    }}>
      <div class="inner">
        <header>
          <h2 id="help-title">Keys and links</h2>
          <button type="button" class="quiet" onClick={() => dialog.current?.close()} aria-label="Close help">×</button>
        </header>
        <div class="columns">
          {KEYS.map(([title, keys]) => (
            <section key={title}>
              <h3>{title}</h3>
              <dl>
                {keys.map(([key, what]) => <div key={key}><dt><kbd>{key}</kbd></dt><dd>{what}</dd></div>)}
              </dl>
            </section>
          ))}
        </div>
        <p>The address of the page holds all that is shown: copy it to come back to it. It never leaves this machine. In a search, /text between slashes/ is a regular expression.</p>
      </div>
    </dialog>
  );
}

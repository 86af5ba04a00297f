// The stacks that are shown as a file: a picture, or the server's exports with the same choice and filters.
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { urlOf } from "../api.ts";
import { pictureOf, savePng, saveSvg } from "../parts/picture.ts";
import { param } from "../state.ts";
import type { Chosen } from "./flame.tsx";

const FORMATS = [["speedscope", "speedscope", "speedscope.json"], ["pprof", "pprof", "pb.gz"], ["folded", "folded stacks", "folded"]] as const;

/** Formats that show a difference; the others have its newer side. */
const DIFFERENCES = new Set(["folded"]);

/** The address of an export of what is chosen. weight: what is shown. */
export function exportOf(chosen: Chosen, weight: string, format: string): string {
  return urlOf("/api/export", {
    db: chosen.db, view: "flame", format, source: chosen.src, thread: chosen.thr.split(",").filter((t) => t !== "").map((t) => `id=${t}`).join(","), event: chosen.event, kind: chosen.kind,
    from: chosen.from, to: chosen.to, ...(DIFFERENCES.has(format) ? { before_src: param("bsrc"), before_from: param("bfrom"), before_to: param("bto") } : {}), weight, only: param("only"), ignore: param("ignore"), hide: param("hide"), idle: param("idle") === "1" ? undefined : "without",
  });
}

export function SaveMenu({ chosen, weight }: { chosen: Chosen; weight: string }): JSX.Element {
  const menu = useRef<HTMLDetailsElement>(null);
  const compared = param("bsrc") !== "" || param("bfrom") !== "" || param("bto") !== "";
  const name = chosen.db.replace(/\.db$/, "");
  const close = (): void => menu.current?.removeAttribute("open");
  const picture = (save: typeof saveSvg): void => {
    const made = pictureOf();
    if (made !== undefined) {
      save(made, name);
    }
    close();
  };
  return (
    <details class="menu" ref={menu}>
      <summary>Save</summary>
      <div class="items">
        <button type="button" class="link" onClick={() => picture(saveSvg)}>picture, SVG</button>
        <button type="button" class="link" onClick={() => picture(savePng)}>picture, PNG</button>
        {FORMATS.map(([format, title, end]) => <a key={format} href={exportOf(chosen, weight, format)} download={`${name}.${end}`} onClick={close}>{title}{compared ? (DIFFERENCES.has(format) ? ", both sides" : ", without what was before") : ""}</a>)}
      </div>
    </details>
  );
}

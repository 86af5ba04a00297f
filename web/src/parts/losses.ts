// What of a recording was lost, each loss once.

/** One row of the quality of the data. */
export interface Defect {
  readonly severity: string;
  readonly what: string;
  readonly count: number;
  readonly path: string;
  readonly recording: string;
  readonly message: string;
  /** issue: what happened; count: how much of something is not there because of that. */
  readonly kind: string;
  readonly source: number | null;
  /** Where in the file. */
  readonly offset: string;
}

/** What is lost, as opposed to what is only worth knowing. */
const isLoss = (one: Defect): boolean => one.severity === "error" || one.severity === "data_loss";

/**
 * Each loss once, with how often it was met. A file that is cut is an issue of the file, one of the recording in it at the same place, and numbers of
 * all that it held; defects of one kind in a file are one loss, of which some have a row and the last one says how many more there are.
 */
export function losses(all: readonly Defect[], rootOf: (source: number) => number): Defect[] {
  const found: Defect[] = [];
  const at = new Map<string, number>();
  const lost = all.filter(isLoss);
  const issues = lost.filter((one) => one.kind === "issue");
  for (const one of issues.length > 0 ? issues : lost) {
    const root = one.source === null ? "" : String(rootOf(one.source));
    const kind = `${root} is ${one.what}`;
    const place = one.offset === "" ? kind : `${root} at ${one.offset}`;
    const same = at.get(kind);
    const known = same ?? at.get(place);
    const i = known ?? found.length;
    const before = found[i];
    if (before === undefined) {
      found.push(one);
    } else if (same !== undefined) {
      found[i] = { ...(/^and \d+ more$/.test(before.message) ? one : before), count: before.count + one.count };
    }
    at.set(kind, i);
    at.set(place, i);
  }
  return found;
}

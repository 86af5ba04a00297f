// SQL and rows as text.
import { cellText, type Cell, type Parameter } from "../api.ts";

/** The names of `:parameters` in a statement, in order, without those in strings and comments. */
export function parametersOf(sql: string): string[] {
  const names: string[] = [];
  const pattern = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\[[^\]]*\]|`[^`]*`|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|[:@$]([A-Za-z_][A-Za-z0-9_]*)/g;
  for (const found of sql.matchAll(pattern)) {
    const name = found[1];
    if (name !== undefined && !names.includes(name)) {
      names.push(name);
    }
  }
  return names;
}

/** What a person wrote as a parameter: nothing is NULL, a number is one where it keeps its digits, 'quoted' is text. */
export function valueOf(text: string): Parameter {
  const trimmed = text.trim();
  if (trimmed === "") {
    return null;
  }
  const quoted = /^'(.*)'$/s.exec(trimmed);
  if (quoted !== null) {
    return (quoted[1] ?? "").replace(/''/g, "'");
  }
  if (/^[-+]?\d+$/.test(trimmed)) {
    const whole = BigInt(trimmed.replace(/^\+/, ""));
    return whole === BigInt.asIntN(53, whole) ? Number(whole) : whole === BigInt.asIntN(64, whole) ? whole : Number(whole);
  }
  const number = Number(trimmed);
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(trimmed) && Number.isFinite(number) ? number : trimmed;
}

function delimited(cell: Cell, separator: string): string {
  const text = cellText(cell);
  if (separator === "\t") {
    return text.replace(/[\t\r\n]/g, " ");
  }
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

/** CSV as RFC 4180 has it, or tab-separated values, in which tabs and line ends are blanks. */
export const asDelimited = (columns: readonly string[], rows: readonly (readonly Cell[])[], separator: string): string =>
  [columns, ...rows].map((row) => row.map((cell) => delimited(cell, separator)).join(separator)).join("\r\n") + "\r\n";

/** An array with an object a row; equal names of columns get numbers. */
export function asJson(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const names = columns.map((name, i) => (columns.indexOf(name) < i ? `${name}_${i + 1}` : name));
  return JSON.stringify(rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i] ?? null]))), null, 1);
}

export function asMarkdown(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const escaped = (text: string): string => text.replace(/\\/g, "\\\\").replace(/\|/g, "\\|").replace(/\r?\n/g, " ");
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(columns.map(escaped)), line(columns.map(() => "---")), ...rows.map((row) => line(row.map((cell) => escaped(cellText(cell)))))].join("\n") + "\n";
}

// The editor of SQL. It lives in a shadow root, where its styles are adopted sheets, which the policy of the page allows.
import { acceptCompletion, autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { schemaCompletionSource, keywordCompletionSource, SQLite, sql } from "@codemirror/lang-sql";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, hoverTooltip, keymap, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Completion } from "@codemirror/autocomplete";
import type { Schema } from "../data.ts";

export interface Editor {
  setText: (text: string) => void;
  setSchema: (schema: Schema | undefined) => void;
  setTheme: (theme: "dark" | "light") => void;
  setError: (offset: number | undefined) => void;
  destroy: () => void;
}

const COLOURS = {
  light: { keyword: "#1d55ad", string: "#1b6b3a", number: "#8a4b08", comment: "#5a6678", text: "#1c2430", bg: "#ffffff", caret: "#1d55ad", selection: "#cfe0fb", line: "#d5dbe4", tip: "#ffffff" },
  dark: { keyword: "#8db6ff", string: "#8fd0a3", number: "#e2b37a", comment: "#98a4b5", text: "#e3e8ef", bg: "#161b23", caret: "#8db6ff", selection: "#2b4470", line: "#2c3544", tip: "#222a36" },
};

function look(theme: "dark" | "light"): Extension {
  const c = COLOURS[theme];
  return [
    EditorView.theme({
      "&": { color: c.text, backgroundColor: c.bg, fontSize: "13px", maxHeight: "30vh", minHeight: "84px" },
      "&.cm-focused": { outline: "none" },
      ".cm-scroller": { fontFamily: "ui-monospace, 'DejaVu Sans Mono', monospace", lineHeight: "1.5", minHeight: "84px" },
      ".cm-content": { caretColor: c.caret, padding: "8px 4px" },
      ".cm-cursor": { borderLeftColor: c.caret },
      "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: `${c.selection} !important` },
      ".cm-matchingBracket": { backgroundColor: c.selection },
      ".cm-placeholder": { color: c.comment },
      ".cm-tooltip": { backgroundColor: c.tip, color: c.text, border: `1px solid ${c.line}`, borderRadius: "6px", overflow: "hidden" },
      ".cm-tooltip.hover": { padding: "6px 10px", maxWidth: "440px", font: "13px/1.45 system-ui, 'DejaVu Sans', sans-serif" },
      ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "ui-monospace, 'DejaVu Sans Mono', monospace", maxHeight: "16em" },
      ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: c.selection, color: c.text },
      ".cm-completionDetail": { color: c.comment, fontStyle: "normal", marginLeft: "1em" },
      ".cm-completionInfo": { maxWidth: "340px", font: "13px/1.45 system-ui, 'DejaVu Sans', sans-serif" },
    }, { dark: theme === "dark" }),
    syntaxHighlighting(HighlightStyle.define([
      { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: c.keyword },
      { tag: [tags.string, tags.special(tags.string)], color: c.string },
      { tag: [tags.number, tags.bool, tags.null], color: c.number },
      { tag: [tags.comment, tags.lineComment, tags.blockComment], color: c.comment },
    ])),
  ];
}

function language(schema: Schema | undefined): Extension {
  if (schema === undefined) {
    return sql({ dialect: SQLite, upperCaseKeywords: true });
  }
  const tables: Record<string, { self: Completion; children: Completion[] }> = {};
  for (const table of schema.tables) {
    tables[table.name] = {
      self: { label: table.name, type: "type", info: table.description },
      children: table.columns.map((c) => ({ label: c.name, type: "property", detail: c.unit || c.type.toLowerCase(), info: c.description })),
    };
  }
  // Columns of all tables that the statement names, without a dot.
  const columns = (context: Parameters<ReturnType<typeof keywordCompletionSource>>[0]) => {
    const word = context.matchBefore(/[\w]+/);
    if (word === null || (word.from === word.to && !context.explicit) || context.state.sliceDoc(word.from - 1, word.from) === ".") {
      return null;
    }
    const used = new Set(context.state.doc.toString().match(/\w+/g) ?? []);
    const seen = new Set<string>();
    const options: Completion[] = [];
    for (const table of schema.tables) {
      if (used.has(table.name)) {
        for (const c of table.columns) {
          if (!seen.has(c.name)) {
            seen.add(c.name);
            options.push({ label: c.name, type: "property", detail: `${table.name}${c.unit === "" ? "" : `, ${c.unit}`}`, info: c.description, boost: 2 });
          }
        }
      }
    }
    return { from: word.from, options, validFor: /^\w*$/ };
  };
  const config = { dialect: SQLite, schema: tables };
  return [
    sql({ dialect: SQLite, upperCaseKeywords: true }),
    SQLite.language.data.of({ autocomplete: schemaCompletionSource(config) }),
    SQLite.language.data.of({ autocomplete: columns }),
    hoverTooltip((view, at) => {
      const word = view.state.wordAt(at);
      const name = word === null ? "" : view.state.sliceDoc(word.from, word.to);
      const table = schema.tables.find((one) => one.name === name);
      const used = view.state.doc.toString();
      const column = table === undefined ? schema.tables.filter((one) => used.includes(one.name)).flatMap((one) => one.columns).find((one) => one.name === name) : undefined;
      const text = table?.description ?? (column === undefined ? "" : `${column.type}${column.unit === "" ? "" : `, ${column.unit}`}: ${column.description}`);
      return word === null || text === "" ? null : {
        pos: word.from,
        end: word.to,
        create: () => {
          const dom = document.createElement("div");
          dom.className = "hover";
          dom.textContent = text;
          return { dom };
        },
      };
    }),
  ];
}

export function makeEditor(root: ShadowRoot, text: string, on: { onText: (text: string) => void; onRun: () => void }): Editor {
  const theme = new Compartment();
  const schema = new Compartment();
  let quiet = false;
  let escaped = false;
  const run = (): boolean => {
    on.onRun();
    return true;
  };
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        history(),
        drawSelection(),
        bracketMatching(),
        closeBrackets(),
        autocompletion({ icons: false }),
        keymap.of([
          { key: "Ctrl-Enter", mac: "Cmd-Enter", run },
          { key: "Tab", run: (v) => !escaped && acceptCompletion(v) },
          ...closeBracketsKeymap, ...completionKeymap, ...defaultKeymap, ...historyKeymap,
        ]),
        // Tab leaves the editor; without a completion it is never taken.
        EditorView.domEventHandlers({
          keydown: (e) => {
            escaped = e.key === "Escape" || (escaped && e.key === "Tab");
            return false;
          },
          // What is typed over would leave its style behind in a style attribute, which the policy of the page forbids.
          beforeinput: (e, v) => {
            const over = e.inputType === "insertText" && e.data !== null && !e.isComposing && !v.state.selection.main.empty;
            if (over) {
              e.preventDefault();
              v.dispatch(v.state.replaceSelection(e.data ?? ""), { userEvent: "input.type" });
            }
            return over;
          },
        }),
        placeholder("SELECT …"),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": "SQL statement", spellcheck: "false", tabindex: "0", contenteditable: "plaintext-only" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !quiet) {
            on.onText(update.state.doc.toString());
          }
        }),
        theme.of(look("light")),
        schema.of(language(undefined)),
      ],
    }),
  });
  return {
    setText: (next) => {
      if (next !== view.state.doc.toString()) {
        quiet = true;
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } });
        quiet = false;
      }
    },
    setSchema: (next) => view.dispatch({ effects: schema.reconfigure(language(next)) }),
    setTheme: (next) => view.dispatch({ effects: theme.reconfigure(look(next)) }),
    setError: (offset) => {
      if (offset !== undefined && offset >= 0) {
        // SQLite counts bytes, the editor UTF-16 units.
        const before = new TextDecoder().decode(new TextEncoder().encode(view.state.doc.toString()).slice(0, offset));
        view.dispatch({ selection: { anchor: Math.min(before.length, view.state.doc.length) }, scrollIntoView: true });
      }
    },
    destroy: () => view.destroy(),
  };
}

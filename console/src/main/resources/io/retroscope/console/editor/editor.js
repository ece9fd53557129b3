// The editor for statements: colours, completion, and the server's diagnostics under the text.

import { Compartment, EditorState } from "@codemirror/state";
import { EditorView, keymap, placeholder } from "@codemirror/view";
import { StreamLanguage, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { bracketMatching } from "@codemirror/language";
import { autocompletion, completionKeymap, closeBrackets } from "@codemirror/autocomplete";
import { linter } from "@codemirror/lint";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { tags } from "@lezer/highlight";
import { kindOf, words } from "./tokens.js";

const CHECK_AFTER_MILLIS = 250;
const MAX_CHARACTERS = 64 * 1024;

/** An editor in a shadow root, because its styles are made by a script. */
export class StatementEditor {
  /** Creates an editor; `run` is called with Ctrl and Enter, `changed` with each new text. */
  constructor(place, server, { text = "", run, changed, label }) {
    this.server = server;
    this.language = { keywords: new Set(), functions: new Set(), patches: new Set() };
    this.colors = new Compartment();
    const root = place.attachShadow({ mode: "open" });
    this.view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: text,
        extensions: [
          keymap.of([{ key: "Mod-Enter", run: () => (run(), true) }]),
          keymap.of([...completionKeymap, ...historyKeymap, ...defaultKeymap]),
          history(),
          bracketMatching(),
          closeBrackets(),
          placeholder("SELECT variable FROM log"),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false" }),
          EditorState.changeFilter.of((change) => change.newDoc.length <= MAX_CHARACTERS),
          this.colors.of(this.#parser()),
          syntaxHighlighting(COLORS),
          autocompletion({ override: [(context) => this.#complete(context)], icons: false }),
          linter((view) => this.#check(view), { delay: CHECK_AFTER_MILLIS }),
          EditorView.updateListener.of((update) => update.docChanged && changed?.(this.text)),
          THEME,
        ],
      }),
    });
    this.#learn();
  }

  get text() {
    return this.view.state.doc.toString();
  }

  set text(text) {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  focus() {
    this.view.focus();
  }

  close() {
    this.view.destroy();
  }

  /** The words of the language, so that this page copies none. */
  async #learn() {
    try {
      const { keywords, functions, patches } = await this.server.get("/v1/language");
      this.language = {
        keywords: new Set(keywords.map((word) => word.toUpperCase())),
        patches: new Set(patches.map((word) => word.toUpperCase())),
        functions: new Set(functions.map(({ name }) => name.toUpperCase())),
      };
      this.view.dispatch({ effects: this.colors.reconfigure(this.#parser()) });
    } catch {
      // Without them a text has fewer colours.
    }
  }

  #parser() {
    return StreamLanguage.define({ token: (stream) => this.#token(stream) });
  }

  #token(stream) {
    const word = words(stream.string.slice(stream.pos))[0] ?? "";
    stream.pos += Math.max(1, word.length);
    const kind = kindOf(word);
    if (kind !== "name") {
      return kind === "space" || kind === "sign" ? null : kind;
    }
    const { keywords, functions, patches } = this.language;
    const upper = word.toUpperCase();
    if (functions.has(upper) && /^\s*\(/.test(stream.string.slice(stream.pos))) {
      return "typeName";
    }
    return keywords.has(upper) ? "keyword" : patches.has(upper) ? "atom" : null;
  }

  async #complete(context) {
    const word = context.matchBefore(/[\w./]+$/);
    if (word === null && !context.explicit) {
      return null;
    }
    try {
      const { start, offers } = await this.server.post("/v1/complete", {
        query: this.text,
        cursor: context.pos,
      });
      return {
        from: start,
        options: offers.map((offer) => ({
          label: offer.text,
          detail: offer.detail || offer.group,
          info: offer.description || undefined,
          apply: offer.complete ? `${offer.text} ` : offer.text,
        })),
        filter: false,
      };
    } catch {
      return null;
    }
  }

  async #check(view) {
    const query = view.state.doc.toString();
    if (query.trim() === "") {
      return [];
    }
    try {
      const { diagnostics } = await this.server.post("/v1/check-statement", { query });
      const length = view.state.doc.length;
      return diagnostics.map(({ code, message, start, end, help }) => ({
        from: Math.min(start, length),
        to: Math.min(Math.max(end, start), length),
        severity: "error",
        source: code,
        message: help ? `${message}\nhelp: ${help}` : message,
      }));
    } catch {
      return [];
    }
  }
}

const COLORS = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--event)", fontWeight: "600" },
  { tag: tags.typeName, color: "var(--cut)" },
  { tag: tags.atom, color: "var(--cut)" },
  { tag: tags.string, color: "var(--good)" },
  { tag: tags.number, color: "var(--doubt)" },
  { tag: tags.comment, color: "var(--faint)", fontStyle: "italic" },
]);

const THEME = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--back)", fontSize: "14px", borderRadius: "6px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "ui-monospace, 'DejaVu Sans Mono', monospace", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--cut)", minHeight: "4.6em", padding: "8px 4px" },
  ".cm-cursor": { borderLeftColor: "var(--cut)" },
  ".cm-placeholder": { color: "var(--faint)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
    { backgroundColor: "var(--step)" },
  ".cm-content ::selection": { backgroundColor: "var(--step)" },
  ".cm-matchingBracket": { backgroundColor: "var(--step)" },
  ".cm-tooltip": {
    backgroundColor: "var(--panel)",
    color: "var(--text)",
    border: "1px solid var(--line)",
    borderRadius: "4px",
    maxWidth: "min(560px, 90vw)",
  },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--step)",
    color: "var(--text)",
  },
  ".cm-completionDetail": { color: "var(--faint)", fontStyle: "normal" },
  ".cm-diagnostic": { whiteSpace: "pre-wrap", borderLeftColor: "var(--bad)" },
  ".cm-lintRange-error": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--bad) 1.5px",
    textUnderlineOffset: "4px",
  },
});

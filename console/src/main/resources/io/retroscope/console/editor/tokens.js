// The words of a statement, as far as colours and small changes of a text need them.

const WORD =
  /\s+|--(?=\s|$)[^\n]*|#[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|`[^`]*(?:`|$)|\d+(?:\.\d+)?(?:[a-z]+)?|[A-Za-z_][A-Za-z0-9_]*(?:[./][A-Za-z_][A-Za-z0-9_]*)*|./gy;

/** The words of a text, which together are the text. */
export function words(text) {
  return text.match(WORD) ?? [];
}

/** The kind of a word: space, comment, string, number, name or sign. */
export function kindOf(word) {
  if (/^\s/.test(word)) {
    return "space";
  }
  if (/^(?:--\s?|#|\/\*)/.test(word) && word !== "-") {
    return "comment";
  }
  if (word.startsWith("'") || word.startsWith('"')) {
    return "string";
  }
  return /^\d/.test(word) ? "number" : /^[A-Za-z_`]/.test(word) ? "name" : "sign";
}

/** The clauses that end another one. */
const CLAUSES = new Set(
  "FROM FOR DURATION COMPUTE WHEN AT ON EMIT LIMIT PLAY WHERE GROUP ORDER THEN AFTER".split(" "),
);

/**
 * A statement without its comments, its last semicolon, and some clauses, such as LIMIT.
 *
 * The clause FOR with a duration is named DURATION, because FOR EACH is another one.
 */
export function withoutClauses(text, ...names) {
  const all = words(text.trim().replace(/;\s*$/, "")).filter((w) => kindOf(w) !== "comment");
  const kept = [];
  let depth = 0;
  let dropping = false;
  for (const [i, word] of all.entries()) {
    const next = all.slice(i + 1).find((w) => kindOf(w) !== "space") ?? "";
    const isDuration = word.toUpperCase() === "FOR" && kindOf(next) === "number";
    const upper = isDuration ? "DURATION" : word.toUpperCase();
    depth += word === "(" || word === "{" ? 1 : word === ")" || word === "}" ? -1 : 0;
    if (depth === 0 && CLAUSES.has(upper)) {
      dropping = names.includes(upper);
    }
    if (!dropping && !(upper === "STREAM" && names.includes("STREAM"))) {
      kept.push(word);
    }
  }
  return kept.join("").replace(/[ \t]+/g, " ").replace(/ ?\n ?/g, "\n  ").trim();
}

/** Whether a word is in a statement outside of strings and comments. */
export function hasWord(text, wanted) {
  return words(text).some((word) => kindOf(word) === "name" && word.toUpperCase() === wanted);
}

/** NEVER as the SELECT that finds the same; other statements as they are. */
export function asSelect(text) {
  const kept = words(text.trim()).filter((word) => kindOf(word) !== "comment");
  const start = kept.findIndex((word) => kindOf(word) !== "space");
  let depth = 0;
  const from = kept.findIndex((word) => {
    depth += word === "(" || word === "{" ? 1 : word === ")" || word === "}" ? -1 : 0;
    return depth === 0 && word.toUpperCase() === "FROM";
  });
  if (start < 0 || from < 0 || kept[start].toUpperCase() !== "NEVER") {
    return text;
  }
  const predicate = kept.slice(start + 1, from).join("").trim();
  const rest = kept.slice(from).join("").trim().replace(/;$/, "");
  return `SELECT * ${rest} WHEN ${predicate}`;
}

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

const MICROS = { us: 1, ms: 1e3, s: 1e6, m: 6e7, h: 3.6e9, d: 8.64e10 };

/** A statement with stamps for NOW and LAST in its times, so that it means the same later. */
export function withFixedTimes(text, now) {
  const all = words(text);
  const places = [...all.keys()].filter((i) => !["space", "comment"].includes(kindOf(all[i])));
  const word = (at) => (all[places[at]] ?? "").toUpperCase();
  const replace = (at, count, by) => {
    all.fill("", places[at], places[at + count - 1] + 1);
    all[places[at]] = by;
  };
  let timed = false;
  for (let at = 0; at < places.length; at++) {
    const before = word(at - 1);
    timed = timed && !CLAUSES.has(word(at)) && word(at) !== "OF";
    timed ||= `${before} ${word(at)}` === "ON TIME" || `${before} ${word(at)}` === "EXPLAIN CUT";
    const ago = microsOf(word(at + (word(at) === "LAST" ? 1 : 2)));
    if (timed && word(at) === "LAST" && ago !== null) {
      replace(at, 2, `hlc'${now - ago}.0' TO hlc'${now}.4095'`);
    } else if (timed && word(at) === "NOW") {
      const count = word(at + 1) === "-" && ago !== null ? 3 : 1;
      // A point is the last stamp of its microsecond, and the first one where a range begins.
      const logical = word(at + count) === "TO" ? 0 : 4095;
      replace(at, count, `hlc'${count === 3 ? now - ago : now}.${logical}'`);
    }
  }
  return all.join("");
}

/** The microseconds of a duration; null if a word is none. */
export function microsOf(word) {
  const match = /^(\d+)(us|ms|s|m|h|d)$/i.exec(word);
  return match === null ? null : Number(match[1]) * MICROS[match[2].toLowerCase()];
}

// Findings: the stretches in which the predicate of a statement or of an alert holds.

import { Problem, wordsOf } from "../api/problem.js";
import { hasWord, withoutClauses, asSelect } from "../editor/tokens.js";
import { parseStamp } from "../timeline/stamp.js";

const MAX_FINDINGS = 2000;
const MAX_EPISODES = 1000;

/** What a borderline finding is, in the words of the page of alerts. */
export const BORDERLINE = "borderline: the clocks' uncertainty could reverse it";

/** The identity of an episode in parts: `alert[item]@stamp`; null if it is none. */
export function parseEpisode(text) {
  const match = /^([A-Za-z_]\w*)(?:\[(.*)\])?@(\d+\.\d+)$/s.exec(text ?? "");
  return match === null
    ? null
    : { alert: match[1], item: match[2] ?? "", stamp: parseStamp(match[3]), id: text };
}

/**
 * The stretches in which a statement's predicate holds, from the server. If the answer breaks off,
 * those before, and `problem` says so.
 */
export async function findingsOf(server, statement, signal) {
  const select = withoutClauses(asSelect(statement), "STREAM", "EMIT", "LIMIT", "ON", "PLAY");
  if (!hasWord(select, "WHEN") || hasWord(select, "THEN") || hasWord(select, "AFTER")) {
    return { findings: [], warnings: [], limited: false, problem: "" };
  }
  const found = [];
  const warnings = [];
  const query = `${select} EMIT INTERVALS LIMIT ${MAX_FINDINGS}`;
  let problem = "";
  try {
    for await (const row of server.query(query, { signal })) {
      if (row.warning !== undefined && Object.keys(row).length === 1) {
        warnings.push(row.warning);
      } else if (row.hlc !== undefined) {
        found.push(findingOf(row));
      }
    }
  } catch (error) {
    if (signal?.aborted || found.length === 0) {
      throw error;
    }
    problem = wordsOf(error);
  }
  return { findings: found, warnings, limited: found.length >= MAX_FINDINGS, problem };
}

function findingOf({ hlc, durationMicros, borderline }) {
  const stamp = parseStamp(hlc);
  return {
    id: hlc,
    from: stamp.micros,
    to: stamp.micros + (durationMicros ?? 0),
    stamp,
    item: "",
    borderline: borderline === true,
    label: "the statement's predicate",
  };
}

/**
 * The end of an episode: `state` is "holds", "never was" if an event that came late took it back,
 * "ended" with a stamp, or "unknown".
 */
export function endOf({ state, endHlc }) {
  if (state === "FIRING" || state === "MUTED") {
    return { state: "holds", stamp: null };
  }
  if (state === "RETRACTED") {
    return { state: "never was", stamp: null };
  }
  const stamp = parseStamp(endHlc ?? "");
  return stamp === null || stamp.micros === 0
    ? { state: "unknown", stamp: null }
    : { state: "ended", stamp };
}

/**
 * The last episodes of an alert, or of all, as findings; those that hold reach to a time.
 * `limited` says that there may be earlier ones.
 */
export async function episodesOf(server, alert, untilMicros) {
  const { episodes } = await server.get("/v1/alerts/history", { alert, count: MAX_EPISODES });
  const findings = episodes
    .map((episode) => {
      const parts = parseEpisode(episode.episode);
      const end = endOf(episode);
      if (parts === null || end.state === "never was") {
        return null;
      }
      const from = parts.stamp.micros;
      const last = end.state === "holds" ? untilMicros : (end.stamp?.micros ?? from);
      const borderline = episode.borderline === true;
      return { ...parts, from, to: Math.max(from, last), borderline, label: parts.alert };
    })
    .filter((finding) => finding !== null)
    .sort((a, b) => a.from - b.from);
  return { findings, limited: episodes.length >= MAX_EPISODES };
}

/** The query of an alert; empty if there is none of this name. */
export async function queryOf(server, alert) {
  try {
    for await (const row of server.query(`DESCRIBE ALERT ${alert}`)) {
      if (row.property === "query") {
        return row.value;
      }
    }
  } catch (error) {
    // An alert that has been dropped has no query.
    if (!(error instanceof Problem && error.status === 400)) {
      throw error;
    }
  }
  return "";
}

/** Why the predicate holds at a stamp: the sentences with their events, the last one of a problem. */
export async function explain(server, statement, { stamp, item, signal }) {
  const select = withoutClauses(statement, "STREAM", "EMIT", "LIMIT", "ON", "PLAY");
  const chosen = item === "" ? "" : ` FOR '${item.replaceAll("'", "''")}'`;
  const sentences = [];
  const doubt = (explanation) => ({ part: "unknown", explanation, node: "", hlc: "" });
  const query = `EXPLAIN CUT hlc'${stamp}'${chosen} OF ${select}`;
  try {
    for await (const row of server.query(query, { signal })) {
      const isWarning = row.warning !== undefined && Object.keys(row).length === 1;
      sentences.push(isWarning ? doubt(row.warning) : row);
    }
  } catch (error) {
    if (signal?.aborted || sentences.length === 0) {
      throw error;
    }
    sentences.push(doubt(`The reasons are incomplete: ${wordsOf(error)}`));
  }
  return sentences;
}

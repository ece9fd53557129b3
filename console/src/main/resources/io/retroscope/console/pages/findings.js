// Findings: the stretches in which the predicate of a statement or of an alert holds.

import { hasWord, withoutClauses, asSelect } from "../editor/tokens.js";
import { parseStamp } from "../timeline/stamp.js";

const MAX_FINDINGS = 2000;
const MAX_EPISODES = 1000;

/** The identity of an episode in parts: `alert[item]@stamp`; null if it is none. */
export function parseEpisode(text) {
  const match = /^([A-Za-z_]\w*)(?:\[(.*)\])?@(\d+\.\d+)$/s.exec(text ?? "");
  return match === null
    ? null
    : { alert: match[1], item: match[2] ?? "", stamp: parseStamp(match[3]), id: text };
}

/** The stretches in which a statement's predicate holds, from the server. */
export async function findingsOf(server, statement, signal) {
  const select = withoutClauses(asSelect(statement), "STREAM", "EMIT", "LIMIT", "ON", "PLAY");
  if (!hasWord(select, "WHEN") || hasWord(select, "THEN") || hasWord(select, "AFTER")) {
    return { findings: [], warnings: [], limited: false };
  }
  const found = [];
  const warnings = [];
  const query = `${select} EMIT INTERVALS LIMIT ${MAX_FINDINGS}`;
  for await (const row of server.query(query, { signal })) {
    if (row.warning !== undefined && Object.keys(row).length === 1) {
      warnings.push(row.warning);
    } else if (row.hlc !== undefined) {
      const stamp = parseStamp(row.hlc);
      found.push({
        id: row.hlc,
        from: stamp.micros,
        to: stamp.micros + (row.durationMicros ?? 0),
        stamp,
        item: "",
        label: "the statement's predicate",
      });
    }
  }
  return { findings: found, warnings, limited: found.length >= MAX_FINDINGS };
}

/** The episodes of an alert, or of all, as findings. */
export async function episodesOf(server, alert) {
  const { episodes } = await server.get("/v1/alerts/history", { alert, count: MAX_EPISODES });
  return episodes
    .map((episode) => {
      const parts = parseEpisode(episode.episode);
      const end = parseStamp(episode.endHlc ?? "");
      return parts === null
        ? null
        : {
            ...parts,
            from: parts.stamp.micros,
            to: end === null ? parts.stamp.micros : end.micros,
            open: end === null,
            label: parts.alert,
          };
    })
    .filter((finding) => finding !== null)
    .sort((a, b) => a.from - b.from);
}

/** The query of an alert; empty if there is none of this name. */
export async function queryOf(server, alert) {
  try {
    for await (const row of server.query(`DESCRIBE ALERT ${alert}`)) {
      if (row.property === "query") {
        return row.value;
      }
    }
  } catch {
    // An alert that has been dropped has no query, but its episodes remain.
  }
  return "";
}

/** Why the predicate holds at a stamp: the sentences with their events. */
export async function explain(server, statement, stamp, item) {
  const select = withoutClauses(statement, "STREAM", "EMIT", "LIMIT", "ON", "PLAY");
  const chosen = item === "" ? "" : ` FOR '${item.replaceAll("'", "''")}'`;
  const sentences = [];
  for await (const row of server.query(`EXPLAIN CUT hlc'${stamp}'${chosen} OF ${select}`)) {
    if (row.warning !== undefined && Object.keys(row).length === 1) {
      sentences.push({ part: "unknown", explanation: row.warning, node: "", hlc: "" });
    } else {
      sentences.push(row);
    }
  }
  return sentences;
}

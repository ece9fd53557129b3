// The nodes of a server with their state and their lag.

import { parseStamp } from "../timeline/stamp.js";

/** The nodes, and in words what is missing. */
export async function nodesOf(server) {
  const [{ nodes, missing }, { now }] = await Promise.all([
    server.get("/v1/nodes"),
    server.get("/v1/session"),
  ]);
  const current = parseStamp(now ?? "")?.micros ?? Date.now() * 1000;
  return { nodes: nodes.map((node) => withLag(node, current)), missing: missing ?? [] };
}

function withLag({ name, events, lastHlc, incarnations, overlaps, heldMicros }, now) {
  const last = incarnations[incarnations.length - 1];
  const frontier = parseStamp(last?.frontier ?? lastHlc ?? "");
  return {
    name,
    events,
    lastHlc,
    overlaps,
    state: last?.state ?? "unknown",
    aheadMicros: heldMicros ?? 0,
    lagMicros: frontier === null ? null : Math.max(0, now - frontier.micros),
    missingBlocks: incarnations.reduce((sum, run) => sum + (run.missingBlocks ?? 0), 0),
  };
}

// The nodes of a server with their state and their lag.

/** The nodes, and in words what is missing. */
export async function nodesOf(server) {
  const { nodes, missing } = await server.get("/v1/nodes");
  return { nodes: nodes.map(described), missing: (missing ?? []).map(inWords) };
}

/** A node that live queries do not wait for has only its name. */
function inWords(missing) {
  return typeof missing === "string"
    ? `node ${missing} is silent: live queries continue without it`
    : missing;
}

function described({ name, events, lastHlc, incarnations, overlaps, heldMicros }) {
  const last = incarnations[incarnations.length - 1];
  return {
    name,
    events,
    lastHlc,
    overlaps,
    state: last?.state ?? "recorded",
    aheadMicros: heldMicros ?? 0,
    lagMicros: last?.lagMicros ?? null,
    missingBlocks: incarnations.reduce((sum, run) => sum + (run.missingBlocks ?? 0), 0),
  };
}

// Counts of events per bin of time, as the server keeps them, and the ones that a view needs.

const BINS = 1024;
const HIGHEST_LEVEL = 42;
const MAX_TILES = 96;
const MAX_REQUESTS = 3;
const FRESH_MILLIS = 3000;
const RETRY_MILLIS = 1000;

/** The tiles that a picture needs, requested when they are wanted. */
export class Tiles {
  /** Creates an empty store; `arrived` is called after each answer. */
  constructor(server, parameters, arrived) {
    this.server = server;
    this.parameters = parameters;
    this.arrived = arrived;
    this.tiles = new Map();
    this.wanted = [];
    this.running = 0;
    this.problem = "";
  }

  /** The finest level whose bins are not much narrower than a pixel. */
  static level(span, width) {
    return Math.max(0, Math.min(HIGHEST_LEVEL, Math.floor(Math.log2(Math.max(1, span / width)))));
  }

  /**
   * The tiles of a stretch, those that have arrived; the others are requested.
   *
   * Where no summary is that fine, coarser tiles are used.
   */
  of(from, to, width) {
    this.wanted = [];
    const level = Tiles.level(to - from, width);
    const tiles = this.#at(level, from, to);
    const finest = Math.max(level, ...tiles.map((tile) => tile?.finestLevel ?? 0));
    const used = finest > level ? this.#at(finest, from, to) : tiles;
    this.#request();
    return { tiles: used.filter((tile) => tile !== null), loading: used.includes(null) };
  }

  #at(level, from, to) {
    const width = BINS * 2 ** level;
    const first = Math.max(0, Math.floor(from / width));
    const last = Math.floor(to / width);
    const found = [];
    for (let number = first; number <= last; number++) {
      found.push(this.#tile(level, number));
    }
    return found;
  }

  #tile(level, number) {
    const key = `${level}/${number}`;
    const kept = this.tiles.get(key);
    if (kept === undefined) {
      this.wanted.push(key);
      return null;
    }
    this.tiles.delete(key);
    this.tiles.set(key, kept);
    if (!kept.complete && performance.now() - kept.at > FRESH_MILLIS) {
      this.wanted.push(key);
    }
    return kept;
  }

  async #request() {
    while (this.running < MAX_REQUESTS && this.wanted.length > 0) {
      this.running++;
      const key = this.wanted.shift();
      this.#fetch(key).finally(() => {
        this.running--;
        this.#request();
      });
    }
  }

  async #fetch(key) {
    try {
      const tile = summary(await this.server.get(`/v1/timeline/${key}`, this.parameters));
      this.tiles.set(key, tile);
      this.problem = "";
      for (const oldest of this.tiles.keys()) {
        if (this.tiles.size <= MAX_TILES) {
          break;
        }
        this.tiles.delete(oldest);
      }
      this.arrived();
    } catch (error) {
      this.problem = error.message;
      setTimeout(this.arrived, RETRY_MILLIS);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MILLIS));
    }
  }
}

/** A tile with the counts of all logs together. */
function summary(answer) {
  const nodes = new Map();
  const messages = new Map();
  const variables = new Map();
  for (const log of answer.logs) {
    for (const [node, rows] of Object.entries(log.nodes)) {
      const counts = nodes.get(node) ?? new Map();
      rows.forEach(([bin, events]) => counts.set(bin, (counts.get(bin) ?? 0) + events));
      nodes.set(node, counts);
    }
    for (const [bin, slowest] of log.messages) {
      messages.set(bin, Math.max(messages.get(bin) ?? -1, slowest));
    }
    for (const [name, { bins, partial }] of Object.entries(log.variables ?? {})) {
      variables.set(`${log.log}.${name}`, { bins, partial });
    }
  }
  const columns = new Map();
  nodes.forEach((counts, node) => {
    columns.set(node, { bins: [...counts.keys()], events: [...counts.values()] });
  });
  return {
    start: Number(answer.from.split(".")[0]),
    binMicros: answer.binMicros,
    complete: answer.complete,
    finestLevel: answer.finestLevel ?? 0,
    unsummarised: answer.unsummarised.map(({ from, until }) => [microsOf(from), microsOf(until)]),
    gaps: answer.gaps.map((gap) => [gap.node, microsOf(gap.from), microsOf(gap.until ?? gap.to)]),
    nodes: columns,
    messages,
    variables,
    at: performance.now(),
  };
}

function microsOf(stamp) {
  return Number(String(stamp).split(".")[0]);
}

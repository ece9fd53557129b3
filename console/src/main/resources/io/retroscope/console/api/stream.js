// Live queries over one stream, which reconnects by itself and continues where it was.

import { pathOf } from "./server.js";
import { serverSentEvents } from "./lines.js";
import { Problem, wordsOf } from "./problem.js";

/** A problem after which the stream can be resumed. */
const SHUTTING_DOWN = 503;
const SILENT_MILLIS = 6000;
const FIRST_PAUSE_MILLIS = 500;
const LONGEST_PAUSE_MILLIS = 15_000;

/**
 * Up to eight queries, each with its `statement` and the `lastId` of its last event, "-" for none,
 * which is kept up to date; `take(query, event, data, id)` is called for each event of one.
 */
export class LiveStream {
  constructor(server, queries, { take, state }) {
    this.server = server;
    this.queries = queries;
    this.take = take;
    this.state = state;
    this.ended = new Set();
    this.closed = false;
    this.pause = FIRST_PAUSE_MILLIS;
    this.#run();
  }

  close() {
    this.closed = true;
    this.request?.abort();
    clearTimeout(this.watch);
  }

  async #run() {
    while (!this.closed) {
      try {
        await this.#read();
        if (this.closed) {
          return;
        }
        if (this.ended.size === this.queries.length) {
          clearTimeout(this.watch);
          this.state({ connected: false, final: true, words: "The stream has ended" });
          return;
        }
        this.#lost("the connection ended");
      } catch (error) {
        if (this.closed) {
          return;
        }
        if (error instanceof Problem && error.status >= 400 && error.status < 429) {
          this.state({ connected: false, final: true, words: wordsOf(error) });
          return;
        }
        this.#lost(wordsOf(error));
      }
      await new Promise((resolve) => setTimeout(resolve, this.pause * (0.75 + Math.random() / 2)));
      this.pause = Math.min(LONGEST_PAUSE_MILLIS, this.pause * 2);
    }
  }

  #lost(words) {
    this.state({ connected: false, final: false, words });
  }

  async #read() {
    this.request = new AbortController();
    const ids = this.queries.map(({ lastId }) => lastId);
    const headers = ids.some((id) => id !== "-") ? { "Last-Event-ID": ids.join(" ") } : {};
    const path = pathOf("/v1/stream", { query: this.queries.map(({ statement }) => statement) });
    this.#watch();
    const response = await this.server.send(path, { headers, signal: this.request.signal });
    this.state({ connected: true, final: false, words: "" });
    for await (const event of serverSentEvents(response.body)) {
      this.#watch();
      this.#event(event);
    }
  }

  /** A connection that is silent for longer than the server allows is broken. */
  #watch() {
    clearTimeout(this.watch);
    this.watch = setTimeout(() => this.request.abort(), SILENT_MILLIS);
  }

  #event({ name, data, id }) {
    if (name === "comment" || this.closed) {
      return;
    }
    this.pause = FIRST_PAUSE_MILLIS;
    const [kind, place] = name.split(".");
    const number = place === undefined ? 0 : Number(place);
    if (!(number >= 0 && number < this.queries.length)) {
      return;
    }
    if (id !== null && id !== "") {
      this.queries[number].lastId = id;
    }
    const content = data === "" ? {} : JSON.parse(data);
    if (kind === "problem" && content.status === SHUTTING_DOWN) {
      this.#lost(content.detail ?? "the server ends");
      return;
    }
    if (kind === "end" || kind === "problem") {
      this.ended.add(number);
    }
    this.take(this.queries[number], kind, content, id ?? "");
  }
}

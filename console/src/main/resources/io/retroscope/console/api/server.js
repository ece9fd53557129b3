// Requests to the log server that has sent this page.

import { Problem, problemOf } from "./problem.js";
import { textLines } from "./lines.js";

const TOKEN = "retroscope-token";

/** The log server. The token is kept for this tab only, and sent in a header only. */
export class Server {
  constructor() {
    this.askForToken = null;
    this.asking = null;
  }

  get token() {
    return sessionStorage.getItem(TOKEN) ?? "";
  }

  set token(token) {
    if (token === "") {
      sessionStorage.removeItem(TOKEN);
    } else {
      sessionStorage.setItem(TOKEN, token);
    }
  }

  /** The answer to a request that succeeded; asks for a token where one is needed. */
  async send(path, options = {}) {
    while (true) {
      const used = this.token;
      const headers = { ...options.headers };
      if (used !== "") {
        headers.Authorization = `Bearer ${used}`;
      }
      const response = await fetch(path, { cache: "no-cache", ...options, headers });
      if (response.ok) {
        return response;
      }
      const problem = await problemOf(response);
      if (response.status !== 401) {
        throw problem;
      }
      if (this.token === used) {
        await this.#newToken(problem);
      }
    }
  }

  /** Asks once, however many requests need a token. */
  async #newToken(problem) {
    this.asking ??= this.askForToken(problem).finally(() => (this.asking = null));
    this.token = await this.asking;
  }

  /** The JSON of an address; parameters with several values repeat. */
  async get(path, parameters = {}, options = {}) {
    const response = await this.send(pathOf(path, parameters), options);
    return response.json();
  }

  async post(path, body, options = {}) {
    const response = await this.send(path, {
      ...options,
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    return response.json();
  }

  /** The objects of an answer to a statement, one after the other; a Problem if it broke off. */
  async *query(statement, options = {}) {
    const response = await this.send("/v1/query", {
      ...options,
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/x-ndjson" },
      body: JSON.stringify({ query: statement }),
    });
    for await (const line of textLines(response.body)) {
      if (line === "") {
        continue;
      }
      const row = JSON.parse(line);
      if (isProblem(row)) {
        throw new Problem(row.problem);
      }
      yield row;
    }
  }
}

/** Whether a line says that the answer ends before its last row. */
function isProblem(row) {
  return typeof row.problem === "object" && row.problem !== null && Object.keys(row).length === 1;
}

/** An address with parameters. */
export function pathOf(path, parameters) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null && each !== "") {
        search.append(name, String(each));
      }
    }
  }
  const text = search.toString();
  return text === "" ? path : `${path}?${text}`;
}

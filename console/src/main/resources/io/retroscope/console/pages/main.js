// The frame of all pages: navigation, the state of the connection, and the token.

import { html, render } from "lit-html";
import { Server } from "../api/server.js";
import { Problem, wordsOf } from "../api/problem.js";
import { forgetPending, readAddress } from "./address.js";
import { repeat } from "./repeat.js";
import { askForToken } from "./token.js";
import { isoText, parseStamp } from "../timeline/stamp.js";

const PAGES = [
  { name: "ask", title: "Ask", load: () => import("./ask.js") },
  { name: "timeline", title: "Timeline", load: () => import("./timeline.js") },
  { name: "live", title: "Live", load: () => import("./live.js"), ofServer: true },
  { name: "clocks", title: "Clocks", load: () => import("./clocks.js") },
  { name: "alerts", title: "Alerts", load: () => import("./alerts.js"), ofServer: true },
  { name: "nodes", title: "Nodes", load: () => import("./nodes.js") },
];
const STATUS_EVERY_MILLIS = 5000;

const find = (id) => document.getElementById(id);

/** What all pages share: the server, the roles of the token, and a way to speak. */
class Console {
  constructor() {
    this.server = new Server();
    this.server.askForToken = (problem) => askForToken(find("dialogs"), problem);
    this.session = { may: [], warnings: [] };
    this.page = null;
    this.shown = "";
    this.announcedAt = 0;
    this.turns = 0;
  }

  /** Whether something that changes the server may be offered. */
  get mayWrite() {
    return this.session.may.includes("write");
  }

  /** The pages that there are: nothing happens in files, so that no page shows it. */
  get pages() {
    return PAGES.filter(({ ofServer }) => ofServer !== true || this.session.source !== "files");
  }

  /** Says a sentence to a screen reader, at most one per second. */
  announce(text) {
    clearTimeout(this.announcing);
    const wait = Math.max(0, this.announcedAt + 1000 - performance.now());
    this.announcing = setTimeout(() => {
      this.announcedAt = performance.now();
      find("announcement").textContent = text;
    }, wait);
  }

  async start() {
    this.#navigation("");
    window.addEventListener("hashchange", () => this.#show());
    document.addEventListener("keydown", (event) => this.#key(event));
    find("skip").addEventListener("click", (event) => {
      event.preventDefault();
      find("main").focus();
    });
    try {
      this.session = await this.server.get("/v1/session");
    } catch (error) {
      this.#failed(error);
      return;
    }
    this.#status();
    repeat(() => this.#refresh(), STATUS_EVERY_MILLIS);
    await this.#show();
  }

  #navigation(current) {
    const link = ({ name, title }) =>
      html`<a href="#/${name}" aria-current=${name === current ? "page" : "false"}>${title}</a>`;
    render(html`${this.pages.map(link)}`, find("nav"));
  }

  async #show() {
    const { page, parameters } = readAddress();
    const wanted = this.pages.find(({ name }) => name === page) ?? PAGES[0];
    if (this.page !== null && this.shown === wanted.name && this.page.change !== undefined) {
      this.page.change(parameters);
      return;
    }
    const turn = ++this.turns;
    forgetPending();
    this.page?.close?.();
    this.page = null;
    this.shown = wanted.name;
    this.#navigation(wanted.name);
    document.title = `${wanted.title} – Retroscope`;
    document.documentElement.dataset.state = "loading";
    const place = document.createElement("div");
    place.className = `page ${wanted.name}`;
    find("main").replaceChildren(place);
    try {
      const { open } = await wanted.load();
      const page = await open(this, place, parameters);
      if (turn !== this.turns) {
        page.close?.();
        return;
      }
      this.page = page;
      document.documentElement.dataset.state = "ready";
    } catch (error) {
      if (turn === this.turns) {
        this.#failed(error);
      }
    }
  }

  #failed(error) {
    const place = document.createElement("div");
    render(html`<p class="problem" role="alert">${wordsOf(error)}</p>`, place);
    find("main").replaceChildren(place);
    document.documentElement.dataset.state = "failed";
    if (!(error instanceof Problem)) {
      console.error(error);
    }
  }

  async #refresh() {
    try {
      this.session = await this.server.get("/v1/session");
      this.unreachable = false;
    } catch {
      this.unreachable = true;
    }
    this.#status();
  }

  #status() {
    const place = find("status");
    place.classList.toggle("bad", this.unreachable === true);
    if (this.unreachable) {
      render(html`Not up to date: the server cannot be reached`, place);
      return;
    }
    const { source, files, watermark, version, caller } = this.session;
    const at = parseStamp(watermark ?? "");
    const state =
      source === "files"
        ? `reads ${(files ?? []).join(", ")}`
        : at === null
          ? `version ${version}`
          : `complete up to ${isoText(at.micros).slice(0, 19)} UTC`;
    const who = !caller || caller === "anybody" ? "" : `${caller} · `;
    render(html`${who}${state}`, place);
  }

  #key(event) {
    const target = event.composedPath()[0];
    const typing =
      target instanceof HTMLInputElement ||
      target instanceof HTMLTextAreaElement ||
      target instanceof HTMLSelectElement ||
      target.isContentEditable;
    if (typing || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    if (event.key === "/") {
      event.preventDefault();
      if (this.page?.focusEditor !== undefined) {
        this.page.focusEditor();
      } else {
        location.hash = "#/ask";
      }
    } else if (this.page?.press?.(event.key, event.shiftKey) === true) {
      event.preventDefault();
    }
  }
}

await new Console().start();

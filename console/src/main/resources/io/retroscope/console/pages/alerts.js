// Alerts: their state, what was, and how often they would fire.

import { html, nothing, render } from "lit-html";
import { wordsOf } from "../api/problem.js";
import { durationText, parseStamp } from "../timeline/stamp.js";
import { addressOf, remember } from "./address.js";
import { Backtest } from "./backtest.js";
import { BORDERLINE, endOf } from "./findings.js";
import { repeat } from "./repeat.js";
import { counted, stampTime, valueText } from "./values.js";

const EVERY_MILLIS = 2000;
const HISTORY = 100;
const MUTE_SECONDS = 3600;

/** Opens the page. */
export async function open(frame, place, parameters) {
  const page = new Alerts(frame, place);
  page.chosen = parameters.get("alert") ?? "";
  await page.refresh();
  if (page.chosen !== "") {
    await page.choose(page.chosen, durationOf(parameters));
  }
  return page;
}

class Alerts {
  constructor(frame, place) {
    this.frame = frame;
    this.server = frame.server;
    this.place = place;
    this.alerts = [];
    this.episodes = [];
    this.properties = new Map();
    this.problem = "";
    this.refusal = "";
    this.turns = 0;
    this.endRefreshes = repeat(() => this.refresh(), EVERY_MILLIS);
  }

  change(parameters) {
    this.choose(parameters.get("alert") ?? "", durationOf(parameters));
  }

  close() {
    this.endRefreshes();
    this.backtest?.close();
  }

  async refresh() {
    const turn = ++this.turns;
    try {
      const [{ alerts }, { episodes }] = await Promise.all([
        this.server.get("/v1/alerts"),
        this.server.get("/v1/alerts/history", { alert: this.chosen, count: HISTORY }),
      ]);
      // A later request may be of another alert.
      if (turn !== this.turns) {
        return;
      }
      this.#announce(alerts);
      this.alerts = alerts;
      this.episodes = episodes.sort((a, b) => stampOf(b) - stampOf(a));
      this.problem = "";
    } catch (error) {
      if (turn !== this.turns) {
        return;
      }
      this.problem = wordsOf(error);
    }
    this.#draw();
  }

  #announce(alerts) {
    const firing = (list) => list.filter(({ state }) => state === "firing").map(nameOf);
    const before = firing(this.alerts);
    const new_ = firing(alerts).filter((name) => !before.includes(name));
    if (new_.length > 0) {
      this.frame.announce(`firing: ${new_.join(", ")}`);
    }
  }

  /** Shows one alert: its query, its history, and its backtest with a FOR if there is one. */
  async choose(alert, micros = null) {
    this.backtest?.close();
    this.backtest = null;
    this.chosen = alert;
    this.properties = new Map();
    this.refusal = "";
    remember("alerts", { alert, for: micros });
    await this.refresh();
    if (alert === "" || alert !== this.chosen) {
      return;
    }
    const { properties } = this;
    try {
      for await (const { property, value } of this.server.query(`DESCRIBE ALERT ${alert}`)) {
        if (property !== undefined) {
          properties.set(property, value);
        }
      }
    } catch (error) {
      if (alert === this.chosen) {
        this.refusal = wordsOf(error);
      }
    }
    this.#draw();
    if (micros !== null && alert === this.chosen && properties.has("query")) {
      this.#startBacktest(micros);
    }
  }

  #startBacktest(micros = null) {
    this.#draw();
    const place = this.place.querySelector("#backtest");
    this.backtest?.close();
    const alert = this.chosen;
    this.backtest = new Backtest(this.server, place, {
      statement: this.properties.get("query"),
      session: this.frame.session,
      micros,
      changed: (chosen) => remember("alerts", { alert, for: chosen }),
    });
  }

  async #change(path, body, words) {
    this.refusal = "";
    try {
      await this.server.post(path, body);
      this.frame.announce(words);
    } catch (error) {
      this.refusal = wordsOf(error);
    }
    await this.refresh();
  }

  /** Acknowledges the episode that the user sees: another one may have begun since. */
  async #acknowledge({ alert, episode }) {
    this.refusal = "";
    try {
      const { acknowledged } = await this.server.post("/v1/alerts/acknowledge", { alert, episode });
      if (acknowledged.includes(episode)) {
        this.frame.announce(`${alert} is acknowledged`);
      } else {
        this.refusal = `Nothing was acknowledged: ${episode} does not hold any more.`;
      }
    } catch (error) {
      this.refusal = wordsOf(error);
    }
    await this.refresh();
  }

  #draw() {
    render(
      html`<h1>Alerts</h1>
        ${[this.problem, this.refusal]
          .filter((sentence) => sentence !== "")
          .map((sentence) => html`<p class="problem" role="alert">${sentence}</p>`)}
        ${this.alerts.length === 0 ? this.#none() : this.#table()} ${this.#detail()}
        ${this.#history()}`,
      this.place,
    );
  }

  #none() {
    return html`<p class="note">
      No alert is defined. On the page <a href="#/ask">Ask</a>, “Make a rule” turns a statement into
      the text for one.
    </p>`;
  }

  #table() {
    const columns = ["alert", "state", "since", "health", "severity", "values at the rise"];
    return html`<div class="scroll" tabindex="0" role="region" aria-label="Table of alerts">
      <table>
        <thead>
          <tr>
            ${columns.map((name) => html`<th scope="col">${name}</th>`)}
            ${this.frame.mayWrite ? html`<th scope="col">actions</th>` : nothing}
          </tr>
        </thead>
        <tbody>
          ${this.alerts.map((alert) => this.#alert(alert))}
        </tbody>
      </table>
    </div>`;
  }

  #alert(alert) {
    return html`<tr class=${alert.alert === this.chosen ? "focused" : ""}>
      <th scope="row">
        <a href=${addressOf("alerts", { alert: alert.alert })}>${nameOf(alert)}</a>
      </th>
      <td>
        <span class="alert-state ${alert.state}">${alert.state}</span>
        ${alert.acknowledgedBy
          ? html`<small>acknowledged by ${alert.acknowledgedBy}</small>`
          : nothing}
        ${alert.mutedUntil ? html`<small>muted until ${timeOf(alert.mutedUntil)}</small>` : nothing}
      </td>
      <td class="time">
        ${alert.episode
          ? html`<a href=${addressOf("timeline", { episode: alert.episode, why: 1 })}
              >${timeOf(alert.since)}</a
            >`
          : (timeOf(alert.since) || "–")}
      </td>
      <td class=${alert.health === "ok" ? "" : "doubt"}>${alert.health}</td>
      <td>${alert.severity}</td>
      <td class="values">${alert.cut ? valueText(alert.cut) : "–"}</td>
      ${this.frame.mayWrite ? html`<td>${this.#actions(alert)}</td>` : nothing}
    </tr>`;
  }

  #actions({ alert, episode, acknowledgedBy, mutedUntil }) {
    return html`<span class="buttons tight">
      <button
        ?disabled=${!episode || Boolean(acknowledgedBy)}
        @click=${() => this.#acknowledge({ alert, episode })}
      >
        Acknowledge
      </button>
      ${mutedUntil
        ? html`<button
            @click=${() => this.#change("/v1/alerts/mute", { alert, seconds: 0 }, `${alert} speaks`)}
          >
            Unmute
          </button>`
        : html`<button
            @click=${() =>
              this.#change(
                "/v1/alerts/mute", { alert, seconds: MUTE_SECONDS }, `${alert} is muted for an hour`,
              )}
          >
            Mute 1 h
          </button>`}
    </span>`;
  }

  #detail() {
    if (this.chosen === "") {
      return nothing;
    }
    const query = this.properties.get("query");
    const skipped = this.properties.get("notEvaluated");
    return html`<section aria-labelledby="chosen-heading">
      <h2 id="chosen-heading">${this.chosen}</h2>
      ${this.properties.get("description")
        ? html`<p>${this.properties.get("description")}</p>`
        : nothing}
      ${query === undefined ? nothing : html`<pre tabindex="0" aria-label="Query">${query}</pre>`}
      ${skipped ? html`<p class="doubt">Not evaluated: ${valueText(skipped)}</p>` : nothing}
      <div class="buttons">
        <button ?disabled=${query === undefined} @click=${() => this.#startBacktest()}>
          Backtest over what is stored
        </button>
        <a href=${addressOf("ask", { q: query })} ?hidden=${query === undefined}>Open in Ask</a>
        <a href="#/alerts">All alerts</a>
      </div>
      <div id="backtest"></div>
    </section>`;
  }

  #history() {
    if (this.episodes.length === 0) {
      return this.alerts.length === 0
        ? nothing
        : html`<p class="note">No episode is recorded${this.chosen ? " of this alert" : ""}.</p>`;
    }
    return html`<h2>
        The last ${counted(this.episodes.length, "episode")}${this.chosen ? ` of ${this.chosen}` : ""}
      </h2>
      <div class="scroll" tabindex="0" role="region" aria-label="Table of episodes">
        <table>
          <thead>
            <tr>
              <th scope="col">rise</th>
              <th scope="col">alert</th>
              <th scope="col" class="number">lasted</th>
              <th scope="col">certain</th>
              <th scope="col">values at the rise</th>
              <th scope="col">acknowledged by</th>
            </tr>
          </thead>
          <tbody>
            ${this.episodes.map((episode) => this.#episode(episode))}
          </tbody>
        </table>
      </div>`;
  }

  #episode(page) {
    const { episode, rise, borderline, acknowledgedBy } = page;
    return html`<tr>
      <th scope="row">
        <a href=${addressOf("timeline", { episode, why: 1 })}>${stampTime(rise?.hlc)}</a>
      </th>
      <td>${episode.replace(/@[^@]*$/, "")}</td>
      <td class="number">${lasted(page)}</td>
      <td class=${borderline ? "doubt" : ""}>
        ${borderline ? BORDERLINE : "yes"}
      </td>
      <td class="values">${rise?.cut ? valueText(rise.cut) : "–"}</td>
      <td>${acknowledgedBy || "–"}</td>
    </tr>`;
  }
}

/** How long an episode lasted, in words. */
function lasted(page) {
  const { state, stamp } = endOf(page);
  if (state === "holds") {
    return html`<strong class="bad">holds</strong>`;
  }
  return stamp === null ? state : durationText(stamp.micros - stampOf(page));
}

/** The FOR of an address in microseconds; null if it has none. */
function durationOf(parameters) {
  const text = parameters.get("for") ?? "";
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

function nameOf({ alert, item }) {
  return item ? `${alert}[${item}]` : alert;
}

function stampOf(episode) {
  return parseStamp(episode.episode.replace(/^.*@/s, ""))?.micros ?? 0;
}

/** A time that is a stamp, or an instant as text. */
function timeOf(value) {
  if (value === null || value === undefined) {
    return "";
  }
  const text = String(value);
  return parseStamp(text) === null ? text.replace("T", " ").replace("Z", "") : stampTime(text);
}

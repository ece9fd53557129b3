// Live: up to eight queries as events arrive, seen and heard.

import { html, nothing, render } from "lit-html";
import { nodesOf } from "../api/nodes.js";
import { LiveStream } from "../api/stream.js";
import { wordsOf } from "../api/problem.js";
import { hasWord, withoutClauses } from "../editor/tokens.js";
import { MidiPlayer, midiOutputs } from "../sound/midi.js";
import { Player } from "../sound/player.js";
import { StepChart, linesOf, numericColumns } from "../timeline/steps.js";
import { compareStamps, durationText, parseStamp, timeText } from "../timeline/stamp.js";
import { addressOf, goTo, remember } from "./address.js";
import { NoteStrip } from "./notestrip.js";
import { repeat } from "./repeat.js";
import { counted, sentenceOf, valueText } from "./values.js";
import { leftOut, warningList } from "./warnings.js";

const MAX_QUERIES = 8;
const MAX_ROWS = 500;
const SHOWN_ROWS = 6;
const MAX_SENTENCES = 20;
const SHOWN_SENTENCES = 4;
const SHOWN_WARNINGS = 8;
const MAX_LAGS = 60;
const DRAW_EVERY_MILLIS = 200;
const LAG_EVERY_MILLIS = 2000;
const HEARTBEAT_MILLIS = 30_000;

/** Opens the page. */
export async function open(frame, place, parameters) {
  const page = new Live(frame, place);
  await page.start(parameters);
  return page;
}

class Live {
  constructor(frame, place) {
    this.frame = frame;
    this.server = frame.server;
    this.place = place;
    this.queries = [];
    this.nodes = [];
    this.connection = { connected: false, words: "" };
    this.paused = false;
    this.muted = false;
    this.problem = "";
    this.soundProblem = "";
    this.devices = [];
    this.device = null;
    this.charts = new Map();
    this.leave = () => this.#silenceDevice();
  }

  async start(parameters) {
    window.addEventListener("pagehide", this.leave);
    this.#take(parameters);
    this.#draw();
    this.strip = new NoteStrip(this.place.querySelector("#notes"));
    this.drawing = setInterval(() => this.#drawIfDue(), DRAW_EVERY_MILLIS);
    this.endAsking = repeat(() => this.#askLag(), LAG_EVERY_MILLIS);
    await this.#askLag();
    if (this.queries.length === 0) {
      await this.#suggest();
    }
  }

  change(parameters) {
    const wanted = parameters.getAll("q").join("\n");
    if (wanted !== this.queries.map(({ text }) => text).join("\n")) {
      this.#take(parameters);
      this.#draw();
    }
  }

  close() {
    this.closed = true;
    window.removeEventListener("pagehide", this.leave);
    clearInterval(this.drawing);
    this.endAsking();
    clearInterval(this.beating);
    this.stream?.close();
    this.strip?.close();
    this.charts.forEach((chart) => chart.close());
    this.player?.close();
  }

  #take(parameters) {
    const texts = parameters.getAll("q").filter((text) => text.trim() !== "");
    this.queries.forEach(({ text }) => this.player?.endRule(text));
    const muted = parameters.getAll("muted");
    this.queries = texts
      .slice(0, MAX_QUERIES)
      .map((text, index) => ({ ...newQuery(text), muted: muted.includes(String(index)) }));
    this.large = parameters.get("large") === "1";
    this.#connect();
  }

  /** Opens the stream anew, because its queries have changed; each continues where it was. */
  #connect() {
    this.stream?.close();
    this.stream = null;
    if (this.queries.length > 0) {
      this.connection = { connected: false, words: "connecting" };
      this.queries.forEach((query) => (query.problem = ""));
      this.stream = new LiveStream(this.server, [...this.queries], {
        take: (query, kind, data, id) => this.#event(query, kind, data, id),
        state: (state) => this.#connected(state),
      });
    }
    this.#remember();
  }

  #remember() {
    remember("live", {
      q: this.queries.map(({ text }) => text),
      muted: [...this.queries.keys()].filter((index) => this.queries[index].muted),
      large: this.large ? 1 : "",
    });
  }

  /** A server that is lost, or back, is a sound too. */
  #connected(state) {
    const was = this.connection.connected;
    this.connection = state;
    if (was !== state.connected && this.wasConnected) {
      const keys = state.connected ? [60, 67] : [67, 60];
      keys.forEach((key, i) => {
        const note = { patch: "reed", layer: "server", kind: "server", key, velocity: 80, pan: 0 };
        this.#sound({ ...note, lengthMicros: 350_000, rule: "server" }, "server", i * 0.4);
      });
    }
    this.wasConnected ||= state.connected;
    this.due = true;
  }

  #event(query, kind, data, id) {
    query.changed = true;
    this.due = true;
    switch (kind) {
      case "row":
      case "edge":
      case "late":
        query.count++;
        addRow(query, kind === "late" ? { ...data, late: true } : data, id);
        break;
      case "retracted":
        query.rows = query.rows.filter((row) => !query.ids.get(row).endsWith(`/${data.row}`));
        say(query, "a row was taken back: an earlier event came late");
        break;
      case "note":
        query.notes++;
        query.latestNotes = [data, ...query.latestNotes.slice(0, SHOWN_ROWS - 1)];
        this.#sound(data, query.text, 0, query.muted);
        break;
      case "dropped":
        query.dropped = data.notes;
        break;
      case "progress":
        query.progress = data;
        break;
      case "lost":
        say(query, `incomplete: ${data.warning}`);
        break;
      case "notice":
        query.notice = data.notice;
        query.missing = (data.incomplete ?? []).map(({ sentence }) => sentence);
        break;
      case "problem":
        query.problem = data.text || data.detail || data.title;
        break;
      case "end":
        say(query, "the stream has ended");
        break;
      default:
    }
  }

  /** Shows a note, and plays it if sound is on. */
  #sound(note, rule, after, muted = false) {
    const heard =
      this.player !== undefined &&
      !this.muted &&
      !muted &&
      this.#play(note, rule, after);
    this.strip?.add({ ...note, heard }, rule);
  }

  /** Returns whether a note is heard: a device may have been taken away. */
  #play(note, rule, after) {
    try {
      return this.player.play(note, rule, this.player.now + after);
    } catch (error) {
      this.soundProblem = `No sound: ${wordsOf(error)}`;
      return false;
    }
  }

  /** A device sounds for longer than the page is there, unlike the browser. */
  #silenceDevice() {
    if (this.player instanceof MidiPlayer) {
      this.player.close();
    }
  }

  async #askLag() {
    try {
      const { nodes, missing } = await nodesOf(this.server);
      this.nodes = nodes;
      this.missing = missing.map(sentenceOf);
      this.problem = "";
    } catch (error) {
      this.problem = wordsOf(error);
    }
    this.due = true;
  }

  async #suggest() {
    try {
      const { examples } = await this.server.get("/v1/examples");
      this.examples = examples;
    } catch {
      this.examples = [];
    }
    this.due = true;
  }

  #drawIfDue() {
    this.strip?.draw(this.paused);
    if (this.due && !this.paused && !document.hidden) {
      this.due = false;
      this.#draw();
    }
  }

  async #enableSound() {
    this.soundProblem = "";
    try {
      const { patches } = await this.server.get("/console/sound/patches.json");
      const player = this.device === null ? await audioPlayer(patches) : new MidiPlayer(this.device, patches);
      if (this.closed) {
        player.close();
        return;
      }
      this.player?.close();
      this.player = player;
      this.player.muted = this.muted;
      this.frame.announce("sound is on");
    } catch (error) {
      this.soundProblem = `No sound: ${wordsOf(error)}`;
    }
    this.#draw();
  }

  /** Sends the notes to this browser, or to a device that takes MIDI. */
  async #chooseDevice(choice) {
    this.soundProblem = "";
    if (choice === "midi") {
      try {
        this.devices = await midiOutputs();
        this.device = this.devices[0];
      } catch (error) {
        this.device = null;
        this.soundProblem = `No MIDI: ${wordsOf(error)}. Sound goes through this browser.`;
      }
    } else {
      this.device = this.devices.find(({ id }) => id === choice) ?? null;
    }
    const { soundProblem } = this;
    if (this.player !== undefined) {
      await this.#enableSound();
    }
    this.soundProblem ||= soundProblem;
    this.#draw();
    this.place.querySelector("#sound-through").value = this.device?.id ?? "browser";
  }

  #deviceChoice() {
    const choices = [
      ["browser", "this browser"],
      ...(this.devices.length === 0 ? [["midi", "a MIDI device"]] : []),
      ...this.devices.map(({ id, name }) => [id, name ?? id]),
    ];
    const chosen = this.device?.id ?? "browser";
    return html`<label
      >Sound through
      <select
        id="sound-through"
        @change=${(event) => this.#chooseDevice(event.target.value)}
      >
        ${choices.map(
          ([id, name]) => html`<option value=${id} ?selected=${id === chosen}>${name}</option>`,
        )}
      </select></label
    >`;
  }

  #toggleMute() {
    this.muted = !this.muted;
    if (this.player !== undefined) {
      this.player.muted = this.muted;
    }
    this.frame.announce(this.muted ? "muted" : "sound is on");
    this.#draw();
  }

  #toggleRule(query) {
    query.muted = !query.muted;
    if (query.muted) {
      this.player?.endRule(query.text);
    }
    this.#remember();
    this.#draw();
  }

  #toggleHeartbeat() {
    this.beats = !this.beats;
    clearInterval(this.beating);
    if (this.beats) {
      const note = { patch: "click", layer: "heartbeat", kind: "heartbeat", key: 60, pan: 0 };
      this.beating = setInterval(
        () =>
          this.connection.connected &&
          this.#sound({ ...note, velocity: 40, lengthMicros: 100_000 }, "heartbeat", 0),
        HEARTBEAT_MILLIS,
      );
    }
    this.#draw();
  }

  #add(text) {
    if (text.trim() !== "" && this.queries.length < MAX_QUERIES) {
      this.queries.push(newQuery(text.trim()));
      this.#connect();
      this.#draw();
    }
  }

  #remove(query) {
    this.queries = this.queries.filter((each) => each !== query);
    this.player?.endRule(query.text);
    this.charts.get(query)?.close();
    this.charts.delete(query);
    this.#connect();
    this.#draw();
  }

  async #enlarge() {
    this.large = !this.large;
    try {
      await (this.large ? document.documentElement.requestFullscreen() : document.exitFullscreen());
    } catch {
      // The page is large within its window then.
    }
    this.#remember();
    this.#draw();
  }

  press(key) {
    switch (key) {
      case "m":
        this.player === undefined ? this.#enableSound() : this.#toggleMute();
        return true;
      case "p":
        this.#togglePause();
        return true;
      case "f":
        this.#enlarge();
        return true;
      default:
        return false;
    }
  }

  #togglePause() {
    this.paused = !this.paused;
    this.due = true;
    this.#draw();
    this.frame.announce(this.paused ? "the view is frozen, events still arrive" : "up to date");
  }

  #draw() {
    render(
      html`<h1 class="quiet">Live</h1>
        <div class=${this.large ? "live-view large" : "live-view"}>
          <div class="buttons">
            ${this.player === undefined
              ? html`<button class="primary" @click=${() => this.#enableSound()}>
                  Enable sound <kbd>m</kbd>
                </button>`
              : html`<button aria-pressed=${this.muted} @click=${() => this.#toggleMute()}>
                  Mute <kbd>m</kbd>
                </button>`}
            <button aria-pressed=${this.paused} @click=${() => this.#togglePause()}>
              Freeze the view <kbd>p</kbd>
            </button>
            <button aria-pressed=${this.large} @click=${() => this.#enlarge()}>
              Large <kbd>f</kbd>
            </button>
            <button aria-pressed=${this.beats === true} @click=${() => this.#toggleHeartbeat()}>
              Heartbeat
            </button>
            ${this.#deviceChoice()}
            <p class=${this.connection.connected || this.queries.length === 0 ? "note" : "bad"}>
              ${this.#connectionWords()}
            </p>
          </div>
          ${this.problem ? html`<p class="problem" role="alert">${this.problem}</p>` : nothing}
          ${this.soundProblem
            ? html`<p class="problem" role="alert">${this.soundProblem}</p>`
            : nothing}
          ${this.#lags()}
          <div class="strip">
            <canvas id="notes" role="img" aria-label="Notes of the last 30 seconds"></canvas>
          </div>
          ${this.#first()}
          <div class="queries">${this.queries.map((query) => this.#query(query))}</div>
          ${this.#form()}
        </div>`,
      this.place,
    );
    this.queries.forEach((query) => this.#chart(query));
  }

  #connectionWords() {
    if (this.queries.length === 0) {
      return "No query yet";
    }
    const frozen = this.paused ? "; the view is frozen" : "";
    if (this.connection.connected) {
      return `Connected, one stream for ${counted(this.queries.length, "query", "queries")}${frozen}`;
    }
    const { final, words } = this.connection;
    return final ? words : `Not up to date: ${words}. Connecting again.`;
  }

  /** How far each node's events are behind, and in words what is missing. */
  #lags() {
    const sentences = [
      ...new Set([
        ...(this.missing ?? []),
        ...this.queries.flatMap(({ notice, missing }) => [notice, ...missing]),
      ]),
    ].filter((sentence) => sentence);
    return html`<ul class="lags" aria-label="Lag of each node">
        ${this.nodes.slice(0, MAX_LAGS).map(
          ({ name, state, lagMicros }) =>
            html`<li>
              <span class="state ${state}">${name}</span>
              <span class=${lagMicros > 2e6 ? "bad" : "note"}>
                ${lagMicros === null || lagMicros === undefined ? "unknown" : roughly(lagMicros)}
              </span>
            </li>`,
        )}
      </ul>
      ${leftOut(this.nodes.length, MAX_LAGS, "nodes")} ${warningList(sentences, SHOWN_WARNINGS)}`;
  }

  #first() {
    if (this.queries.length > 0) {
      return nothing;
    }
    return html`<section class="first" aria-labelledby="live-first">
      <h2 id="live-first">Follow a question as events arrive</h2>
      <ul class="cards">
        ${(this.examples ?? []).map(
          ({ title, query }) =>
            html`<li>
              <button class="card" @click=${() => this.#add(query)}>
                <strong>${title}</strong><code>${query}</code>
              </button>
            </li>`,
        )}
      </ul>
    </section>`;
  }

  #query(query) {
    const last = query.rows[query.rows.length - 1];
    return html`<section class="query" aria-label=${query.text}>
      <header>
        <code>${query.text}</code>
        <span class="buttons">
          <button aria-pressed=${query.muted} @click=${() => this.#toggleRule(query)}>Mute</button>
          <button @click=${() => goTo("ask", { q: query.text })}>Ask</button>
          <button aria-label="Remove this query" @click=${() => this.#remove(query)}>×</button>
        </span>
      </header>
      ${query.problem ? html`<pre class="problem" role="alert">${query.problem}</pre>` : nothing}
      ${warningList(sentencesOf(query), SHOWN_SENTENCES, query.forgotten)}
      <p class="note">${this.#queryWords(query)}</p>
      ${last === undefined
        ? nothing
        : html`<p class="value">${last.edge ? `${last.edge}: ` : ""}${rowText(last)}</p>`}
      <div class="chart small" ?hidden=${query.column === undefined}>
        <canvas data-chart role="img" aria-label="Values of the last rows as steps"></canvas>
      </div>
      <ul class="latest notes" ?hidden=${query.latestNotes.length === 0}>
        ${query.latestNotes.map((note) => html`<li>${noteText(note)}</li>`)}
      </ul>
      <ul class="latest" ?hidden=${query.rows.length === 0}>
        ${query.rows
          .slice(-SHOWN_ROWS)
          .reverse()
          .map(
            (row) =>
              html`<li>
                <a href=${addressOf("timeline", { cut: row.hlc, q: query.text })}
                  >${timeOf(row)}</a
                >
                ${row.edge ? html`<strong>${row.edge}</strong>` : nothing} ${rowText(row)}
                ${row.late ? html`<span class="doubt">late</span>` : nothing}
              </li>`,
          )}
      </ul>
    </section>`;
  }

  #queryWords(query) {
    const parts = [counted(query.count, "row")];
    if (query.notes > 0) {
      parts.push(counted(query.notes, "note"));
    }
    if (query.dropped > 0) {
      parts.push(`${counted(query.dropped, "note")} left out, there were too many`);
    }
    const at = parseStamp(query.progress?.hlc ?? "");
    if (at !== null) {
      parts.push(`complete up to ${timeText(at.micros, 3)}`);
    }
    if (query.progress?.heldMicros > 0) {
      parts.push(`held for ${durationText(query.progress.heldMicros)}: clocks are ahead`);
    }
    return parts.join(", ");
  }

  #chart(query) {
    if (!query.changed) {
      return;
    }
    query.changed = false;
    const columns = numericColumns(query.rows);
    query.column = columns[columns.length - 1];
    const number = this.queries.indexOf(query);
    const canvas = this.place.querySelectorAll("canvas[data-chart]")[number];
    let chart = this.charts.get(query);
    if (chart?.canvas !== canvas) {
      chart?.close();
      chart = new StepChart(canvas);
      this.charts.set(query, chart);
    }
    const lines = query.column === undefined ? [] : linesOf(query.rows, query.column);
    chart.show(lines, !hasWord(query.text, "WHEN"));
  }

  #form() {
    const full = this.queries.length >= MAX_QUERIES;
    const submit = (event) => {
      event.preventDefault();
      const input = event.target.elements.query;
      this.#add(input.value);
      input.value = "";
    };
    return html`<form class="buttons add" @submit=${submit} ?hidden=${full}>
      <label for="add-query">Another query</label>
      <input id="add-query" name="query" autocomplete="off" placeholder="SELECT STREAM …" />
      <button type="submit">Follow</button>
    </form>`;
  }
}

async function audioPlayer(patches) {
  const context = new AudioContext();
  await context.resume();
  return new Player(context, patches);
}

function newQuery(text) {
  return {
    text,
    statement: asStream(text),
    lastId: "-",
    rows: [],
    ids: new WeakMap(),
    count: 0,
    notes: 0,
    latestNotes: [],
    dropped: 0,
    sentences: new Map(),
    forgotten: 0,
    missing: [],
    notice: "",
    problem: "",
    muted: false,
  };
}

/** Adds a row at its place in time: the last one is what holds now. */
function addRow(query, row, id) {
  query.ids.set(row, id);
  query.rows.push(row);
  if (row.late) {
    query.rows.sort((a, b) => compareStamps(parseStamp(a.hlc), parseStamp(b.hlc)));
  }
  query.rows.splice(0, query.rows.length - MAX_ROWS);
}

/** Adds a sentence about a query. One that is repeated is counted, so that it drives out no other. */
function say(query, sentence) {
  const { sentences } = query;
  const count = sentences.get(sentence) ?? 0;
  sentences.delete(sentence);
  sentences.set(sentence, count + 1);
  if (sentences.size > MAX_SENTENCES) {
    sentences.delete(sentences.keys().next().value);
    query.forgotten++;
  }
}

/** The sentences about a query, the newest first. */
function sentencesOf({ sentences }) {
  return [...sentences]
    .map(([sentence, count]) =>
      count === 1 ? sentence : `${sentence} (${count.toLocaleString("en")} times)`,
    )
    .reverse();
}

/** A statement as a stream: SELECT becomes SELECT STREAM. */
export function asStream(text) {
  return /^SELECT\s+STREAM\b/i.test(withoutClauses(text))
    ? text
    : withoutClauses(text, "LIMIT", "ON").replace(/^SELECT\b/i, "SELECT STREAM");
}

function timeOf(row) {
  const at = parseStamp(row.hlc ?? "");
  return at === null ? "" : timeText(at.micros, 3);
}

const ADDED = new Set(["hlc", "time", "uncertaintyMicros", "edge", "late"]);

function rowText(row) {
  return Object.entries(row)
    .filter(([name]) => !ADDED.has(name))
    .map(([name, value]) => `${name} ${valueText(value)}`)
    .join(", ");
}

/** The visible twin of a note in words. */
function noteText({ micros, kind, node, level, patch }) {
  const about = node === null || node === undefined ? "" : ` of ${node}`;
  const height = level === null || level === undefined ? "" : `, level ${level}`;
  return `${timeText(micros, 3)} ${kind}${about}${height}, ${patch}`;
}

function roughly(micros) {
  return micros < 1e6 ? `${Math.round(micros / 1e3)} ms` : `${(micros / 1e6).toFixed(1)} s`;
}

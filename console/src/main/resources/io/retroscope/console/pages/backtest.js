// The backtest of a rule: how often it would have fired, for every FOR at once.

import { html, nothing, render } from "lit-html";
import { wordsOf } from "../api/problem.js";
import { asSelect, hasWord, microsOf, withoutClauses } from "../editor/tokens.js";
import { durationText, parseStamp } from "../timeline/stamp.js";
import { counted } from "./values.js";
import { warningList } from "./warnings.js";

const MAX_INTERVALS = 50_000;
const HEIGHT = 170;
const LEFT = 64;
const DAY_MICROS = 86_400e6;
const STEPS = 200;
const SHOWN = [0, 1e3, 1e4, 1e5, 1e6, 1e7, 6e7];

/** The lengths of the stretches in which a predicate holds, in one walk. */
export class Backtest {
  /**
   * Starts the walk.
   *
   * @param micros the FOR to begin with; null for that of the statement
   * @param changed takes the FOR when it is chosen
   */
  constructor(server, place, { statement, session, micros, changed }) {
    this.server = server;
    this.place = place;
    this.statement = statement;
    this.session = session;
    this.wanted = micros;
    this.changed = changed;
    this.lengths = [];
    this.state = "walking";
    this.walked = false;
    this.warnings = [];
    this.running = new AbortController();
    this.resizes = new ResizeObserver(() => this.#paint());
    this.resizes.observe(place);
    this.#walk();
  }

  close() {
    this.running.abort();
    this.resizes.disconnect();
  }

  async #walk() {
    const select = withoutClauses(
      asSelect(this.statement), "STREAM", "EMIT", "LIMIT", "ON", "PLAY", "DURATION",
    );
    if (!hasWord(select, "WHEN") || hasWord(select, "THEN") || hasWord(select, "AFTER")) {
      this.#end("This rule has no WHEN whose duration could be chosen.");
      return;
    }
    this.#draw();
    try {
      const query = `${select} EMIT INTERVALS LIMIT ${MAX_INTERVALS}`;
      for await (const row of this.server.query(query, { signal: this.running.signal })) {
        if (row.durationMicros !== undefined && row.durationMicros !== null) {
          this.lengths.push(row.durationMicros);
        } else if (row.warning !== undefined) {
          this.warnings.push(row.warning);
        }
      }
      const words =
        this.lengths.length >= MAX_INTERVALS
          ? `Only the first ${counted(MAX_INTERVALS, "stretch", "stretches")} were walked: the rates are too low.`
          : "";
      this.walked = true;
      this.#end(words);
    } catch (error) {
      if (!this.running.signal.aborted) {
        this.#end(`The walk broke off, so that the rates are too low: ${wordsOf(error)}`);
      }
    }
  }

  #end(words) {
    this.state = "done";
    this.words = words;
    this.lengths.sort((a, b) => a - b);
    const own = /\bFOR\s+(\d+[a-z]+)\b/i.exec(this.statement);
    this.chosen = this.wanted ?? microsOf(own?.[1] ?? "") ?? 0;
    this.changed(this.chosen);
    this.#draw();
  }

  /** How many stretches last at least so long. */
  #count(micros) {
    let low = 0;
    let high = this.lengths.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.lengths[middle] < micros) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return this.lengths.length - low;
  }

  get days() {
    const { from, until } = this.session;
    return Math.max(1, parseStamp(until).micros - parseStamp(from).micros) / DAY_MICROS;
  }

  get longest() {
    return Math.max(1000, this.lengths[this.lengths.length - 1] ?? 0);
  }

  /** The FOR of a place of the slider: 0, then rising by equal factors. */
  #duration(step) {
    return step === 0 ? 0 : Math.round(100 * (this.longest / 100) ** (step / STEPS));
  }

  #step(micros) {
    return micros < 100
      ? 0
      : Math.round((Math.log(micros / 100) / Math.log(this.longest / 100)) * STEPS);
  }

  #draw() {
    if (this.state !== "done") {
      render(html`<p class="note">Walking what is stored …</p>`, this.place);
      return;
    }
    const count = this.#count(this.chosen);
    render(
      html`${this.words ? html`<p class="doubt">${this.words}</p>` : nothing}
        ${warningList(this.warnings.map((sentence) => `warning: ${sentence}`))}
        ${this.lengths.length === 0
          ? html`<p class="note" ?hidden=${!this.walked}>
              The predicate never held in what is stored.
            </p>`
          : html`<label class="for"
                >FOR
                <strong>${durationText(this.chosen)}</strong>
                <input
                  type="range"
                  min="0"
                  max=${STEPS}
                  .value=${String(this.#step(this.chosen))}
                  aria-valuetext=${`FOR ${durationText(this.chosen)}`}
                  @input=${(event) => this.#choose(event.target.value)}
              /></label>
              <p>
                <strong>${counted(count, "alert")}</strong> in
                ${durationText(this.days * DAY_MICROS)}, which is
                <strong>${rate(count / this.days)}</strong> per day
              </p>
              <p class="note">Alerts per day for each FOR</p>
              <div class="chart curve">
                <canvas role="img" aria-label="Alerts per day for each FOR; the table has some"></canvas>
              </div>
              <table>
                <thead>
                  <tr>
                    <th scope="col">FOR</th>
                    ${this.#shown().map((d) => html`<th scope="col">${shortText(d)}</th>`)}
                  </tr>
                </thead>
                <tbody>
                  <tr>
                    <th scope="row">alerts</th>
                    ${this.#shown().map((d) => html`<td>${this.#count(d)}</td>`)}
                  </tr>
                </tbody>
              </table>`}`,
      this.place,
    );
    this.#paint();
  }

  #shown() {
    return SHOWN.filter((micros) => micros <= this.longest);
  }

  #choose(step) {
    this.chosen = this.#duration(Number(step));
    this.changed(this.chosen);
    this.#draw();
  }

  #paint() {
    const canvas = this.place.querySelector("canvas");
    const width = canvas?.parentElement.clientWidth ?? 0;
    if (width === 0) {
      return;
    }
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(HEIGHT * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${HEIGHT}px`;
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = "12px system-ui, sans-serif";
    const style = getComputedStyle(canvas);
    const color = (name) => style.getPropertyValue(name).trim();
    const x = (step) => LEFT + (step / STEPS) * (width - LEFT - 30);
    const most = this.lengths.length;
    const y = (count) => HEIGHT - 24 - (count / most) * (HEIGHT - 40);
    this.#axes(context, color, width, x, most);
    context.strokeStyle = color("--event");
    context.lineWidth = 2;
    context.beginPath();
    for (let step = 0; step <= STEPS; step++) {
      const at = y(this.#count(this.#duration(step)));
      context.lineTo(x(step), at);
    }
    context.stroke();
    const chosen = this.#step(this.chosen);
    context.strokeStyle = color("--cut");
    context.beginPath();
    context.moveTo(x(chosen), 8);
    context.lineTo(x(chosen), HEIGHT - 24);
    context.stroke();
    context.lineWidth = 1;
  }

  #axes(context, color, width, x, most) {
    context.fillStyle = color("--faint");
    context.strokeStyle = color("--line");
    context.strokeRect(LEFT + 0.5, 10.5, width - LEFT - 30, HEIGHT - 34);
    context.textBaseline = "middle";
    context.textAlign = "right";
    context.fillText(rate(most / this.days), LEFT - 6, 16);
    context.fillText("0", LEFT - 6, HEIGHT - 28);
    context.textAlign = "center";
    for (const micros of this.#shown()) {
      const words = shortText(micros);
      context.fillText(words, Math.min(width - 40, x(this.#step(micros))), HEIGHT - 9);
    }
  }
}

function rate(perDay) {
  return perDay >= 10 || perDay === 0 ? Math.round(perDay).toLocaleString("en") : perDay.toPrecision(2);
}

/** A round duration. */
function shortText(micros) {
  return durationText(micros).replace(/\.0+ /, " ");
}

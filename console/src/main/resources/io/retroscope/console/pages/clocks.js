// Clocks: the interval in which each node's clock is, over time.

import { html, nothing, render } from "lit-html";
import { wordsOf } from "../api/problem.js";
import { drawOffsets } from "../timeline/offsets.js";
import { durationText, parseStamp } from "../timeline/stamp.js";
import { remember } from "./address.js";
import { repeat } from "./repeat.js";
import { durationOrUnknown, stampTime } from "./values.js";
import { leftOut, warningList } from "./warnings.js";

const EVERY_MILLIS = 5000;
const POINTS = 300;
const MAX_NODES = 100;
const MAX_DRIVERS = 8;
const RANGES = [
  ["60", "1 minute"],
  ["600", "10 minutes"],
  ["3600", "1 hour"],
  ["86400", "1 day"],
  ["all", "everything"],
];

/** Opens the page. */
export async function open(frame, place, parameters) {
  const page = new Clocks(frame, place);
  page.range = RANGES.some(([name]) => name === parameters.get("range"))
    ? parameters.get("range")
    : "600";
  await page.refresh();
  return page;
}

class Clocks {
  constructor(frame, place) {
    this.frame = frame;
    this.place = place;
    this.alignment = null;
    this.problem = "";
    this.endRefreshes = repeat(() => this.refresh(), EVERY_MILLIS);
    this.resizes = new ResizeObserver(() => this.#paint());
    this.resizes.observe(place);
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.repaint = () => this.#paint();
    this.dark.addEventListener("change", this.repaint);
  }

  close() {
    this.endRefreshes();
    this.resizes.disconnect();
    this.dark.removeEventListener("change", this.repaint);
  }

  async refresh() {
    const { from, until } = this.frame.session;
    if (from === undefined) {
      render(
        html`<h1>Clocks</h1>
          <p class="note">Nothing is recorded yet, so that no clock is known.</p>`,
        this.place,
      );
      return;
    }
    const last = parseStamp(until).micros;
    const first = parseStamp(from).micros;
    const start = this.range === "all" ? first : Math.max(first, last - Number(this.range) * 1e6);
    const { range } = this;
    try {
      const alignment = await this.frame.server.get("/v1/alignment", {
        from: `${start}.0`,
        until: `${last}.4095`,
        points: POINTS,
      });
      if (range !== this.range) {
        return;
      }
      this.alignment = alignment;
      this.problem = "";
    } catch (error) {
      this.problem = wordsOf(error);
    }
    this.#draw();
  }

  #choose(range) {
    this.range = range;
    remember("clocks", { range });
    this.refresh();
  }

  #draw() {
    const nodes = this.alignment?.nodes ?? [];
    render(
      html`<h1>Clocks</h1>
        ${this.problem
          ? html`<p class="problem" role="alert">
              ${this.alignment === null ? nothing : "Not up to date. "}${this.problem}
            </p>`
          : nothing}
        <div class="buttons">
          <label
            >Show
            <select @change=${(event) => this.#choose(event.target.value)}>
              ${RANGES.map(
                ([name, words]) =>
                  html`<option value=${name} ?selected=${name === this.range}>${words}</option>`,
              )}
            </select></label
          >
          <p class="note">
            What to add to a node's clock for the driver's, ${this.alignment?.driverNode ?? "unknown"}.
            The band contains the true offset; hatched is unknown.
          </p>
        </div>
        ${warningList((this.alignment?.ahead ?? []).map(aheadSentence))}
        ${this.#drivers()}
        <div class="clock-grid">
          ${nodes.slice(0, MAX_NODES).map((node) => this.#node(node))}
        </div>
        ${leftOut(nodes.length, MAX_NODES, "nodes")}`,
      this.place,
    );
    this.#paint();
  }

  /** The driver over time: each change is also a line in the charts. */
  #drivers() {
    const drivers = this.alignment?.trail.drivers ?? [];
    const earlier = drivers.length - MAX_DRIVERS;
    return drivers.length < 2
      ? nothing
      : html`<p class="drivers">
          The driver was ${earlier > 0 ? "others before, " : ""}
          ${drivers.slice(-MAX_DRIVERS).map(
            ([node, since], i) =>
              html`${i > 0 ? ", then " : ""}<strong>${node}</strong> from ${stampTime(since)}`,
          )}.
        </p>`;
  }

  #node(now) {
    const { node } = now;
    return html`<section class="clock" aria-label=${node}>
      <h2>${node}</h2>
      <p>${this.#words(now)}</p>
      <div class="offsets">
        <canvas
          data-node=${node}
          role="img"
          aria-label=${`Offset of ${node} over time; the sentence above has its last value`}
        ></canvas>
      </div>
    </section>`;
  }

  #words(now) {
    if (now.node === now.driver) {
      return html`the driver${now.driverSinceHlc ? ` since ${stampTime(now.driverSinceHlc)}` : ""}`;
    }
    const known = now.lowMicros !== null && now.highMicros !== null;
    const interval = known
      ? html`between <strong>${durationText(now.lowMicros)}</strong> and
          <strong>${durationText(now.highMicros)}</strong>`
      : html`<strong class="doubt">unknown: no evidence bounds it</strong>`;
    const drift =
      now.driftPpm === null ? "drift unknown" : `drift ${now.driftPpm} ± ${now.driftUncertaintyPpm} ppm`;
    const stepped =
      now.lastStepHlc === null
        ? ""
        : `; set by at least ${durationOrUnknown(now.lastStepMicros)} at ${stampTime(now.lastStepHlc)}`;
    return html`${interval}; ${drift}; evidence ${durationOrUnknown(now.evidenceAgeMicros)}
    old${stepped}`;
  }

  #paint() {
    if (this.alignment === null) {
      return;
    }
    const micros = (stamp) => parseStamp(stamp ?? "")?.micros ?? null;
    const { trail } = this.alignment;
    for (const canvas of this.place.querySelectorAll("canvas[data-node]")) {
      const own = ({ node }) => node === canvas.dataset.node;
      const { offsets = [], stepped = [] } = trail.nodes.find(own) ?? {};
      drawOffsets(canvas, {
        from: micros(trail.from),
        until: micros(trail.until),
        points: offsets,
        changes: trail.drivers.slice(1).map(([, since]) => micros(since)),
        steps: stepped.map(([earliest]) => earliest),
      });
    }
  }
}

function aheadSentence({ node, from, micros }) {
  return (
    `Stamps were ahead of every clock by ${durationText(micros)} from ${stampTime(from)} on,` +
    ` because the clock of ${node} was set back.`
  );
}

// The picture of many events: rates, extremes of the chosen variables, the slowest messages.

import { AXIS, Lanes } from "./lanes.js";
import { durationText } from "./stamp.js";

const BAND = 46;
const SHADES = 24;

/** A drawing of tiles. */
export class Density extends Lanes {
  /** Creates a drawing with a band for each of some variables, named `log.variable`. */
  constructor(canvas, names, scale, tiles) {
    super(canvas, names, scale, []);
    this.tiles = tiles;
    this.shown = [];
    this.messagesShown = true;
    this.loading = true;
    this.drawn = 0;
  }

  get bands() {
    return this.shown.length + (this.messagesShown ? 1 : 0);
  }

  get fullHeight() {
    return AXIS + this.laneCount * this.lane + this.bands * BAND + 8;
  }

  /** Draws everything but the cut, of what has arrived; the rest is requested. */
  draw() {
    const context = this.begin();
    const { from, to } = this.scale;
    const { tiles, loading } = this.tiles.of(from, to, this.width - this.margin);
    this.loading = loading;
    this.stretches = tiles
      .flatMap(({ gaps }) => gaps)
      .map(([node, start, end]) => [this.names.indexOf(node), start, end])
      .filter(([lane]) => lane >= 0 && lane < this.laneCount);
    this.drawFindings(context);
    this.drawAxis(context);
    this.hatchUnknown(context);
    this.drawLanes(context);
    this.shadeSilences(context);
    this.clip(context);
    this.#unsummarised(context, tiles);
    this.#rates(context, tiles);
    context.restore();
    this.shown.forEach((name, i) => this.#envelope(context, tiles, name, this.#bandTop(i)));
    if (this.messagesShown) {
      this.#slowest(context, tiles, this.#bandTop(this.shown.length));
    }
  }

  /** The number of events in the picture that was drawn; null as long as it is not known. */
  count() {
    return this.loading ? null : this.drawn;
  }

  #bandTop(band) {
    return AXIS + this.laneCount * this.lane + band * BAND;
  }

  /** Stretches of which there are no counts: the events are there, the picture is not. */
  #unsummarised(context, tiles) {
    context.fillStyle = this.colors.faint;
    context.globalAlpha = 0.12;
    for (const [from, to] of tiles.flatMap(({ unsummarised }) => unsummarised)) {
      const left = Math.max(this.margin, this.scale.x(from));
      const right = Math.min(this.width, this.scale.x(to));
      if (right > left) {
        context.fillRect(left, AXIS, right - left, this.laneCount * this.lane);
      }
    }
    context.globalAlpha = 1;
  }

  #rates(context, tiles) {
    const columns = Math.ceil(this.width - this.margin);
    const lanes = this.names.slice(0, this.laneCount).map(() => new Float32Array(columns));
    let most = 0;
    this.drawn = 0;
    for (const { start, binMicros, nodes } of tiles) {
      const width = this.scale.x(start + binMicros) - this.scale.x(start);
      for (const [name, { bins, events }] of nodes) {
        const lane = lanes[this.names.indexOf(name)];
        for (let i = 0; i < bins.length; i++) {
          const x = this.scale.x(start + bins[i] * binMicros) - this.margin;
          if (x + width > 0 && x < columns) {
            this.drawn += events[i];
            most = lane === undefined ? most : Math.max(most, spread(lane, x, x + width, events[i]));
          }
        }
      }
    }
    context.fillStyle = this.colors.event;
    const height = Math.min(26, this.lane - 10);
    lanes.forEach((counts, lane) => this.#shades(context, counts, most, lane, height));
    context.globalAlpha = 1;
  }

  #shades(context, counts, most, lane, height) {
    const top = this.laneY(lane) - height / 2;
    const shade = (count) => (count === 0 ? 0 : Math.ceil(Math.sqrt(count / most) * SHADES));
    let start = 0;
    for (let column = 1; column <= counts.length; column++) {
      if (column === counts.length || shade(counts[column]) !== shade(counts[start])) {
        if (counts[start] > 0) {
          context.globalAlpha = 0.12 + (0.88 * shade(counts[start])) / SHADES;
          context.fillRect(this.margin + start, top, column - start, height);
        }
        start = column;
      }
    }
  }

  /** The least and the greatest value of a variable at all nodes. */
  #envelope(context, tiles, name, top) {
    const points = [];
    let partial = false;
    for (const tile of tiles) {
      const variable = tile.variables.get(name);
      partial ||= variable?.partial === true;
      for (const [bin, , least, most] of variable?.bins ?? []) {
        points.push([tile.start + bin * tile.binMicros, tile.binMicros, least, most]);
      }
    }
    const low = points.reduce((least, point) => Math.min(least, point[2]), Infinity);
    const high = points.reduce((most, point) => Math.max(most, point[3]), -Infinity);
    const words = points.length === 0 ? "no integers here" : partial ? "some are missing" : "";
    this.#bandName(context, top, name, words);
    const y = (value) => top + BAND - 8 - ((value - low) / Math.max(1, high - low)) * (BAND - 16);
    this.clip(context);
    context.fillStyle = this.colors.event;
    for (const [at, width, least, most] of points) {
      const x = this.scale.x(at);
      const right = Math.max(x + 1, this.scale.x(at + width));
      context.fillRect(x, y(most) - 1, right - x, Math.max(2, y(least) - y(most) + 2));
    }
    if (points.length > 0) {
      context.fillStyle = this.colors.faint;
      this.write(context, String(high), this.margin + 4, top + 9, 200);
      this.write(context, String(low), this.margin + 4, top + BAND - 8, 200);
    }
    context.restore();
  }

  #slowest(context, tiles, top) {
    let most = 0;
    for (const { messages } of tiles) {
      messages.forEach((slowest) => (most = Math.max(most, slowest)));
    }
    const range = most === 0 ? "no message here" : `up to ${durationText(most)}`;
    this.#bandName(context, top, "slowest message", range);
    this.clip(context);
    context.fillStyle = this.colors.message;
    for (const { start, binMicros, messages } of tiles) {
      for (const [bin, slowest] of messages) {
        const x = this.scale.x(start + bin * binMicros);
        const right = Math.max(x + 1, this.scale.x(start + (bin + 1) * binMicros));
        const height = slowest < 0 ? 0 : Math.max(1, (slowest / most) * (BAND - 14));
        context.fillRect(x, top + BAND - 6 - height, right - x, height);
      }
    }
    context.restore();
  }

  #bandName(context, top, name, words) {
    context.strokeStyle = this.colors.line;
    context.beginPath();
    context.moveTo(0, top + 0.5);
    context.lineTo(this.width, top + 0.5);
    context.stroke();
    context.textAlign = "left";
    context.fillStyle = this.colors.text;
    const y = top + BAND / 2;
    this.write(context, name, 8, words === "" ? y : y - 8, this.margin - 16);
    context.fillStyle = this.colors.faint;
    this.write(context, words, 8, y + 9, this.margin - 16);
  }

  /** Draws the picture with the cut. */
  drawCut(stamp) {
    const context = this.beginCut(stamp);
    if (context !== null) {
      const x = this.scale.x(stamp.micros);
      this.straightCut(context, x);
      this.endCut(context, x);
    }
  }
}

/** Adds events to the columns from a place to another one; returns the greatest density. */
function spread(columns, from, to, events) {
  const end = Math.max(to, from + 1);
  const last = Math.min(columns.length - 1, Math.ceil(end) - 1);
  let most = 0;
  for (let column = Math.max(0, Math.floor(from)); column <= last; column++) {
    const share = Math.min(column + 1, end) - Math.max(column, from);
    columns[column] += (events * share) / (end - from);
    most = Math.max(most, columns[column]);
  }
  return most;
}

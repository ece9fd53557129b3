// The space-time diagram on a canvas: a lane for each node, messages between them, and the cut.

import { KIND } from "./recording.js";
import { AXIS, Lanes } from "./lanes.js";
import { timeText, durationText } from "./stamp.js";

const HEAT_FROM = 20000;
const MARKS_BELOW = 2000;
const LABELS_BELOW = 160;
const MAX_IN_FLIGHT = 200;
const SHORT_VALUE = 12;

/** A drawing of a recording. */
export class Diagram extends Lanes {
  /** Creates a drawing; the recording's nodes have the lanes of their names. */
  constructor(canvas, recording, scale, stretches, names = recording.nodes) {
    super(canvas, names, scale, stretches);
    this.recording = recording;
    this.laneOf = recording.nodes.map((node) => names.indexOf(node));
    this.aligned = false;
    this.witnesses = new Set();
    this.shown = [];
  }

  y(node) {
    return this.laneY(this.laneOf[node]);
  }

  /** The place of an event on the axis that is chosen. */
  #x(event) {
    const { aligned, micros } = this.recording;
    return this.scale.x(this.aligned ? aligned[event] : micros[event]);
  }

  /** Draws everything but the cut. */
  draw() {
    const context = this.begin();
    const recording = this.recording;
    const shift = this.aligned ? recording.largestShift : 0;
    const from = recording.upTo({ micros: this.scale.from - shift, logical: 0 });
    const to = recording.upTo({ micros: this.scale.to + shift, logical: 4095 });
    this.visible = to - from;
    this.drawFindings(context);
    this.drawAxis(context);
    this.hatchUnknown(context);
    this.drawLanes(context);
    this.shadeSilences(context);
    this.clip(context);
    if (this.visible > HEAT_FROM) {
      this.#heat(context, from, to);
    }
    this.#steps(context);
    this.#messages(context);
    if (this.visible <= HEAT_FROM) {
      this.#marks(context, from, to);
    }
    this.#witnesses(context);
    context.restore();
  }

  /** The number of events per pixel as shades, because single marks would hide each other. */
  #heat(context, from, to) {
    const columns = Math.ceil(this.width - this.margin);
    const nodes = this.recording.nodes.length;
    const counts = new Uint32Array(columns * nodes);
    let most = 1;
    for (let i = from; i < to; i++) {
      const column = Math.floor(this.#x(i) - this.margin);
      const at = this.recording.node[i] * columns + Math.min(columns - 1, Math.max(0, column));
      most = Math.max(most, ++counts[at]);
    }
    context.fillStyle = this.colors.event;
    for (let node = 0; node < nodes; node++) {
      for (let column = 0; column < columns; column++) {
        const count = counts[node * columns + column];
        if (count > 0) {
          context.globalAlpha = 0.15 + 0.85 * (count / most);
          context.fillRect(this.margin + column, this.y(node) - 5, 1, 10);
        }
      }
    }
    context.globalAlpha = 1;
  }

  /** The values of the chosen variables as steps above the lanes. */
  #steps(context) {
    context.textAlign = "left";
    for (let node = 0; node < this.recording.nodes.length; node++) {
      const variable = this.shown.find(
        (candidate) => this.recording.place(candidate, node) !== undefined,
      );
      if (variable !== undefined) {
        this.#stepsOf(context, this.recording.place(variable, node), this.y(node));
      }
    }
  }

  #stepsOf(context, place, y) {
    const height = Math.min(14, this.lane / 2 - 6);
    let lastRight = -Infinity;
    for (let i = 0; i < place.events.length; i++) {
      const start = place.events[i] < 0 ? this.margin : this.#x(place.events[i]);
      const end = i + 1 < place.events.length ? this.#x(place.events[i + 1]) : this.width;
      const left = Math.max(this.margin, start);
      const right = Math.min(this.width, end);
      if (place.values[i] < 0 || right < this.margin || left > this.width || right <= lastRight) {
        continue;
      }
      lastRight = right > left + 1 ? -Infinity : right;
      context.fillStyle = this.colors.step;
      context.globalAlpha = i % 2 === 0 ? 0.5 : 0.8;
      context.fillRect(left, y - 6 - height, Math.max(1, right - left - 1), height);
      context.globalAlpha = 1;
      if (right - left > 18) {
        context.fillStyle = this.colors.text;
        const text = this.recording.strings[place.values[i]];
        const shown = this.fitting(context, text, right - left - 8);
        // A short value that is cut, such as a number, would be taken for another one.
        if (shown === text || text.length > SHORT_VALUE) {
          context.fillText(shown, left + 4, y - 6 - height / 2);
        }
      }
    }
  }

  #messages(context) {
    const drawn = new Set();
    const many = this.visible > MARKS_BELOW;
    context.strokeStyle = this.colors.message;
    context.fillStyle = this.colors.message;
    for (const [send, receipt] of this.recording.messages) {
      const x1 = this.#x(send);
      const x2 = this.#x(receipt);
      if (x2 < this.margin || x1 > this.width) {
        continue;
      }
      const y1 = this.y(this.recording.node[send]);
      const y2 = this.y(this.recording.node[receipt]);
      if (many) {
        const key = `${x1 | 0},${x2 | 0},${y1},${y2}`;
        if (drawn.has(key) || drawn.size > 20000) {
          continue;
        }
        drawn.add(key);
      }
      context.globalAlpha = many ? 0.25 : 0.8;
      context.beginPath();
      context.moveTo(x1, y1);
      context.lineTo(x2, y2);
      context.stroke();
      if (!many) {
        this.#head(context, x1, y1, x2, y2);
      }
    }
    context.globalAlpha = 1;
  }

  #head(context, x1, y1, x2, y2) {
    const angle = Math.atan2(y2 - y1, x2 - x1);
    context.beginPath();
    context.moveTo(x2, y2);
    context.lineTo(x2 - 8 * Math.cos(angle - 0.35), y2 - 8 * Math.sin(angle - 0.35));
    context.lineTo(x2 - 8 * Math.cos(angle + 0.35), y2 - 8 * Math.sin(angle + 0.35));
    context.fill();
  }

  #marks(context, from, to) {
    const shaped = this.visible <= MARKS_BELOW;
    const labels = this.visible <= LABELS_BELOW;
    const ends = this.recording.nodes.map(() => -Infinity);
    context.textAlign = "left";
    for (let i = from; i < to; i++) {
      const node = this.recording.node[i];
      const x = this.#x(i);
      const y = this.y(node);
      context.fillStyle = this.colors.event;
      context.strokeStyle = this.colors.event;
      if (shaped) {
        this.#mark(context, this.recording.kind[i], x, y);
      } else {
        context.fillRect(x - 0.5, y - 4, 1, 8);
      }
      const room = labels && x > ends[node] + 8 ? this.#roomAfter(i, to, node) - x - 10 : 0;
      if (room > 50 && this.#isLabelled(i)) {
        context.fillStyle = this.colors.faint;
        this.write(context, this.recording.describe(i), x + 2, y + 13, Math.min(180, room));
        ends[node] = x + Math.min(180, room);
      }
    }
  }

  /** Whether an event says more than the bars above its lane and the ends of its messages. */
  #isLabelled(event) {
    const kind = this.recording.kind[event];
    if (kind !== KIND.STATE) {
      return kind !== KIND.SEND && kind !== KIND.RECEIVE;
    }
    const { first, payload } = this.recording;
    for (let at = first[event]; at < first[event + 1]; at += 2) {
      if (!this.shown.includes(payload[at])) {
        return true;
      }
    }
    return false;
  }

  /** The place of the next event of a node. */
  #roomAfter(event, to, node) {
    for (let i = event + 1; i < Math.min(to, event + 200); i++) {
      if (this.recording.node[i] === node && this.recording.kind[i] <= KIND.LINE) {
        return this.#x(i);
      }
    }
    return this.width;
  }

  /** A shape for each kind, so that colour is never the only difference. */
  #mark(context, kind, x, y) {
    context.beginPath();
    switch (kind) {
      case KIND.LINE:
        context.rect(x - 3.5, y - 3.5, 7, 7);
        break;
      case KIND.SEND:
      case KIND.RECEIVE:
        context.arc(x, y, 2.5, 0, 2 * Math.PI);
        break;
      case KIND.START:
        context.moveTo(x - 4, y - 5);
        context.lineTo(x + 5, y);
        context.lineTo(x - 4, y + 5);
        break;
      case KIND.STOP:
        context.rect(x - 5, y - 5, 3, 10);
        context.rect(x + 2, y - 5, 3, 10);
        break;
      default:
        context.moveTo(x, y - 5);
        context.lineTo(x + 5, y);
        context.lineTo(x, y + 5);
        context.lineTo(x - 5, y);
    }
    context.fill();
  }

  #witnesses(context) {
    context.strokeStyle = this.colors.bad;
    context.lineWidth = 2;
    for (const event of this.witnesses) {
      const x = this.#x(event);
      context.beginPath();
      context.arc(x, this.y(this.recording.node[event]), 9, 0, 2 * Math.PI);
      context.stroke();
    }
    context.lineWidth = 1;
  }

  /** The messages that cross the cut, more visible than others. */
  #inFlight(context, stamp) {
    context.save();
    context.beginPath();
    context.rect(this.margin, AXIS, this.width - this.margin, this.height);
    context.clip();
    for (const [send, receipt] of this.recording.inFlight(stamp).slice(0, MAX_IN_FLIGHT)) {
      const [x1, y1] = [this.#x(send), this.y(this.recording.node[send])];
      const [x2, y2] = [this.#x(receipt), this.y(this.recording.node[receipt])];
      context.beginPath();
      context.moveTo(x1, y1);
      context.lineTo(x2, y2);
      context.stroke();
      this.#head(context, x1, y1, x2, y2);
    }
    context.restore();
  }

  /** The cut on the axis of aligned time: where each node was, and the interval of its clock. */
  #bentCut(context, x, stamp) {
    const nodes = this.recording.nodes.length;
    context.beginPath();
    context.moveTo(x, AXIS - 6);
    for (let node = 0; node < nodes; node++) {
      context.lineTo(this.scale.x(this.recording.alignedCut(node, stamp)), this.y(node));
    }
    context.stroke();
    for (let node = 0; node < nodes; node++) {
      const interval = this.recording.intervalOfCut(node, stamp);
      if (interval !== null) {
        const [left, right] = interval.map((time) => this.scale.x(time));
        context.globalAlpha = 0.35;
        context.fillRect(left, this.y(node) - 4, Math.max(2, right - left), 8);
        context.globalAlpha = 1;
      }
    }
  }

  /** Draws the picture with the cut. */
  drawCut(stamp) {
    const context = this.beginCut(stamp);
    if (context === null) {
      return;
    }
    const x = this.scale.x(stamp.micros);
    this.#inFlight(context, stamp);
    if (this.aligned) {
      this.#bentCut(context, x, stamp);
    } else {
      this.straightCut(context, x);
    }
    this.endCut(context, x);
  }
}

/** The words for a stretch, for people who do not see the diagram. */
export function stretchText(recording, scale) {
  return (
    `${recording.count} events of ${recording.nodes.length} nodes; ` +
    `shown are ${durationText(scale.to - scale.from)} from ${timeText(scale.from, 3)} on`
  );
}

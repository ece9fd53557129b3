// The space-time diagram on a canvas: a lane for each node, messages between them, and the cut.

import { KIND } from "./recording.js";
import { timeText, durationText } from "./stamp.js";

const AXIS = 26;
const HEAT_FROM = 20000;
const MARKS_BELOW = 2000;
const LABELS_BELOW = 160;
const MAX_LANES = 400;
const MAX_IN_FLIGHT = 200;

/** A drawing of a recording. The picture without the cut is kept, so that the cut moves fast. */
export class Diagram {
  /** Creates a drawing; a stretch is a node's number and the times between which it is unknown. */
  constructor(canvas, recording, scale, stretches) {
    this.stretches = stretches;
    this.aligned = false;
    this.canvas = canvas;
    this.recording = recording;
    this.scale = scale;
    this.picture = document.createElement("canvas");
    this.episode = null;
    this.witnesses = new Set();
    this.shown = [];
    this.focused = -1;
  }

  /** The height that the lanes need. */
  get lane() {
    return Math.max(34, Math.min(72, 420 / Math.max(1, this.recording.nodes.length)));
  }

  resize() {
    const lanes = Math.min(MAX_LANES, this.recording.nodes.length);
    const width = this.canvas.parentElement.clientWidth;
    const height = AXIS + lanes * this.lane + 8;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    for (const canvas of [this.canvas, this.picture]) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.ratio = ratio;
    this.width = width;
    this.height = height;
    this.margin = width < 520 ? 64 : 130;
    this.scale.place(this.margin, width - this.margin - 12);
    this.colors = this.#colors();
  }

  /** The place of an event on the axis that is chosen. */
  #x(event) {
    const { aligned, micros } = this.recording;
    return this.scale.x(this.aligned ? aligned[event] : micros[event]);
  }

  y(node) {
    return AXIS + (node + 0.5) * this.lane;
  }

  #colors() {
    const style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue(name).trim();
    return {
      back: color("--back"),
      text: color("--text"),
      faint: color("--faint"),
      line: color("--line"),
      event: color("--event"),
      message: color("--message"),
      step: color("--step"),
      bad: color("--bad"),
      badBack: color("--bad-back"),
      cut: color("--cut"),
    };
  }

  /** Draws everything but the cut. */
  draw() {
    const context = this.picture.getContext("2d");
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.colors = this.#colors();
    context.fillStyle = this.colors.back;
    context.fillRect(0, 0, this.width, this.height);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    const recording = this.recording;
    const shift = this.aligned ? recording.largestShift : 0;
    const from = recording.upTo({ micros: this.scale.from - shift, logical: 0 });
    const to = recording.upTo({ micros: this.scale.to + shift, logical: 4095 });
    this.visible = to - from;
    this.#episode(context);
    this.#axis(context);
    this.#unknown(context);
    this.#lanes(context);
    context.save();
    context.beginPath();
    context.rect(this.margin, 0, this.width - this.margin, this.height);
    context.clip();
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

  #episode(context) {
    if (this.episode === null) {
      return;
    }
    const left = Math.max(this.margin, this.scale.x(this.episode.from));
    const right = Math.max(left + 2, this.scale.x(this.episode.to));
    context.fillStyle = this.colors.badBack;
    context.fillRect(left, AXIS, right - left, this.height - AXIS);
    context.fillStyle = this.colors.bad;
    context.fillRect(left, AXIS, right - left, 3);
  }

  /** Hatches the stretches in which events of a node may be missing. */
  #unknown(context) {
    context.strokeStyle = this.colors.faint;
    for (const [node, from, to] of this.stretches) {
      const left = Math.max(this.margin, this.scale.x(from));
      const right = Math.min(this.width, Math.max(left + 6, this.scale.x(to)));
      const top = this.y(node) - this.lane / 2 + 2;
      const height = this.lane - 4;
      context.save();
      context.beginPath();
      context.rect(left, top, right - left, height);
      context.clip();
      context.globalAlpha = 0.5;
      context.beginPath();
      for (let x = left - height; x < right; x += 7) {
        context.moveTo(x, top + height);
        context.lineTo(x + height, top);
      }
      context.stroke();
      context.restore();
    }
  }

  #axis(context) {
    const { step, ticks } = this.scale.ticks(110);
    context.fillStyle = this.colors.faint;
    context.strokeStyle = this.colors.line;
    context.textAlign = "center";
    const digits = step >= 1e6 ? 0 : step >= 1e3 ? 3 : 6;
    for (const tick of ticks) {
      const x = Math.round(this.scale.x(tick)) + 0.5;
      if (x < this.margin + 28 || x > this.width - 30) {
        continue;
      }
      context.fillText(timeText(tick, digits).replace(/\.$/, ""), x, 12);
      context.beginPath();
      context.moveTo(x, AXIS - 5);
      context.lineTo(x, this.height);
      context.globalAlpha = 0.35;
      context.stroke();
      context.globalAlpha = 1;
    }
  }

  #lanes(context) {
    context.textAlign = "left";
    for (let node = 0; node < Math.min(MAX_LANES, this.recording.nodes.length); node++) {
      const y = this.y(node);
      context.strokeStyle = this.colors.line;
      context.lineWidth = node === this.focused ? 2 : 1;
      context.beginPath();
      context.moveTo(this.margin, y);
      context.lineTo(this.width, y);
      context.stroke();
      context.lineWidth = 1;
      context.fillStyle = this.colors.text;
      this.#text(context, this.recording.nodes[node], 8, y, this.margin - 16);
    }
  }

  /** A text, shortened to a width. */
  #fitting(context, text, width) {
    let shown = text.length > 80 ? `${text.slice(0, 80)}…` : text;
    while (shown.length > 1 && context.measureText(shown).width > width) {
      shown = `${shown.slice(0, Math.max(1, Math.floor(shown.length * 0.85) - 1))}…`;
      if (shown.length <= 2) {
        break;
      }
    }
    return shown;
  }

  /** Writes a text, shortened to a width, in front of lines. */
  #text(context, text, x, y, width) {
    const shown = this.#fitting(context, text, width);
    context.strokeStyle = this.colors.back;
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.strokeText(shown, x, y);
    context.lineWidth = 1;
    context.fillText(shown, x, y);
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
        context.fillText(this.#fitting(context, text, right - left - 8), left + 4, y - 6 - height / 2);
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
        this.#text(context, this.recording.describe(i), x + 2, y + 13, Math.min(180, room));
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
    const nodes = Math.min(MAX_LANES, this.recording.nodes.length);
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
    const context = this.canvas.getContext("2d");
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.picture, 0, 0);
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    const x = this.scale.x(stamp.micros);
    if (x < this.margin - 1 || x > this.width) {
      return;
    }
    context.strokeStyle = this.colors.cut;
    context.fillStyle = this.colors.cut;
    context.lineWidth = 2;
    this.#inFlight(context, stamp);
    if (this.aligned) {
      this.#bentCut(context, x, stamp);
    } else {
      context.beginPath();
      context.moveTo(x, AXIS - 6);
      context.lineTo(x, this.height);
      context.stroke();
    }
    context.beginPath();
    context.moveTo(x - 7, AXIS - 14);
    context.lineTo(x + 7, AXIS - 14);
    context.lineTo(x, AXIS - 2);
    context.fill();
    context.lineWidth = 1;
  }
}

/** The words for a stretch, for people who do not see the diagram. */
export function stretchText(recording, scale) {
  return (
    `${recording.count} events of ${recording.nodes.length} nodes; ` +
    `shown are ${durationText(scale.to - scale.from)} from ${timeText(scale.from, 3)} on`
  );
}

// The lanes of nodes on a canvas, with the axis, the findings, and the cut.

import { timeText } from "./stamp.js";

export const AXIS = 26;
const MAX_LANES = 400;
const DASH = 4;

/** A picture with a lane per node. All but the cut is kept, so that the cut moves fast. */
export class Lanes {
  /**
   * Creates a picture.
   *
   * @param names the nodes, from top to bottom
   * @param stretches lanes with the times between which events may be missing
   */
  constructor(canvas, names, scale, stretches) {
    this.canvas = canvas;
    this.names = names;
    this.scale = scale;
    this.stretches = stretches;
    this.picture = document.createElement("canvas");
    this.findings = [];
    this.silences = [];
    this.doubt = "";
    this.leastHeight = 0;
    this.focused = -1;
  }

  get laneCount() {
    return Math.min(MAX_LANES, this.names.length);
  }

  /** The height of a lane. */
  get lane() {
    const own = Math.max(34, Math.min(72, 420 / Math.max(1, this.names.length)));
    return Math.max(own, (this.leastHeight - AXIS - 8) / Math.max(1, this.laneCount));
  }

  /** The height that the picture needs. */
  get fullHeight() {
    return AXIS + this.laneCount * this.lane + 8;
  }

  resize() {
    const width = this.canvas.parentElement.clientWidth;
    const height = this.fullHeight;
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
    this.margin = width < 520 ? 78 : 130;
    this.scale.place(this.margin, width - this.margin - 12);
    this.colors = this.readColors();
  }

  laneY(lane) {
    return AXIS + (lane + 0.5) * this.lane;
  }

  readColors() {
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

  /** Begins a new picture. */
  begin() {
    const context = this.picture.getContext("2d");
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.colors = this.readColors();
    context.fillStyle = this.colors.back;
    context.fillRect(0, 0, this.width, this.height);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    return context;
  }

  /** Keeps what follows right of the names. */
  clip(context) {
    context.save();
    context.beginPath();
    context.rect(this.margin, 0, this.width - this.margin, this.height);
    context.clip();
  }

  /**
   * The stretches in which a predicate holds: a band at the top, dashed if it is borderline, and a
   * shade below the chosen one.
   */
  drawFindings(context) {
    for (const { from, to, chosen, borderline } of this.findings) {
      const left = Math.max(this.margin, this.scale.x(from));
      const right = Math.min(this.width, Math.max(left + 2, this.scale.x(to)));
      if (right < this.margin || left > this.width) {
        continue;
      }
      if (chosen) {
        context.fillStyle = this.colors.badBack;
        context.fillRect(left, AXIS, right - left, this.height - AXIS);
      }
      context.fillStyle = this.colors.bad;
      const step = borderline ? 2 * DASH : right - left;
      for (let x = left; x < right; x += step) {
        const width = borderline ? Math.min(DASH, right - x) : step;
        context.fillRect(x, AXIS, width, chosen ? 5 : 3);
      }
    }
  }

  /** Shades the stretches without a sign of a node: `[name, state, from, to]`. */
  shadeSilences(context) {
    context.font = "12px system-ui, sans-serif";
    context.textAlign = "left";
    for (const [name, state, from, to] of this.silences) {
      const lane = this.names.indexOf(name);
      const left = Math.max(this.margin, this.scale.x(from));
      const right = Math.min(this.width, this.scale.x(to));
      if (lane < 0 || lane >= this.laneCount || right - left < 1) {
        continue;
      }
      context.fillStyle = this.colors.faint;
      context.globalAlpha = state === "stopped" ? 0.1 : 0.22;
      context.fillRect(left, this.laneY(lane) - this.lane / 2 + 2, right - left, this.lane - 4);
      context.globalAlpha = 1;
      if (right - left > 60) {
        this.write(context, state, left + 6, this.laneY(lane), right - left - 12);
      }
    }
  }

  /** Hatches the stretches in which events of a node may be missing. */
  hatchUnknown(context) {
    context.strokeStyle = this.colors.faint;
    for (const [lane, from, to] of this.stretches) {
      const left = Math.max(this.margin, this.scale.x(from));
      const right = Math.min(this.width, Math.max(left + 6, this.scale.x(to)));
      const top = this.laneY(lane) - this.lane / 2 + 2;
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

  drawAxis(context) {
    const { step, ticks } = this.scale.ticks(110);
    context.fillStyle = this.colors.faint;
    context.strokeStyle = this.colors.line;
    context.textAlign = "center";
    const digits = step >= 1e6 ? 0 : step >= 1e3 ? 3 : 6;
    for (const tick of ticks) {
      const x = Math.round(this.scale.x(tick)) + 0.5;
      const words = timeText(tick, digits).replace(/\.$/, "");
      const half = context.measureText(words).width / 2;
      if (x - half < this.margin || x + half > this.width - 4) {
        continue;
      }
      context.fillText(words, x, 8);
      context.beginPath();
      context.moveTo(x, AXIS - 5);
      context.lineTo(x, this.height);
      context.globalAlpha = 0.35;
      context.stroke();
      context.globalAlpha = 1;
    }
  }

  drawLanes(context) {
    context.textAlign = "left";
    for (let lane = 0; lane < this.laneCount; lane++) {
      const y = this.laneY(lane);
      context.strokeStyle = this.colors.line;
      context.lineWidth = lane === this.focused ? 2 : 1;
      context.beginPath();
      context.moveTo(this.margin, y);
      context.lineTo(this.width, y);
      context.stroke();
      context.lineWidth = 1;
      context.fillStyle = this.colors.text;
      this.write(context, this.#shortName(context, lane), 8, y, this.margin - 16);
    }
  }

  /** A name that fits: names of nodes differ at their ends. */
  #shortName(context, lane) {
    const name = this.names[lane];
    const width = this.margin - 16;
    let shown = name;
    for (let cut = 1; cut < name.length && context.measureText(shown).width > width; cut++) {
      shown = `…${name.slice(cut)}`;
    }
    return shown;
  }

  /** A text, shortened to a width. */
  fitting(context, text, width) {
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
  write(context, text, x, y, width) {
    const shown = this.fitting(context, text, width);
    context.strokeStyle = this.colors.back;
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.strokeText(shown, x, y);
    context.lineWidth = 1;
    context.fillText(shown, x, y);
  }

  /** Draws the kept picture, and a straight cut on it. Returns null if the cut is not in view. */
  beginCut(stamp) {
    const context = this.canvas.getContext("2d");
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.picture, 0, 0);
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    const x = this.scale.x(stamp.micros);
    if (x < this.margin - 1 || x > this.width) {
      return null;
    }
    context.strokeStyle = this.colors.cut;
    context.fillStyle = this.colors.cut;
    context.lineWidth = 2;
    return context;
  }

  /** A straight cut; dashed where it is not proven. */
  straightCut(context, x) {
    context.setLineDash(this.doubt === "" ? [] : [6, 4]);
    context.beginPath();
    context.moveTo(x, AXIS - 6);
    context.lineTo(x, this.height);
    context.stroke();
    context.setLineDash([]);
  }

  /** The handle of the cut, and what is doubtful about it. */
  endCut(context, x) {
    context.beginPath();
    context.moveTo(x - 7, AXIS - 12);
    context.lineTo(x + 7, AXIS - 12);
    context.lineTo(x, AXIS - 2);
    context.fill();
    context.lineWidth = 1;
    if (this.doubt !== "") {
      context.font = "12px system-ui, sans-serif";
      context.textBaseline = "middle";
      const fromRight = x > this.width - 140;
      context.textAlign = fromRight ? "right" : "left";
      context.fillStyle = this.colors.cut;
      this.write(context, this.doubt, fromRight ? x - 8 : x + 8, this.height - 12, 130);
    }
  }
}

// Values over time as steps, one line per node, on a canvas.

import { Scale } from "./scale.js";
import { timeText } from "./stamp.js";

const HEIGHT = 190;
const TOP = 12;
const BOTTOM = 24;
const LEFT = 56;
const MAX_LINES = 12;
const DASHES = [[], [7, 3], [2, 3], [10, 3, 2, 3]];

/** The columns of rows that are numbers, or have a number per node. */
export function numericColumns(rows) {
  const found = [];
  for (const row of rows.slice(0, 50)) {
    for (const [name, value] of Object.entries(row)) {
      if (!found.includes(name) && !/(?:hlc|time|micros|cuts)$/i.test(name) && isNumeric(value)) {
        found.push(name);
      }
    }
  }
  return found;
}

function isNumeric(value) {
  if (typeof value === "number" || typeof value === "boolean") {
    return true;
  }
  return (
    value !== null &&
    typeof value === "object" &&
    !Array.isArray(value) &&
    Object.values(value).length > 0 &&
    Object.values(value).every((each) => typeof each === "number" || typeof each === "boolean")
  );
}

/** The lines of a column: a name, and times with values; a value of null ends a step. */
export function linesOf(rows, column) {
  const lines = new Map();
  for (const row of rows) {
    const micros = Number(String(row.hlc ?? "").split(".")[0]);
    if (!(micros > 0)) {
      continue;
    }
    const value = row[column];
    const values = value !== null && typeof value === "object" ? value : { [column]: value };
    for (const name of Object.keys(values)) {
      if (!lines.has(name) && lines.size < MAX_LINES) {
        lines.set(name, { name, times: [], values: [] });
      }
    }
    for (const line of lines.values()) {
      line.times.push(micros);
      line.values.push(numberOf(values[line.name]));
    }
  }
  return [...lines.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function numberOf(value) {
  return typeof value === "boolean" ? Number(value) : typeof value === "number" ? value : null;
}

/** A chart of steps. */
export class StepChart {
  constructor(canvas, choose) {
    this.canvas = canvas;
    this.lines = [];
    this.hasAllCuts = true;
    this.cut = null;
    canvas.addEventListener("click", (event) => {
      if (this.scale !== undefined) {
        const x = event.clientX - canvas.getBoundingClientRect().left;
        choose?.(Math.round(this.scale.micros(x / this.zoom)));
      }
    });
    this.resizes = new ResizeObserver(() => this.draw());
    this.resizes.observe(canvas.parentElement);
  }

  close() {
    this.resizes.disconnect();
  }

  /**
   * Shows lines: as steps, or as a mark for each value if rows are of some cuts only, so that nothing
   * is known in between.
   */
  show(lines, hasAllCuts = true) {
    this.lines = lines;
    this.hasAllCuts = hasAllCuts;
    this.draw();
  }

  draw() {
    const style = getComputedStyle(this.canvas);
    const color = (name) => style.getPropertyValue(name).trim();
    this.zoom = Number(color("--chart-zoom")) || 1;
    const width = this.canvas.parentElement.clientWidth / this.zoom;
    if (width === 0 || this.lines.length === 0) {
      return;
    }
    const context = sized(this.canvas, width, HEIGHT, this.zoom);
    context.font = "12px system-ui, sans-serif";
    const times = this.lines.flatMap(({ times }) => [times[0], times[times.length - 1]]);
    this.scale = new Scale(Math.min(...times), Math.max(...times));
    this.scale.place(LEFT, width - LEFT - 12);
    this.#values();
    this.#axes(context, color, width);
    this.lines.forEach((line, i) => {
      const series = color(`--series-${i % 6}`);
      this.hasAllCuts ? this.#line(context, line, i, series) : this.#marks(context, line, series);
    });
    context.setLineDash([]);
  }

  #values() {
    let [least, most] = [Infinity, -Infinity];
    for (const { values } of this.lines) {
      for (const value of values) {
        if (value !== null) {
          least = Math.min(least, value);
          most = Math.max(most, value);
        }
      }
    }
    this.least = least === Infinity ? 0 : least;
    this.most = most > this.least ? most : this.least + 1;
  }

  #y(value) {
    const share = (value - this.least) / (this.most - this.least);
    return HEIGHT - BOTTOM - 3 - share * (HEIGHT - TOP - BOTTOM - 6);
  }

  #axes(context, color, width) {
    context.fillStyle = color("--faint");
    context.strokeStyle = color("--line");
    context.textBaseline = "middle";
    context.textAlign = "right";
    for (const value of [this.least, this.most]) {
      context.fillText(shortNumber(value), LEFT - 8, this.#y(value));
    }
    const { step, ticks } = this.scale.ticks(100);
    const digits = step >= 1e6 ? 0 : step >= 1e3 ? 3 : 6;
    context.textAlign = "center";
    context.globalAlpha = 0.5;
    for (const tick of ticks) {
      const x = Math.round(this.scale.x(tick)) + 0.5;
      if (x < LEFT + 30 || x > width - 42) {
        continue;
      }
      context.globalAlpha = 0.4;
      context.beginPath();
      context.moveTo(x, TOP);
      context.lineTo(x, HEIGHT - BOTTOM);
      context.stroke();
      context.globalAlpha = 1;
      context.fillText(timeText(tick, digits).replace(/\.$/, ""), x, HEIGHT - 10);
    }
    context.globalAlpha = 1;
    context.strokeRect(LEFT + 0.5, TOP + 0.5, width - LEFT - 12, HEIGHT - TOP - BOTTOM);
  }

  #marks(context, { times, values }, color) {
    context.fillStyle = color;
    values.forEach((value, i) => {
      if (value !== null) {
        context.fillRect(this.scale.x(times[i]) - 1.5, this.#y(value) - 1.5, 3, 3);
      }
    });
  }

  #line(context, { times, values }, number, color) {
    context.strokeStyle = color;
    context.lineWidth = 1.75;
    context.setLineDash(DASHES[Math.floor(number / 6) % DASHES.length]);
    context.beginPath();
    let [lastX, lastY] = [NaN, NaN];
    for (let i = 0; i < times.length; i++) {
      const x = this.scale.x(times[i]);
      if (values[i] === null) {
        lastY = NaN;
        continue;
      }
      const y = this.#y(values[i]);
      if (Number.isNaN(lastY)) {
        context.moveTo(x, y);
      } else if (y !== lastY || x - lastX > 1) {
        context.lineTo(x, lastY);
        context.lineTo(x, y);
      } else {
        continue;
      }
      [lastX, lastY] = [x, y];
    }
    context.stroke();
    context.lineWidth = 1;
  }
}

/** The context of a canvas of a size, each unit of which has `zoom` pixels of the page. */
export function sized(canvas, width, height, zoom) {
  const ratio = Math.min(window.devicePixelRatio || 1, 2) * zoom;
  const size = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== size[0] || canvas.height !== size[1]) {
    [canvas.width, canvas.height] = size;
    canvas.style.width = `${width * zoom}px`;
    canvas.style.height = `${height * zoom}px`;
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

function shortNumber(value) {
  if (Number.isInteger(value) && Math.abs(value) < 1e6) {
    return String(value);
  }
  return value.toPrecision(4).replace(/e\+?/, "e");
}

// The interval of a node's clock over time, on a canvas. Unknown is hatched, never 0.

import { Scale } from "./scale.js";
import { durationText, timeText } from "./stamp.js";

const HEIGHT = 130;
const TOP = 10;
const BOTTOM = 22;
const LEFT = 92;

/** Draws the points `[micros, low, estimate, high]` of a node between two times. */
export function drawOffsets(canvas, { from, until, points, steps, changes }) {
  const width = canvas.parentElement.clientWidth;
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
  const scale = new Scale(from, Math.max(until, from + 1));
  scale.least = scale.from = from;
  scale.most = scale.to = Math.max(until, from + 1);
  scale.place(LEFT, width - LEFT - 8);
  const known = points.filter(([, low, , high]) => low !== null && high !== null);
  const range = rangeOf(known, points);
  const y = (value) =>
    TOP + 4 + (1 - (value - range.low) / (range.high - range.low)) * (HEIGHT - TOP - BOTTOM - 8);
  hatch(context, color, scale, width);
  axes(context, color, scale, width, range, y);
  band(context, color, scale, points, y, (until - from) / 100);
  marks(context, color("--cut"), scale, changes);
  marks(context, color("--bad"), scale, steps);
}

function rangeOf(known, points) {
  const values = [
    ...known.flatMap(([, low, , high]) => [low, high]),
    ...points.map(([, , estimate]) => estimate).filter((value) => value !== null),
    0,
  ];
  const low = values.reduce((least, value) => Math.min(least, value), Infinity);
  const high = values.reduce((most, value) => Math.max(most, value), -Infinity);
  const margin = Math.max(5, (high - low) * 0.08);
  return { low: low - margin, high: high + margin };
}

/** All is unknown until something known is drawn on it. */
function hatch(context, color, scale, width) {
  context.save();
  context.beginPath();
  context.rect(LEFT, TOP, width - LEFT - 8, HEIGHT - TOP - BOTTOM);
  context.clip();
  context.strokeStyle = color("--line");
  context.beginPath();
  for (let x = LEFT - HEIGHT; x < width; x += 8) {
    context.moveTo(x, HEIGHT);
    context.lineTo(x + HEIGHT, 0);
  }
  context.stroke();
  context.restore();
}

function band(context, color, scale, points, y, gap) {
  const next = (i) => {
    const own = points[i][0];
    return i + 1 < points.length && points[i + 1][0] - own <= gap * 1.5
      ? points[i + 1][0]
      : Math.min(scale.to, own + gap);
  };
  points.forEach(([micros, low, , high], i) => {
    if (low === null || high === null) {
      return;
    }
    // Whole pixels, because edges between them would be stripes.
    const left = Math.round(Math.max(LEFT, scale.x(micros)));
    const wide = Math.max(1, Math.round(scale.x(next(i))) - left);
    context.fillStyle = color("--back");
    context.fillRect(left, TOP, wide, HEIGHT - TOP - BOTTOM);
    context.fillStyle = color("--step");
    context.fillRect(left, y(high), wide, Math.max(2, y(low) - y(high)));
  });
  context.strokeStyle = color("--event");
  context.lineWidth = 2;
  context.beginPath();
  points.forEach(([micros, , estimate], i) => {
    if (estimate !== null) {
      context.moveTo(Math.max(LEFT, scale.x(micros)), y(estimate));
      context.lineTo(scale.x(next(i)), y(estimate));
    }
  });
  context.stroke();
  context.lineWidth = 1;
}

function axes(context, color, scale, width, range, y) {
  context.strokeStyle = color("--line");
  context.strokeRect(LEFT + 0.5, TOP + 0.5, width - LEFT - 9, HEIGHT - TOP - BOTTOM);
  context.fillStyle = color("--faint");
  context.textBaseline = "middle";
  context.textAlign = "right";
  const [high, low] = [y(range.high), y(range.low)];
  context.fillText(durationText(range.high), LEFT - 6, high + 3);
  context.fillText(durationText(range.low), LEFT - 6, low - 3);
  if (y(0) - high > 16 && low - y(0) > 16) {
    context.fillText("0", LEFT - 6, y(0));
  }
  const { step, ticks } = scale.ticks(90);
  context.textAlign = "center";
  for (const tick of ticks) {
    const x = scale.x(tick);
    if (x > LEFT + 34 && x < width - 40) {
      context.fillText(timeText(tick, step >= 1e6 ? 0 : 3).replace(/\.$/, ""), x, HEIGHT - 9);
    }
  }
}

/** Vertical lines, where the driver changed or the clock was set. */
function marks(context, color, scale, times) {
  context.strokeStyle = color;
  times.forEach((micros) => {
    if (micros < scale.from || micros > scale.to) {
      return;
    }
    const x = Math.round(scale.x(micros)) + 0.5;
    context.setLineDash([4, 3]);
    context.beginPath();
    context.moveTo(x, TOP);
    context.lineTo(x, HEIGHT - BOTTOM);
    context.stroke();
    context.setLineDash([]);
  });
}

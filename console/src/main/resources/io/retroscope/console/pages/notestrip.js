// The visible twin of the sound: each note of the last seconds as a mark.

import { sized } from "../timeline/steps.js";

const SECONDS = 30;
const HEIGHT = 84;
const MAX_NOTES = 2000;
const LOWEST_KEY = 36;
const HIGHEST_KEY = 96;

/** A strip on which time goes to the left: higher notes are higher, louder ones larger. */
export class NoteStrip {
  constructor(canvas) {
    this.canvas = canvas;
    this.notes = [];
    this.rules = [];
  }

  close() {
    this.notes = [];
  }

  add(note, rule) {
    if (!this.rules.includes(rule)) {
      this.rules.push(rule);
    }
    this.notes.push({ ...note, rule, at: performance.now() });
    if (this.notes.length > MAX_NOTES) {
      this.notes.splice(0, this.notes.length - MAX_NOTES);
    }
  }

  draw(frozen) {
    if (frozen || document.hidden) {
      return;
    }
    const style = getComputedStyle(this.canvas);
    const color = (name) => style.getPropertyValue(name).trim();
    const zoom = Number(color("--chart-zoom")) || 1;
    const width = this.canvas.parentElement.clientWidth / zoom;
    const context = sized(this.canvas, width, HEIGHT, zoom);
    this.#axis(context, width, color);
    const now = performance.now();
    this.notes = this.notes.filter(({ at }) => now - at < SECONDS * 1000);
    for (const note of this.notes) {
      const x = width - ((now - note.at) / (SECONDS * 1000)) * width;
      this.#mark(context, x, note, color);
    }
  }

  #axis(context, width, color) {
    context.font = "12px system-ui, sans-serif";
    context.fillStyle = color("--faint");
    context.strokeStyle = color("--line");
    context.textBaseline = "bottom";
    for (let seconds = 5; seconds < SECONDS; seconds += 5) {
      const x = width - (seconds / SECONDS) * width;
      context.globalAlpha = 0.5;
      context.beginPath();
      context.moveTo(x, 0);
      context.lineTo(x, HEIGHT);
      context.stroke();
      context.globalAlpha = 1;
      context.fillText(`${seconds} s ago`, x + 4, HEIGHT - 2);
    }
    if (this.notes.length === 0) {
      context.fillText("Notes of queries with PLAY appear here", 10, 18);
    }
  }

  #mark(context, x, note, color) {
    const share = (note.key - LOWEST_KEY) / (HIGHEST_KEY - LOWEST_KEY);
    const y = HEIGHT - 20 - Math.max(0, Math.min(1, share)) * (HEIGHT - 30);
    const size = 2 + ((note.velocity ?? 80) / 127) * 5;
    const series = color(`--series-${this.rules.indexOf(note.rule) % 6}`);
    context.fillStyle = note.layer === "alarm" || note.layer === "server" ? color("--bad") : series;
    context.strokeStyle = context.fillStyle;
    context.beginPath();
    if (note.layer === "alarm" || note.layer === "server") {
      context.rect(x - size, y - size, 2 * size, 2 * size);
    } else {
      context.arc(x, y, size, 0, 2 * Math.PI);
    }
    if (note.heard) {
      context.fill();
    } else {
      context.stroke();
    }
  }
}

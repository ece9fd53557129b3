// The visible stretch of time, and its places on the screen.

const SECOND = 1e6;
const DAY = 86_400 * SECOND;
const CLOCK_STEPS = [
  10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400,
].map((seconds) => seconds * SECOND);

/** A stretch of microseconds on a width of pixels. */
export class Scale {
  constructor(from, to) {
    const margin = Math.max(1, (to - from) * 0.03);
    this.least = from - margin;
    this.most = to + margin;
    this.from = this.least;
    this.to = this.most;
    this.left = 0;
    this.width = 1;
  }

  place(left, width) {
    this.left = left;
    this.width = Math.max(1, width);
  }

  x(micros) {
    return this.left + ((micros - this.from) / (this.to - this.from)) * this.width;
  }

  micros(x) {
    return this.from + ((x - this.left) / this.width) * (this.to - this.from);
  }

  /** Shows a stretch, inside of what is recorded. */
  show(from, to) {
    const span = Math.min(Math.max(to - from, 4), this.most - this.least);
    const start = Math.min(Math.max(from, this.least), this.most - span);
    this.from = start;
    this.to = start + span;
  }

  zoom(factor, around) {
    const span = (this.to - this.from) * factor;
    const share = (around - this.from) / (this.to - this.from);
    this.show(around - span * share, around + span * (1 - share));
  }

  /** Moves the stretch so that a time is visible. */
  reveal(micros) {
    const span = this.to - this.from;
    if (micros < this.from || micros > this.to) {
      this.show(micros - span / 2, micros + span / 2);
    }
  }

  all() {
    this.show(this.least, this.most);
  }

  /** Round times for an axis, at least so many pixels apart. */
  ticks(pixels) {
    const most = Math.max(1, Math.floor(this.width / pixels));
    const raw = (this.to - this.from) / most;
    const step = roundStep(raw);
    const ticks = [];
    for (let t = Math.ceil(this.from / step) * step; t <= this.to; t += step) {
      ticks.push(t);
    }
    return { step, ticks };
  }
}

/** The least step of at least so many microseconds that is round on a clock. */
function roundStep(raw) {
  if (raw > 5 * SECOND && raw <= DAY) {
    return CLOCK_STEPS.find((step) => step >= raw);
  }
  const unit = raw > DAY ? DAY : 1;
  const power = unit * 10 ** Math.floor(Math.log10(Math.max(raw / unit, 1)));
  return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= raw);
}

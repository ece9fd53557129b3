// The visible stretch of time, and its places on the screen.

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
    const power = 10 ** Math.floor(Math.log10(Math.max(raw, 1)));
    const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw);
    const ticks = [];
    for (let t = Math.ceil(this.from / step) * step; t <= this.to; t += step) {
      ticks.push(t);
    }
    return { step, ticks };
  }
}

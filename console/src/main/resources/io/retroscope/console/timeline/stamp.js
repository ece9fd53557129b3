// Stamps of the hybrid logical clock: microseconds, which stay below 2^53, and a counter.

/** Compares two stamps. */
export function compareStamps(a, b) {
  return a.micros - b.micros || a.logical - b.logical;
}

/** The text of a stamp, as in RQL. */
export function stampText(stamp) {
  return `${stamp.micros}.${stamp.logical}`;
}

/** The stamp of a text; null if it is none. */
export function parseStamp(text) {
  const match = /^\s*(?:hlc')?(\d{1,16})(?:\.(\d{1,4}))?'?\s*$/.exec(text);
  if (match === null) {
    return null;
  }
  return { micros: Number(match[1]), logical: Number(match[2] ?? 0) };
}

/** The time of day of microseconds since the epoch, in UTC. */
export function timeText(micros, digits = 6) {
  const iso = new Date(Math.floor(micros / 1000)).toISOString();
  const rest = String(((micros % 1e6) + 1e6) % 1e6).padStart(6, "0");
  return `${iso.slice(11, 19)}.${rest.slice(0, digits)}`;
}

/** The date and the time of microseconds since the epoch, in UTC. */
export function isoText(micros) {
  return `${new Date(Math.floor(micros / 1000)).toISOString().slice(0, 10)} ${timeText(micros)}`;
}

/** A duration with a unit that fits. */
export function durationText(micros) {
  const size = Math.abs(micros);
  if (size >= 1e6) {
    return `${(micros / 1e6).toFixed(3)} s`;
  }
  return size >= 1e3 ? `${(micros / 1e3).toFixed(3)} ms` : `${Math.round(micros)} µs`;
}

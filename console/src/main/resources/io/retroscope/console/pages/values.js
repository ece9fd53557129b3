// Values of answers as texts.

import { durationText, isoText, parseStamp } from "../timeline/stamp.js";

/** A value as the shell prints it, more or less: sets in braces, nodes with their values. */
export function valueText(value) {
  if (value === null || value === undefined) {
    return "NULL";
  }
  if (Array.isArray(value)) {
    return `{${value.map(valueText).join(", ")}}`;
  }
  if (typeof value === "object") {
    return `{${Object.entries(value)
      .map(([name, each]) => `${name}: ${valueText(each)}`)
      .join(", ")}}`;
  }
  return String(value);
}

/** The time of a stamp's text, in UTC; the text if it is no stamp. */
export function stampTime(text) {
  const stamp = parseStamp(text ?? "");
  return stamp === null ? (text ?? "") : isoText(stamp.micros);
}

/** A duration with its uncertainty, or words for an unknown one. */
export function durationOrUnknown(micros) {
  return micros === null || micros === undefined ? "unknown" : durationText(micros);
}

/** A number of bytes with a unit. */
export function bytesText(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let rest = bytes;
  let unit = 0;
  while (rest >= 1024 && unit < units.length - 1) {
    rest /= 1024;
    unit++;
  }
  return `${unit === 0 ? rest : rest.toFixed(1)} ${units[unit]}`;
}

/** A number with a noun. */
export function counted(count, noun, plural = `${noun}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : plural}`;
}

/** A sentence, which some answers have as an object with its data. */
export function sentenceOf(missing) {
  return typeof missing === "string" ? missing : (missing.sentence ?? valueText(missing));
}

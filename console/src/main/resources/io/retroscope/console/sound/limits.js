// How many notes may sound: a storm of them stays bearable, and alarms are always heard.

const MAX_VOICES = 24;
const MAX_NOTES_PER_SECOND = 30;

/** Counts the notes of each rule in the last second. */
export class NoteLimits {
  constructor() {
    this.rules = new Map();
  }

  /** Whether a rule may sound once more at a time in seconds, while so many notes sound. */
  admits({ layer }, rule, at, sounding) {
    const urgent = layer === "alarm" || layer === "server";
    const recent = (this.rules.get(rule) ?? []).filter((time) => time > at - 1);
    this.rules.set(rule, recent);
    if (!urgent && (recent.length >= MAX_NOTES_PER_SECOND || sounding >= MAX_VOICES)) {
      return false;
    }
    recent.push(at);
    return true;
  }
}

/** Where the notes of a rule are that hold until they change: one for each layer and node. */
export function placeOf(note, rule) {
  return `${rule}/${note.layer}/${note.node ?? ""}`;
}

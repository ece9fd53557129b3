// Notes of the server as MIDI, for a device that the user has chosen.

import { NoteLimits, placeOf } from "./limits.js";

const NOTE_OFF = 0x80;
const NOTE_ON = 0x90;
const PRESSURE = 0xa0;
const CONTROL = 0xb0;
const PROGRAM = 0xc0;
const PAN = 10;
const ALL_NOTES_OFF = 123;
const DRUMS = 9;
const CHANNELS = 16;

/** The devices that take MIDI, by permission of the user; an Error says why there are none. */
export async function midiOutputs() {
  if (navigator.requestMIDIAccess === undefined) {
    throw new Error("this browser has no Web MIDI");
  }
  let access;
  try {
    access = await navigator.requestMIDIAccess({ sysex: false });
  } catch {
    throw new Error("the browser did not allow MIDI for this page");
  }
  const outputs = [...access.outputs.values()];
  if (outputs.length === 0) {
    throw new Error("no MIDI device is connected");
  }
  return outputs;
}

/** Plays note events on a device: a channel, and the General MIDI program, for each patch. */
export class MidiPlayer {
  /** Creates a player; `recipes` are the patches of the bank. */
  constructor(output, recipes) {
    this.output = output;
    this.limits = new NoteLimits();
    this.voices = new Map();
    this.channels = new Map();
    recipes.slice(0, CHANNELS - 1).forEach(({ name, program }, i) => {
      const channel = i < DRUMS ? i : i + 1;
      this.channels.set(name, channel);
      output.send([PROGRAM | channel, program]);
    });
  }

  /** The present, in seconds. */
  get now() {
    return performance.now() / 1000;
  }

  set muted(muted) {
    if (muted) {
      this.close();
    }
  }

  /** Ends all notes, and those that were to come. */
  close() {
    this.output.clear?.();
    this.channels.forEach((channel) => this.output.send([CONTROL | channel, ALL_NOTES_OFF, 0]));
    this.voices.clear();
  }

  /** Ends the notes of a rule that hold; those with a length end by themselves. */
  endRule(rule) {
    for (const [place, voice] of this.voices) {
      if (voice.rule === rule && voice.until === Infinity) {
        this.#end(place);
      }
    }
  }

  /** Plays a note at a time in seconds; returns whether it sounds. */
  play(note, rule, at = this.now) {
    const channel = this.channels.get(note.patch);
    if (channel === undefined) {
      return false;
    }
    const place = placeOf(note, rule);
    if (note.kind === "follow") {
      this.#follow(this.voices.get(place), note, at);
      return true;
    }
    const holds = note.lengthMicros === null;
    if (holds) {
      this.#end(place);
    }
    this.voices.forEach(({ until }, key) => until <= at && this.voices.delete(key));
    if (!this.limits.admits(note, rule, at, this.voices.size)) {
      return false;
    }
    const until = holds ? Infinity : at + note.lengthMicros / 1e6;
    const key = Math.round(note.key);
    const pan = Math.round((Math.max(-1, Math.min(1, note.pan ?? 0)) + 1) * 63.5);
    this.output.send([CONTROL | channel, PAN, pan], at * 1000);
    this.output.send([NOTE_ON | channel, key, note.velocity], at * 1000);
    if (!holds) {
      this.output.send([NOTE_OFF | channel, key, 0], until * 1000);
    }
    this.voices.set(holds ? place : Symbol(place), { rule, channel, key, until });
    return true;
  }

  #follow(voice, { level }, at) {
    if (voice !== undefined) {
      const pressure = Math.round((level ?? 0.5) * 127);
      this.output.send([PRESSURE | voice.channel, voice.key, pressure], at * 1000);
    }
  }

  #end(place) {
    const voice = this.voices.get(place);
    if (voice !== undefined) {
      this.output.send([NOTE_OFF | voice.channel, voice.key, 0]);
      this.voices.delete(place);
    }
  }
}

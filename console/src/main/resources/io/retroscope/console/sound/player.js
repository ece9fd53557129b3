// Notes of the server as sound, with limits, so that a storm of them stays bearable.

import { NoteLimits, placeOf } from "./limits.js";
import { playbackRate, sampleOf } from "./samples.js";

const CEILING = 0.84;
const ENDLESS_SECONDS = 3600;
const MUTE_SECONDS = 0.02;

/** Plays note events on an audio context, which may be an offline one. */
export class Player {
  /** Creates a player; `recipes` are the patches of the bank. */
  constructor(context, recipes) {
    this.context = context;
    this.patches = new Map(recipes.map((patch) => [patch.name, patch]));
    this.buffers = new Map();
    this.voices = new Map();
    this.limits = new NoteLimits();
    this.output = context.createGain();
    this.output.gain.value = 1;
    const limiter = context.createWaveShaper();
    limiter.curve = limiterCurve();
    this.output.connect(limiter).connect(context.destination);
  }

  /** The present, in seconds. */
  get now() {
    return this.context.currentTime;
  }

  /** Ends all sound. */
  close() {
    this.context.close();
  }

  /** Turns all sound off or on. */
  set muted(muted) {
    this.output.gain.setTargetAtTime(muted ? 0 : 1, this.context.currentTime, MUTE_SECONDS / 4);
    this.isMuted = muted;
    if (muted) {
      this.output.gain.setValueAtTime(0, this.context.currentTime + MUTE_SECONDS);
    }
  }

  /** Ends the notes of a rule that sound. */
  endRule(rule) {
    [...this.voices.values()].filter((voice) => voice.rule === rule).forEach((v) => this.#end(v));
  }

  /**
   * Plays a note at a time of the context.
   *
   * @returns whether it sounds: not if it is muted, or one of too many
   */
  play(note, rule, at = this.context.currentTime) {
    const patch = this.patches.get(note.patch);
    if (patch === undefined) {
      return false;
    }
    const key = placeOf(note, rule);
    if (note.kind === "follow") {
      this.#follow(this.voices.get(key), note, at);
      return true;
    }
    if (note.lengthMicros === null && this.voices.has(key)) {
      this.#end(this.voices.get(key));
    }
    const sounding = [...this.voices.values()].filter((voice) => voice.until > at).length;
    if (!this.limits.admits(note, rule, at, sounding)) {
      return false;
    }
    this.#start(patch, note, { rule, key: note.lengthMicros === null ? key : Symbol(key) }, at);
    return true;
  }

  #start(patch, note, { rule, key }, at) {
    const sample = nearest(patch.samples, note.key);
    const source = this.context.createBufferSource();
    source.buffer = this.#buffer(patch, sample);
    source.loop = !patch.struck;
    source.playbackRate.value = playbackRate(patch, sample.key, note.key);
    const gain = this.context.createGain();
    const level = (note.velocity / 127) ** 2;
    const seconds = note.lengthMicros === null ? ENDLESS_SECONDS : note.lengthMicros / 1e6;
    const last = at + (patch.struck ? patch.seconds * 4 : seconds + patch.releaseSeconds);
    if (patch.struck) {
      gain.gain.setValueAtTime(level, at);
    } else {
      gain.gain.setValueAtTime(0, at);
      const attack = Math.min(seconds, Math.max(0.002, patch.attackSeconds));
      gain.gain.linearRampToValueAtTime(level, at + attack);
      gain.gain.setTargetAtTime(0, at + seconds, Math.max(0.01, patch.releaseSeconds / 4));
    }
    const pan = this.context.createStereoPanner();
    pan.pan.value = Math.max(-1, Math.min(1, note.pan ?? 0));
    const filter = this.context.createBiquadFilter();
    filter.type = "lowpass";
    filter.frequency.value = patch.cutoffHz;
    source.connect(filter).connect(gain).connect(pan).connect(this.output);
    source.start(at);
    source.stop(last);
    const until = patch.struck ? at + patch.seconds : last;
    const voice = { rule, key, source, gain, until };
    this.voices.set(key, voice);
    source.onended = () => {
      pan.disconnect();
      if (this.voices.get(key) === voice) {
        this.voices.delete(key);
      }
    };
  }

  #follow(voice, note, at) {
    voice?.gain.gain.setTargetAtTime((note.level ?? 0.5) ** 2 * 0.25 + 0.02, at, 0.15);
  }

  #end(voice) {
    voice.gain.gain.setTargetAtTime(0, this.context.currentTime, MUTE_SECONDS);
    voice.source.stop(this.context.currentTime + 5 * MUTE_SECONDS);
    this.voices.delete(voice.key);
  }

  #buffer(patch, sample) {
    const key = `${patch.name}/${sample.key}`;
    let buffer = this.buffers.get(key);
    if (buffer === undefined) {
      const frames = sampleOf(patch, sample);
      buffer = this.context.createBuffer(1, frames.length, patch.rateHz);
      buffer.copyToChannel(frames, 0);
      this.buffers.set(key, buffer);
    }
    return buffer;
  }
}

function nearest(samples, key) {
  return samples.reduce((best, sample) =>
    Math.abs(sample.key - key) < Math.abs(best.key - key) ? sample : best,
  );
}

/** Straight up to half of the ceiling, then flatter: nothing exceeds the ceiling. */
function limiterCurve() {
  const size = 4097;
  const curve = new Float32Array(size);
  for (let i = 0; i < size; i++) {
    const x = (i / (size - 1)) * 2 - 1;
    const level = Math.abs(x);
    const half = CEILING / 2;
    const bent = level < half ? level : half + half * Math.tanh((level - half) / half);
    curve[i] = Math.sign(x) * Math.min(CEILING, bent);
  }
  return curve;
}

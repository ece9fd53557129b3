// The samples of the bank, computed from the same recipes as the shell's.

const A4_HZ = 440;
const A4_KEY = 69;
const FADE_SECONDS = 0.01;
const LN_60_DB = Math.log(1000);

/** Computes one sample of a patch: numbers from -1 to 1 at the rate of the patch. */
export function sampleOf(patch, { key, peakDb }) {
  const frames = patch.struck ? struck(patch, key) : looped(patch, key);
  const peak = frames.reduce((most, frame) => Math.max(most, Math.abs(frame)), 0);
  const gain = amplitude(peakDb) / peak;
  return Float32Array.from(frames, (frame) => frame * gain);
}

/** How much faster a sample has to be played so that it sounds like a key. */
export function playbackRate(patch, sampleKey, key) {
  return 2 ** (((key - sampleKey) * patch.tuningCents) / 1200);
}

function struck(patch, key) {
  const rate = patch.rateHz;
  const frames = new Float64Array(Math.floor(patch.seconds * rate));
  const next = phases();
  for (const { ratio, db, decaySeconds } of patch.partials) {
    const hz = hertz(key) * ratio;
    if (hz < rate / 2) {
      add(frames, hz / rate, amplitude(db), decay(decaySeconds, rate), 0);
    }
  }
  const { noise } = patch;
  for (let i = 0; i < noise.partials; i++) {
    const hz = noise.lowHz + (noise.highHz - noise.lowHz) * next();
    add(frames, hz / rate, noiseLevel(noise, hz), decay(noise.decaySeconds, rate), next());
  }
  shape(frames, Math.floor(patch.attackSeconds * rate), Math.floor(FADE_SECONDS * rate));
  return frames;
}

/** A loop holds a whole number of cycles of each sine wave, so that its ends meet. */
function looped(patch, key) {
  const rate = patch.rateHz;
  const hz = hertz(key);
  const cycles = Math.round(hz * patch.seconds);
  const frames = new Float64Array(Math.round((cycles * rate) / hz));
  const next = phases();
  for (const { ratio, db, detune } of patch.partials) {
    const own = Math.round(cycles * ratio) + detune;
    if (own < frames.length / 2) {
      add(frames, own / frames.length, amplitude(db), 1, next());
    }
  }
  const { noise } = patch;
  for (let i = 0; i < noise.partials; i++) {
    const wanted = noise.lowHz * (noise.highHz / noise.lowHz) ** next();
    const own = Math.round(wanted / (rate / frames.length));
    add(frames, own / frames.length, noiseLevel(noise, wanted), 1, next());
  }
  swell(frames, noise.swellDb);
  return frames;
}

/** Adds a sine wave of so many cycles per frame, as the rotation of a complex number. */
function add(frames, turn, level, decayed, phase) {
  const stepRe = decayed * Math.cos(2 * Math.PI * turn);
  const stepIm = decayed * Math.sin(2 * Math.PI * turn);
  let re = level * Math.cos(2 * Math.PI * phase);
  let im = level * Math.sin(2 * Math.PI * phase);
  for (let i = 0; i < frames.length; i++) {
    frames[i] += im;
    [re, im] = [re * stepRe - im * stepIm, im * stepRe + re * stepIm];
  }
}

function shape(frames, attack, fade) {
  for (let i = 0; i < attack; i++) {
    frames[i] *= i / attack;
  }
  for (let i = 0; i < fade; i++) {
    frames[frames.length - 1 - i] *= i / fade;
  }
}

function swell(frames, db) {
  const softest = amplitude(-db);
  for (let i = 0; i < frames.length; i++) {
    const rise = 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / frames.length);
    frames[i] *= softest + (1 - softest) * rise;
  }
}

function noiseLevel(noise, hz) {
  return (
    amplitude(noise.db + noise.slopeDb * Math.log2(hz / noise.lowHz)) / Math.sqrt(noise.partials)
  );
}

function amplitude(db) {
  return 10 ** (db / 20);
}

function decay(seconds, rate) {
  return Math.exp(-LN_60_DB / (seconds * rate));
}

function hertz(key) {
  return A4_HZ * 2 ** ((key - A4_KEY) / 12);
}

/** Fixed pseudo-random numbers, the same as those of the shell. */
function phases() {
  let state = 1;
  return () => {
    state = (state * 48_271) % 0x7fffffff;
    return state / 0x7fffffff;
  };
}

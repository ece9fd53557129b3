// The recorded events as columns, and the state of the system at each cut.

import { compareStamps } from "./stamp.js";

export const KIND = { STATE: 0, LINE: 1, SEND: 2, RECEIVE: 3, START: 4, STOP: 5 };

/** The first number below a count for which a condition is not true; it is true for those before. */
function lowerBound(count, isBefore) {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/** The events of a report. A cut is a stamp; it contains the events up to and including it. */
export class Recording {
  constructor(data) {
    this.nodes = data.nodes;
    this.variables = data.variables;
    this.strings = data.strings;
    this.offsets = data.offsets;
    this.reference = data.reference;
    this.count = data.t.length;
    this.micros = new Float64Array(this.count);
    this.logical = Uint16Array.from(data.l);
    this.node = Uint16Array.from(data.n);
    this.kind = Uint8Array.from(data.k);
    this.payload = Int32Array.from(data.x);
    this.first = new Int32Array(this.count + 1);
    let micros = data.start;
    for (let i = 0; i < this.count; i++) {
      micros += data.t[i];
      this.micros[i] = micros;
      this.first[i + 1] = this.first[i] + data.c[i];
    }
    this.#alignTimes(data.a);
    this.#indexWrites(data.before);
    this.#indexMessages(data.m);
  }

  /** The times on the reference clock, which differ from those of the stamps. */
  #alignTimes(shifts) {
    this.aligned = this.micros;
    this.eventsOf = this.nodes.map(() => []);
    this.largestShift = 0;
    this.isAligned = shifts.length > 0;
    if (this.isAligned) {
      this.aligned = new Float64Array(this.count);
    }
    const last = new Float64Array(this.nodes.length);
    for (let i = 0; i < this.count; i++) {
      const node = this.node[i];
      this.eventsOf[node].push(i);
      if (this.isAligned) {
        last[node] += shifts[i];
        this.aligned[i] = this.micros[i] + last[node];
        this.largestShift = Math.max(this.largestShift, Math.abs(last[node]));
      }
    }
  }

  /** The writes of each place, in order: event numbers, -1 for the state before all events. */
  #indexWrites(before) {
    this.places = new Map();
    for (let i = 0; i < before.length; i += 3) {
      this.#write(before[i], before[i + 1], before[i + 2], -1);
    }
    for (let i = 0; i < this.count; i++) {
      for (let at = this.first[i]; this.#writes(i) && at < this.first[i + 1]; at += 2) {
        this.#write(this.payload[at], this.node[i], this.payload[at + 1], i);
      }
    }
  }

  #writes(event) {
    const kind = this.kind[event];
    return kind === KIND.STATE || kind === KIND.START || kind === KIND.STOP;
  }

  #write(variable, node, value, event) {
    const key = variable * this.nodes.length + node;
    let place = this.places.get(key);
    if (place === undefined) {
      place = { events: [], values: [] };
      this.places.set(key, place);
    }
    place.events.push(event);
    place.values.push(value);
  }

  /** The writes of a variable at a node; undefined if there are none. */
  place(variable, node) {
    return this.places.get(variable * this.nodes.length + node);
  }

  /** The messages as pairs of a send and a receipt, in the order of the sends. */
  #indexMessages(pairs) {
    this.messages = [];
    for (let i = 0; i < pairs.length; i += 2) {
      this.messages.push([pairs[i], pairs[i + 1]]);
    }
    this.messages.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    this.longest = this.messages.reduce(
      (most, [send, receipt]) => Math.max(most, this.micros[receipt] - this.micros[send]),
      0,
    );
    const received = new Set(this.messages.map(([send]) => send));
    this.unreceived = [];
    for (let i = 0; i < this.count; i++) {
      if (this.kind[i] === KIND.SEND && !received.has(i)) {
        this.unreceived.push(i);
      }
    }
  }

  stampOf(event) {
    return { micros: this.micros[event], logical: this.logical[event] };
  }

  /** The number of events up to and including a stamp. */
  upTo(stamp) {
    return lowerBound(
      this.count,
      (i) =>
        this.micros[i] < stamp.micros ||
        (this.micros[i] === stamp.micros && this.logical[i] <= stamp.logical),
    );
  }

  /** The value of a variable at a node in a cut of so many events; null if it is unset. */
  valueAt(variable, node, events) {
    const place = this.place(variable, node);
    if (place === undefined) {
      return null;
    }
    const { events: writes, values } = place;
    const low = lowerBound(writes.length, (i) => writes[i] < events);
    return low === 0 || values[low - 1] < 0
      ? null
      : { text: this.strings[values[low - 1]], event: writes[low - 1] };
  }

  /** Calls a function for each value that holds at exactly a stamp. */
  momentaryAt(stamp, take) {
    for (let i = this.upTo(stamp) - 1; i >= 0; i--) {
      if (compareStamps(this.stampOf(i), stamp) !== 0) {
        return;
      }
      const skipped = this.kind[i] === KIND.LINE ? 1 : 2;
      for (let at = this.first[i] + skipped; !this.#writes(i) && at < this.first[i + 1]; at += 2) {
        take(this.payload[at], this.node[i], this.strings[this.payload[at + 1]]);
      }
    }
  }

  /** The messages whose send is in a cut and whose receipt is not. */
  inFlight(stamp) {
    const events = this.upTo(stamp);
    const earliest = this.upTo({ micros: stamp.micros - this.longest - 1, logical: 0 });
    const found = [];
    for (let i = this.#firstMessage(earliest); i < this.messages.length; i++) {
      const [send, receipt] = this.messages[i];
      if (send >= events) {
        break;
      }
      if (receipt >= events) {
        found.push(this.messages[i]);
      }
    }
    return found;
  }

  /** The number of sends in a cut of which no receipt is recorded. */
  unreceivedUpTo(events) {
    return lowerBound(this.unreceived.length, (i) => this.unreceived[i] < events);
  }

  /** The first message that an event or a later one sends. */
  #firstMessage(event) {
    return lowerBound(this.messages.length, (i) => this.messages[i][0] < event);
  }

  /** The event of a node that is the last one in a cut of so many events; -1 without one. */
  lastOf(node, events) {
    const own = this.eventsOf[node];
    const inside = lowerBound(own.length, (i) => own[i] < events);
    return inside === 0 ? -1 : own[inside - 1];
  }

  /**
   * The place of a cut on a node's line of aligned time: between its last event in the cut and its
   * first one after it, as far from them as the stamp is.
   */
  alignedCut(node, stamp) {
    const last = this.lastOf(node, this.upTo(stamp));
    const own = this.eventsOf[node];
    const at = last < 0 ? own[0] : last;
    const shift = at === undefined ? 0 : this.aligned[at] - this.micros[at];
    return stamp.micros + shift;
  }

  /** The first and the last time at which a cut may be on a node's line; null if unknown. */
  intervalOfCut(node, stamp) {
    const offset = this.offsetAt(node, stamp.micros);
    if (offset === null || offset[1] === null || offset[3] === null) {
      return null;
    }
    const middle = this.alignedCut(node, stamp);
    return [middle - (offset[2] - offset[1]), middle + (offset[3] - offset[2])];
  }

  /** The stamp of the next cut of some events in a direction; the same stamp if there is none. */
  step(stamp, direction, wanted) {
    const inside = this.upTo(stamp);
    if (direction > 0) {
      for (let i = inside; i < this.count; i++) {
        if (wanted(i)) {
          return this.stampOf(i);
        }
      }
      return stamp;
    }
    for (let i = inside - 1; i >= 0; i--) {
      if (wanted(i) && compareStamps(this.stampOf(i), stamp) < 0) {
        return this.stampOf(i);
      }
    }
    return stamp;
  }

  /** The words for an event. */
  describe(event) {
    const parts = this.payload.subarray(this.first[event], this.first[event + 1]);
    switch (this.kind[event]) {
      case KIND.LINE:
        return this.strings[parts[0]];
      case KIND.SEND:
        return `sends ${this.strings[parts[0]]} ${this.strings[parts[1]]}`.trimEnd();
      case KIND.RECEIVE:
        return `receives ${this.strings[parts[0]]} ${this.strings[parts[1]]}`.trimEnd();
      case KIND.START:
        return "starts";
      case KIND.STOP:
        return "stops";
      default:
        return this.#changes(parts);
    }
  }

  #changes(parts) {
    const texts = [];
    for (let i = 0; i < parts.length; i += 2) {
      const name = this.variables[parts[i]].name;
      texts.push(parts[i + 1] < 0 ? `${name} unset` : `${name} = ${this.strings[parts[i + 1]]}`);
    }
    return texts.join(", ");
  }

  /** The bounds of a node's offset from the reference clock around a time; null if unknown. */
  offsetAt(node, micros) {
    const samples = this.offsets[node];
    let found = null;
    for (const sample of samples) {
      if (found === null || sample[0] <= micros) {
        found = sample;
      }
    }
    return found;
  }
}

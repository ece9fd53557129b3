// The recorded events as columns, and the state of the system at each cut.

import { compareStamps } from "./stamp.js";

export const KIND = { STATE: 0, LINE: 1, SEND: 2, RECEIVE: 3, START: 4, STOP: 5 };

/** The events of a report. A cut is a stamp; it contains the events up to and including it. */
export class Recording {
  constructor(data) {
    this.nodes = data.nodes;
    this.variables = data.variables;
    this.strings = data.strings;
    this.offsets = data.offsets;
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
    this.#indexWrites(data.before);
    this.#indexMessages(data.m);
  }

  /** The writes of each place, in order: event numbers, -1 for the state before all events. */
  #indexWrites(before) {
    this.places = this.variables.map(() => this.nodes.map(() => ({ events: [], values: [] })));
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
    const place = this.places[variable][node];
    place.events.push(event);
    place.values.push(value);
  }

  /** The receipt of each send, and the send of each receipt; -1 without one. */
  #indexMessages(pairs) {
    this.receiptOf = new Int32Array(this.count).fill(-1);
    this.sendOf = new Int32Array(this.count).fill(-1);
    this.messages = [];
    for (let i = 0; i < pairs.length; i += 2) {
      this.receiptOf[pairs[i]] = pairs[i + 1];
      this.sendOf[pairs[i + 1]] = pairs[i];
      this.messages.push([pairs[i], pairs[i + 1]]);
    }
    this.longest = this.messages.reduce(
      (most, [send, receipt]) => Math.max(most, this.micros[receipt] - this.micros[send]),
      0,
    );
  }

  stampOf(event) {
    return { micros: this.micros[event], logical: this.logical[event] };
  }

  /** The number of events up to and including a stamp. */
  upTo(stamp) {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareStamps(this.stampOf(middle), stamp) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The value of a variable at a node in a cut of so many events; null if it is unset. */
  valueAt(variable, node, events) {
    const { events: writes, values } = this.places[variable][node];
    let low = 0;
    let high = writes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (writes[middle] < events) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
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
    for (let i = earliest; i < events; i++) {
      if (this.kind[i] === KIND.SEND && this.receiptOf[i] >= events) {
        found.push(i);
      }
    }
    return found;
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

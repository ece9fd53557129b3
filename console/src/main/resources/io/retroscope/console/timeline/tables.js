// The state at a cut as tables, for reading aloud and for copying.

import { durationText, timeText, stampText } from "./stamp.js";

const MAX_ROWS = 300;
const MAX_CELLS = 20000;
const MAX_MESSAGES = 50;
const EVENTS_AROUND = 8;

/** Makes an element with a text, which is never read as markup. */
export function element(name, text = "", className = "") {
  const made = document.createElement(name);
  if (text !== "") {
    made.textContent = text;
  }
  if (className !== "") {
    made.className = className;
  }
  return made;
}

function headings(texts) {
  const row = document.createElement("tr");
  for (const text of texts) {
    const cell = element("th", text);
    cell.scope = "col";
    row.append(cell);
  }
  const head = document.createElement("thead");
  head.append(row);
  return head;
}

function rowHeading(text) {
  const cell = element("th", text);
  cell.scope = "row";
  return cell;
}

/** The values of all variables at all nodes; marks those that the predicate rests on. */
export class ValueTable {
  constructor(table, recording) {
    this.table = table;
    this.recording = recording;
    this.rows = [];
    this.putFirst([]);
  }

  /** Shows some variables first, and those last that have values at single stamps only. */
  putFirst(variables) {
    const rest = this.recording.variables.map((_, i) => i).filter((i) => !variables.includes(i));
    const hasState = (variable) =>
      this.recording.nodes.some((_, node) => this.recording.place(variable, node) !== undefined);
    const momentary = rest.filter((variable) => !hasState(variable));
    this.order = [...variables, ...rest.filter(hasState), ...momentary];
    this.#build();
  }

  #build() {
    const body = document.createElement("tbody");
    const most = Math.max(1, Math.floor(MAX_CELLS / Math.max(1, this.recording.nodes.length)));
    const count = Math.min(this.order.length, MAX_ROWS, most);
    this.rows = [];
    for (const variable of this.order.slice(0, count)) {
      const row = document.createElement("tr");
      const { log, name } = this.recording.variables[variable];
      row.append(rowHeading(`${log}.${name}`));
      const cells = this.recording.nodes.map(() => element("td"));
      row.append(...cells);
      body.append(row);
      this.rows.push({ variable, cells, shown: cells.map(() => "") });
    }
    this.table.replaceChildren(headings(["variable", ...this.recording.nodes]), body);
    if (this.order.length > count) {
      const caption = `${count} of ${this.order.length} variables are shown.`;
      this.table.prepend(element("caption", caption));
    }
  }

  show(stamp) {
    const events = this.recording.upTo(stamp);
    const momentary = new Map();
    this.recording.momentaryAt(stamp, (variable, node, text) =>
      momentary.set(`${variable}@${node}`, text),
    );
    for (const row of this.rows) {
      row.cells.forEach((cell, node) => {
        const value = this.recording.valueAt(row.variable, node, events);
        const now = momentary.get(`${row.variable}@${node}`) ?? "";
        const text = value === null ? now : value.text;
        if (row.shown[node] !== text) {
          row.shown[node] = text;
          cell.textContent = text;
        }
        const since = value === null || value.event < 0 ? null : this.recording.stampOf(value.event);
        const age = since === null ? "" : `for ${durationText(stamp.micros - since.micros)}`;
        if (cell.title !== age) {
          cell.title = age;
        }
        cell.classList.toggle("new", since !== null && stampText(since) === stampText(stamp));
      });
    }
  }
}

/** Each node's last event, and its clock. */
export class NodeTable {
  constructor(table, recording) {
    this.recording = recording;
    const body = document.createElement("tbody");
    this.rows = recording.nodes.map((node) => {
      const row = document.createElement("tr");
      const cells = [element("td"), element("td")];
      row.append(rowHeading(node), ...cells);
      body.append(row);
      return cells;
    });
    table.replaceChildren(headings(["node", "last event", "clock"]), body);
  }

  show(stamp) {
    const events = this.recording.upTo(stamp);
    this.rows.forEach(([event, clock], node) => {
      const last = this.recording.lastOf(node, events);
      setText(
        event,
        last < 0
          ? "none in this page"
          : `${this.recording.describe(last)}, ` +
              `${durationText(stamp.micros - this.recording.micros[last])} before`,
      );
      setText(clock, this.#clock(node, stamp.micros));
    });
  }

  #clock(node, micros) {
    const { nodes, reference } = this.recording;
    if (nodes[node] === reference) {
      return "the reference clock";
    }
    const offset = this.recording.offsetAt(node, micros);
    if (offset === null) {
      return "offset unknown";
    }
    const [, low, estimate, high] = offset;
    const bound = (micros) => (micros === null ? "unknown" : durationText(micros));
    return `${durationText(estimate)} to add for ${reference}'s, from ${bound(low)} to ${bound(high)}`;
  }
}

/** Changes the text of an element if it is another one. */
function setText(place, text) {
  if (place.textContent !== text) {
    place.textContent = text;
  }
}

/** The messages that cross the cut, as a list. */
export function showInFlight(list, heading, recording, stamp) {
  const found = recording.inFlight(stamp);
  setText(heading, `In flight: ${found.length}`);
  list.replaceChildren(
    ...found.slice(0, MAX_MESSAGES).map(([send, receipt]) => {
      return element(
        "li",
        `${recording.nodes[recording.node[send]]} ${recording.describe(send)}, sent ` +
          `${durationText(stamp.micros - recording.micros[send])} before, received by ` +
          `${recording.nodes[recording.node[receipt]]} ` +
          `${durationText(recording.micros[receipt] - stamp.micros)} after`,
      );
    }),
  );
  if (found.length > MAX_MESSAGES) {
    list.append(element("li", `and ${found.length - MAX_MESSAGES} more`));
  }
  const unreceived = recording.unreceivedUpTo(recording.upTo(stamp));
  if (unreceived > 0) {
    const sent = unreceived === 1 ? "1 message was" : `${unreceived} messages were`;
    list.append(element("li", `${sent} sent before of which no receipt is in this page`, "note"));
  }
}

/** The events around the cut, as a list. */
export function showEvents(list, recording, stamp) {
  const inside = recording.upTo(stamp);
  const items = [];
  const end = Math.min(recording.count, inside + EVENTS_AROUND);
  for (let i = Math.max(0, inside - EVENTS_AROUND); i < end; i++) {
    const text =
      `${timeText(recording.micros[i])} ${recording.nodes[recording.node[i]]} ` +
      recording.describe(i);
    const item = element("li", text, i < inside ? "inside" : "outside");
    items.push(item);
  }
  list.replaceChildren(...items);
}

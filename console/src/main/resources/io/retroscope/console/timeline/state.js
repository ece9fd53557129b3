// The state of all nodes at a cut, as a table.

import { html, nothing } from "lit-html";
import { Problem } from "../api/problem.js";
import { durationText, isoText, parseStamp } from "./stamp.js";

const BUSY = 429;
const BUSY_MILLIS = 1000;
const MAX_COLUMNS = 40;
const MAX_NODES = 400;
const MAX_MESSAGES = 60;
const UNKNOWN_OFFSET = "offset unknown";

/**
 * Requests of cuts, of which the latest wanted one is answered next; values end a running request
 * of all parts, which takes longer. A server that is busy gets it again after a second.
 */
export class Cuts {
  constructor(server, take, failed) {
    this.server = server;
    this.take = take;
    this.failed = failed;
    this.wanted = null;
    this.running = false;
  }

  close() {
    this.closed = true;
    this.wanted = null;
  }

  async want(parameters) {
    this.wanted = parameters;
    if (this.running) {
      if (parameters.part === "values" && this.part !== "values") {
        this.request.abort();
      }
      return;
    }
    this.running = true;
    while (this.wanted !== null) {
      const next = this.wanted;
      this.wanted = null;
      this.part = next.part;
      this.request = new AbortController();
      const { signal } = this.request;
      try {
        this.take(await this.server.get("/v1/cut", next, { signal }));
      } catch (error) {
        if (signal.aborted) {
          continue;
        }
        this.failed(error);
        if (error instanceof Problem && error.status === BUSY) {
          await new Promise((resolve) => setTimeout(resolve, BUSY_MILLIS));
          this.wanted ??= this.closed ? null : next;
        }
      }
    }
    this.running = false;
  }
}

/**
 * The columns of a state: its variables, those that are named first, then those of most nodes.
 * Values that hold at a single stamp, such as ends of messages, are among the events.
 */
export function variablesOf(cut, first) {
  const counts = new Map();
  for (const { values } of cut.nodes) {
    for (const { log, variable, momentary } of values) {
      const name = `${log}.${variable}`;
      if (!momentary) {
        counts.set(name, (counts.get(name) ?? 0) + 1);
      }
    }
  }
  const rank = (name) => {
    const at = first.indexOf(name);
    return at < 0 ? first.length : at;
  };
  return [...counts.keys()].sort(
    (a, b) => rank(a) - rank(b) || counts.get(b) - counts.get(a) || (a < b ? -1 : 1),
  );
}

/** The table of a state. */
export function stateTable(cut, columns, focused) {
  const shown = columns.slice(0, MAX_COLUMNS);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table of the state">
      <table>
        <thead>
          <tr>
            <th scope="col">node</th>
            <th scope="col">state</th>
            ${shown.map((name) => html`<th scope="col">${name}</th>`)}
            <th scope="col">clock, to add for the driver's</th>
          </tr>
        </thead>
        <tbody>
          ${cut.nodes.slice(0, MAX_NODES).map((node) => nodeRow(node, cut.gaps ?? [], shown, focused))}
        </tbody>
      </table>
    </div>
    ${columns.length > shown.length
      ? html`<p class="note">${shown.length} of ${columns.length} variables are shown.</p>`
      : nothing}
    ${cut.nodes.length > MAX_NODES
      ? html`<p class="note">${MAX_NODES} of ${cut.nodes.length} nodes are shown.</p>`
      : nothing}`;
}

function nodeRow(node, gaps, columns, focused) {
  const lost = gaps
    .filter(([name]) => name === node.node)
    .map(([, , , count]) => `${count} events lost around here`);
  const values = new Map(node.values.map((value) => [`${value.log}.${value.variable}`, value]));
  return html`<tr class=${node.node === focused ? "focused" : ""}>
    <th scope="row">${node.node}</th>
    <td>
      <span class="state ${node.state}">${node.state}</span>
      ${node.state === "silent"
        ? html`<small class="doubt">for ${durationText(node.silentMicros)}</small>`
        : nothing}
      ${lost.map((words) => html`<small class="doubt">${words}</small>`)}
    </td>
    ${columns.map((name) => valueCell(values.get(name)))}
    <td class=${offsetText(node.offset) === UNKNOWN_OFFSET ? "doubt" : ""}>
      ${offsetText(node.offset)}
    </td>
  </tr>`;
}

function valueCell(value) {
  if (value === undefined) {
    return html`<td class="null">NULL</td>`;
  }
  return html`<td class=${value.ageMicros === 0 ? "new" : ""}>
    ${value.text} <small>${ageText(value.ageMicros)}</small>
  </td>`;
}

/** How long a value has held; it is read when the cut rests. */
function ageText(micros) {
  return micros === undefined ? "…" : micros === 0 ? "now" : `for ${durationText(micros)}`;
}

/** An offset with its bounds in words; an unknown one is never 0. */
export function offsetText(offset) {
  if (offset === null || offset === undefined) {
    return UNKNOWN_OFFSET;
  }
  const { lowMicros: low, micros, highMicros: high } = offset;
  if (low === null && high === null) {
    return UNKNOWN_OFFSET;
  }
  if (low === 0 && high === 0) {
    return "the driver's";
  }
  const bound = (value) => (value === null ? "unknown" : durationText(value));
  return `${durationText(micros)}, from ${bound(low)} to ${bound(high)}`;
}

/** The messages in flight, as a list. */
export function inFlightList(cut) {
  if (cut.inFlight === undefined) {
    return html`<h2>In flight: …</h2>`;
  }
  const at = parseStamp(cut.at);
  const shown = cut.inFlight.slice(0, MAX_MESSAGES);
  return html`<h2>In flight: ${cut.inFlightCount}</h2>
    <ul class="messages">
      ${shown.map(
        ([id, from, sent, to, received]) =>
          html`<li>
            <strong>${from}${to ? ` → ${to}` : ""}</strong> ${id}, sent
            ${durationText(at.micros - parseStamp(sent).micros)}
            before${received ? `, received ${durationText(parseStamp(received).micros - at.micros)} after` : ""}
          </li>`,
      )}
      ${cut.inFlightCount > shown.length
        ? html`<li class="note">and ${cut.inFlightCount - shown.length} more</li>`
        : nothing}
    </ul>
    ${cut.unreceivedCount > 0
      ? html`<p class="doubt">
          ${cut.unreceivedCount} sent before, of which no receipt is
          known${cut.searchedUntil ? ` up to ${isoText(parseStamp(cut.searchedUntil).micros)}` : ""}:
          in flight still, lost, or not recorded.
        </p>`
      : nothing}
    ${cut.searchedFrom
      ? html`<p class="note">
          Messages sent before ${isoText(parseStamp(cut.searchedFrom).micros)} were not looked at.
        </p>`
      : nothing}`;
}

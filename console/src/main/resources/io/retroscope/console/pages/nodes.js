// Nodes: each node's events and lag, and the state of the server itself.

import { html, nothing, render } from "lit-html";
import { nodesOf } from "../api/nodes.js";
import { wordsOf } from "../api/problem.js";
import { durationText } from "../timeline/stamp.js";
import { repeat } from "./repeat.js";
import { bytesText, counted, durationOrUnknown, sentenceOf, stampTime } from "./values.js";
import { leftOut, warningList } from "./warnings.js";

const EVERY_MILLIS = 2000;
const MAX_NODES = 2000;

/** Opens the page. */
export async function open(frame, place) {
  const page = new Nodes(frame, place);
  await page.refresh();
  return page;
}

class Nodes {
  constructor(frame, place) {
    this.server = frame.server;
    this.ofFiles = frame.session.source === "files";
    this.place = place;
    this.state = null;
    this.rates = new Map();
    this.endRefreshes = repeat(() => this.refresh(), EVERY_MILLIS);
  }

  close() {
    this.endRefreshes();
  }

  async refresh() {
    try {
      const [state, { nodes, missing }] = await Promise.all([
        this.ofFiles ? { ready: true } : this.server.get("/v1/server"),
        nodesOf(this.server),
      ]);
      this.state = { ...state, nodes, missing: missing.map(sentenceOf) };
      this.#measure(this.state);
      this.problem = "";
    } catch (error) {
      this.problem = wordsOf(error);
    }
    this.#draw();
  }

  /** The rates of events, from the counts of two answers. */
  #measure(state) {
    const now = performance.now();
    for (const { name, events } of state.nodes) {
      const before = this.rates.get(name);
      const rate =
        before === undefined ? null : ((events - before.events) * 1000) / (now - before.at);
      this.rates.set(name, { events, at: now, rate });
    }
  }

  #draw() {
    const { state } = this;
    render(
      html`<h1>Nodes</h1>
        ${this.problem
          ? html`<p class="problem" role="alert">Not up to date. ${this.problem}</p>`
          : nothing}
        ${state === null ? nothing : html`${this.#trouble(state)} ${this.#nodes(state)}
        ${this.ofFiles ? nothing : html`<h1>Server</h1> ${this.#server(state)}`}`}`,
      this.place,
    );
  }

  #trouble(state) {
    const sentences = [
      state.ready ? "" : `Not ready: ${state.trouble ?? "the reason is unknown"}`,
      state.notice ?? "",
      ...(state.losses ?? []),
      ...(state.missing ?? []),
    ].filter((sentence) => sentence !== "");
    return warningList(sentences);
  }

  #nodes(state) {
    if (state.nodes.length === 0) {
      return html`<p class="note">No node has sent an event yet.</p>`;
    }
    return html`<div class="scroll" tabindex="0" role="region" aria-label="Table of nodes">
      <table>
        <thead>
          <tr>
            <th scope="col">node</th>
            <th scope="col">state</th>
            <th scope="col" class="number">events</th>
            <th scope="col" class="number">per second</th>
            <th scope="col">last event</th>
            <th scope="col" class="number">lag</th>
            <th scope="col" class="number">missing blocks</th>
            <th scope="col">doubts</th>
          </tr>
        </thead>
        <tbody>
          ${state.nodes.slice(0, MAX_NODES).map((node) => this.#node(node))}
        </tbody>
      </table>
    </div>
    ${leftOut(state.nodes.length, MAX_NODES, "nodes")}`;
  }

  #node(node) {
    const rate = this.rates.get(node.name)?.rate ?? null;
    const doubts = [
      node.state === "silent" ? "silent: later events may be missing" : "",
      node.missingBlocks > 0 ? `${counted(node.missingBlocks, "block")} not arrived` : "",
      node.aheadMicros > 0 ? `clock ahead by ${durationText(node.aheadMicros)}` : "",
      node.overlaps > 0 ? `${counted(node.overlaps, "overlap")} of two runs` : "",
    ].filter((text) => text !== "");
    return html`<tr>
      <th scope="row">${node.name}</th>
      <td><span class="state ${node.state}">${node.state}</span></td>
      <td class="number">${node.events.toLocaleString("en")}</td>
      <td class="number">${this.ofFiles ? "–" : rate === null ? "…" : rate.toFixed(rate < 10 ? 1 : 0)}</td>
      <td class="time">${stampTime(node.lastHlc)}</td>
      <td class="number">${this.ofFiles ? "–" : durationOrUnknown(node.lagMicros)}</td>
      <td class="number">${node.missingBlocks ?? 0}</td>
      <td class=${doubts.length > 0 ? "doubt" : "null"}>${doubts.join("; ") || "none"}</td>
    </tr>`;
  }

  #server(state) {
    const { disk = {}, memory = {}, sealing = {}, running = {}, cluster } = state;
    const total = (disk.fileBytes ?? 0) + (disk.freeBytes ?? 0);
    return html`<div class="facts">
      ${facts("Health", [
        ["state", state.ready ? "ready" : "not ready"],
        ["version", state.version],
        ["complete up to", stampTime(state.watermark) || "no event yet"],
        ["watermark lag", durationOrUnknown(state.watermarkLagMicros)],
        ["rows held for", durationOrUnknown(state.heldMicros)],
      ])}
      ${facts("Disk", [
        ...(cluster === undefined ? [["events", numberText(eventCount(state))]] : []),
        ["blocks", numberText(sealing.blocks)],
        ["damaged blocks", numberText(disk.damagedBlocks)],
        ["sorted files", disk.fileBytes === undefined ? "unknown" : bytesText(disk.fileBytes)],
        ["free", disk.freeBytes === undefined ? "unknown" : bytesText(disk.freeBytes)],
        meter("of the disk", disk.fileBytes, total),
      ])}
      ${facts("Memory", [
        ["budget", memory.limitBytes === undefined ? "unknown" : bytesText(memory.limitBytes)],
        ["in use", memory.usedBytes === undefined ? "unknown" : bytesText(memory.usedBytes)],
        meter("of the budget", memory.usedBytes, memory.limitBytes),
        ["cached blocks", memory.cachedBytes === undefined ? "unknown" : bytesText(memory.cachedBytes)],
        ["requests refused", numberText(memory.refused ?? 0)],
      ])}
      ${facts("Sealing and losses", [
        ["blocks not sealed", numberText(sealing.unsealedBlocks)],
        ["events in quarantine", numberText(state.quarantined)],
        ["events lost", numberText(state.lost)],
      ])}
      ${facts(
        "Running",
        Object.entries(running).map(([name, count]) => [name, numberText(count)]),
      )}
      ${cluster === undefined ? nothing : facts("Cluster", [
        ...cluster.servers.map(({ address, owned, copies }) => [
          address,
          `partitions ${partitionsText(owned)}; copies of ${partitionsText(copies)}`,
        ]),
        ["waits for", cluster.waitsFor.join("; ") || "nothing"],
        ...(state.unread ? [["not read", state.unread]] : []),
      ])}
    </div>`;
  }
}

function eventCount({ nodes }) {
  return nodes.reduce((sum, { events }) => sum + events, 0);
}

function partitionsText(partitions) {
  return partitions.join(", ") || "none";
}

function numberText(number) {
  return number === undefined || number === null ? "unknown" : number.toLocaleString("en");
}

function meter(label, value, most) {
  const known = value !== undefined && most > 0;
  return [
    label,
    known
      ? html`<meter min="0" max=${most} value=${value} aria-label=${label}></meter>
          ${((100 * value) / most).toFixed(1)} %`
      : "unknown",
  ];
}

function facts(title, rows) {
  return html`<section>
    <h2>${title}</h2>
    <dl>${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
  </section>`;
}

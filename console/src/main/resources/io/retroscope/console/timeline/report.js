// The page of a report: rules and episodes, the diagram with its cut, and the tables at it.

import { Recording } from "./recording.js";
import { Scale } from "./scale.js";
import { Diagram, stretchText } from "./diagram.js";
import { ValueTable, NodeTable, element, showInFlight, showEvents } from "./tables.js";
import { compareStamps, durationText, isoText, parseStamp, stampText, timeText } from "./stamp.js";

const ANNOUNCED_EVERY_MILLIS = 1000;

/** The whole page. */
export class Report {
  constructor(data) {
    this.data = data;
    this.recording = new Recording(data.recording);
    this.episodes = data.rules.flatMap((rule) =>
      rule.episodes.map((episode) => ({ ...episode, rule })),
    );
    this.current = -1;
    this.cut = { micros: 0, logical: 0 };
    this.find = (id) => document.getElementById(id);
    this.announced = 0;
  }

  start() {
    this.#rules();
    const recording = this.recording;
    const has = recording.count > 0;
    this.find("timeline").hidden = !has;
    this.find("nothing").hidden = has;
    this.find("left-out").textContent = this.data.leftOut;
    this.#unknown();
    if (!has) {
      return;
    }
    const last = recording.count - 1;
    this.scale = new Scale(recording.micros[0], recording.micros[last]);
    const stretches = this.data.stretches
      .map(([node, from, to]) => [recording.nodes.indexOf(node), from, to])
      .filter(([node]) => node >= 0);
    this.diagram = new Diagram(this.find("diagram"), recording, this.scale, stretches);
    this.find("axis").hidden = !recording.isAligned;
    this.values = new ValueTable(this.find("values"), recording);
    this.nodes = new NodeTable(this.find("nodes"), recording);
    this.#listen();
    this.diagram.resize();
    if (!this.#fromAddress()) {
      if (this.episodes.some((episode) => this.#isInside(episode))) {
        this.select(this.episodes.findIndex((episode) => this.#isInside(episode)));
      } else {
        this.moveTo(recording.stampOf(last));
        this.redraw();
      }
    }
  }

  /** The reasons why what is shown may be incomplete. */
  #unknown() {
    const { unknown, unknownCount } = this.data;
    this.find("unknown-section").hidden = unknown.length === 0;
    const items = unknown.map((sentence) => element("li", sentence));
    if (unknownCount > unknown.length) {
      items.push(element("li", `and ${unknownCount - unknown.length} more`));
    }
    this.find("unknown").replaceChildren(...items);
  }

  #isInside(episode) {
    const stamp = parseStamp(episode.hlc);
    return (
      stamp !== null &&
      stamp.micros >= this.scale.least &&
      stamp.micros <= this.recording.micros[this.recording.count - 1] + 1
    );
  }

  #rules() {
    const list = this.find("rules");
    const order = ["broken", "wrong", "inconclusive", "holds"];
    const sorted = [...this.data.rules].sort(
      (a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict),
    );
    for (const rule of sorted) {
      const item = element("li", "", `rule ${rule.verdict}`);
      const line = element("p", "", "verdict");
      line.append(element("span", rule.verdict, `badge ${rule.verdict}`), " ");
      line.append(element("strong", rule.name), " ");
      line.append(element("span", rule.place, "place"));
      item.append(line);
      for (const text of [rule.description, rule.reason, ...rule.warnings]) {
        if (text !== "") {
          item.append(element("p", text, "note"));
        }
      }
      if (rule.episodes.length > 0) {
        item.append(this.#episodeList(rule));
      }
      list.append(item);
    }
  }

  #episodeList(rule) {
    const list = element("ul", "", "episodes");
    for (const episode of rule.episodes) {
      const number = this.episodes.findIndex((e) => e.id === episode.id && e.rule === rule);
      const item = document.createElement("li");
      const button = element("button", "", "episode");
      button.type = "button";
      const at = parseStamp(episode.hlc);
      button.append(element("span", at === null ? episode.time : timeText(at.micros, 3)));
      if (episode.micros !== null) {
        button.append(element("span", ` for ${durationText(episode.micros)}`, "length"));
      }
      button.title = `${episode.id} ${episode.time}`;
      button.addEventListener("click", () => this.select(number));
      button.dataset.episode = String(number);
      item.append(button);
      list.append(item);
    }
    if (rule.count > rule.episodes.length) {
      list.append(element("li", `and ${rule.count - rule.episodes.length} more episodes`));
    }
    return list;
  }

  /** Shows an episode: its explanation, and its cut in the diagram. */
  select(number, keepsView = false) {
    const episode = this.episodes[number];
    if (episode === undefined) {
      return;
    }
    this.current = number;
    for (const button of document.querySelectorAll("button.episode")) {
      button.setAttribute("aria-pressed", String(button.dataset.episode === String(number)));
    }
    this.#explain(episode);
    const stamp = parseStamp(episode.hlc);
    const length = episode.micros ?? 0;
    this.diagram.findings = [{ from: stamp.micros, to: stamp.micros + length, chosen: true }];
    this.diagram.witnesses = this.#witnesses(episode);
    const named = this.#variables(episode);
    this.diagram.shown = named.length > 0 ? named : this.recording.variables.map((_, i) => i);
    this.values.putFirst(named);
    if (!keepsView) {
      this.#show(episode, stamp, length);
      this.moveTo(stamp);
    }
    this.redraw();
  }

  #show(episode, stamp, length) {
    const times = [stamp.micros, stamp.micros + length];
    for (const line of episode.explanation) {
      const at = parseStamp(line.hlc);
      if (line.node !== "" && at !== null) {
        times.push(at.micros);
      }
    }
    const from = Math.min(...times);
    const to = Math.max(...times);
    const margin = Math.max(20, (to - from) * 0.25);
    this.scale.show(from - margin, to + margin);
  }

  #explain(episode) {
    const list = this.find("explanation");
    this.find("explained").textContent = `Why: ${episode.rule.name}`;
    this.find("episode-id").textContent = `Episode ${episode.id}`;
    if (episode.explanation.length === 0) {
      list.replaceChildren(element("li", "This episode is not explained in this page."));
      return;
    }
    const causes = episode.explanation.filter((line) => line.part === "cause");
    const items = episode.explanation
      .filter((line) => line.part !== "cause")
      .map((line) => this.#sentence(line));
    if (causes.length > 0) {
      const last = items.findLastIndex((item) => item.className === "witness");
      items.splice(last + 1, 0, this.#causes(causes));
    }
    list.replaceChildren(...items);
  }

  #causes(lines) {
    const details = document.createElement("details");
    const events = lines.length === 1 ? "1 event" : `${lines.length} events`;
    details.append(element("summary", `What led to it: ${events}`));
    const list = document.createElement("ul");
    list.append(...lines.map((line) => this.#sentence(line)));
    details.append(list);
    const item = element("li", "", "causes");
    item.append(details);
    return item;
  }

  #sentence(line) {
    const item = element("li", "", line.part.replace(" ", "-"));
    const at = parseStamp(line.hlc);
    if (line.node !== "" && at !== null) {
      const button = element("button", line.text, "jump");
      button.type = "button";
      button.addEventListener("click", () => this.goTo(at));
      item.append(button);
    } else {
      item.append(element("span", line.text));
    }
    return item;
  }

  #witnesses(episode) {
    const found = new Set();
    for (const line of episode.explanation) {
      const at = parseStamp(line.hlc);
      const node = this.recording.nodes.indexOf(line.node);
      if (line.part !== "witness" || node < 0 || at === null) {
        continue;
      }
      const end = this.recording.upTo(at);
      for (let i = end - 1; i >= 0 && compareStamps(this.recording.stampOf(i), at) === 0; i--) {
        if (this.recording.node[i] === node) {
          found.add(i);
        }
      }
    }
    return found;
  }

  #variables(episode) {
    const paths = new Set(
      episode.explanation.filter((line) => line.part === "witness").map((line) => line.variable),
    );
    return this.recording.variables
      .map(({ log, name }, i) => (paths.has(`${log}.${name}`) ? i : -1))
      .filter((i) => i >= 0);
  }

  /** Moves the cut to a stamp. */
  moveTo(stamp) {
    this.cut = stamp;
    const recording = this.recording;
    this.diagram.drawCut(stamp);
    this.values.show(stamp);
    this.nodes.show(stamp);
    showInFlight(this.find("in-flight"), this.find("in-flight-heading"), recording, stamp);
    showEvents(this.find("events"), recording, stamp);
    const time = isoText(stamp.micros);
    this.find("cut-time").textContent = `${time} UTC`;
    this.find("cut-stamp").textContent = `hlc'${stampText(stamp)}'`;
    const inside = recording.upTo(stamp);
    const canvas = this.find("diagram");
    canvas.setAttribute("aria-valuemax", String(recording.count));
    canvas.setAttribute("aria-valuenow", String(inside));
    canvas.setAttribute("aria-valuetext", `${time}, ${inside} events`);
    this.#announce(`${time}, ${inside} of ${recording.count} events`);
    this.#remember();
  }

  goTo(stamp) {
    this.scale.reveal(stamp.micros);
    this.moveTo(stamp);
    this.redraw();
  }

  redraw() {
    this.diagram.draw();
    this.diagram.drawCut(this.cut);
    this.find("stretch").textContent = stretchText(this.recording, this.scale);
  }

  #announce(text) {
    const now = performance.now();
    if (now - this.announced > ANNOUNCED_EVERY_MILLIS) {
      this.announced = now;
      this.find("announcement").textContent = text;
    }
  }

  /** Keeps the cut in the address, at most some times per second, as browsers allow. */
  #remember() {
    clearTimeout(this.remembering);
    this.remembering = setTimeout(() => {
      const parts = [`cut=${stampText(this.cut)}`];
      const episode = this.episodes[this.current];
      if (episode !== undefined) {
        parts.push(`rule=${encodeURIComponent(episode.rule.name)}`);
        parts.push(`episode=${encodeURIComponent(episode.id)}`);
      }
      parts.push(`from=${Math.round(this.scale.from)}`, `to=${Math.round(this.scale.to)}`);
      if (this.diagram.aligned) {
        parts.push("axis=aligned");
      }
      history.replaceState(null, "", `#${parts.join("&")}`);
    }, 250);
  }

  #fromAddress() {
    const parts = new URLSearchParams(location.hash.slice(1));
    const stamp = parseStamp(parts.get("cut") ?? "");
    const number = this.episodes.findIndex(
      (episode) =>
        episode.id === parts.get("episode") ||
        (!parts.has("episode") && episode.rule.name === parts.get("rule")),
    );
    if (stamp === null && number < 0) {
      return false;
    }
    this.#align(parts.get("axis") === "aligned");
    if (number >= 0) {
      this.select(number, stamp !== null);
    }
    const from = Number(parts.get("from"));
    const to = Number(parts.get("to"));
    if (from > 0 && to > from) {
      this.scale.show(from, to);
    } else if (number >= 0) {
      const { hlc, micros } = this.episodes[number];
      this.#show(this.episodes[number], parseStamp(hlc), micros ?? 0);
    }
    if (stamp !== null) {
      this.scale.reveal(stamp.micros);
      this.moveTo(stamp);
    }
    this.redraw();
    return true;
  }

  /** Chooses the axis: the order of stamps, or the times on the reference clock. */
  #align(aligned) {
    this.diagram.aligned = aligned && this.recording.isAligned;
    this.find("axis").setAttribute("aria-pressed", String(this.diagram.aligned));
  }

  #listen() {
    const canvas = this.find("diagram");
    let dragging = false;
    const follow = (event) => {
      const x = event.clientX - canvas.getBoundingClientRect().left;
      const micros = Math.round(this.scale.micros(x));
      this.moveTo({ micros: Math.max(0, micros), logical: 4095 });
    };
    canvas.addEventListener("pointerdown", (event) => {
      dragging = true;
      canvas.setPointerCapture(event.pointerId);
      follow(event);
    });
    canvas.addEventListener("pointermove", (event) => dragging && follow(event));
    canvas.addEventListener("pointerup", () => (dragging = false));
    canvas.addEventListener("pointercancel", () => (dragging = false));
    canvas.addEventListener(
      "wheel",
      (event) => {
        if (event.ctrlKey || event.metaKey) {
          event.preventDefault();
          const x = event.clientX - canvas.getBoundingClientRect().left;
          this.scale.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.scale.micros(x));
          this.redraw();
          this.#remember();
        }
      },
      { passive: false },
    );
    window.addEventListener("resize", () => {
      this.diagram.resize();
      this.redraw();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
    window.addEventListener("hashchange", () => this.#fromAddress());
    document.addEventListener("keydown", (event) => this.#key(event));
    for (const button of document.querySelectorAll("button[data-key]")) {
      button.addEventListener("click", () => this.press(button.dataset.key, false));
    }
    this.find("go").addEventListener("submit", (event) => {
      event.preventDefault();
      const stamp = parseStamp(this.find("go-to").value);
      this.find("go-to").setAttribute("aria-invalid", String(stamp === null));
      if (stamp !== null) {
        this.goTo(stamp);
      }
    });
  }

  #key(event) {
    const typing = event.target instanceof HTMLInputElement;
    if (typing || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    if (this.press(event.key, event.shiftKey)) {
      event.preventDefault();
    }
  }

  /** Does what a key says; returns whether it says something. */
  press(key, shift) {
    const middle = this.cut.micros;
    switch (key) {
      case "ArrowLeft":
        return this.#step(-1, shift);
      case "ArrowRight":
        return this.#step(1, shift);
      case "ArrowUp":
      case "ArrowDown":
        if (document.activeElement !== this.find("diagram")) {
          return false;
        }
        return this.#focusLane(key === "ArrowUp" ? -1 : 1);
      case "+":
      case "=":
        this.scale.zoom(0.6, middle);
        break;
      case "-":
        this.scale.zoom(1.6, middle);
        break;
      case "0":
        this.scale.all();
        break;
      case "[":
        return this.#neighbour(-1);
      case "]":
        return this.#neighbour(1);
      case "a":
        this.#align(!this.diagram.aligned);
        break;
      case "g":
        this.find("go-to").focus();
        return true;
      case "?":
        this.find("help").open = !this.find("help").open;
        return true;
      default:
        return false;
    }
    this.redraw();
    this.#remember();
    return true;
  }

  #step(direction, ofFocused) {
    const focused = this.diagram.focused;
    const wanted = (i) => !ofFocused || focused < 0 || this.recording.node[i] === focused;
    this.goTo(this.recording.step(this.cut, direction, wanted));
    return true;
  }

  #focusLane(direction) {
    const count = this.recording.nodes.length;
    this.diagram.focused = (this.diagram.focused + direction + count) % count;
    this.redraw();
    this.find("announcement").textContent =
      `node ${this.recording.nodes[this.diagram.focused]}, Shift and arrows step its events`;
    return true;
  }

  #neighbour(direction) {
    const count = this.episodes.length;
    if (count > 0) {
      this.select((this.current + direction + count) % count);
    }
    return true;
  }
}

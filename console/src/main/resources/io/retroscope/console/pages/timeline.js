// Timeline: the lanes of the nodes, the movable cut, the state at it, and why it is so.

import { html, nothing, render } from "lit-html";
import { wordsOf } from "../api/problem.js";
import { Density } from "../timeline/density.js";
import { Diagram } from "../timeline/diagram.js";
import { Recording } from "../timeline/recording.js";
import { Scale } from "../timeline/scale.js";
import { Tiles } from "../timeline/tiles.js";
import { Cuts, inFlightList, stateTable, variablesOf } from "../timeline/state.js";
import {
  compareStamps,
  durationText,
  isoText,
  parseStamp,
  stampText,
  timeText,
} from "../timeline/stamp.js";
import { kindOf, words } from "../editor/tokens.js";
import { addressOf, remember } from "./address.js";
import { copyText } from "./exports.js";
import { BORDERLINE, explain, episodesOf, findingsOf, parseEpisode, queryOf } from "./findings.js";
import { counted } from "./values.js";
import { warningList } from "./warnings.js";

const MOST_EXACT = 20_000;
const SETTLED_MILLIS = 120;
const RESTING_MILLIS = 150;
const MAX_SHOWN = 3;
const EVENTS_AROUND = 8;

/** Opens the page. */
export async function open(frame, place, parameters) {
  const page = new Timeline(frame, place);
  await page.start(parameters);
  return page;
}

class Timeline {
  constructor(frame, place) {
    this.frame = frame;
    this.server = frame.server;
    this.place = place;
    this.cut = null;
    this.state = null;
    this.names = [];
    this.exact = null;
    this.findings = [];
    this.silences = [];
    this.silencesOf = "";
    this.chosen = -1;
    this.steps = 0;
    this.explained = null;
    this.notes = new Map();
    this.cuts = new Cuts(
      this.server,
      (state) => this.#takeState(state),
      (error) => {
        this.notes.set("cut", wordsOf(error));
        this.#draw(); // with the events around the cut
      },
    );
  }

  async start(parameters) {
    const { from, until } = this.frame.session;
    if (from === undefined) {
      render(
        html`<h1>Timeline</h1>
          <p class="note">Nothing is recorded yet. The timeline appears with the first events.</p>`,
        this.place,
      );
      return;
    }
    const { nodes } = await this.server.get("/v1/nodes");
    this.names = nodes.map(({ name }) => name).sort();
    this.scale = new Scale(parseStamp(from).micros, parseStamp(until).micros);
    this.#draw();
    this.canvas = this.place.querySelector("#diagram");
    this.#listen();
    await this.#read(parameters);
  }

  change(parameters) {
    if (this.scale !== undefined) {
      this.#read(parameters);
    }
  }

  close() {
    clearTimeout(this.settling);
    clearTimeout(this.resting);
    this.searching?.abort();
    this.cuts.close();
    this.resizes?.disconnect();
    this.dark?.removeEventListener("change", this.redraw);
  }

  /** Takes over the state of an address. */
  async #read(parameters) {
    const episode = parseEpisode(parameters.get("episode"));
    this.statement = parameters.get("q") ?? "";
    this.alert = episode?.alert ?? parameters.get("alert") ?? "";
    this.logs = parameters.getAll("log");
    this.shown = parameters.getAll("variable").slice(0, MAX_SHOWN);
    this.query = await this.#queryWanted();
    this.wantsAligned = parameters.get("axis") === "aligned";
    this.cut =
      parseStamp(parameters.get("cut") ?? "") ??
      episode?.stamp ??
      parseStamp(this.frame.session.until);
    this.tiles = new Tiles(this.server, { log: this.logs, variable: this.shown.map(shortName) }, () =>
      this.#arrived(),
    );
    this.density = new Density(this.canvas, this.names, this.scale, this.tiles);
    this.density.shown = this.shown;
    this.exact = null;
    this.tooMany = undefined;
    this.#extend();
    const isLink = parameters.has("cut") || episode !== null;
    this.#showAround(Number(parameters.get("from")), Number(parameters.get("to")), isLink);
    this.#resize();
    this.moveTo(this.cut);
    // The page is open before that has ended, so that leaving it ends it.
    this.#find(episode, parameters.get("why") === "1");
  }

  /** The statement, or that of the alert; empty if there is none. */
  async #queryWanted() {
    this.#note("query", "");
    try {
      return this.alert === "" ? this.statement : await queryOf(this.server, this.alert);
    } catch (error) {
      this.#note("query", `The query of ${this.alert} is not known. ${wordsOf(error)}`);
      return "";
    }
  }

  async #find(episode, why) {
    this.found = this.#search(episode);
    const { signal } = await this.found;
    this.#draw();
    if (why && !signal.aborted) {
      await this.explain();
    }
  }

  /** Lets the axis reach to the newest event, and to the cut. */
  #extend() {
    const { from, until } = this.frame.session;
    const last = Math.max(parseStamp(until).micros, this.cut.micros);
    const first = Math.min(parseStamp(from).micros, this.cut.micros);
    const margin = (last - first) * 0.03;
    this.scale.least = Math.min(this.scale.least, first - margin);
    this.scale.most = Math.max(this.scale.most, last + margin);
  }

  #showAround(from, to, isLink) {
    if (from > 0 && to > from) {
      this.scale.show(from, to);
    } else if (isLink) {
      this.scale.show(this.cut.micros - 1e6, this.cut.micros + 1e6);
    } else {
      this.scale.all();
    }
  }

  /** Finds the stretches of the statement, or the episodes of alerts. */
  async #search(episode) {
    this.searching?.abort();
    const searching = new AbortController();
    this.searching = searching;
    this.isSearching = true;
    const { signal } = searching;
    this.notes.delete("findings");
    this.#draw();
    try {
      const findings = await this.#findings(signal);
      if (signal.aborted) {
        return searching;
      }
      this.findings = findings;
    } catch (error) {
      if (signal.aborted) {
        return searching;
      }
      this.findings = [];
      this.#note("findings", `No findings are drawn. ${wordsOf(error)}`);
    }
    const named = this.findings.findIndex(({ id }) => id === episode?.id);
    this.#choose(named >= 0 ? named : this.#findingAt(this.cut));
    this.isSearching = false;
    this.#redraw();
    return searching;
  }

  async #findings(signal) {
    if (this.statement === "" && this.frame.session.source === "files") {
      return []; // Files have no alerts.
    }
    if (this.alert !== "" || this.statement === "") {
      const until = parseStamp(this.frame.session.until).micros;
      const { findings, limited } = await episodesOf(this.server, this.alert, until);
      if (limited && !signal.aborted) {
        const count = counted(findings.length, "episode");
        this.#note("findings", `only the last ${count} are drawn as findings`);
      }
      return findings;
    }
    const { findings, warnings, limited, problem } = await findingsOf(
      this.server,
      this.statement,
      signal,
    );
    const some = limited || problem !== "" ? `only the first ${findings.length} findings are drawn` : "";
    const sentences = [[some, problem].filter((part) => part !== "").join(": "), ...warnings];
    if (!signal.aborted) {
      this.#note("findings", sentences.filter((sentence) => sentence !== "").join("; "));
    }
    return findings;
  }

  /** The finding that holds at a stamp; -1 if there is none. */
  #findingAt(stamp) {
    return this.findings.findIndex(
      (finding) => compareStamps(finding.stamp, stamp) <= 0 && finding.to >= stamp.micros,
    );
  }

  #choose(number) {
    this.chosen = number;
    this.findings.forEach((finding, i) => (finding.chosen = i === number));
  }

  /** The picture that can be drawn now: each event where they are loaded, else densities. */
  get picture() {
    const covers =
      this.exact !== null &&
      this.exact.from <= Math.max(this.scale.from, this.scale.least) &&
      this.exact.to >= Math.min(this.scale.to, parseStamp(this.frame.session.until).micros);
    return covers ? this.exact.diagram : this.density;
  }

  #resize() {
    this.density.resize();
    if (this.exact !== null) {
      this.exact.diagram.leastHeight = this.density.fullHeight;
      this.exact.diagram.resize();
    }
    this.canvas.parentElement.style.minHeight = `${this.density.fullHeight}px`;
    this.#redraw();
  }

  #arrived() {
    this.#redraw();
  }

  /** Draws the picture at the next frame, however often it changes until then. */
  #redraw() {
    if (this.frameWanted === true) {
      return;
    }
    this.frameWanted = true;
    requestAnimationFrame(() => {
      this.frameWanted = false;
      if (!this.canvas.isConnected) {
        return;
      }
      this.#paint();
      clearTimeout(this.settling);
      this.settling = setTimeout(() => {
        this.#loadSilences();
        this.#loadExact();
      }, SETTLED_MILLIS);
      this.#remember();
    });
  }

  #paint() {
    this.#extend();
    // The address has whole microseconds, and shows the same picture again.
    this.scale.from = Math.round(this.scale.from);
    this.scale.to = Math.round(this.scale.to);
    const picture = this.picture;
    if (picture.canvas.width !== picture.picture.width || picture.canvas.height !== picture.picture.height) {
      picture.resize();
    }
    picture.findings = this.findings;
    picture.silences = this.silences;
    picture.focused = this.density.focused;
    if (picture !== this.density) {
      picture.aligned = this.wantsAligned && picture.recording.isAligned;
      picture.witnesses = this.#witnesses(picture.recording);
      picture.shown = this.#shownIn(picture.recording);
    }
    picture.doubt = this.#doubt();
    picture.draw();
    picture.drawCut(this.cut);
    this.#words();
  }

  #doubt() {
    return (this.state?.unknown ?? []).length > 0 ? "not proven here" : "";
  }

  /** The variables that come first: those that are chosen, and those of the statement. */
  #first() {
    const parts = (word) => (word.startsWith("`") ? [word.slice(1, -1)] : word.split("."));
    const ofQuery = words(this.query).filter((word) => kindOf(word) === "name");
    const names = new Set(ofQuery.flatMap(parts));
    const isNamed = ({ log, variable }) => names.has(variable) && names.has(log);
    const found = (this.state?.nodes ?? []).flatMap(({ values }) => values.filter(isNamed));
    const named = found.map(({ log, variable }) => `${log}.${variable}`);
    return [...new Set([...this.shown, ...named])];
  }

  #shownIn(recording) {
    const named = this.shown.length > 0 ? this.shown : this.columns ?? [];
    const order = (name) => {
      const at = named.indexOf(name);
      return at < 0 ? named.length : at;
    };
    return recording.variables
      .map(({ log, name }, i) => [order(`${log}.${name}`), i])
      .sort((a, b) => a[0] - b[0])
      .map(([, i]) => i);
  }

  #witnesses(recording) {
    const found = new Set();
    for (const { part, node, hlc } of this.explained?.sentences ?? []) {
      const at = parseStamp(hlc ?? "");
      const number = recording.nodes.indexOf(node);
      if (part !== "witness" || number < 0 || at === null) {
        continue;
      }
      const end = recording.upTo(at);
      for (let i = end - 1; i >= 0 && compareStamps(recording.stampOf(i), at) === 0; i--) {
        if (recording.node[i] === number) {
          found.add(i);
        }
      }
    }
    return found;
  }

  /** Loads when nodes were silent in view, and as far beside it; again after later events. */
  async #loadSilences() {
    const last = parseStamp(this.frame.session.until).micros;
    const { from, to } = this.scale;
    const least = Math.max(0, Math.min(Math.floor(from - (to - from)), last));
    const most = Math.min(Math.ceil(to + (to - from)), last);
    const wanted = `${least} ${most} ${this.frame.session.until}`;
    if (this.silencesOf === wanted) {
      return;
    }
    this.silencesOf = wanted;
    try {
      const { silent, complete } = await this.server.get("/v1/silences", {
        from: `${least}.0`,
        until: `${most}.4095`,
      });
      if (this.silencesOf !== wanted) {
        return; // A later request is on its way, or was answered already.
      }
      this.silences = silent.map(([node, state, since, end]) => [
        node,
        state,
        parseStamp(since).micros,
        end === null ? most : parseStamp(end).micros,
      ]);
      this.#note(
        "silences",
        complete ? "" : "Not all silences of nodes are shaded: too many. Zoom in to see each.",
      );
    } catch (error) {
      if (this.silencesOf !== wanted) {
        return;
      }
      this.silencesOf = "";
      this.#note("silences", `Silences of nodes are not shaded. ${wordsOf(error)}`);
      return;
    }
    this.#redraw();
  }

  /** Loads the events in view, if they are few enough. */
  async #loadExact() {
    if (this.picture !== this.density || this.loading) {
      return;
    }
    const count = this.density.count();
    if (count === null || count > MOST_EXACT) {
      return;
    }
    const { from, to } = this.scale;
    const margin = count < MOST_EXACT / 4 ? (to - from) * 0.5 : 0;
    const range = [Math.max(0, Math.floor(from - margin)), Math.ceil(to + margin)];
    if (this.tooMany !== undefined && this.tooMany[0] >= from && this.tooMany[1] <= to) {
      return;
    }
    this.loading = true;
    const { logs } = this;
    try {
      const answer = await this.server.get("/v1/recording", {
        from: `${range[0]}.0`,
        until: `${range[1]}.4095`,
        log: logs,
        limit: MOST_EXACT,
      });
      // Not if the page was opened for other logs since.
      if (this.logs === logs) {
        this.#takeEvents(answer, range);
      }
      this.notes.delete("events");
      this.#draw(); // with the events around the cut
    } catch (error) {
      this.#note("events", `The events cannot be drawn. ${wordsOf(error)}`);
    }
    this.loading = false;
    this.#redraw();
  }

  #takeEvents(answer, range) {
    if (!answer.complete) {
      this.tooMany = range;
      return;
    }
    const recording = new Recording(answer.recording);
    recording.nodes
      .filter((name) => !this.names.includes(name))
      .forEach((name) => this.names.push(name));
    const stretches = answer.stretches
      .map(([node, from, to]) => [this.names.indexOf(node), from, to])
      .filter(([lane]) => lane >= 0);
    const diagram = new Diagram(this.canvas, recording, this.scale, stretches, this.names);
    diagram.leastHeight = this.density.fullHeight;
    // Events after the newest one of the answer may come.
    const to = Math.min(range[1], parseStamp(answer.until).micros);
    this.exact = { from: range[0], to, diagram };
    diagram.resize();
    this.unknownEvents = answer.unknown ?? [];
  }

  /** Moves the cut to a stamp; the state follows, while it is dragged that of the values only. */
  moveTo(stamp, dragged = false) {
    this.cut = stamp;
    clearTimeout(this.resting);
    this.steps = 0;
    this.#want(dragged ? "values" : "");
    this.picture.doubt = this.#doubt();
    this.picture.drawCut(stamp);
    this.#words();
    this.#remember();
  }

  #want(part) {
    this.cuts.want({ at: stampText(this.cut), log: this.logs, part });
  }

  goTo(stamp) {
    this.scale.reveal(stamp.micros);
    this.moveTo(stamp);
    this.#redraw();
  }

  #takeState(state) {
    const doubt = this.#doubt();
    const before = this.columns?.join("\n");
    this.state = state;
    this.columns = variablesOf(state, this.#first());
    if (this.#doubt() !== doubt) {
      this.picture.doubt = this.#doubt();
      this.picture.drawCut(this.cut);
    }
    this.#note("cut", "");
    this.#draw();
    clearTimeout(this.resting);
    if (state.inFlight === undefined) {
      this.resting = setTimeout(() => this.#want(""), RESTING_MILLIS);
    } else if (this.steps !== 0 && state.at === stampText(this.cut)) {
      const { steps } = this;
      this.steps = 0;
      this.#step(steps, false);
    }
    const time = isoText(parseStamp(state.at).micros);
    this.frame.announce(`${time}, state of ${counted(state.nodes.length, "node")}`);
    // Steps are drawn of the first columns; all else in the picture is as it was.
    if (this.picture !== this.density && this.columns.join("\n") !== before) {
      this.#redraw();
    }
  }

  /** Why the chosen finding, or the statement's predicate at the cut, holds. */
  async explain() {
    await this.found;
    const finding = this.findings[this.chosen];
    const stamp = finding?.stamp ?? this.cut;
    const alert = finding?.alert ?? this.alert;
    const signal = this.searching?.signal;
    const looking = { title: "Why", sentences: [], words: "Looking for the reason …" };
    this.explained = looking;
    this.#draw();
    try {
      const own = alert === this.alert ? this.query : await queryOf(this.server, alert);
      const statement = alert ? own : this.statement;
      if (statement === "") {
        this.explained.words = alert
          ? `The alert ${alert} is no longer defined, so that nothing explains its episode.`
          : "Nothing to explain: choose a red stretch with [ or ], or ask with WHEN first.";
      } else {
        const sentences = await explain(this.server, statement, {
          stamp: stampText(stamp),
          item: finding?.item ?? "",
          signal,
        });
        this.explained = { title: `Why: ${alert || "the statement"}`, sentences, words: "", stamp };
      }
    } catch (error) {
      if (this.explained !== looking) {
        return;
      }
      looking.words = signal?.aborted ? "The search was ended." : wordsOf(error);
    }
    this.#redraw();
    this.#draw();
    this.place.querySelector("#why-heading")?.focus();
  }

  #note(about, sentence) {
    if ((this.notes.get(about) ?? "") === sentence) {
      return;
    }
    if (sentence === "") {
      this.notes.delete(about);
    } else {
      this.notes.set(about, sentence);
    }
    this.#draw();
  }

  #remember() {
    remember("timeline", this.#parameters());
  }

  #parameters() {
    const finding = this.findings[this.chosen];
    return {
      cut: stampText(this.cut),
      from: Math.round(this.scale.from),
      to: Math.round(this.scale.to),
      q: this.statement,
      alert: finding?.alert === this.alert ? "" : this.alert,
      episode: finding?.alert === undefined ? "" : finding.id,
      log: this.logs,
      variable: this.shown,
      axis: this.wantsAligned ? "aligned" : "",
      why: this.explained === null ? "" : 1,
    };
  }

  #words() {
    const time = isoText(this.cut.micros);
    const stamp = stampText(this.cut);
    this.place.querySelector("#cut-time").textContent = `${time} UTC`;
    this.place.querySelector("#cut-stamp").textContent = `hlc'${stamp}'`;
    const span = durationText(this.scale.to - this.scale.from);
    const picture = this.picture;
    const what =
      picture === this.density
        ? this.tiles.problem !== ""
          ? `not up to date: ${this.tiles.problem}`
          : picture.loading
            ? "loading counts"
            : `${counted(this.density.count() ?? 0, "event")} in view, drawn as rates`
        : `${counted(picture.visible ?? 0, "event")} in view`;
    const text = `${span} from ${timeText(this.scale.from, 3)} on, ${what}`;
    this.place.querySelector("#stretch").textContent = text;
    this.canvas.setAttribute("aria-valuemin", String(Math.floor(this.scale.least)));
    this.canvas.setAttribute("aria-valuemax", String(Math.ceil(this.scale.most)));
    this.canvas.setAttribute("aria-valuenow", String(this.cut.micros));
    this.canvas.setAttribute("aria-valuetext", time);
  }

  #draw() {
    render(
      html`<h1 class="quiet">Timeline</h1>
        <div class="heading">
          <p>The cut: <strong id="cut-time"></strong> <code id="cut-stamp"></code></p>
          <p class="note">${this.#findingWords()}</p>
          <form @submit=${(event) => this.#go(event)}>
            <label for="go-to" class="quiet">Stamp or time</label>
            <input id="go-to" placeholder="stamp or time" autocomplete="off" />
            <button type="submit">Go</button>
          </form>
        </div>
        ${this.#controls()} ${this.#noteList()}
        <div class=${this.explained === null ? "timeline-grid" : "timeline-grid explained"}>
          <div class="picture">
            <div class="diagram">
              <canvas
                id="diagram"
                tabindex="0"
                role="slider"
                aria-label="The cut in the space-time diagram"
                aria-valuemin="0"
                aria-valuemax="0"
                aria-valuenow="0"
              ></canvas>
            </div>
            <p class="note" id="stretch"></p>
            ${this.#help()}
          </div>
          ${this.#why()} ${this.#stateSection()}
        </div>`,
      this.place,
    );
  }

  #controls() {
    const button = (key, words, extra = nothing) =>
      html`<button @click=${() => this.press(key, false)} aria-pressed=${extra}>${words}</button>`;
    return html`<div class="buttons">
      ${button("ArrowLeft", "Previous cut")} ${button("ArrowRight", "Next cut")}
      ${button("[", "Previous finding")} ${button("]", "Next finding")}
      ${button("e", "Explain", this.explained !== null)} ${button("+", "Zoom in")}
      ${button("-", "Zoom out")} ${button("0", "All")}
      ${button("a", "Aligned time", this.wantsAligned === true)}
      <button @click=${(event) => this.#copyLink(event)}>Copy link</button>
      ${this.#variableChoice()}
    </div>`;
  }

  #findingWords() {
    if (this.isSearching === true) {
      return "searching …";
    }
    if (this.findings.length === 0) {
      return this.statement || this.alert ? "no finding" : "";
    }
    const number = this.chosen < 0 ? "" : `finding ${this.chosen + 1} of `;
    const doubt = this.findings[this.chosen]?.borderline ? `, ${BORDERLINE}` : "";
    return `${number}${counted(this.findings.length, "finding")}${doubt}`;
  }

  #variableChoice() {
    const names = this.columns ?? [];
    return names.length === 0
      ? nothing
      : html`<details class="menu">
          <summary>Variables (${this.shown.length})</summary>
          <ul>
            ${names.slice(0, 60).map(
              (name) =>
                html`<li>
                  <label
                    ><input
                      type="checkbox"
                      .checked=${this.shown.includes(name)}
                      ?disabled=${!this.shown.includes(name) && this.shown.length >= MAX_SHOWN}
                      @change=${() => this.#toggleVariable(name)}
                    />
                    ${name}</label
                  >
                </li>`,
            )}
          </ul>
        </details>`;
  }

  #toggleVariable(name) {
    this.shown = this.shown.includes(name)
      ? this.shown.filter((each) => each !== name)
      : [...this.shown, name];
    this.density.shown = this.shown;
    this.tiles = new Tiles(this.server, { log: this.logs, variable: this.shown.map(shortName) }, () =>
      this.#arrived(),
    );
    this.density.tiles = this.tiles;
    this.columns = variablesOf(this.state, this.#first());
    this.#resize();
    this.#draw();
  }

  async #copyLink(event) {
    const button = event.target;
    await copyText(`${location.origin}/${addressOf("timeline", this.#parameters())}`);
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy link"), 1500);
  }

  /** What qualifies the picture and the state, in the words of the shell. */
  #noteList() {
    const aligned =
      this.wantsAligned === true && this.scale !== undefined && this.picture === this.density
        ? ["Aligned time is drawn when events are: zoom in."]
        : [];
    const sentences = [
      ...new Set([
        ...this.notes.values(),
        ...aligned,
        ...(this.state?.unknown ?? []),
        ...(this.state?.warnings ?? []),
      ]),
    ];
    return warningList(sentences);
  }

  #why() {
    if (this.explained === null) {
      return nothing;
    }
    const { title, sentences, words } = this.explained;
    const causes = sentences.filter(({ part }) => part === "cause");
    const others = sentences.filter(({ part }) => part !== "cause");
    const last = others.findLastIndex(({ part }) => part === "witness");
    return html`<section class="why" aria-labelledby="why-heading">
      <h2 id="why-heading" tabindex="-1">${title}</h2>
      <button class="close" aria-label="Close the explanation" @click=${() => this.#closeWhy()}>
        ×
      </button>
      ${words === "" ? nothing : html`<p>${words}</p>`}
      <ul>
        ${others.slice(0, last + 1).map((line) => this.#sentence(line))}
        ${causes.length === 0
          ? nothing
          : html`<li>
              <details>
                <summary>What led to it: ${counted(causes.length, "event")}</summary>
                <ul>
                  ${causes.map((line) => this.#sentence(line))}
                </ul>
              </details>
            </li>`}
        ${others.slice(last + 1).map((line) => this.#sentence(line))}
      </ul>
    </section>`;
  }

  #sentence({ part, explanation, node, hlc }) {
    const at = parseStamp(hlc ?? "");
    const linked = at !== null && (node !== "" || part === "nearest");
    return html`<li class=${part.replace(" ", "-")}>
      ${linked
        ? html`<button class="jump" @click=${() => this.goTo(at)}>${explanation}</button>`
        : explanation}
    </li>`;
  }

  #closeWhy() {
    this.explained = null;
    this.#draw();
    this.#resize();
    this.canvas.focus();
  }

  #help() {
    return html`<details id="help">
      <summary>Keys and marks</summary>
      <p>
        Left and right step from cut to cut, with Shift to the events of the focused node, which up
        and down choose in the diagram. + and - zoom, 0 shows all, [ and ] go to the previous and
        next finding, e explains it, g goes to a stamp, a chooses the axis, / opens the editor. Drag
        the line; drag with Alt to move the view; zoom with Ctrl and the wheel.
      </p>
      <p>
        A diamond is a change of values, a square a log line, a dot the end of a message, a triangle
        a start, two bars a stop. Rings mark the values that explain the finding; red is where its
        predicate holds, dashed if the clocks' uncertainty could reverse it. In hatched stretches events of the node may be missing; in shaded ones it
        was silent, or had stopped. A dashed line is a cut that is not proven. Where there are too many events, shades are their rates, and bands
        show the least and the greatest value of up to three variables and the slowest messages.
      </p>
      <p>
        The axis is the order of stamps, in which the cut is a straight line that no message crosses
        backwards. In aligned time each event is at the time of the driver's clock: the same cut is
        bent, and its bars are the intervals in which each node's clock may have been. Where bars
        overlap, clocks leave the order open.
      </p>
    </details>`;
  }

  #stateSection() {
    if (this.state === null) {
      return html`<p class="note">Reading the state at the cut …</p>`;
    }
    const focused = this.density?.names[this.density.focused] ?? "";
    return html`<section
        class="state-at"
        aria-labelledby="state-heading"
        data-at=${this.state.at}
      >
        <h2 id="state-heading">The state at this cut</h2>
        <p class=${this.state.uncertaintyMicros === null ? "doubt" : "note"}>
          ${this.#timeWords(this.state)}
        </p>
        ${stateTable(this.state, this.columns, focused)}
      </section>
      <section class="around" aria-label="Messages and events">
        <div>${inFlightList(this.state)}</div>
        <div>${this.#eventsAround()}</div>
      </section>`;
  }

  /** The time that rows of answers have, with its uncertainty. */
  #timeWords({ micros, uncertaintyMicros, clock }) {
    const whose = clock === "" ? "" : `, on the clock of ${clock}`;
    const bound = uncertaintyMicros === null ? "unknown" : durationText(uncertaintyMicros);
    return `${isoText(micros)} UTC${whose}, uncertainty ${bound}`;
  }

  #eventsAround() {
    if (this.scale === undefined || this.picture === this.density) {
      return nothing;
    }
    const { recording } = this.picture;
    const inside = recording.upTo(this.cut);
    const first = Math.max(0, inside - EVENTS_AROUND);
    const last = Math.min(recording.count, inside + EVENTS_AROUND);
    const numbers = Array.from({ length: last - first }, (_, i) => first + i);
    return html`<h2>Events around the cut</h2>
      <ul class="events">
        ${numbers.map(
          (i) =>
            html`<li class=${i < inside ? "inside" : "note"}>
              <span>${timeText(recording.micros[i])}</span>
              <strong>${recording.nodes[recording.node[i]]}</strong> ${recording.describe(i)}
            </li>`,
        )}
      </ul>`;
  }

  #go(event) {
    event.preventDefault();
    const input = event.target.elements["go-to"];
    const stamp = parseStamp(input.value) ?? timeStamp(input.value);
    input.setAttribute("aria-invalid", String(stamp === null));
    if (stamp !== null) {
      this.goTo(stamp);
    }
  }

  #listen() {
    const canvas = this.canvas;
    let held = null;
    const placeOf = (event) => event.clientX - canvas.getBoundingClientRect().left;
    canvas.addEventListener("pointerdown", (event) => {
      held = { x: placeOf(event), from: this.scale.from, moves: event.altKey };
      canvas.setPointerCapture(event.pointerId);
      if (!held.moves) {
        this.#drag(placeOf(event));
      }
    });
    canvas.addEventListener("pointermove", (event) => {
      if (held === null) {
        return;
      }
      if (held.moves) {
        const span = this.scale.to - this.scale.from;
        const from = held.from - ((placeOf(event) - held.x) / this.scale.width) * span;
        this.scale.show(from, from + span);
        this.#redraw();
      } else {
        this.#drag(placeOf(event));
      }
    });
    for (const end of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(end, () => (held = null));
    }
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    this.resizes = new ResizeObserver(() => this.#resizeIfChanged());
    this.resizes.observe(canvas.parentElement);
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.redraw = () => this.#redraw();
    this.dark.addEventListener("change", this.redraw);
  }

  #resizeIfChanged() {
    const width = this.canvas.parentElement.clientWidth;
    if (width !== this.lastWidth && this.density !== undefined) {
      this.lastWidth = width;
      this.#resize();
    }
  }

  #drag(x) {
    const micros = Math.max(0, Math.round(this.scale.micros(x)));
    this.moveTo({ micros, logical: 4095 }, true);
  }

  #wheel(event) {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const x = event.clientX - this.canvas.getBoundingClientRect().left;
      this.scale.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.scale.micros(x));
      this.#redraw();
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      const span = this.scale.to - this.scale.from;
      const move = ((event.deltaX || event.deltaY) / this.scale.width) * span;
      this.scale.show(this.scale.from + move, this.scale.to + move);
      this.#redraw();
    }
  }

  /** Does what a key says; returns whether it says something. */
  press(key, shift) {
    if (this.scale === undefined) {
      return false;
    }
    const inDiagram = document.activeElement === this.canvas;
    switch (key) {
      case "ArrowLeft":
        return this.#step(-1, shift);
      case "ArrowRight":
        return this.#step(1, shift);
      case "ArrowUp":
      case "ArrowDown":
        return inDiagram && this.#focusLane(key === "ArrowUp" ? -1 : 1);
      case "+":
      case "=":
        this.scale.zoom(0.6, this.cut.micros);
        break;
      case "-":
        this.scale.zoom(1.6, this.cut.micros);
        break;
      case "0":
        this.scale.all();
        break;
      case "[":
        return this.#neighbour(-1);
      case "]":
        return this.#neighbour(1);
      case "e":
        this.explained === null || this.explained.stamp !== this.findings[this.chosen]?.stamp
          ? this.explain()
          : this.#closeWhy();
        return true;
      case "a":
        this.wantsAligned = !this.wantsAligned;
        this.#draw();
        break;
      case "g":
        this.place.querySelector("#go-to").focus();
        return true;
      case "?":
        this.place.querySelector("#help").toggleAttribute("open");
        return true;
      default:
        return false;
    }
    this.#redraw();
    return true;
  }

  /** Steps to the previous or next cut of the variables, or of the focused node. */
  #step(direction, ofFocused) {
    const node = this.density.names[this.density.focused];
    if (ofFocused && node !== undefined && this.picture !== this.density) {
      const { recording } = this.picture;
      const number = recording.nodes.indexOf(node);
      this.goTo(recording.step(this.cut, direction, (i) => recording.node[i] === number));
      return true;
    }
    const name = direction < 0 ? "previous" : "next";
    const state = this.state?.at === stampText(this.cut) ? this.state : {};
    // The search for a change ends somewhere; another press continues it from there.
    const next = state[name] ?? state[`${name}Searched`];
    if (next) {
      this.goTo(parseStamp(next));
      if (!state[name]) {
        this.frame.announce("no change was found up to here; press again to search on");
      }
    } else if (name in state) {
      this.frame.announce(direction < 0 ? "there is no cut before" : "there is no cut after");
    } else {
      this.steps = direction; // as soon as the neighbours are known
      this.#want("");
    }
    return true;
  }

  #focusLane(direction) {
    const count = this.names.length;
    const lane = (this.density.focused + direction + count) % count;
    this.density.focused = lane;
    this.#draw();
    this.#redraw();
    this.frame.announce(`node ${this.names[lane]}, Shift and arrows step its events`);
    return true;
  }

  /** Goes to the finding before or after the cut. */
  #neighbour(direction) {
    if (this.isSearching === true) {
      this.found.then(() => this.isSearching || this.#neighbour(direction));
      return true;
    }
    const at = this.findings[this.chosen]?.stamp ?? this.cut;
    const after = (i) => compareStamps(this.findings[i].stamp, at);
    const numbers = this.findings.map((_, i) => i);
    const next =
      direction > 0
        ? numbers.find((i) => after(i) > 0)
        : numbers.reverse().find((i) => after(i) < 0);
    if (next === undefined) {
      this.frame.announce(direction > 0 ? "there is no later finding" : "there is no earlier one");
      return true;
    }
    this.#choose(next);
    const { from, to, stamp, label, borderline } = this.findings[next];
    const margin = Math.max(50_000, (to - from) * 0.6);
    if (from < this.scale.from || to > this.scale.to) {
      this.scale.show(from - margin, to + margin);
    }
    this.goTo(stamp);
    const doubt = borderline ? `, ${BORDERLINE}` : "";
    this.frame.announce(`${label}, ${isoText(from)}, for ${durationText(to - from)}${doubt}`);
    if (this.explained !== null) {
      this.explain();
    }
    return true;
  }
}

/** The stamp of a time such as 2026-11-20T18:40:00.2Z; null if it is none. */
function timeStamp(text) {
  const match = /^\s*(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\s*(?:Z|UTC)?\s*$/.exec(text);
  if (match === null) {
    return null;
  }
  const seconds = Date.parse(`${match[1]}T${match[2]}Z`);
  const micros = Number((match[3] ?? "").padEnd(6, "0"));
  return Number.isNaN(seconds) ? null : { micros: seconds * 1000 + micros, logical: 4095 };
}

function shortName(name) {
  return name.slice(name.indexOf(".") + 1);
}

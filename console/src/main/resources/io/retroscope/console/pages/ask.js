// Ask: a statement, its answer as a table and as steps, and the ways on from there.

import { html, nothing, render } from "lit-html";
import { wordsOf } from "../api/problem.js";
import { StatementEditor } from "../editor/editor.js";
import { hasWord, withFixedTimes } from "../editor/tokens.js";
import { parseStamp } from "../timeline/stamp.js";
import { StepChart, linesOf, numericColumns } from "../timeline/steps.js";
import { addressOf, goTo, remember } from "./address.js";
import { askForRule } from "./makerule.js";
import { RowTable } from "./rowtable.js";
import { copyText, csvOf, curlOf, ndjsonOf, saveText } from "./exports.js";
import { counted } from "./values.js";
import { leftOut, warningList } from "./warnings.js";

const MAX_ROWS = 100_000;
const MAX_WARNINGS = 50;
const MAX_LOGS = 100;
const SHOW_EVERY_MILLIS = 200;
const NOT_BY_LINK =
  "This statement changes something, so that a link does not run it. Read it first, then choose Run.";

/** Opens the page. */
export async function open(frame, place, parameters) {
  const page = new Ask(frame, place);
  await page.start(parameters);
  return page;
}

class Ask {
  constructor(frame, place) {
    this.frame = frame;
    this.server = frame.server;
    this.place = place;
    this.rows = [];
    this.warnings = [];
    this.state = "idle";
    this.problem = "";
    this.column = "";
    this.chosenColumn = "";
    this.logs = [];
    this.examples = [];
  }

  async start(parameters) {
    this.#draw();
    this.editor = new StatementEditor(this.place.querySelector("#editor"), this.server, {
      text: parameters.get("q") ?? "",
      run: () => this.run(),
      changed: (q) => this.#remember(q),
      label: "Statement",
    });
    this.table = new RowTable(this.place.querySelector("#rows"), {
      label: "Rows of the answer",
      open: (row) => this.#openCut(row),
    });
    this.chart = new StepChart(this.place.querySelector("#chart"), (micros) =>
      this.#openTimeline(`${micros}.4095`),
    );
    await this.#look();
    this.#follow(parameters);
  }

  change(parameters) {
    const text = parameters.get("q") ?? "";
    if (text !== this.editor.text) {
      this.editor.text = text;
      this.#clear();
      this.#follow(parameters);
    }
  }

  /** Runs the statement of a link if it only reads, because links come from anywhere. */
  async #follow(parameters) {
    const statement = this.editor.text;
    if (statement.trim() === "" || parameters.get("run") !== "1") {
      return;
    }
    const checking = new AbortController();
    this.running = checking;
    const refusal = await this.#refusal(statement, checking.signal);
    const isCurrent = this.running === checking && !checking.signal.aborted;
    if (!isCurrent || this.editor.text !== statement) {
      return;
    }
    if (refusal === "") {
      await this.run(parameters.get("column") ?? "");
      return;
    }
    this.running = null;
    this.problem = refusal;
    this.stopped = "not run";
    this.state = "failed";
    this.#draw();
  }

  /** Why a link does not run a statement; empty if it does. */
  async #refusal(statement, signal) {
    try {
      const answer = await this.server.post("/v1/check-statement", { query: statement }, { signal });
      return answer.needs === "read" ? "" : answer.text || NOT_BY_LINK;
    } catch (error) {
      return wordsOf(error);
    }
  }

  close() {
    this.running?.abort();
    this.running = null;
    this.editor.close();
    this.table.close();
    this.chart.close();
  }

  focusEditor() {
    this.editor.focus();
  }

  #remember(q = this.editor.text) {
    remember("ask", q === this.asked ? this.#parameters(q) : { q });
  }

  /** The state of an answer, which a link shows again. */
  #parameters(q) {
    return { q, run: 1, column: this.chosenColumn };
  }

  /** The logs that there are, and questions about their variables. */
  async #look() {
    const [logs, examples] = await Promise.allSettled([
      this.server.get("/v1/logs"),
      this.server.get("/v1/examples"),
    ]);
    this.logs = logs.value?.logs ?? [];
    this.examples = examples.value?.examples ?? [];
    this.#draw();
  }

  #clear() {
    this.running?.abort();
    this.rows = [];
    this.warnings = [];
    this.problem = "";
    this.asked = undefined;
    this.state = "idle";
    this.table.show(this.rows);
    this.#draw();
  }

  /** Runs the statement; an earlier one ends. The chart has a column if the answer has it. */
  async run(column = "") {
    this.#clear();
    const statement = this.editor.text;
    if (statement.trim() === "") {
      return;
    }
    const running = new AbortController();
    this.running = running;
    this.state = "running";
    this.stopped = "";
    this.asked = statement;
    this.column = "";
    this.chosenColumn = column;
    this.#remember();
    this.#draw();
    try {
      await this.#read(statement, running);
    } catch (error) {
      if (this.running !== running) {
        return;
      }
      if (running.signal.aborted) {
        this.stopped = this.stopped || "stopped: rows after these were not read";
      } else {
        this.problem = wordsOf(error);
      }
    }
    if (this.running === running) {
      this.running = null;
      this.state = this.problem === "" ? "done" : "failed";
      this.#showRows();
      this.frame.announce(this.#summary());
    }
  }

  async #read(statement, running) {
    let shown = performance.now();
    for await (const line of this.server.query(statement, { signal: running.signal })) {
      if (this.running !== running) {
        return;
      }
      if (line.warning !== undefined && Object.keys(line).length === 1) {
        this.warnings.push(line.warning);
      } else {
        this.rows.push(line);
      }
      if (this.rows.length >= MAX_ROWS) {
        this.stopped = `only the first ${counted(MAX_ROWS, "row")} are shown: narrow the question with ON TIME, or export it with the curl line`;
        running.abort();
        return;
      }
      if (performance.now() - shown > SHOW_EVERY_MILLIS) {
        this.#showRows();
        shown = performance.now();
        await new Promise((resolve) => setTimeout(resolve));
      }
    }
  }

  #showRows() {
    this.columns = numericColumns(this.rows);
    const has = (name) => this.columns.includes(name);
    this.column = [this.chosenColumn, this.column, ...this.columns.slice(-1)].find(has) ?? "";
    this.#draw();
    this.table.show(this.rows);
    this.chart.show(this.column === "" ? [] : linesOf(this.rows, this.column), this.#hasAllCuts);
  }

  /** Whether values hold from row to row: WHEN leaves out cuts between them. */
  get #hasAllCuts() {
    return !hasWord(this.asked ?? "", "WHEN");
  }

  #summary() {
    const rows = counted(this.rows.length, "row");
    const running = this.state === "running" ? ", reading" : "";
    const stopped = this.stopped ? `, ${this.stopped}` : "";
    const broken = this.problem !== "" && this.rows.length > 0 ? ", incomplete: it failed" : "";
    return `${rows}${running}${stopped}${broken}`;
  }

  #openCut(row) {
    const stamp = row.hlc ?? row.cut;
    if (typeof stamp === "string") {
      this.#openTimeline(stamp);
    }
  }

  #openTimeline(cut) {
    goTo("timeline", { cut, q: this.asked });
  }

  #ask(query) {
    this.editor.text = query;
    this.run();
  }

  #draw() {
    render(
      html`<h1 class="quiet">Ask</h1>
        <div class="asking">
          <section class="editing" aria-label="Statement">
            <div id="editor" class="editor"></div>
            ${this.#buttons()}
          </section>
          ${this.#logList()}
        </div>
        ${this.#first()} ${this.#answer()}`,
      this.place,
    );
  }

  #buttons() {
    const stream = this.editor !== undefined && hasWord(this.editor.text, "STREAM");
    return html`<div class="buttons">
      <button class="primary" @click=${() => this.run()}>Run <kbd>Ctrl Enter</kbd></button>
      <button ?hidden=${this.state !== "running"} @click=${() => this.running?.abort()}>
        Stop
      </button>
      <button @click=${() => goTo("live", { q: this.editor.text })} ?hidden=${!stream}>
        Open in Live
      </button>
      <button @click=${() => askForRule(this.server, this.editor.text)}>Make a rule</button>
      <button @click=${(event) => this.#copyLink(event)}>Copy link</button>
    </div>`;
  }

  /** Copies a link in which relative times are stamps: it shows the same later. */
  async #copyLink(event) {
    const button = event.target;
    const { now, until } = await this.server.get("/v1/session");
    const at = parseStamp(now ?? until ?? "");
    const q = at === null ? this.editor.text : withFixedTimes(this.editor.text, at.micros);
    await copyText(location.origin + "/" + addressOf("ask", this.#parameters(q)));
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy link"), 1500);
  }

  #logList() {
    if (this.logs.length === 0) {
      return nothing;
    }
    return html`<section class="logs" aria-labelledby="logs-heading">
      <h2 id="logs-heading">Logs</h2>
      <ul>
        ${this.logs.slice(0, MAX_LOGS).map(
          (log) =>
            html`<li>
              <details ?open=${this.logs.length <= 3}>
                <summary>
                  <strong>${log.name}</strong> <span>${counted(log.events, "event")}</span>
                </summary>
                ${log.variables.slice(0, 60).map(
                  (name) =>
                    html`<button
                      class="chip"
                      @click=${() => this.#ask(`SELECT ${quoted(name)} FROM ${quoted(log.name)}`)}
                    >
                      ${name}
                    </button> `,
                )}
                ${log.variables.length > 60
                  ? html`<span class="note">and ${log.variables.length - 60} more</span>`
                  : nothing}
              </details>
            </li>`,
        )}
      </ul>
      ${leftOut(this.logs.length, MAX_LOGS, "logs")}
    </section>`;
  }

  /** The first view: questions that can be run by a click. */
  #first() {
    if (this.state !== "idle") {
      return nothing;
    }
    if (this.examples.length === 0) {
      return this.logs.length > 0
        ? html`<p class="note first">Choose a variable, or write a statement.</p>`
        : html`<p class="note first">
            Nothing is recorded yet. Run <code>./retroscope demo zookeeper --keep</code>, or start a
            service with a recorder, and this page has questions about its variables.
          </p>`;
    }
    return html`${this.#sentences(this.frame.session.warnings)}
    <section class="first" aria-labelledby="first-heading">
      <h2 id="first-heading">Questions about these logs</h2>
      <ul class="cards">
        ${this.examples.map(
          ({ title, query, reason }) =>
            html`<li>
              <button class="card" @click=${() => this.#ask(query)}>
                <strong>${title}</strong>
                <code>${query}</code>
                <span>${reason}</span>
              </button>
            </li>`,
        )}
      </ul>
      ${this.#hint()}
    </section>`;
  }

  /** How lines get variables: questions about states need some. */
  #hint() {
    const hasLines = this.logs.some(({ variables }) => variables.includes("message"));
    return this.frame.session.source !== "files" || !hasLines
      ? nothing
      : html`<p class="note">
          Values in log lines become variables, which nodes keep, with an option such as
          <code>./retroscope console --set 'became (?&lt;role&gt;\\w+)' FILE...</code>
        </p>`;
  }

  #answer() {
    const idle = this.state === "idle";
    const charted = !idle && this.column !== "" && this.rows.length > 1;
    return html`<section class="answer" aria-label="Answer" ?hidden=${idle}>
      ${this.problem === "" ? nothing : html`<pre class="problem" role="alert">${this.problem}</pre>`}
      ${this.#sentences(this.warnings)}
      <div class="summary-line">
        <p class=${this.stopped || (this.problem && this.rows.length) ? "partial" : ""}>
          <strong>${this.#summary()}</strong>
          ${this.rows.length > 0 && this.rows[0].hlc !== undefined
            ? html`<span class="note">A row opens the timeline at its cut.</span>`
            : nothing}
        </p>
        <div class="buttons" ?hidden=${this.rows.length === 0}>
          <button @click=${() => saveText("rows.csv", "text/csv", csvOf(this.rows))}>CSV</button>
          <button
            @click=${() => saveText("rows.ndjson", "application/x-ndjson", ndjsonOf(this.rows, this.warnings))}
          >
            NDJSON
          </button>
          <button @click=${() => copyText(curlOf(this.asked, this.server.token !== ""))}>
            Copy curl line
          </button>
        </div>
      </div>
      <div ?hidden=${!charted}>
        <div class="chart-heading">
          <label
            >${this.#hasAllCuts ? "Steps of" : "Rows with"}
            <select @change=${(event) => this.#chooseColumn(event.target.value)}>
              ${(this.columns ?? []).map(
                (name) => html`<option .selected=${name === this.column}>${name}</option>`,
              )}
            </select></label
          >
          <ul class="legend">
            ${charted
              ? linesOf(this.rows.slice(0, 2000), this.column).map(
                  ({ name }, i) => html`<li class="series-${i % 6}">${name}</li>`,
                )
              : nothing}
          </ul>
        </div>
        <div class="chart">
          <canvas id="chart" role="img" aria-label="Values as steps; the table has the same"></canvas>
        </div>
      </div>
      <div id="rows" ?hidden=${this.rows.length === 0}></div>
    </section>`;
  }

  #chooseColumn(name) {
    this.chosenColumn = name;
    this.#remember();
    this.#showRows();
  }

  /** What qualifies an answer, in the words of the shell. */
  #sentences(warnings) {
    return warningList(warnings.map((sentence) => `warning: ${sentence}`), MAX_WARNINGS);
  }
}

/** A name as a statement has it: in backquotes if it is not made of letters. */
function quoted(name) {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : `\`${name}\``;
}

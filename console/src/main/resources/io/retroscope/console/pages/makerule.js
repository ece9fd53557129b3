// The dialog that makes the text of a rule from a statement.

import { html, nothing, render } from "lit-html";
import { wordsOf } from "../api/problem.js";
import { withoutClauses } from "../editor/tokens.js";
import { copyText } from "./exports.js";

/** The text of a rule for a file. */
export function ruleText(kind, name, statement) {
  const body = withoutClauses(statement, "STREAM", "EMIT", "LIMIT", "ON", "PLAY");
  return `CREATE ${kind} ${name} AS (\n  ${body}\n);\n`;
}

/** Shows the text of a rule, and whether the server would take it. */
export function askForRule(server, statement) {
  const place = document.getElementById("dialogs");
  const state = { kind: "ALERT", name: "my_alert", verdict: nothing };
  const close = () => render(html``, place);
  const draw = () => {
    const text = ruleText(state.kind, state.name, statement);
    render(
      html`<dialog aria-labelledby="rule-heading" @close=${close}>
        <h2 id="rule-heading">A rule from this statement</h2>
        <p>
          Put this text into a file <code>*.rql</code> of the folder of
          <code>--rules</code>. The same file is checked in tests with
          <code>./retroscope check</code>. This page writes no files of rules.
        </p>
        <div class="buttons">
          <label
            >Name
            <input .value=${state.name} @input=${(event) => change("name", event.target.value)}
          /></label>
          <label
            ><input
              type="checkbox"
              .checked=${state.kind === "ALERT"}
              @change=${(event) => change("kind", event.target.checked ? "ALERT" : "RULE")}
            />
            also evaluate it as events arrive</label
          >
        </div>
        <pre tabindex="0" aria-label="Text of the rule">${text}</pre>
        ${state.verdict}
        <div class="buttons">
          <button class="primary" @click=${(event) => copy(event, text)}>Copy</button>
          <button @click=${() => place.querySelector("dialog").close()}>Close</button>
        </div>
      </dialog>`,
      place,
    );
    check(text);
  };
  const change = (field, value) => {
    state[field] = field === "name" ? value.replace(/\W/g, "_") || "my_alert" : value;
    draw();
  };
  let checked = "";
  const check = async (text) => {
    if (text === checked) {
      return;
    }
    checked = text;
    try {
      const answer = await server.post("/v1/check-statement", { query: text });
      const wrong = answer.text ?? "";
      state.verdict =
        answer.diagnostics.length === 0
          ? html`<p class="good" role="status">The server would take this rule.</p>`
          : html`<pre class="problem" role="status">${wrong}</pre>`;
    } catch (error) {
      state.verdict = html`<p class="problem" role="status">${wordsOf(error)}</p>`;
    }
    if (text === checked && place.querySelector("dialog") !== null) {
      draw();
    }
  };
  draw();
  place.querySelector("dialog").showModal();
}

async function copy(event, text) {
  event.target.textContent = (await copyText(text)) ? "Copied" : "Select the text to copy it";
}

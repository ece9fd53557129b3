// A table of up to 100,000 rows, of which only the visible ones are in the page.

import { html, render } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { valueText } from "./values.js";

const ROW = 28;
const MARGIN_ROWS = 8;
const SAMPLED_ROWS = 60;
const MAX_COLUMN = 46;

/** A table of rows that scrolls; a row can be opened by a click or by Enter. */
export class RowTable {
  constructor(place, { open, label }) {
    this.place = place;
    this.open = open;
    this.label = label;
    this.rows = [];
    this.columns = [];
    this.current = -1;
    place.className = "rows";
    place.addEventListener("scroll", () => this.#draw(), { passive: true });
    this.resizes = new ResizeObserver(() => this.#draw());
    this.resizes.observe(place);
  }

  close() {
    this.resizes.disconnect();
  }

  /** Shows rows; the array may grow, then this is called again. */
  show(rows) {
    if (rows !== this.rows) {
      this.columns = [];
      this.current = -1;
      this.place.scrollTop = 0;
      this.place.scrollLeft = 0;
    }
    this.rows = rows;
    for (const row of rows.slice(0, SAMPLED_ROWS)) {
      for (const name of Object.keys(row)) {
        if (!this.columns.includes(name)) {
          this.columns.push(name);
        }
      }
    }
    this.widths = this.columns.map((name) => this.#width(name));
    this.kinds = this.columns.map((name) => this.#kind(name));
    this.#draw();
  }

  #width(name) {
    const longest = this.rows
      .slice(0, SAMPLED_ROWS)
      .reduce((most, row) => Math.max(most, valueText(row[name]).length), name.length);
    return Math.min(MAX_COLUMN, longest + 3);
  }

  /** The class of a column with numbers. */
  #kind(name) {
    const sample = this.rows.slice(0, SAMPLED_ROWS).map((row) => row[name] ?? null);
    return sample.some((value) => typeof value === "number") ? "number" : "";
  }

  #draw() {
    const first = Math.max(0, Math.floor(this.place.scrollTop / ROW) - MARGIN_ROWS);
    const visible = Math.ceil(this.place.clientHeight / ROW) + 2 * MARGIN_ROWS;
    const last = Math.min(this.rows.length, first + visible);
    const numbers = Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i);
    render(
      html`<table
        aria-rowcount=${this.rows.length + 1}
        aria-label=${this.label}
        @click=${(event) => this.#click(event)}
        @keydown=${(event) => this.#key(event)}
      >
        <thead>
          <tr aria-rowindex="1">
            ${this.columns.map(
              (name, i) => html`<th scope="col" class=${this.kinds[i]}>${name}</th>`,
            )}
          </tr>
        </thead>
        <tbody>
          <tr class="space" aria-hidden="true"><td></td></tr>
          ${repeat(
            numbers,
            (number) => number,
            (number) => this.#row(number),
          )}
          <tr class="space" aria-hidden="true"><td></td></tr>
        </tbody>
      </table>`,
      this.place,
    );
    const [before, after] = this.place.querySelectorAll("tr.space > td");
    before.style.height = `${first * ROW}px`;
    after.style.height = `${(this.rows.length - last) * ROW}px`;
    this.place.querySelectorAll("th").forEach((cell, i) => {
      cell.style.minWidth = `${this.widths[i]}ch`;
    });
  }

  #row(number) {
    const row = this.rows[number];
    const first = this.current < 0 ? number === 0 : number === this.current;
    return html`<tr
      data-row=${number}
      aria-rowindex=${number + 2}
      tabindex=${first ? 0 : -1}
      class=${this.open === undefined ? "" : "opens"}
    >
      ${this.columns.map((name, i) => this.#cell(row[name], this.kinds[i]))}
    </tr>`;
  }

  #cell(value, kind) {
    const text = valueText(value);
    const unknown = value === null || value === undefined ? "null" : "";
    const title = text.length > MAX_COLUMN ? text : "";
    return html`<td class="${kind} ${unknown}" title=${title}>${text}</td>`;
  }

  #click(event) {
    const row = event.target.closest("tr[data-row]");
    if (row !== null && window.getSelection().isCollapsed) {
      this.open?.(this.rows[Number(row.dataset.row)]);
    }
  }

  #key(event) {
    const row = event.target.closest("tr[data-row]");
    if (row === null) {
      return;
    }
    const number = Number(row.dataset.row);
    const page = Math.max(1, Math.floor(this.place.clientHeight / ROW) - 2);
    const moves = { ArrowUp: -1, ArrowDown: 1, PageUp: -page, PageDown: page };
    moves.Home = -number;
    moves.End = this.rows.length - 1 - number;
    if (event.key === "Enter") {
      this.open?.(this.rows[number]);
    } else if (event.key in moves) {
      this.#moveTo(Math.min(this.rows.length - 1, Math.max(0, number + moves[event.key])));
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  #moveTo(number) {
    this.current = number;
    const top = number * ROW;
    if (top < this.place.scrollTop) {
      this.place.scrollTop = top;
    } else if (top + 2 * ROW > this.place.scrollTop + this.place.clientHeight) {
      this.place.scrollTop = top + 2 * ROW - this.place.clientHeight;
    }
    this.#draw();
    this.place.querySelector(`tr[data-row="${number}"]`)?.focus({ preventScroll: true });
  }
}

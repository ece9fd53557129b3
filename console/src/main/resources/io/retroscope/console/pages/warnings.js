// What qualifies an answer or a picture, in the words of the shell.

import { html, nothing } from "lit-html";

const MOST = 20;

/**
 * The first sentences as a list, and how many more there are; nothing if there are none.
 *
 * `forgotten` are those that are not in the array any more.
 */
export function warningList(sentences, most = MOST, forgotten = 0) {
  const more = Math.max(0, sentences.length - most) + forgotten;
  return sentences.length === 0
    ? nothing
    : html`<ul class="warnings">
        ${sentences.slice(0, most).map((sentence) => html`<li>${sentence}</li>`)}
        ${more > 0 ? html`<li>and ${more.toLocaleString("en")} more</li>` : nothing}
      </ul>`;
}

/** Says that only the first of some things are shown; nothing if all are. */
export function leftOut(count, most, noun) {
  return count <= most
    ? nothing
    : html`<p class="note">${most} of ${count.toLocaleString("en")} ${noun} are shown.</p>`;
}

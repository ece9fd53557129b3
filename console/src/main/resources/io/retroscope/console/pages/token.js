// The dialog that asks for a token.

import { html, render } from "lit-html";

/** Asks for a token; the promise has it. */
export function askForToken(place, problem) {
  return new Promise((resolve) => {
    const submit = (event) => {
      event.preventDefault();
      const token = event.target.elements.token.value.trim();
      if (token !== "") {
        render(html``, place);
        resolve(token);
      }
    };
    render(
      html`<dialog id="token-dialog" aria-labelledby="token-heading">
        <form @submit=${submit}>
          <h2 id="token-heading">${problem.title}</h2>
          <p>
            This server admits requests with a token only. It is kept until this tab is closed, and
            is never part of an address.
          </p>
          <label>Token <input name="token" type="password" autocomplete="off" required /></label>
          <button type="submit" class="primary">Use this token</button>
        </form>
      </dialog>`,
      place,
    );
    const dialog = place.querySelector("dialog");
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    dialog.showModal();
  });
}

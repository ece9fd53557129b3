// The dialog that asks for a token.

import { html, nothing, render } from "lit-html";

/** Asks for a token; the promise has it. */
export function askForToken(place, problem) {
  return new Promise((resolve) => {
    const submit = (event) => {
      event.preventDefault();
      const input = event.target.elements.token;
      const token = input.value.trim();
      if (!/^[\x20-\x7e]*$/.test(token)) {
        // No header can have it, so that every later request would fail.
        input.value = "";
        draw("No token has such characters: paste it as it is in the file of tokens.");
      } else if (token !== "") {
        render(html``, place);
        resolve(token);
      }
    };
    const draw = (wrong) => render(
      html`<dialog id="token-dialog" aria-labelledby="token-heading">
        <form @submit=${submit}>
          <h2 id="token-heading">${problem.title}</h2>
          <p>
            This server admits requests with a token only. It is kept until this tab is closed, and
            is never part of an address.
          </p>
          <label>Token <input name="token" type="password" autocomplete="off" required /></label>
          ${wrong ? html`<p class="problem" role="alert">${wrong}</p>` : nothing}
          <button type="submit" class="primary">Use this token</button>
        </form>
      </dialog>`,
      place,
    );
    draw("");
    const dialog = place.querySelector("dialog");
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    dialog.showModal();
  });
}

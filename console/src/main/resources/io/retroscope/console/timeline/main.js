// The start of the page.

import { Report } from "./report.js";

/** The data of the page, which is compressed. */
async function unpacked() {
  const packed = atob(document.getElementById("data").textContent);
  const bytes = Uint8Array.from(packed, (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

try {
  new Report(await unpacked()).start();
  document.documentElement.dataset.state = "ready";
} catch (error) {
  const failure = document.getElementById("failure");
  failure.textContent = `This browser cannot show the page: ${error.message}`;
  failure.hidden = false;
  throw error;
}

// The state of a page in the fragment of the address, which no server receives.

/** The page and its parameters that an address names. */
export function readAddress(fragment = location.hash) {
  const match = /^#\/([a-z]+)(?:\?(.*))?$/.exec(fragment);
  return match === null
    ? { page: "", parameters: new URLSearchParams() }
    : { page: match[1], parameters: new URLSearchParams(match[2] ?? "") };
}

/** The fragment of a page; parameters without a value are left out, arrays repeat theirs. */
export function addressOf(page, parameters = {}) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null && each !== "") {
        search.append(name, String(each));
      }
    }
  }
  const text = search.toString();
  return text === "" ? `#/${page}` : `#/${page}?${text}`;
}

/** Goes to a page, with an entry in the history. */
export function goTo(page, parameters) {
  location.hash = addressOf(page, parameters);
}

let waiting = 0;

/** Keeps the state of the page in the address, at most some times per second as browsers allow. */
export function remember(page, parameters) {
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    // Another page may have been chosen, of which its event has not been handled yet.
    if (["", page].includes(readAddress().page)) {
      history.replaceState(null, "", addressOf(page, parameters));
    }
  }, 200);
}

/** Forgets a state that has not been written yet, because another page is shown. */
export function forgetPending() {
  clearTimeout(waiting);
}

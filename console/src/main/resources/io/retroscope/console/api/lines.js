// Texts that arrive in parts.

const MOST_CHARACTERS = 32 * 1024 * 1024;

/** The lines of a stream of bytes, each as soon as it is complete. */
export async function* textLines(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    while (true) {
      const { value, done } = await reader.read();
      if (done) {
        break;
      }
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      if (rest.length > MOST_CHARACTERS) {
        throw new Error("the answer has a line that is too long for this page");
      }
      yield* lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
    }
    if (rest !== "") {
      yield rest;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** The server-sent events of a stream of bytes. */
export async function* serverSentEvents(stream) {
  let event = { name: "message", data: "", id: null };
  for await (const line of textLines(stream)) {
    const [field, value] = fieldOf(line);
    if (line === "") {
      if (event.data !== "" || event.name !== "message") {
        yield event;
      }
      event = { name: "message", data: "", id: null };
    } else if (field === "event") {
      event.name = value;
    } else if (field === "data") {
      event.data += event.data === "" ? value : `\n${value}`;
    } else if (field === "id") {
      event.id = value;
    } else if (field === "") {
      yield { name: "comment", data: "", id: null };
    }
  }
}

function fieldOf(line) {
  const colon = line.indexOf(":");
  if (colon < 0) {
    return [line, ""];
  }
  const value = line.slice(colon + 1);
  return [line.slice(0, colon), value.startsWith(" ") ? value.slice(1) : value];
}

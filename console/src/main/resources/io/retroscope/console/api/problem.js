// Errors of the server as objects.

/** A refused request: the members of its problem document. */
export class Problem extends Error {
  constructor(document) {
    super(document.detail ?? document.title ?? "The request failed");
    this.name = "Problem";
    this.title = document.title ?? "The request failed";
    this.status = document.status ?? 0;
    this.text = document.text ?? "";
    this.diagnostics = document.diagnostics ?? [];
  }

  /** The message as the shell prints it, or the sentence. */
  get words() {
    return this.text === "" ? `${this.title}: ${this.message}` : this.text;
  }
}

/** The problem of an answer that failed. */
export async function problemOf(response) {
  try {
    return new Problem(await response.json());
  } catch {
    return new Problem({
      title: "The server failed",
      status: response.status,
      detail: `status ${response.status}, without a reason`,
    });
  }
}

/** The words for any error. */
export function wordsOf(error) {
  if (error instanceof Problem) {
    return error.words;
  }
  return error instanceof TypeError
    ? "The server cannot be reached. The page tries again when you do."
    : error.message;
}

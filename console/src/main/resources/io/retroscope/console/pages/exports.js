// Answers as files, and as a command.

import { valueText } from "./values.js";

/** Puts a text into the clipboard; returns whether it could. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "quiet";
    (document.querySelector("dialog[open]") ?? document.body).append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    return copied;
  }
}

/** Saves a text as a file. */
export function saveText(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Rows as CSV; a text that a spreadsheet would evaluate is preceded by an apostrophe. */
export function csvOf(rows) {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : valueText(value);
    const safe = typeof value !== "number" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const lines = [columns, ...rows.map((row) => columns.map((name) => row[name]))];
  return lines.map((line) => line.map(cell).join(",")).join("\r\n") + "\r\n";
}

/** Rows and warnings, one object per line. */
export function ndjsonOf(rows, warnings) {
  const lines = [...warnings.map((warning) => ({ warning })), ...rows];
  return lines.map((line) => JSON.stringify(line)).join("\n") + "\n";
}

/** The command that gets the same answer. */
export function curlOf(statement, hasToken) {
  const token = hasToken ? ` -H "Authorization: Bearer $RETROSCOPE_TOKEN"` : "";
  const text = `'${statement.replaceAll("'", "'\\''")}'`;
  return `curl -sS${token} -H 'Content-Type: application/rql' --data-binary ${text} ${location.origin}/v1/query`;
}

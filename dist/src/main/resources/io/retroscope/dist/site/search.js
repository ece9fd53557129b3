// Finds sections that contain all words, those with words in their heading first.
"use strict";

const MOST = 20;
const input = document.querySelector("input[type=search]");
const found = document.getElementById("found");

function score(section, words) {
  const [, title, heading, text] = section.map((part) => part.toLowerCase());
  let sum = 0;
  for (const word of words) {
    const points =
      (heading.includes(word) ? 5 : 0) + (title.includes(word) ? 2 : 0) + (text.includes(word) ? 1 : 0);
    if (points === 0) {
      return 0;
    }
    sum += points;
  }
  return sum;
}

function excerpt(text, word) {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - 60);
  return (at > 0 ? "... " : "") + text.slice(at, at + 160);
}

function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const hits = words.length === 0
    ? []
    : INDEX.map((section) => [score(section, words), section])
        .filter(([points]) => points > 0)
        .sort((a, b) => b[0] - a[0])
        .slice(0, MOST);
  found.replaceChildren(
    ...hits.map(([, [address, title, heading, text]]) => {
      const link = document.createElement("a");
      link.href = input.dataset.up + address;
      link.textContent = heading === title ? title : title + ": " + heading;
      const line = document.createElement("small");
      line.textContent = excerpt(text, words[0]);
      const item = document.createElement("li");
      item.append(link, line);
      return item;
    }),
  );
}

input.addEventListener("input", search);

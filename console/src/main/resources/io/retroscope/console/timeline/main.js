// The start of the page.

import { Report } from "./report.js";

const data = JSON.parse(document.getElementById("data").textContent);
const report = new Report(data);
report.start();

/* check.js DIRECTORY   Asks the search of the reference what readers ask, and expects these sections among the first five. */
"use strict";
const { find } = require("./find.js");
const index = require(process.argv[2] + "/find-index.js");
const questions = {
    "transfer": "simkit_transfer_start()",
    "transfer cancel": "simkit_transfer_cancel()",
    "queue": "When: a radix heap with a sorted front",
    "install": "Your system",
    "nice weights": "contention_nice_weight()",
    "machine file": "Machine files",
    "load average": "The load average",
    "deadlock": "Simulation",
    "python": "Your system",
};
let missed = 0;
for (const [query, title] of Object.entries(questions)) {
    const titles = find(index, query).slice(0, 5).map((hit) => hit.title);
    if (titles.includes(title)) continue;
    console.error(`the search for "${query}" does not find "${title}" among: ${titles.join(" | ")}`);
    missed = 1;
}
process.exit(missed);

/* find.js   Full-text search of the reference, in the browser: no server, so it works on files too.
 * find-index.js, which docs/html/index.py writes, has all sections: find_index = [[title, page, address, text], ...]. */
"use strict";

/* The sections in which every word of a query begins some word, best first. A title counts more than a text, a page
 * more than a function, and a whole word more than its beginning. */
function find(index, query) {
    const words = query.toLowerCase().match(/[a-z0-9]+/g) || [];
    const found = [];
    for (const [title, page, address, text] of words.length ? index : []) {
        const head = title.toLowerCase().replace(/_/g, " "), body = text.toLowerCase().replace(/_/g, " ");
        let score = /^(group|struct)/.test(address) ? 0 : 3;
        for (const word of words) {
            const whole = new RegExp("\\b" + word + "s?\\b"), begin = new RegExp("\\b" + word, "g");
            const times = (body.match(begin) || []).length;
            const here = (whole.test(head) ? 12 : head.search(begin) >= 0 ? 6 : 0) + Math.min(times, 5);
            if (!here) { score = 0; break; }
            score += here;
        }
        if (score > 3) found.push({ score, title, page, address, text });
    }
    return found.sort((a, b) => b.score - a.score);
}

/* The words around the first hit. */
function excerpt(text, query) {
    const word = (query.toLowerCase().match(/[a-z0-9]+/) || [""])[0];
    const at = Math.max(0, text.toLowerCase().indexOf(word) - 60);
    return (at ? "... " : "") + text.substr(at, 200) + (at + 200 < text.length ? " ..." : "");
}

function show(list, query) {
    list.textContent = "";
    for (const hit of find(find_index, query).slice(0, 30)) {
        const link = document.createElement("a"), line = document.createElement("div");
        link.href = hit.address;
        link.textContent = hit.title + (hit.page && hit.page !== hit.title ? " - " + hit.page : "");
        line.textContent = excerpt(hit.text, query);
        link.style.cssText = "font-weight: bold; display: block; margin-top: 0.6em";
        list.append(link, line);
    }
    if (query && !list.firstChild) list.textContent = "Nothing found.";
    list.style.display = query ? "block" : "none";
}

if (typeof document !== "undefined") {
    const box = document.createElement("input"), list = document.createElement("div");
    box.type = "search";
    box.placeholder = "Search all pages";
    box.style.cssText = "position: absolute; right: 1em; top: 1em; width: 16em; z-index: 10000";
    list.style.cssText = "position: absolute; right: 1em; top: 3.2em; width: min(46em, 90%); max-height: 80%; overflow: auto; " +
        "z-index: 10000; display: none; background: white; color: black; border: 1px solid gray; padding: 0.5em 1em";
    box.addEventListener("input", () => show(list, box.value));
    list.addEventListener("click", () => { list.style.display = "none"; });
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") list.style.display = "none"; });
    document.body.append(box, list);
    box.value = new URLSearchParams(location.search).get("q") || ""; /* index.html?q=transfer searches at once */
    show(list, box.value);
}
if (typeof module !== "undefined") module.exports = { find };

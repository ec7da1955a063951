#!/usr/bin/env python3
"""docs/html/index.py DIRECTORY   Writes find-index.js, what find.js searches, from the pages that Doxygen wrote there.

Fails if a link within the reference leads nowhere, or two groups have one title."""
import collections
import html.parser
import json
import os
import re
import sys
import urllib.parse

LISTS = re.compile(r"(_source|_8h|globals.*|functions.*|annotated|classes|files|modules|topics|pages|dir_.*|doxygen_crawl)\.html$")


class Page(html.parser.HTMLParser):
    """The sections of a page: [title, anchor, text]."""

    def __init__(self, text):
        super().__init__()
        self.sections, self.ids, self.links = [["", "", []]], set(), []
        self.title, self.anchor, self.skip, self.heading = "", "", 0, None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        if a.get("id"):
            self.ids.add(a["id"])
            if tag == "a":
                self.anchor = a["id"]
        if a.get("name"):
            self.ids.add(a["name"])
        if tag == "a" and a.get("href"):
            self.links.append(a["href"])
        if tag in ("script", "style"):
            self.skip += 1
        classes = a.get("class", "")
        if tag in ("h1", "h2", "h3") or "memtitle" in classes or (tag == "div" and classes == "title"):
            if not ("groupheader" in classes):
                self.heading = tag
                self.sections.append(["", "", []])

    def handle_endtag(self, tag):
        if tag in ("script", "style"):
            self.skip -= 1
        if tag == self.heading:
            self.heading = None
            self.sections[-1][1] = self.anchor
            if not self.title:
                self.title = self.sections[-1][0].strip()
        if tag in ("p", "td", "li", "div", "tr", "h2", "code", "pre"):
            self.sections[-1][2].append(" ")

    def handle_data(self, data):
        if self.skip:
            return
        if self.heading:
            self.sections[-1][0] += data
        self.sections[-1][2].append(data)


def main(directory):
    pages = {}
    for name in sorted(os.listdir(directory)):
        if name.endswith(".html"):
            with open(os.path.join(directory, name), encoding="utf-8") as file:
                pages[name] = Page(file.read())
    index, mistakes, titles = [], [], collections.Counter()
    for name, page in pages.items():
        for link in page.links:
            path, _, fragment = urllib.parse.unquote(link).partition("#")
            if re.match(r"[a-z]+:", path):
                continue
            target = path or name
            if not os.path.exists(os.path.join(directory, target)):
                mistakes.append(f"{name}: the link {link} leads nowhere")
            elif fragment and target in pages and fragment not in pages[target].ids:
                mistakes.append(f"{name}: {target} has no {fragment}")
        if LISTS.search(name):
            continue
        if name.startswith("group__"):
            titles[page.title] += 1
        for title, anchor, text in page.sections[1:]:
            title = re.sub(r"\s+", " ", re.sub(r" Struct Reference.*", "", title).replace("\u25c6", "")).strip()
            text = re.sub(r"\s+", " ", "".join(text)).strip()
            if title:
                index.append([title, page.title, name + ("#" + anchor if anchor in page.ids and anchor else ""), text])
    mistakes += [f"{count} groups are called {title}" for title, count in titles.items() if count > 1]
    with open(os.path.join(directory, "find-index.js"), "w", encoding="utf-8") as file:
        file.write("const find_index = " + json.dumps(index, ensure_ascii=False, separators=(",", ":")) + ";\n")
        file.write('if (typeof module !== "undefined") module.exports = find_index;\n')
    for mistake in sorted(set(mistakes)):
        print(mistake, file=sys.stderr)
    return bool(mistakes)


sys.exit(main(sys.argv[1]))

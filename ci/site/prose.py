# SPDX-License-Identifier: Apache-2.0
"""The Markdown of the repository as pages: links between files become links between pages."""

import pathlib
import posixpath
import re
from collections.abc import Sequence
from typing import Any

from facts import ROOT
from markdown_it import MarkdownIt

FOLDERS = (
    ("The manual", ("harness/README.md", "harness/docs/manual/*.md")),
    ("How it is made", ("harness/docs/*.md", "*/README.md", "*/*/README.md", "README.md")),
    ("Reports and changes", ("fixtures/consumers/clients.md", "ci/packages/CHANGELOG.md")),
)
FINDINGS = "fixtures/findings"


def page_of(path: str) -> str:
    """harness/docs/manual/gate.md is manual-gate.html."""
    if path == f"{FINDINGS}/README.md":
        return "findings.html"
    name = path.removesuffix(".md").removeprefix("harness/docs/")
    return name.replace("fixtures/findings/", "found-").replace("/", "-").lower() + ".html"


def documents() -> dict[str, list[str]]:
    """By group, the paths of what is rendered."""
    taken = {f"{FINDINGS}/README.md"}
    groups: dict[str, list[str]] = {}
    for title, patterns in FOLDERS:
        found = [
            file.relative_to(ROOT).as_posix() for one in patterns for file in sorted(ROOT.glob(one))
        ]
        groups[title] = [path for path in dict.fromkeys(found) if path not in taken]
        taken.update(groups[title])
    return groups


class Prose:
    def __init__(self, paths: Sequence[str], repository: str) -> None:
        self.pages = {path: page_of(path) for path in paths}
        assert len(set(self.pages.values())) == len(self.pages), "two documents have one page"
        self.repository = repository
        self.markdown = MarkdownIt("commonmark").enable("table")

    def href(self, path: str, link: str) -> str:
        """Where a link in a document leads on the site; empty if nowhere."""
        if re.match(r"[a-z]+:|#", link):
            return link
        file, _, anchor = link.partition("#")
        full = posixpath.normpath(posixpath.join(posixpath.dirname(path), file))
        for name in (full, f"{full}/README.md"):
            if name in self.pages:
                return self.pages[name] + (f"#{anchor}" if anchor else "")
        if full == "fixtures/contract/etcd.toml":
            return "contract.html"
        if full.startswith("fixtures/bugs/"):
            return {"etcd": "bugs.html"}.get(stem := pathlib.Path(full).stem, f"bugs-{stem}.html")
        return f"{self.repository}/blob/main/{full}" if self.repository else ""

    def relink(self, path: str, tokens: Sequence[Any]) -> None:
        ended = []  # for each open link, whether it is one
        behind = ""  # what stands before the link
        for token in tokens:
            if token.type == "link_open":
                target = self.href(path, str(token.attrs["href"]))
                if target == "contract.html" and (cited := re.search(r"(\b[A-Z]-\d+) of$", behind)):
                    target += f"#{cited[1]}"
                ended.append(bool(target))
                token.attrs["href"] = target
            if token.type.startswith("link_") and not (
                ended.pop() if token.type == "link_close" else ended[-1]
            ):
                token.type, token.tag, token.attrs = "text", "", {}
            behind = f"{behind} {token.content}".strip()

    def render(self, path: str) -> tuple[str, str, list[tuple[str, str, str]]]:
        """Title, HTML, and the sections as (anchor, heading, text) for the search."""
        tokens = self.markdown.parse((ROOT / path).read_text(encoding="utf-8"))
        sections: list[tuple[str, str, str]] = []
        used: dict[str, int] = {}
        for token, behind in zip(tokens, [*tokens[1:], tokens[-1]], strict=True):
            self.relink(path, token.children or [])
            if token.type == "heading_open":
                # As on GitHub, so that links to sections hold in both places.
                text = "".join(one.content for one in behind.children or [])
                anchor = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
                used[anchor] = used.get(anchor, -1) + 1
                anchor += f"-{used[anchor]}" if used[anchor] else ""
                token.attrs["id"] = anchor
                sections.append((anchor, text, ""))
            elif token.type in ("inline", "fence", "code_block") and sections:
                anchor, text, words = sections[-1]
                if token.content != text:
                    sections[-1] = (anchor, text, f"{words} {token.content}")
        html = self.markdown.renderer.render(tokens, self.markdown.options, {})
        html = html.replace("<table>", '<div class="wide" tabindex="0"><table>')
        html = html.replace("</table>", "</table></div>").replace("<pre>", '<pre tabindex="0">')
        return (sections[0][1] if sections else path), html, sections

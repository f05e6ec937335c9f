# SPDX-License-Identifier: Apache-2.0
"""One word, one meaning, and the field's: words that a newcomer would have to learn first."""

import re

from source import Problem

# The term to use -> the words that stood for it. Found in prose and inside identifiers.
INSTEAD = {
    "report, deliver or say": "tell tells told telling hear hears heard",
    "offset, annotation or key metadata": "mark marks marked",
    "expected, or pending in the store": "owe owes owed",
    "took effect": "felt unfelt",
    "control watch, or evidence": "witness witnesses witnessed testimony",
    "proxied path or direct path": "road roads",
    "fault, disturbance or effect": "harm harms harmed harmful",
    "table or registry": "book books board boards yard yards",
    "generation, or another verb": "life lives rebirth",
    "tamper, or is": "lie lies lied liar liars",
    "undecided or inconclusive": "doubt doubts doubtful",
    "HistoryParser and HistoryVisitor": "narrator narrators audience",
    "observer": "bystander bystanders",
    "reference oracle": "court brute ruling rulings",
    "impact": "belief beliefs",
    "known-bug signature": "likeness likenesses",
    "options or requests": "wish wishes wished",
    "unknown key, or others": "stranger strangers",
    "many watchers": "crowd crowds",
    "durable": "lasting",
    "admission": "door doors",
    "writer": "pen pens",
    "fork thread": "nursery",
    "graceful stop": "goodbye farewell",
    "drained frames": "leftovers",
    "observation": "sighting sightings",
    "environment": "world",
    "response checker": "examiner",
    "parse error": "misfit",
    "member": "seat seats",
    "step": "deed deeds",
    "the thing's name: servers, sockets and files are no persons":
        "who whom whose nobody somebody everybody anybody",
}
BANNED = {word: term for term, words in INSTEAD.items() for word in words.split()}
OF_OTHERS = re.compile("--mark-compacted")  # a flag of etcdutl
PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
PROSE = (".md", ".toml", ".js", ".mjs", "CMakeLists.txt")  # beside what all checks look at
SKIPPED = ("fixtures/protos/", "ci/checks/")


def check(file):
    if file.path.startswith(SKIPPED):
        return
    for number, line in enumerate(file.lines, start=1):
        for part in PARTS.findall(OF_OTHERS.sub("", line)):
            term = BANNED.get(part.lower())
            if term:
                yield Problem(file.path, number, f"the word {part}; write {term}")

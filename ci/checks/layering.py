# SPDX-License-Identifier: Apache-2.0
"""Who may include whom. One table, read against the #include lines of every C++ file.

A folder may include itself and the folders of its row, nothing else. The table is checked for
cycles on every run; code that obeys a table without cycles has none.
"""

from collections.abc import Iterator

from source import File, Problem, unit_of

BASE = {"harness/base"}
ORACLE = {"harness/contract", "harness/history", "harness/model", "harness/checkers"}
FETCH = {"harness/process", "harness/releases"}
RUN = {"harness/targets", "harness/faults", "harness/client"} | ORACLE | BASE
ATTEMPT = {"harness/consumers", "harness/results", "harness/environment", "harness/session"} | {
    "harness/scenario"
}
STEPS = "harness/scenario/steps"
SHARED = "harness/drive/shared"
LIVE = "harness/explore/live"
CLUSTER = "harness/explore/cluster"
STEPPED = "harness/explore/stepped"
PROXIES = {
    "proxies/core",
    "proxies/effects",
    "proxies/http2",
    "proxies/grpc",
    "proxies/disk",
    "proxies/control",
}

# Includer: what it may include. A new folder gets its row here before its first file.
ALLOWED = {
    "fixtures/protos": set(),
    "fixtures/certs": BASE,
    "harness/base": set(),
    "harness/bugs": BASE,
    "harness/api": BASE,
    "harness/contract": BASE,
    "harness/statistics": BASE,
    "harness/history": BASE | {"fixtures/protos"},
    "harness/import": BASE | {"harness/history", "harness/model"},
    "harness/capture": BASE | {"harness/history", "proxies/core", "proxies/http2"},
    "harness/model": BASE | {"harness/history"},
    "harness/checkers": BASE
    | {"harness/contract", "harness/history", "harness/model", "harness/statistics"},
    # No checker names a bug; they are linked beside each other.
    "harness/signatures": BASE | ORACLE,
    "harness/client": BASE | {"harness/history"},
    "harness/process": BASE | {"proxies/disk"},
    "harness/releases": BASE | {"harness/process"},
    "harness/targets": BASE
    | FETCH
    | {"harness/bugs", "embedded_store/server", "fixtures/protos", "fixtures/certs"},
    "harness/promises": BASE | {"harness/history", "harness/model", "harness/targets"},
    "harness/consumers": BASE | ORACLE | FETCH,
    "harness/faults": BASE | PROXIES | {"harness/targets"},
    "harness/script": BASE | ORACLE,
    # Scripts side by side on a real server.
    SHARED: RUN
    | {"harness/environment", "harness/promises", "harness/script", "harness/signatures"},
    "harness/explore": BASE | ORACLE | {"harness/scenario", STEPS, "harness/script"},
    # Scripts on the core of the store under virtual time: nothing else sees it.
    STEPPED: BASE
    | ORACLE
    | {"embedded_store/mvcc", "embedded_store/watch", "embedded_store/lease"}
    | {"embedded_store/backend", "embedded_store/defects"}
    | {"harness/explore", "harness/promises", "harness/script", "harness/targets"},
    LIVE: RUN | {"harness/explore", "harness/script", SHARED},
    # Plans for clusters.
    CLUSTER: BASE
    | {"harness/faults", "harness/scenario", STEPS, "harness/targets", "cases/support"},
    "harness/results": BASE
    | ORACLE
    | {"harness/bugs", "harness/releases", "harness/statistics", "harness/targets"},
    "harness/environment": BASE
    | PROXIES
    | {"harness/history", "harness/targets", "harness/faults"},
    "harness/session": RUN
    | PROXIES
    | {"harness/bugs", "harness/consumers", "harness/environment", "harness/results"}
    | {"harness/promises"},
    "harness/scenario": RUN
    | PROXIES
    | ATTEMPT - {"harness/scenario"}
    | {"harness/promises", "harness/script", SHARED},
    # Whoever runs, checks or shrinks a plan names no kind of step.
    STEPS: RUN | PROXIES | ATTEMPT | {"harness/bugs", "harness/script"},
    "harness/report": BASE
    | ORACLE
    | {"harness/releases", "harness/results", "harness/statistics", "harness/targets"}
    | {"harness/bugs", "harness/promises"},
    # Attempts in processes; no flags.
    "harness/runs": RUN
    | FETCH
    | ATTEMPT
    | {"harness/bugs", "harness/report"}
    | {"cases/support", "embedded_store/defects"},
    # Decisions between builds, on the results of attempts.
    "harness/decide": RUN
    | {"harness/releases", "harness/session"}
    | {"harness/bugs", "harness/report", "harness/results", "harness/runs", "harness/scenario"}
    | {"harness/explore", LIVE, CLUSTER, "harness/statistics", STEPS, "cases/support"},
    "harness/cli": RUN
    | FETCH
    | PROXIES
    | ATTEMPT
    | {"harness/api", "harness/bugs", "harness/capture", "harness/import", "harness/report"}
    | {"harness/decide", "harness/runs"}
    | {"harness/explore", LIVE, STEPPED, "harness/script", STEPS}
    | {"harness/statistics"}
    | {"cases/support"}
    | {"embedded_store/server", "embedded_store/defects"},
    "harness/gtest": BASE
    | {"harness/report", "harness/results", "harness/runs", "harness/cli", "cases/support"},
    "embedded_store/backend": BASE,
    "embedded_store/mvcc": BASE | {"embedded_store/backend"},
    "embedded_store/lease": BASE | {"embedded_store/mvcc"},
    "embedded_store/auth": BASE | {"embedded_store/mvcc", "embedded_store/backend"},
    "embedded_store/watch": BASE | {"embedded_store/mvcc", "embedded_store/backend"},
    "embedded_store/defects": BASE | {"embedded_store/mvcc", "embedded_store/watch"},
    "embedded_store/server": BASE
    | {"embedded_store/mvcc", "embedded_store/backend", "embedded_store/lease"}
    | {"embedded_store/auth", "embedded_store/watch", "fixtures/protos"},
    "proxies/core": BASE,
    "proxies/effects": BASE | {"proxies/core"},
    "proxies/http2": BASE | {"proxies/core", "proxies/effects", "proxies/grpc"},
    "proxies/grpc": BASE,
    "proxies/disk": BASE | {"proxies/effects"},
    "proxies/control": BASE | (PROXIES - {"proxies/control"}),
    "cases/support": RUN | PROXIES | ATTEMPT | {STEPS, "harness/script"},
}

# The probes are the one place of harness/targets that may speak gRPC.
PROBE = ("harness/targets/probe",)
ALONE = {"embedded_store": "the store", "proxies": "the proxies"}

# Third-party headers and the folders, or files by the start of their path, that may see them.
GRPC_PLACES = ("harness/client/", "embedded_store/server/", "ci/bench/store/", *PROBE)
PROTOBUF_PLACES = (*GRPC_PLACES, "harness/history/", "harness/api/")
LIBRARIES = (
    ("gRPC", ("grpcpp/", "grpc/"), (".grpc.pb.h",), GRPC_PLACES),
    ("protobuf", ("google/protobuf/",), (".pb.h",), PROTOBUF_PLACES),
    (
        "Asio and Boost",
        ("boost/", "asio/", "asio.hpp"),
        (),
        (
            "proxies/",
            "harness/process/",
            "harness/targets/",
            "harness/statistics/",
            "embedded_store/server/",
            "embedded_store/mvcc/store_hash",
        ),
    ),
    (
        "JSON",
        ("nlohmann/",),
        (),
        (
            "harness/history/",
            "harness/import/",
            "harness/report/",
            "harness/results/",
            "harness/consumers/",
            "harness/session/",
            "harness/scenario/",
            "proxies/control/",
            "embedded_store/server/",
        ),
    ),
)


# What no file of these folders may reach, over whatever headers: folders, those that may, reached.
CORE = ("embedded_store/mvcc/", "embedded_store/watch/", "embedded_store/lease/")
OUT_OF_REACH = (
    ("harness/", (STEPPED, "harness/cli", "harness/runs", "harness/targets"), CORE),
    ("cases/", (), CORE),
)


def folder_of(name: str) -> str | None:
    tops = ("harness", "embedded_store", "proxies", "cases", "fixtures")
    unit = unit_of(name)
    return unit if "/" in unit and unit.split("/")[0] in tops else None


def check_table(table: dict[str, set[str]] | None = None) -> Iterator[list[str]]:
    """Yields the folders of a cycle, if the table has one."""
    table = ALLOWED if table is None else table
    finished: set[str] = set()
    path: list[str] = []

    def visit(folder: str) -> Iterator[list[str]]:
        if folder in path:
            yield [*path[path.index(folder) :], folder]
        elif folder not in finished:
            path.append(folder)
            for below in sorted(table.get(folder, ())):
                yield from visit(below)
            path.pop()
            finished.add(folder)

    for folder in sorted(table):
        yield from visit(folder)


def _allowed_for(file: File) -> set[str] | None:
    """The folders a file may include, its own excepted; None when it has no row."""
    folder = file.folder
    if folder.startswith("cases/") and folder != "cases/support":
        return {"cases/support", STEPS}
    row = ALLOWED.get(folder)
    if row is None or not file.serves_tests or folder in ORACLE:
        return row
    # A test may build what its folder is given from outside, as long as store and proxies still
    # stand alone and cases are left alone.
    top = folder.split("/")[0]
    if top in ALONE:
        own = {f for f in ALLOWED if f.startswith(top + "/")}
        return BASE | {"fixtures/protos", "fixtures/certs"} | own
    return row | {f for f in ALLOWED if not f.startswith("cases/")}


def _advice(file: File, folder: str) -> str:
    top = file.folder.split("/")[0]
    if file.folder in ORACLE:
        return "the oracle shares no code with what it judges; pass facts through harness/history"
    if top == "cases":
        return f"a case uses cases/support/ and {STEPS}/ only; add the word it lacks there"
    if top in ALONE and folder.startswith("harness/"):
        return f"{ALONE[top]} must build alone with harness/base; move what is shared there"
    if folder == "embedded_store/defects":
        return "the store has never heard of a defect; take the Hooks of mvcc/hooks.h from outside"
    if folder.startswith("embedded_store/"):
        return "reach the store over its wire, or through embedded_store/server in targets and cli"
    return "move the shared part to a folder below both, or pass it in as a parameter"


def check_folders(file: File) -> Iterator[Problem]:
    allowed = _allowed_for(file)
    for include in file.includes:
        if not include.quoted:
            continue
        folder = folder_of(include.name)
        if folder is None:
            text = f'"{include.name}" is no path from the root; write "{file.folder}/..." instead'
            yield Problem(file.path, include.line, text)
        elif folder == file.folder:
            continue
        elif allowed is None:
            text = f"{file.folder} has no row in ci/checks/layering.py; add one without a cycle"
            yield Problem(file.path, include.line, text)
        elif folder not in allowed:
            text = f"{file.folder} may not include {folder}; {_advice(file, folder)}"
            yield Problem(file.path, include.line, text)


def check_libraries(file: File) -> Iterator[Problem]:
    if file.serves_tests and file.folder not in ORACLE and not file.path.startswith("cases/"):
        return
    for include in file.includes:
        for library, starts, ends, places in LIBRARIES:
            if not include.name.startswith(starts) and not (ends and include.name.endswith(ends)):
                continue
            if not file.path.startswith(places):
                text = f"{library} headers belong to {', '.join(places)}; hide the use behind those"
                yield Problem(file.path, include.line, text)
            break
        shown = file.path.startswith("harness/targets/") and file.path.endswith(".h")
        if shown and include.name.startswith("boost/"):
            text = "headers of targets show no Boost types; move the include to the .cc file"
            yield Problem(file.path, include.line, text)


def check_reach(files: list[File]) -> Iterator[Problem]:
    """Of all files: which includes lead to what is out of reach."""
    known = {file.path: file for file in files}
    reached: dict[str, set[str]] = {}

    def reach(path: str) -> set[str]:
        if path not in reached:
            reached[path] = {path}
            for include in known[path].includes if path in known else ():
                reached[path] |= reach(include.name)
        return reached[path]

    for file in files:
        for top, spared, forbidden in OUT_OF_REACH:
            if not file.path.startswith(top) or file.folder in spared or file.serves_tests:
                continue
            for include in file.includes:
                found = sorted(name for name in reach(include.name) if name.startswith(forbidden))
                if found:
                    text = f"leads to {found[0]}, which {file.folder} must not see"
                    yield Problem(file.path, include.line, text)


def check(file: File) -> Iterator[Problem]:
    if file.is_cpp and file.path.split("/")[0] != "ci":
        yield from check_folders(file)
        yield from check_libraries(file)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a newcomer gets: the Debian package, and the mostly static command, each in a clean root.

    ci/jobs/clean_root.py

Makes two minimal roots of this machine's release of Debian, from the package sources that apt has
here. One gets the package by apt, with what it depends on, and bash-completion and man-db. The
other gets the static command, and nothing else. As an ordinary user, and with no network but
loopback, each is then asked for its version, for what it thinks of a machine without etcd, Go and
curl, for the first findings of the README, which have the commands that the README shows, for its
page of the manual, and for completion in a bash on a terminal.

Prints a table of what was expected and what was seen, and the whole output where they differ.
Everything is kept in memory (1 GB), in namespaces that end with the job, however it ends.

Exit code: 0 when all was as expected, 1 otherwise, 77 without root.
"""

import dataclasses
import os
import pathlib
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from typing import Any

import job

INSIDE = "--inside"  # how it calls itself in the namespaces
SOURCES = job.JOBS.parents[1]
PACKAGES = ("iproute2", "mmdebstrap", "tmux")
USER = "newcomer"
# What is typed, and what the terminal then shows.
COMPLETED = (
    ("watchproof ru\t", "watchproof run"),
    ("watchproof run\t\t", "run runs"),
    ("watchproof run --target emb\t", "watchproof run --target embedded"),
    ("watchproof run --filter Compacti\tFullQ\t", "CompactionSurfaced.FullQueue"),
)
# How the machine reaches its packages; its other settings of apt stay here.
REACHED = re.compile(r"Acquire::(Check-|Retries|https?::)")
# RUNLEVEL=1: etcd's package starts no server.
VARIABLES = (
    "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
    "TERM=screen",
    "LANG=C.UTF-8",
    "DEBIAN_FRONTEND=noninteractive",
    "RUNLEVEL=1",
)
OFFLINE = ("unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$0" "$@"')
# Never set: a terminal does not announce what it shows.
AGAIN = threading.Event()


def output_of(*command: str | pathlib.Path, **options: Any) -> str:
    """Of a command that must not fail."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, **options)
    return done.stdout


def one_line(text: str) -> str:
    return " ".join(text.split())


@dataclasses.dataclass
class Seen:
    place: str
    what: str
    expected: str
    seen: str
    text: str  # all of it


class Root:
    def __init__(self, name: str, folder: pathlib.Path) -> None:
        self.name, self.folder = name, folder
        self.table: list[Seen] = []
        for mount in (["-t", "proc", "proc"], ["--rbind", "/dev"]):
            subprocess.run(["mount", *mount, folder / mount[-1].strip("/")], check=True)
        self.prepare("useradd", "--create-home", "--shell", "/bin/bash", USER)

    def prepare(self, *words: str) -> None:
        """As root, and with the network of the machine."""
        subprocess.run(
            ["chroot", self.folder, "env", "-i", *VARIABLES, *words],
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr,
        )

    def install(self, *packages: str) -> None:
        self.prepare(
            "apt-get",
            "-qq",
            "-o",
            "Dpkg::Use-Pty=0",
            "install",
            "--yes",
            "--no-install-recommends",
            *packages,
        )

    def inside(self, *words: str) -> list[str]:
        return [
            *OFFLINE,
            "chroot",
            f"--userspec={USER}:{USER}",
            str(self.folder),
            "env",
            "-i",
            f"--chdir=/home/{USER}",
            *VARIABLES,
            f"HOME=/home/{USER}",
            *words,
        ]

    def note(self, what: str, expected: str, found: dict[str, bool], text: str) -> None:
        """`found` maps each of the expected things to whether it is there."""
        seen = (
            "as expected"
            if all(found.values())
            else "; ".join(f"not {thing}" for thing, there in found.items() if not there)
        )
        self.table.append(Seen(self.name, what, expected, seen, text))
        print(f"{self.name}: {what}: {seen}", file=sys.stderr)

    def ask(self, command: str, code: int, *texts: str, what: str = "") -> str:
        """A line for its shell; spaces and ends of lines in its output are all the same."""
        done = subprocess.run(
            self.inside("bash", "-c", command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        found = {f"exit code {code} but {done.returncode}": done.returncode == code}
        found |= {f'"{text}"': text in one_line(done.stdout) for text in texts}
        self.note(what or command, "; ".join([f"exit code {code}", *texts]), found, done.stdout)
        return done.stdout

    def complete(self, typed: str, shown: str, before: str = "") -> None:
        """What a bash on a terminal shows after these keys; ^I is the tab key."""
        socket = self.folder.with_name(f"{self.name}-{len(self.table)}")
        terminal = ["tmux", "-u", "-S", str(socket), "-f", "/dev/null"]
        subprocess.run(
            [
                *terminal,
                "new-session",
                "-d",
                "-x",
                "100",
                "-y",
                "30",
                *self.inside("bash", "--login"),
            ],
            check=True,
        )

        def screen() -> str:
            return one_line(output_of(*terminal, "capture-pane", "-p"))

        def wait_for(fact: Callable[[str], bool]) -> bool:
            end = time.monotonic() + 120  # on a busy machine; it ends when it is seen
            while not fact(screen()) and time.monotonic() < end:
                AGAIN.wait(0.05)
            return fact(screen())

        def at_prompt(text: str) -> bool:
            return text.endswith("$")

        def send(*keys: str) -> None:
            subprocess.run([*terminal, "send-keys", *keys], check=True)

        ready = wait_for(at_prompt)
        if before:
            send("-l", before)
            send("Enter")
            ready = wait_for(lambda text: before in text and at_prompt(text)) and ready
        for keys in filter(None, re.split("(\t)", typed)):
            send(*(["Tab"] if keys == "\t" else ["-l", keys]))
        there = wait_for(lambda text: shown in text)
        self.note(
            "bash: " + typed.replace("\t", "<Tab>"),
            shown,
            {"a prompt": ready, f'"{shown}"': there},
            output_of(*terminal, "capture-pane", "-p"),
        )
        subprocess.run([*terminal, "kill-server"], check=True)


def make_base(folder: pathlib.Path) -> None:
    sources = output_of(
        "apt-get",
        "indextargets",
        "--format",
        "deb $(REPO_URI) $(RELEASE) $(COMPONENT)",
        "Created-By: Packages",
        "Origin: Debian",
    )
    options = [
        f"--aptopt={line}"
        for line in output_of("apt-config", "dump").splitlines()
        if REACHED.match(line)
    ]
    release = platform.freedesktop_os_release()["VERSION_CODENAME"]
    output_of(
        "mmdebstrap",
        "--quiet",
        "--variant=minbase",
        "--skip=cleanup/apt/lists",
        *options,
        release,
        folder,
        "-",
        input=sources,
    )


def findings_of_readme() -> tuple[str, str]:
    """The commands of its block of first findings."""
    block = (SOURCES / "README.md").read_text().split("<!-- first findings -->")[1]
    planted, real = re.findall(r"^watchproof run .*?(?=\s+#|$)", block, re.MULTILINE)
    return planted, real


def ask_both(root: Root) -> None:
    """What the package and the static command must do alike: without etcd, and then with it."""
    planted, real = findings_of_readme()
    root.ask("watchproof --version", 0, "watchproof 0.", "commit", "grpc")
    root.ask("command -v etcd go curl npm", 1, what="etcd, Go, curl and npm are not there")
    root.ask(
        "watchproof doctor",
        0,
        "ok addresses",
        "ok processes",
        "ok run folder",
        "ok cache",
        "missing etcd not in PATH",
        "apt-get install etcd-server",
        "missing go not in PATH",
        "missing curl not in PATH",
        "embedded ok starts",
    )
    root.ask(real, 3, "No target", "/usr/bin/etcd: no such file")
    root.ask(
        planted,
        1,
        "FAIL CompactionSurfaced.DeleteAtFloor",
        "expected the delete of",
        "observed it never came",
        "looks like etcd #18089",
        "Broken promises: 1 new failure",
    )
    root.ask("ls watchproof-runs/latest", 0, "report.html", "results.jsonl")
    root.install("etcd-server")
    root.ask("watchproof doctor", 0, "ok etcd etcd Version: 3.4.", what="watchproof doctor, etcd")
    root.ask(
        real,
        0,
        "known CompactionSurfaced.FullQueue",
        "promise A watch that can no longer",
        "expected",
        "observed",
        "looks like etcd #17529",
        "Nothing new: 1 known failure",
    )


def try_package(root: Root, folder: pathlib.Path) -> str:
    output_of("cpack", "-G", "DEB", "-B", folder / "made", cwd=job.BUILD)
    (package,) = (folder / "made").glob("*.deb")
    shutil.copy(package, root.folder / "var/cache")
    root.install(f"/var/cache/{package.name}")
    root.install("bash-completion", "man-db")
    ask_both(root)
    root.ask("man --warnings watchproof 2>&1 >page | grep .", 1, what="man has no warnings")
    page = root.ask(
        "man watchproof",
        0,
        "NAME watchproof - test the guarantees",
        "COMMANDS run watchproof run [OPTION]...",
        "EXIT STATUS 0",
    )
    for typed, shown in COMPLETED:
        root.complete(typed, shown)
    root.prepare("apt-get", "-qq", "purge", "--yes", "watchproof")
    root.ask(
        "find / -xdev -name '*watchproof*' -not -path '/home/*' -not -path '/var/cache/*' "
        "2>/dev/null | grep .",
        1,
        what="a purge leaves nothing",
    )
    return page


def main_inside(folder: pathlib.Path) -> int:
    """In namespaces of its own; `folder` is empty."""
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], check=True)
    folder.chmod(0o755)
    make_base(folder / "static")
    output_of("cp", "-a", folder / "static", folder / "package")

    package, static = (Root(name, folder / name) for name in ("package", "static"))
    page = try_package(package, folder)
    output_of(
        "strip", "-o", static.folder / "usr/local/bin/watchproof", job.BUILD / "watchproof_static"
    )
    ask_both(static)
    for typed, shown in COMPLETED:
        static.complete(typed, shown, before="source <(watchproof completion bash)")
    # The other root has what renders it.
    (package.folder / "tmp/page").write_text(output_of(*static.inside("watchproof", "man")))
    rendered = package.ask("man --local-file /tmp/page", 0, what="man, of the static command")
    static.note(
        "watchproof man", "the page of the package", {"the same": rendered == page}, rendered
    )

    table = package.table + static.table
    for row in table:
        print(f"| {row.place} | {row.what} | {row.expected} | {row.seen} |")
    wrong = [row for row in table if row.seen != "as expected"]
    for row in wrong:
        print(f"\n{row.place}: {row.what}: {row.seen}\n{row.text}")
    return 1 if wrong else 0


def main() -> int:
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    if os.geteuid() != 0:
        print("skipped: only root can make a root of Debian and enter it")
        return 77
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    subprocess.run([job.JOBS / "setup.sh", *PACKAGES], check=True)
    job.build("watchproof", "watchproof_static")
    with tempfile.TemporaryDirectory(prefix="watchproof-root-") as folder:
        # Its own session: an interruption is for this process, and the end of this one ends it.
        inside = subprocess.Popen(
            [
                "setpriv",
                "--pdeathsig",
                "KILL",
                "unshare",
                "--mount",
                "--pid",
                "--fork",
                "--mount-proc",
                "--kill-child",
                sys.executable,
                "-B",
                __file__,
                INSIDE,
                folder,
            ],
            start_new_session=True,
        )
        try:
            return inside.wait()
        finally:
            inside.kill()
            inside.wait()


if __name__ == "__main__":
    if sys.argv[1:2] == [INSIDE]:
        sys.exit(main_inside(pathlib.Path(sys.argv[2])))
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`proxy --record` between a real client and a server, and `check` of what was recorded."""

import base64
import dataclasses
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import unittest
import urllib.request
from collections.abc import Callable, Sequence

from tool import BUSY, RunTest, called, main, stock_etcd, wait_for

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "interop"))
from npm import SOURCES, install
from server import Skip
from tools import releases

HOST = "127.201.7.9"
CLIENTS, PEERS, PROXIED = f"{HOST}:2379", f"{HOST}:2380", f"{HOST}:2381"
SLOW, CONTROL = f"{HOST}:2382", f"{HOST}:8474"
PATIENCE = ("--dial-timeout=60s", "--command-timeout=60s")
# In the embedded store: etcd #18089.
DEFECT = "delete-at-floor-lost"
FIXED_ETCD = releases() / "etcd/3.5.30/etcd"  # without #17529


@dataclasses.dataclass
class Child:
    process: subprocess.Popen[bytes]
    said: list[bytes] = dataclasses.field(default_factory=list)  # lines


class RecordingTest(RunTest):
    access: tuple[str, ...] = ()  # etcdctl's flags for TLS

    def launch(self, *command: str | pathlib.Path, until: str) -> Child:
        """Starts a process and waits for a line of its output."""
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        child = self.read_along(process)
        wait_for(until, lambda: any(until.encode() in line for line in list(child.said)))
        return child

    def read_along(self, process: subprocess.Popen[bytes]) -> Child:
        """Keeps its output, until the end of the test ends it."""
        assert process.stdout
        output, child = process.stdout, Child(process)

        def read() -> None:
            child.said.extend(output)

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        # The last one added is the first to run.
        self.addCleanup(output.close)
        self.addCleanup(reader.join)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return child

    def serve(self, *flags: str) -> None:
        self.launch(self.watchproof, "store", "--listen", CLIENTS, *flags, until="serving on")

    def serve_etcd(self, binary: pathlib.Path | str) -> None:
        self.launch(
            *(binary, "--data-dir", str(self.folder / "data")),
            *("--listen-client-urls", f"http://{CLIENTS}"),
            *("--advertise-client-urls", f"http://{CLIENTS}"),
            *("--listen-peer-urls", f"http://{PEERS}"),
            *("--initial-advertise-peer-urls", f"http://{PEERS}"),
            *("--initial-cluster", f"default=http://{PEERS}"),
            until="ready to serve client requests",
        )

    def record(self, *flags: str) -> None:
        self.recording = self.folder / "recording"
        self.proxy = self.launch(
            *(self.watchproof, "proxy", "--listen", PROXIED, "--to", CLIENTS),
            *("--record", str(self.recording), *flags),
            until="listening on",
        )

    def stop(self, how: signal.Signals = signal.SIGINT, expect: int = 0) -> None:
        self.proxy.process.send_signal(how)
        self.assertEqual(self.proxy.process.wait(30), expect)

    def etcdctl(self, *arguments: str, through: str = PROXIED) -> str:
        return called(
            ["etcdctl", "--endpoints", through, *PATIENCE, *self.access, *arguments],
            env={**os.environ, "ETCDCTL_API": "3"},
            check=True,
        ).stdout

    def revision_of(self, *write: str) -> str:
        return self.etcdctl(*write, "-w", "fields").split('"Revision" : ')[1].split()[0]

    def say(self, process: Child, line: str) -> None:
        stdin = process.process.stdin
        assert stdin
        stdin.write(line.encode() + b"\n")
        stdin.flush()

    def watcher(self, *arguments: str, through: str = PROXIED) -> Child:
        """A client that watches until the test is over."""
        return self.client(
            ["etcdctl", "--endpoints", through, *PATIENCE, *self.access, "watch", *arguments],
            {**os.environ, "ETCDCTL_API": "3"},
        )

    def npm_watcher(self, through: str) -> Child:
        """Likewise, for the npm package etcd3 and `etcdctl watch -i`."""
        try:
            packages = install(pathlib.Path(self.watchproof).parent / "node")
        except Skip as why:
            self.skipTest(str(why))
        return self.client(
            ["node", str(SOURCES / "watch_keys.js"), through],
            {**os.environ, "NODE_PATH": str(packages / "node_modules")},
        )

    def client(self, command: Sequence[str], environment: dict[str, str]) -> Child:
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert process.stdin
        self.addCleanup(process.stdin.close)
        return self.read_along(process)

    def check(self, expect: int | set[int], what: pathlib.Path | None = None) -> str:
        done = called([self.watchproof, "check", str(what or self.recording)])
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done.stdout

    def watch_one_key(self) -> None:
        watch = self.watcher("key")
        # Only writes after the watch was made are delivered to it.
        wait_for("an event", lambda: self.etcdctl("put", "key", "1") and watch.said)
        for value in ("2", "3"):
            self.etcdctl("put", "key", value)
        wait_for("the last event", lambda: b"3\n" in watch.said)

    def watch_from_the_floor(self) -> None:
        """The change at the compaction floor is a delete, which a watch from there must receive."""
        self.etcdctl("put", "a", "1")
        deleted = self.revision_of("del", "a")
        # The delete is gone only when the compaction has been carried out.
        self.etcdctl("compact", deleted, "--physical")
        watch = self.watcher("a", "--rev", deleted)
        self.etcdctl("put", "a", "live")
        wait_for("the later event", lambda: b"live\n" in watch.said)


@unittest.skipUnless(shutil.which("etcdctl"), "needs etcdctl as the client")
class PassiveTest(RecordingTest):
    def test_a_watch_and_its_writes_are_clean(self) -> None:
        self.serve()
        self.record("--control-watch", "all", "--hash-values")
        self.watch_one_key()
        self.stop()
        said = self.check(0)
        self.assertIn("clean, as far as it shows", said)
        self.assertIn("1 watch of clients received", said)
        self.assertIn("control watch over every key", said)
        self.assertIn("values are hashes", said)

    def test_nothing_watched_is_no_pass(self) -> None:
        self.serve()
        self.record()
        self.etcdctl("put", "key", "1")
        self.stop()
        self.assertIn("there is no watch in it", self.check(2))

    def test_a_killed_proxy_leaves_what_it_recorded(self) -> None:
        self.serve()
        self.record()
        self.watch_one_key()
        segment = self.recording / "segment-000001.wire.zst"
        wait_for("bytes on disk", lambda: segment.stat().st_size > 0)
        self.stop(signal.SIGKILL, expect=-signal.SIGKILL)
        self.assertIn("cut off", self.check(0))

    def test_a_defect_is_found_in_what_passed(self) -> None:
        self.serve("--defect", DEFECT)
        self.record()
        self.watch_from_the_floor()
        self.stop()
        self.assertIn("18089", self.check(1))
        picture = self.folder / "picture.svg"
        subprocess.run(
            [self.watchproof, "draw", str(self.recording), "-o", str(picture)],
            check=True,
            capture_output=True,
        )
        self.assertIn("<svg", picture.read_text())

    def test_the_same_script_on_a_correct_store_is_clean(self) -> None:
        self.serve()
        self.record("--control-watch", "all")
        self.watch_from_the_floor()
        self.stop()
        self.check(0)

    @unittest.skipUnless(stock_etcd(), "needs etcd 3.4.23")
    def test_a_bug_of_etcd_is_found_in_what_passed(self) -> None:
        self.serve_etcd(stock_etcd() or "")
        self.record("--control-watch", "all")
        self.watch_from_the_floor()
        self.stop()
        self.assertIn("18089", self.check(1))

    def gauge(self, name: str) -> float:
        with urllib.request.urlopen(f"http://{CLIENTS}/metrics") as answer:
            found = re.search(rf"^{name} (\S+)$", answer.read().decode(), re.MULTILINE)
        assert found, name
        return float(found[1])

    def slow_link(self) -> str:
        """A proxy for one client, that lets so little pass that the server's queue stays full."""
        self.launch(
            *(self.watchproof, "proxy", "--listen", SLOW, "--to", PROXIED, "--sharp"),
            *("--control", CONTROL),
            until="listening on",
        )
        with urllib.request.urlopen(f"http://{CONTROL}/proxies") as answer:
            (name,) = json.load(answer)
        return f"http://{CONTROL}/proxies/{name}/toxics"

    def fill_its_queue(self) -> None:
        key, value = (base64.b64encode(b).decode() for b in (b"k", b"x" * 10_000))
        body = json.dumps({"key": key, "value": value}).encode()
        for _ in range(5000):
            with urllib.request.urlopen(f"http://{CLIENTS}/v3/kv/put", body):
                pass
            if self.gauge("etcd_debugging_mvcc_slow_watcher_total") > 0:
                return
        self.fail("the queue did not fill")

    @unittest.skipUnless(stock_etcd(), "needs etcd 3.4.23")
    def test_what_a_full_queue_loses_is_found_in_what_passed(self) -> None:
        self.notice_in_a_full_queue(lambda: self.watcher("-i", through=SLOW), stock_etcd() or "", 1)
        self.assertIn("17529", self.check(1))

    @unittest.skipUnless(stock_etcd(), "needs etcd 3.4.23")
    def test_what_a_full_queue_loses_of_an_npm_client_is_found(self) -> None:
        self.notice_in_a_full_queue(lambda: self.npm_watcher(SLOW), stock_etcd() or "", 1)
        self.assertIn("17529", self.check(1))

    @unittest.skipUnless(FIXED_ETCD.exists(), "needs etcd 3.5.30, fetched")
    def test_where_a_full_queue_loses_nothing_it_is_clean(self) -> None:
        self.notice_in_a_full_queue(lambda: self.watcher("-i", through=SLOW), FIXED_ETCD, 2)
        self.assertIn("clean, as far as it shows", self.check(0))

    @unittest.skipUnless(FIXED_ETCD.exists(), "needs etcd 3.5.30, fetched")
    def test_where_a_full_queue_loses_nothing_of_an_npm_client_it_is_clean(self) -> None:
        self.notice_in_a_full_queue(lambda: self.npm_watcher(SLOW), FIXED_ETCD, 2)
        self.assertIn("clean, as far as it shows", self.check(0))

    def notice_in_a_full_queue(
        self, client: Callable[[], Child], etcd: pathlib.Path | str, slow: int
    ) -> None:
        """A watch below the floor has to end while its stream takes nothing. `slow`: how many
        watches the server counts as behind then: not the one that it takes for ended."""
        self.serve_etcd(etcd)
        self.record("--control-watch", "all", "--sharp")
        toxics = self.slow_link()
        watch = client()
        self.say(watch, "watch k")
        wait_for("an event", lambda: self.etcdctl("put", "k", "1") and watch.said)
        rate = {"name": "slow", "type": "bandwidth", "attributes": {"rate": 1}}
        urllib.request.urlopen(toxics, json.dumps(rate).encode()).close()
        self.fill_its_queue()
        self.etcdctl("compact", self.revision_of("put", "other", "1"), "--physical")
        # On the same stream; its notice finds no room.
        watchers = self.gauge("etcd_debugging_mvcc_watcher_total")
        self.say(watch, "watch k --rev 2")
        wait_for(
            "the second watch to be looked at",
            lambda: (
                self.gauge("etcd_debugging_mvcc_watcher_total") > watchers
                and self.gauge("etcd_debugging_mvcc_slow_watcher_total") == slow
            ),
        )
        heal = urllib.request.Request(f"{toxics}/slow", method="DELETE")
        urllib.request.urlopen(heal).close()
        self.etcdctl("put", "k", "live")
        # Without its notice that watch goes on as if nothing had happened.
        wait_for("the later event", lambda: watch.said.count(b"live\n") == 3 - slow)
        self.stop()


@unittest.skipUnless(shutil.which("etcdctl") and stock_etcd(), "needs etcd 3.4.23 and etcdctl")
class UsersTest(RecordingTest):
    """The server requires users; that of the control watch has rights on one prefix alone."""

    def setUp(self) -> None:
        super().setUp()
        self.password = self.folder / "password"
        self.password.write_text("of-app\n")
        self.serve_etcd(stock_etcd() or "")
        for words in (
            "role add root",
            "user add root:of-root",
            "user grant-role root root",
            "role add app",
            "role grant-permission app readwrite app/ --prefix",
            "user add app:of-app",
            "user grant-role app app",
            "auth enable",
        ):
            self.etcdctl(*words.split(), through=CLIENTS)
        self.access = ("--user", "app:of-app")

    def record_as_app(self, control_watch: str) -> None:
        user = ("--user", "app", "--password-file", str(self.password))
        self.record("--control-watch", control_watch, *user)

    def test_a_control_watch_over_what_its_user_may_read_is_judged(self) -> None:
        self.record_as_app("app/")
        watch = self.watcher("app/", "--prefix")
        wait_for("an event", lambda: self.etcdctl("put", "app/k", "1") and watch.said)
        # Written past the proxy: only the control watch and that of the client show it.
        self.etcdctl("put", "app/k", "last", through=CLIENTS)
        wait_for("the last event", lambda: watch.said[-1:] == [b"last\n"])
        self.stop()
        said = self.check(0)
        self.assertRegex(said, r"control watch over keys that begin with app/: \d+ events?\b")
        self.assertNotIn("app/: 0 events", said)

    def test_a_control_watch_that_is_refused_is_said_at_once(self) -> None:
        self.record_as_app("all")
        wait_for(
            "the refusal",
            lambda: any(b"no control watch over every key" in line for line in self.proxy.said),
        )
        self.stop()
        # And at the end, where it is read.
        last = next(i for i, line in enumerate(self.proxy.said) if b"recorded " in line)
        self.assertIn(b"no control watch over every key", b"".join(self.proxy.said[last:]))

    def test_a_user_that_is_not_let_in_ends_it(self) -> None:
        self.password.write_text("wrong\n")
        self.record_as_app("app/")
        self.assertEqual(self.proxy.process.wait(30), 3)

    def test_its_password_file_must_be_there(self) -> None:
        absent = self.folder / "absent"
        done = called(
            [
                *(self.watchproof, "proxy", "--to", CLIENTS, "--record", str(self.folder / "rec")),
                *("--control-watch", "app/", "--user", "app", "--password-file", str(absent)),
            ],
            timeout=BUSY * 60,
        )
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn(str(absent), done.stderr)


@unittest.skipUnless(shutil.which("etcdctl"), "needs etcdctl as the client")
class SecureTest(RecordingTest):
    """Both sides of the proxy use TLS and require client certificates."""

    def setUp(self) -> None:
        super().setUp()
        make_certs = os.environ.get("WATCHPROOF_TEST_MAKE_CERTS")
        if not make_certs:
            self.skipTest("needs make_certs")
        subprocess.run([make_certs, str(self.folder), HOST, "client"], check=True)
        own = (self.file("client.crt"), "--key", self.file("client.key"))
        self.access = ("--cacert", self.file("ca.crt"), "--cert", *own)

    def file(self, name: str) -> str:
        return str(self.folder / name)

    def flags(self, **names: str) -> list[str]:
        return [
            word
            for flag, name in names.items()
            for word in ("--" + flag.replace("_", "-"), self.file(name))
        ]

    def serve_secure(self, *flags: str) -> None:
        self.serve(
            *self.flags(cert_file="server.crt", key_file="server.key", trusted_ca_file="ca.crt"),
            *flags,
        )

    def test_a_defect_is_found_through_tls(self) -> None:
        self.serve_secure("--defect", DEFECT)
        self.record(
            "--control-watch",
            "all",
            *self.flags(
                tls_ca="ca.crt",
                tls_cert="client.crt",
                tls_key="client.key",
                listen_tls_cert="server.crt",
                listen_tls_key="server.key",
                listen_tls_ca="ca.crt",
            ),
        )
        self.watch_from_the_floor()
        self.stop()
        self.assertIn("18089", self.check(1))

    def refused(self, *flags: str, expect: int | set[int]) -> str:
        done = called(
            [self.watchproof, "proxy", "--listen", PROXIED, "--to", CLIENTS, *flags],
            timeout=BUSY * 60,
        )
        self.assertEqual(done.returncode, expect, done.stderr)
        return done.stderr

    def test_bad_flags_are_named(self) -> None:
        self.serve_secure()
        recorded = ("--record", self.file("recording"))
        self.assertIn("--tls-ca", self.refused(*recorded, expect=4))
        self.assertIn(
            "requires a client certificate",
            self.refused(*recorded, *self.flags(tls_ca="ca.crt"), expect=3),
        )
        self.assertIn("--tls-key", self.refused(*self.flags(tls_cert="client.crt"), expect=4))
        self.assertIn(
            "--listen-tls-key", self.refused(*self.flags(listen_tls_cert="server.crt"), expect=4)
        )
        self.assertIn(
            "--listen-tls-cert", self.refused(*self.flags(listen_tls_ca="ca.crt"), expect=4)
        )
        own = self.flags(tls_ca="ca.crt", tls_cert="client.crt", tls_key="client.key")
        self.assertIn(
            "ca.key",
            self.refused(
                *own, *self.flags(listen_tls_cert="server.crt", listen_tls_key="ca.key"), expect=4
            ),
        )


if __name__ == "__main__":
    main()

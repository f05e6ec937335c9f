#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens, uses, resets and closes connections through the proxy for minutes and looks for growth.

    ci/jobs/proxy_churn.py [--seconds 300] [--connections 1000] [--binary build/release/watchproof]

Half of the connections carry bytes through a plain proxy, half carry a watch stream through one
that follows HTTP/2; effects come and go meanwhile. Each connection that ends is replaced at once.
Exit code 1 when, afterwards, a proxy holds a descriptor or a thread more than before, or its
memory grew in the last four fifths of the time.
"""

import argparse
import asyncio
import collections
import itertools
import json
import os
import pathlib
import random
import socket
import struct
import subprocess
import sys
import time
import urllib.request
from collections.abc import Mapping
from typing import Any

Sample = dict[str, float]

HOST = f"127.{random.randint(200, 250)}.{random.randint(1, 250)}.{random.randint(1, 250)}"
USE_SECONDS = 5  # of one connection, which a stall may hold for longer
EFFECT_SECONDS = 1.0
SAMPLES = 60
CLOSED_WITHIN = 15
# An allocator may keep this much without a leak.
GROWTH_MIB = 4

BYTE_EFFECTS: list[dict[str, Any]] = [
    {"kind": "latency", "parameters": {"delay": "3ms", "jitter": "2ms"}},
    {"kind": "bandwidth", "parameters": {"rate": "256KiB"}},
    {"kind": "slice", "parameters": {}},
    {"kind": "stall", "parameters": {}},
    {"kind": "black-hole", "parameters": {"close": "yes"}},
    {"kind": "cut", "parameters": {"after-bytes": "3KiB", "future": "yes"}, "chance": 0.2},
    {"kind": "close", "parameters": {}, "chance": 0.5},
    {"kind": "refuse", "parameters": {}},
]
STREAM_EFFECTS: list[dict[str, Any]] = [
    {"kind": "hold-stream", "parameters": {}},
    {"kind": "reset-stream", "parameters": {}},
    {"kind": "cut-after-event", "parameters": {"times": "0"}},
    {"kind": "goaway", "parameters": {}},
]


class Process:
    """One proxy and its resources as the kernel reports them."""

    def __init__(self, options: argparse.Namespace, port: int, *flags: str) -> None:
        self.api = f"{HOST}:{port}"
        command = [options.binary, "proxy", "--control", self.api, *flags]
        self.child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.proc = pathlib.Path(f"/proc/{self.child.pid}")
        self.refused: set[str] = set()

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """The answer, or None when the proxy refused."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://{self.api}{path}", data, method=method)
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            self.refused.add(f"{path}: {error.read().decode()}")
            return None
        return json.loads(text) if text else {}

    def descriptors(self) -> int:
        return len(os.listdir(self.proc / "fd"))

    def kept(self) -> dict[str, int]:
        """The number of its descriptors by kind."""
        kinds = [os.readlink(entry).split(":")[0] for entry in (self.proc / "fd").iterdir()]
        return dict(collections.Counter(kinds))

    def status(self, name: str) -> int:
        for line in (self.proc / "status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1])
        raise LookupError(name)

    def sample(self) -> dict[str, float | int]:
        return {
            "descriptors": self.descriptors(),
            "threads": self.status("Threads"),
            "resident": self.status("VmRSS") / 1024,
        }


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def headers(stream: int, *fields: tuple[bytes, bytes]) -> bytes:
    # Each a literal that is not indexed, with a name of its own (RFC 7541, section 6.2.2).
    block = b"".join(
        b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value for name, value in fields
    )
    return frame(1, 4, stream, block)


def data(stream: int, message: bytes) -> bytes:
    return frame(0, 0, stream, struct.pack(">BI", 0, len(message)) + message)


def field(number: int, value: int | bytes) -> bytes:
    """Of a Protobuf message: bytes, or a small number."""
    if isinstance(value, int):
        return bytes([number << 3, value])
    size = len(value)
    length = bytes([size]) if size < 128 else bytes([size & 127 | 128, size >> 7])
    return bytes([number << 3 | 2]) + length + value


REQUEST = (
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    + frame(4, 0, 0, b"")
    + headers(
        1,
        (b":method", b"POST"),
        (b":scheme", b"http"),
        (b":path", b"/etcdserverpb.Watch/Watch"),
        (b":authority", b"churn"),
        (b"content-type", b"application/grpc"),
        (b"te", b"trailers"),
    )
    + data(1, field(1, field(1, b"k")))
)
EVENT = field(11, field(2, field(1, b"k") + field(2, 5) + field(3, 6) + field(5, b"v" * 400)))
ANSWER = (
    frame(4, 0, 0, b"")
    + headers(1, (b":status", b"200"), (b"content-type", b"application/grpc"))
    + data(1, field(1, field(3, 4)) + field(3, 1))
    + data(1, field(1, field(3, 5)) + EVENT) * 40
)


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while part := await reader.read(1 << 16):
            writer.write(part)
            await writer.drain()
        writer.write_eof()
    except OSError:
        pass
    finally:
        writer.close()


async def serve_watch(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        await reader.readexactly(len(REQUEST))
        writer.write(ANSWER)
        await reader.read()
    except (OSError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()


def end(writer: asyncio.StreamWriter, prng: random.Random) -> None:
    """Ends the connection in a random way."""
    how = prng.choice(("close", "reset", "half"))
    sock = writer.get_extra_info("socket")
    if how == "reset":
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    elif how == "half":
        sock.shutdown(socket.SHUT_WR)
    writer.close()


async def use(port: int, counts: dict[str, bool | int], prng: random.Random) -> None:
    """One connection, until it ends in any way."""
    if counts["follows"]:
        ask, answer = REQUEST, len(ANSWER)
    else:
        ask, answer = b"x" * prng.randint(1, 1 << 15), 0
    reader, writer = await asyncio.open_connection(HOST, port)
    counts["opened"] += 1
    try:
        writer.write(ask)
        wanted = answer or len(ask)
        # One in four is closed while bytes are still on their way.
        wanted = wanted if prng.random() < 0.75 else wanted // 2
        await reader.readexactly(wanted)
        counts["served"] += 1
    finally:
        try:
            end(writer, prng)
        except OSError:
            writer.close()


async def keep_using(
    port: int, counts: dict[str, bool | int], prng: random.Random, until: float
) -> None:
    while time.monotonic() < until:
        try:
            await asyncio.wait_for(use(port, counts, prng), USE_SECONDS)
        except (TimeoutError, OSError, asyncio.IncompleteReadError):
            counts["broken"] += 1
            await asyncio.sleep(0)


async def disturb(
    process: Process, kinds: list[dict[str, Any]], prng: random.Random, until: float
) -> None:
    loop = asyncio.get_running_loop()
    # Each kind once before any of them again, so that a rare one does not allocate late.
    ways = itertools.product(kinds, ("to-client", "to-target"))
    rounds = itertools.chain.from_iterable(
        prng.sample(every, len(every)) for every in itertools.repeat(list(ways))
    )
    while time.monotonic() < until:
        kind, direction = next(rounds)
        effect = {"proxy": "churn", **kind, "direction": direction}
        armed = await loop.run_in_executor(None, process.call, "POST", "/effects", effect)
        await asyncio.sleep(EFFECT_SECONDS)
        if armed:
            await loop.run_in_executor(None, process.call, "DELETE", f"/effects/{armed['id']}")
        await asyncio.sleep(EFFECT_SECONDS / 2)


async def watch(process: Process, samples: list[Sample], every: float, until: float) -> None:
    while time.monotonic() < until:
        samples.append(process.sample())
        await asyncio.sleep(every)


def show(title: str, samples: list[Sample], every: float) -> None:
    print(f"\n{title}\n  seconds  descriptors  threads  resident MiB")
    for i in range(0, len(samples), max(1, len(samples) // 10)):
        s = samples[i]
        print(f"  {i * every:7.0f}  {s['descriptors']:11}  {s['threads']:7}  {s['resident']:12.1f}")


async def settled(process: Process, before: Mapping[str, float]) -> Sample:
    """The resources of the proxy once all connections have ended."""
    last = time.monotonic() + CLOSED_WITHIN
    while process.descriptors() > before["descriptors"] and time.monotonic() < last:
        await asyncio.sleep(0.05)
    return process.sample()


async def warm(process: Process, port: int) -> None:
    """Makes the proxy open what it keeps for good: the kernel pipe for bulk transfers."""
    before = process.sample()
    reader, writer = await asyncio.open_connection(HOST, port)
    writer.write(b"x" * (1 << 22))
    await reader.readexactly(1 << 22)
    writer.close()
    # Two ends of a pipe.
    await settled(process, {"descriptors": before["descriptors"] + 2})


async def churn(
    options: argparse.Namespace, process: Process, title: str, follows: bool
) -> list[str]:
    prng = random.Random(options.seed)
    upstream = 7001 + follows
    server = await asyncio.start_server(
        serve_watch if follows else echo, HOST, upstream, backlog=options.connections
    )
    opened = process.call(
        "POST",
        "/proxies",
        {"name": "churn", "listen": f"{HOST}:{upstream + 10}", "upstream": f"{HOST}:{upstream}"},
    )
    if opened is None:
        sys.exit(f"proxy_churn: no proxy: {process.refused}")
    if not follows:
        await warm(process, upstream + 10)
    before = process.sample()
    counts = {"follows": follows, "opened": 0, "served": 0, "broken": 0}
    samples: list[Sample] = []
    every = options.seconds / SAMPLES
    until = time.monotonic() + options.seconds
    kinds = BYTE_EFFECTS + (STREAM_EFFECTS if follows else [])
    await asyncio.gather(
        *(
            keep_using(upstream + 10, counts, random.Random(prng.random()), until)
            for _ in range(options.connections // 2)
        ),
        disturb(process, kinds, prng, until),
        watch(process, samples, every, until),
    )
    after = await settled(process, before)
    server.close()
    show(title, samples, every)
    print(f"  {counts['opened']} opened, {counts['served']} served, {counts['broken']} broken")
    print(f"  before: {before}\n  after:  {after}")
    if after["descriptors"] > before["descriptors"]:
        print(f"  left: {process.kept()}")
    wrong = [
        f"{what}: {before[what]} before, {after[what]} after"
        for what in ("descriptors", "threads")
        if after[what] > before[what]
    ]
    late = [s["resident"] for s in samples[len(samples) // 5 :]]
    first, last = max(late[: len(late) // 4]), max(late[-(len(late) // 4) :])
    if last > first + GROWTH_MIB:
        wrong.append(f"memory: {first:.1f} MiB at most early, {last:.1f} MiB late")
    if not counts["served"] or not counts["broken"]:
        wrong.append("nothing served, or no connection broken: this proves nothing")
    return [f"{title}: {text}" for text in wrong + sorted(process.refused)]


async def both(options: argparse.Namespace, plain: Process, following: Process) -> list[str]:
    wrong = await asyncio.gather(
        churn(options, plain, "plain", False), churn(options, following, "following HTTP/2", True)
    )
    return [text for part in wrong for text in part]


def main() -> int:
    root = pathlib.Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--connections", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--binary", default=str(root / "build/release/watchproof"))
    options = parser.parse_args()
    print(f"{options.connections} connections, {options.seconds} s, seed {options.seed}")
    processes = [Process(options, 8474), Process(options, 8475, "--follow")]
    try:
        for process in processes:
            assert process.child.stdout
            process.child.stdout.readline()  # says where it listens
        wrong = asyncio.run(both(options, *processes))
    finally:
        for process in processes:
            process.child.kill()
            process.child.wait()
    for text in wrong:
        print(f"proxy_churn: {text}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Stands in for the scheduler and the kubelet of one node: each pod is a local process.

    with node.Node(plane, image, folder) as here:
        here.evicted_at_once = {"watchproof-merge"}   # the first pod of these Jobs
        ...
        here.ended     # [("watchproof", "0", 0), ("watchproof", "1", "evicted"), ...]
        here.errors    # of the stand-in itself: what was observed does not count then

`image` is a folder of programs. The command has the environment of the pod and of the image, and
nothing else. Volumes are folders; in words of the command their names replace the mount paths, at
the beginning or after a "=". Users, limits and the root file system are those of the caller.

A node under pressure ends pods by itself and leaves them behind as Failed, with the condition
DisruptionTarget. So does this one: to the first pod of `evicted_at_once` before its command is
started, and to a pod that writes the file `pressure` into its /tmp.

Threads: one follows the pods, one is for each pod, one for each request for a log.
"""

import contextlib
import datetime
import http.server
import json
import pathlib
import re
import socket
import ssl
import subprocess
import threading
import traceback
from collections.abc import Callable, Iterable
from typing import Any, Self

from control_plane import ControlPlane
from server import die_with_parent

Json = dict[str, Any]
Ending = int | str  # an exit code, or "evicted"

NAME = "stand-in"
PORT = 10250
JOB_LABEL = "batch.kubernetes.io/job-name"
INDEX_LABEL = "batch.kubernetes.io/job-completion-index"
PRESSURE_SECONDS = 0.1  # between looks


class Node:
    def __init__(self, plane: ControlPlane, image: pathlib.Path, folder: pathlib.Path) -> None:
        self.evicted_at_once: set[str] = set()
        self.ended: list[tuple[str, str | None, Ending]] = []
        self.errors: list[str] = []
        self.plane = plane
        self.image = image
        self.folder = folder
        self._threads: dict[str, threading.Thread] = {}  # of pods, by uid
        self._processes: list[subprocess.Popen[bytes]] = []
        self._stopped = False
        self._mutex = threading.Lock()

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as stack:
            logs = stack.enter_context(_log_server(self.plane, self.folder))
            threading.Thread(target=logs.serve_forever, daemon=True).start()
            stack.callback(logs.shutdown)
            self.plane.call(
                "POST",
                "/api/v1/nodes",
                {
                    "metadata": {"name": NAME},
                    "status": {
                        "addresses": [{"type": "InternalIP", "address": self.plane.host}],
                        "daemonEndpoints": {"kubeletEndpoint": {"Port": PORT}},
                    },
                },
            )
            # At revision 0 it begins with the pods that there are.
            connection, events = self.plane.open("GET", "/api/v1/pods?watch=true&resourceVersion=0")
            stack.callback(connection.close)
            follower = threading.Thread(target=self._guarded, args=(self._follow, events))
            follower.start()
            stack.callback(follower.join)
            stack.callback(connection.sock.shutdown, socket.SHUT_RDWR)
            stack.callback(self._end_processes)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()
        for thread in self._threads.values():
            thread.join()

    def _end_processes(self) -> None:
        with self._mutex:
            self._stopped = True
            for process in self._processes:
                process.kill()

    def _guarded(self, work: Callable[..., None], *arguments: object) -> None:
        try:
            work(*arguments)
        except Exception:  # of any kind: else it would be lost with its thread
            if not self._stopped:
                self.errors.append(traceback.format_exc())

    def _follow(self, events: Iterable[bytes]) -> None:
        for line in events:
            event = json.loads(line)
            if event["type"] == "ERROR":
                raise OSError(line)
            pod = event["object"]
            uid = pod["metadata"]["uid"]
            if event["type"] == "ADDED" and uid not in self._threads:
                work = _Pod(self, pod).run
                self._threads[uid] = threading.Thread(target=self._guarded, args=(work,))
                self._threads[uid].start()
        raise OSError("the watch of the pods ended")

    def start(self, command: list[str], **how: Any) -> subprocess.Popen[str]:
        with self._mutex:
            if self._stopped:
                raise OSError("the node is stopped")
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stderr=subprocess.STDOUT,
                preexec_fn=die_with_parent,
                **how,
            )
            self._processes.append(process)
            return process


class _Pod:
    """A pod from its arrival to its end."""

    def __init__(self, node: Node, pod: Json) -> None:
        self._node = node
        self._labels = pod["metadata"]["labels"]
        self._annotations = pod["metadata"].get("annotations", {})
        self._name = pod["metadata"]["name"]
        self._space = f"/api/v1/namespaces/{pod['metadata']['namespace']}"
        self._spec = pod["spec"]
        (self._container,) = pod["spec"]["containers"]
        self._folder = node.folder / "pods" / self._name
        self._folder.mkdir(parents=True)

    def run(self) -> None:
        node, job = self._node, self._labels[JOB_LABEL]
        node.plane.call(
            "POST",
            f"{self._space}/pods/{self._name}/binding",
            {
                "apiVersion": "v1",
                "kind": "Binding",
                "metadata": {"name": self._name},
                "target": {"kind": "Node", "name": NAME},
            },
        )
        if job in node.evicted_at_once:
            node.evicted_at_once.remove(job)
            self._end("evicted", {})
            return
        mounts = self._mounts()
        environment = self._environment(mounts)
        started = _now()
        with open(self._folder / "log", "wb") as log:
            process = node.start(
                self._command(environment, mounts),
                env=environment,
                cwd=mounts[self._container["workingDir"]],
                stdout=log,
            )
        self._report(
            {"phase": "Running", "startTime": started}, {"running": {"startedAt": started}}
        )
        code, evicted = None, False
        while code is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = process.wait(PRESSURE_SECONDS)
            if code is None and not evicted and (mounts["/tmp"] / "pressure").exists():
                evicted = True
                process.terminate()
        code = code if code >= 0 else 128 - code
        self._end(
            "evicted" if evicted else code,
            {"terminated": {"exitCode": code, "startedAt": started, "finishedAt": _now()}},
        )

    def _end(self, how: Ending, state: Json) -> None:
        status: Json = {"phase": "Failed" if how else "Succeeded"}
        if how == "evicted":
            status["reason"] = "Evicted"
            status["conditions"] = [
                {"type": "DisruptionTarget", "status": "True", "reason": "TerminationByKubelet"}
            ]
        # First, so that nothing that follows from the end comes before it.
        self._node.ended.append((self._labels[JOB_LABEL], self._labels.get(INDEX_LABEL), how))
        self._report(status, state)

    def _report(self, status: Json, state: Json) -> None:
        if state:
            container = {
                "name": self._container["name"],
                "image": self._container["image"],
                "imageID": "",
                "ready": "running" in state,
                "restartCount": 0,
            }
            status = status | {"containerStatuses": [container | {"state": state}]}
        self._node.plane.call(
            "PATCH",
            f"{self._space}/pods/{self._name}/status",
            {"status": status},
            "application/strategic-merge-patch+json",
        )

    def _mounts(self) -> dict[str, pathlib.Path]:
        """The folder of each mount path."""
        folders = {}
        for volume in self._spec["volumes"]:
            folder = self._folder / volume["name"]
            if "persistentVolumeClaim" in volume:
                claim = volume["persistentVolumeClaim"]["claimName"]
                self._get("persistentvolumeclaims", claim)
                folder = self._node.folder / "claims" / claim
            folder.mkdir(parents=True, exist_ok=True)
            if "configMap" in volume:
                files = self._get("configmaps", volume["configMap"]["name"])["data"]
                for name, text in files.items():
                    (folder / name).write_text(text)
            folders[volume["name"]] = folder
        return {
            mount["mountPath"]: folders[mount["name"]] for mount in self._container["volumeMounts"]
        }

    def _environment(self, mounts: dict[str, pathlib.Path]) -> dict[str, str]:
        # HOME of the image is /tmp.
        own = {
            "PATH": f"{self._node.image}:/usr/bin:/bin",
            "HOSTNAME": self._name,
            "HOME": str(mounts["/tmp"]),
            "TMPDIR": str(mounts["/tmp"]),
            "LC_ALL": "C.UTF-8",
        }
        return own | {one["name"]: self._value(one) for one in self._container["env"]}

    def _value(self, variable: Json) -> str:
        source = variable.get("valueFrom", {})
        if "configMapKeyRef" in source:
            of = source["configMapKeyRef"]
            return self._get("configmaps", of["name"])["data"][of["key"]]
        if "fieldRef" in source:
            path = re.fullmatch(
                r"metadata\.(annotations|labels)\['(.*)'\]", source["fieldRef"]["fieldPath"]
            )
            assert path, source
            kind, key = path.groups()
            return (self._labels if kind == "labels" else self._annotations).get(key, "")
        return variable.get("value", "")

    def _command(self, environment: dict[str, str], mounts: dict[str, pathlib.Path]) -> list[str]:
        paths = "|".join(map(re.escape, mounts))
        words = []
        for word in self._container["args"]:
            word = re.sub(r"\$\((\w+)\)", lambda m: environment.get(m[1], m[0]), word)
            words.append(re.sub(rf"(^|=)({paths})(?=/|$)", lambda m: f"{m[1]}{mounts[m[2]]}", word))
        return ["watchproof", *words]  # the entry point of the image

    def _get(self, kind: str, name: str) -> Json:
        return self._node.plane.call("GET", f"{self._space}/{kind}/{name}")


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _log_server(plane: ControlPlane, folder: pathlib.Path) -> http.server.ThreadingHTTPServer:
    """Of what `kubectl logs` asks the API server for: /containerLogs/NAMESPACE/POD/CONTAINER."""

    class Logs(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            log = folder / "pods" / self.path.split("/")[3] / "log"
            started = log.exists()
            self.send_response(200 if started else 404)
            self.end_headers()
            self.wfile.write(log.read_bytes() if started else b"the container was not started")

        def log_message(self, *_: object) -> None:
            pass

    trust = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    trust.load_cert_chain(plane.folder / "server.crt", plane.folder / "server.key")
    logs = http.server.ThreadingHTTPServer((plane.host, PORT), Logs)
    logs.socket = trust.wrap_socket(logs.socket, server_side=True)
    return logs

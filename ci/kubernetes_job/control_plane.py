# SPDX-License-Identifier: Apache-2.0
"""A Kubernetes without machines: the real API server, on our store, and the controllers of Jobs.

plane = control_plane.start(stack, program, build, folder)   # StartError if it does not serve
plane.call("GET", "/api/v1/nodes")
[*plane.kubectl, "get", "jobs"]                              # a command
"""

import http.client
import json
import pathlib
import ssl
import subprocess
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import server

SECURE_PORT = 6443
PATIENCE = 120  # seconds, with two busy cores
# Jobs and their pods; that of accounts makes the one that every pod has.
CONTROLLERS = ("job-controller", "garbage-collector-controller", "serviceaccount-controller")
NAMESPACE = "watchproof"
# The strictest level: pods that want any right are rejected, and templates that do are warned of.
STRICT = {f"pod-security.kubernetes.io/{mode}": "restricted" for mode in ("enforce", "warn")}


class ControlPlane:
    """Threads: each call has a connection of its own."""

    def __init__(self, program: pathlib.Path, host: str, folder: pathlib.Path) -> None:
        self.host = host
        self.folder = folder  # with the certificates
        self.config = folder / "kubeconfig"
        self.kubectl = [
            str(program),
            "kubectl",
            f"--kubeconfig={self.config}",
            "--warnings-as-errors",
        ]
        self._trust = ssl.create_default_context(cafile=folder / "ca.crt")
        self._trust.load_cert_chain(folder / "client.crt", folder / "client.key")
        cluster = {
            "server": f"https://{host}:{SECURE_PORT}",
            "certificate-authority": str(folder / "ca.crt"),
        }
        user = {
            "client-certificate": str(folder / "client.crt"),
            "client-key": str(folder / "client.key"),
        }
        context = {"cluster": "here", "user": "client", "namespace": NAMESPACE}
        self.config.write_text(
            json.dumps(
                {  # JSON is YAML, too
                    "apiVersion": "v1",
                    "kind": "Config",
                    "current-context": "here",
                    "clusters": [{"name": "here", "cluster": cluster}],
                    "users": [{"name": "client", "user": user}],
                    "contexts": [{"name": "here", "context": context}],
                }
            )
        )

    def open(
        self, method: str, path: str, body: Any = None, kind: str = "application/json"
    ) -> tuple[http.client.HTTPSConnection, http.client.HTTPResponse]:
        """The connection, and the answer, of which nothing has been read."""
        connection = http.client.HTTPSConnection(self.host, SECURE_PORT, context=self._trust)
        connection.request(method, path, body and json.dumps(body), {"Content-Type": kind})
        return connection, connection.getresponse()

    def call(self, method: str, path: str, body: Any = None, kind: str = "application/json") -> Any:
        connection, answer = self.open(method, path, body, kind)
        text = answer.read()
        connection.close()
        if answer.status >= 300:
            raise OSError(f"{method} {path}: {answer.status} {text.decode(errors='replace')}")
        return json.loads(text)

    def succeeds(self, path: str) -> bool:
        try:
            connection, answer = self.open("GET", path)
        except OSError:
            return False
        connection.close()
        return answer.status == 200


def start(
    stack: ExitStack, program: pathlib.Path, build: pathlib.Path, folder: pathlib.Path
) -> ControlPlane:
    """All of it ends with the stack; `build` has watchproof and make_certs."""
    store = server.start(stack, server.STORE, build / "watchproof", 0)
    host = server.free_address(1)
    subprocess.run([build / "fixtures/certs/make_certs", folder, host, "client"], check=True)
    plane = ControlPlane(program, host, folder)
    stack.enter_context(
        server.Server(
            "kube-apiserver",
            [
                program,
                "kube-apiserver",
                f"--etcd-servers=http://{store.endpoint}",
                f"--bind-address={host}",
                f"--secure-port={SECURE_PORT}",
                f"--tls-cert-file={folder}/server.crt",
                f"--tls-private-key-file={folder}/server.key",
                f"--client-ca-file={folder}/ca.crt",
                "--authorization-mode=AlwaysAllow",
                # For what the API server asks of a node: the output of a pod.
                f"--kubelet-certificate-authority={folder}/ca.crt",
                "--endpoint-reconciler-type=none",
                "--service-account-issuer=https://kubernetes.default.svc",
                f"--service-account-key-file={folder}/server.crt",
                f"--service-account-signing-key-file={folder}/server.key",
            ],
            host,
            "Serving securely on",
            PATIENCE,
        )
    )
    wait_for("the API server", lambda: plane.succeeds("/readyz"))
    stack.enter_context(
        server.Server(
            "kube-controller-manager",
            [
                program,
                "kube-controller-manager",
                f"--kubeconfig={plane.config}",
                "--leader-elect=false",
                f"--bind-address={host}",
                f"--controllers={','.join(CONTROLLERS)}",
            ],
            host,
            "Serving securely on",
            PATIENCE,
        )
    )
    plane.call("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE, "labels": STRICT}})
    accounts = f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts/default"
    wait_for("the account of the pods", lambda: plane.succeeds(accounts))
    return plane


def wait_for(what: str, fact: Callable[[], bool]) -> None:
    """Other processes do not announce changes, so it asks again and again."""
    end = time.monotonic() + PATIENCE
    while not fact():
        if time.monotonic() > end:
            raise server.StartError(f"waited {PATIENCE} s for {what}")
        time.sleep(0.05)

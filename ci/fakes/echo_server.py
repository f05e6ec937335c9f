#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server that is no store: it returns what it receives.

echo_server.py HOST PORT
"""

import socketserver
import sys


class Echo(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        while data := self.request.recv(4096):
            self.request.sendall(data)


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


if __name__ == "__main__":
    with Server((sys.argv[1], int(sys.argv[2])), Echo) as server:
        server.serve_forever()

"""A stand-in for a Databricks SQL warehouse over HTTPS, for Databricks' own connector."""

import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.fakes.databricks.thrift import answer
from tests.fakes.databricks.warehouse import Statement, Warehouse


@contextmanager
def warehouse_server(
    warehouse: Warehouse, context: ssl.SSLContext, *, tokens: Mapping[str, str]
) -> Iterator[int]:
    """Its port. `tokens` are the bearer tokens that it takes and whose they are."""
    statements: dict[bytes, Statement] = {}

    class Requests(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None: ...

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            user = tokens.get((self.headers.get("Authorization") or "").removeprefix("Bearer "))
            if user is None:
                self._reply(403, b'{"message": "Invalid access token."}', "application/json")
            else:
                self._reply(200, answer(warehouse, statements, user, body), "application/x-thrift")

        def _reply(self, status: int, body: bytes, kind: str) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Requests)
    server.daemon_threads = True
    server.socket = context.wrap_socket(server.socket, server_side=True)
    serving = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    serving.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        serving.join()
        server.server_close()

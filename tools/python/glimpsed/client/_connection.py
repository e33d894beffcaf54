"""A connection of HTTP over TCP, TLS or a Unix socket."""

from __future__ import annotations

import http.client
import io
import select
import socket
import ssl
import time

LONGEST = 60  # times `timeout`: what an answer as a whole may take
LEAST_RATE = 16 << 10  # bytes a second: an answer that brings as many may take longer


class _Timed(io.RawIOBase):
    """What a socket gives, as long as an answer may take. `file`: of the socket."""

    def __init__(self, sock: socket.socket, file: io.BufferedIOBase) -> None:
        self._sock, self._timeout = sock, sock.gettimeout() or 0.0
        self._file = file  # which keeps the socket open
        self._end = time.monotonic() + LONGEST * self._timeout
        self._bytes = 0

    def close(self) -> None:
        self._file.close()
        super().close()

    def readable(self) -> bool:
        return True

    def readinto(self, into: memoryview) -> int:  # type: ignore[override]
        left = self._end + self._bytes / LEAST_RATE - time.monotonic()
        if left <= 0:
            raise TimeoutError(f"the answer did not end within {LONGEST} times timeout, {self._timeout:g} s, and came at "
                               f"less than {LEAST_RATE} bytes a second")
        self._sock.settimeout(min(self._timeout, left))
        try:
            count = self._sock.recv_into(into)
            self._bytes += count
            return count
        finally:
            self._sock.settimeout(self._timeout)


class Answer(http.client.HTTPResponse):
    """An answer that ends in time."""

    def __init__(self, sock: socket.socket, *unused: object, method: str | None = None, **more: object) -> None:
        super().__init__(sock, method=method)
        self.fp = io.BufferedReader(_Timed(sock, self.fp))


class Connection(http.client.HTTPConnection):
    """http.client over TCP, with `tls` over TLS, or, where `path` is given, over a Unix socket."""

    response_class = Answer

    def __init__(self, host: str, port: int | None, path: str | None, timeout: float,
                 tls: ssl.SSLContext | None) -> None:
        super().__init__(host, port, timeout=timeout)
        self._path = path
        self._tls = tls

    def connect(self) -> None:
        if self._path is None:
            super().connect()
            if self._tls is not None:
                self.sock = self._tls.wrap_socket(self.sock, server_hostname=self.host)
            return
        connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connected.settimeout(self.timeout)
            connected.connect(self._path)
        except OSError:
            connected.close()
            raise
        self.sock = connected

    def is_stale(self) -> bool:
        """Between two requests nothing is to be read but the end: the daemon was restarted, or tired of waiting."""
        if self.sock is None:
            return False
        poll = select.poll()
        poll.register(self.sock, select.POLLIN)
        if not poll.poll(0):
            return False
        if self._tls is None:
            return True
        self.sock.settimeout(0)  # what came may be a ticket of TLS, which no reader sees
        try:
            self.sock.recv(1)
        except ssl.SSLWantReadError:
            return False
        except OSError:
            pass
        finally:
            self.sock.settimeout(self.timeout)
        return True

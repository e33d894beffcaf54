"""Source: a named stream through a stream door."""

from __future__ import annotations

import select
import socket
import time
from typing import Any

from ._errors import InvalidRequest, Unavailable

_MOST_LINE = 1 << 20  # bytes
_SPARE_REPLIES = 16  # a record has one at most; these are for the end
_MOST_PENDING = 1000  # promises of one checkpoint: the daemon repeats it each second, for 10 minutes at most


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 20):
        raise ValueError(f"{text[:20]!r} is no count")
    return int(text)


class Source:
    """A named stream of records through a stream door, each learned exactly once (daemon/stream/SOURCES.md).

        with Source("unix:/run/glimpse-stream.sock", "meter-7") as source:
            for line in lines_behind(source.inside):
                source.send(line + "\\n")
            source.finish()

    `inside`: records that were in the model when the connection was made: send those behind. `durable`: of all, those
    that survive a crash; no others may be forgotten. `replies`: lines that came beside, predictions and what is said
    of records that cannot be read; take them out. When Unavailable is raised, make another Source and go on behind what
    is inside then; InvalidRequest says why there is no sense in that. Thread-safety: none.

    address: unix:PATH or tcp:HOST:PORT, the daemon's --listen; not through TLS.
    token: one of the daemon's --token-file that may write.
    timeout: seconds in which nothing moves, before the daemon counts as gone. A checkpoint that it promised counts as
    moving, until one fails, or it was promised 1000 times.
    memory: bytes of records that you can keep until they are durable: the daemon is asked for a checkpoint when half of
    them are not, and wait_durable() waits for it. 0: you need not keep any.
    """

    def __init__(self, address: str, name: str, timeout: float = 60.0, token: str | None = None,
                 memory: int = 0) -> None:
        kind, _, rest = address.partition(":")
        host, _, port = rest.rpartition(":")
        if not (kind == "unix" and rest) and not (kind == "tcp" and host and port.isdigit()):
            raise ValueError(f"address {address!r} must be unix:PATH or tcp:HOST:PORT")
        self.inside, self.durable, self._sent, self._replied, self._pending = -1, 0, 0, 0, 0
        self.replies: list[str] = []
        self._name, self._timeout, self._rest = name, timeout, b""
        self._failing, self._promised, self._moved = "", False, time.monotonic()
        shown = "" if token is None else f"token={token} "

        def greet(more: str) -> None:
            try:
                if kind == "unix":
                    self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                    self._socket.settimeout(timeout)
                    self._socket.connect(rest)
                else:
                    self._socket = socket.create_connection((host.strip("[]"), int(port)), timeout)
            except OSError as error:
                if kind == "unix":
                    self.close()
                raise Unavailable(0, "unreachable", f"{address}: {error}") from error
            self._socket.setblocking(False)
            try:
                self.send(f"#glimpse {shown}source={name}{more}\n", 0)
                while self.inside < 0:
                    self._wait(False)
            except BaseException:
                self.close()
                raise

        try:
            greet(f" memory={memory}")
        except InvalidRequest as error:
            if not error.message.startswith("greeting #glimpse: 'memory' is not a key"):
                raise
            self._rest = b""
            greet("")  # an older daemon

    def __enter__(self) -> Source:  # noqa: PYI034 (typing.Self is of Python 3.11)
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection at once; what was sent may be learned or not."""
        self._socket.close()

    def send_table(self, table: Any) -> None:
        """A pyarrow.Table, or the path of a Parquet or Arrow file, as CSV below a header, from the record on that is not
        inside yet. Raises ImportError without pyarrow, and ValueError for what csv_pieces() refuses."""
        from ..arrow import csv_pieces

        inside = self.inside
        for piece in csv_pieces(table):
            lines = piece.splitlines(keepends=True)
            self.send(b"".join(lines[inside:]))
            inside = max(inside - len(lines), 0)

    def send(self, records: str | bytes, count: int | None = None) -> None:
        """Whole records: lines with their ends, else ValueError, or `count` rows, of which numpy's header is one. Waits
        until the system has taken them."""
        content = records.encode() if isinstance(records, str) else records
        if count is None and content and not content.endswith(b"\n"):
            raise ValueError(f"the record {content[-60:]!r} has no line end and would not be learned: send it with "
                             "'\\n' behind it, or rows of npy with their count")
        self._sent += content.count(b"\n") if count is None else count
        left = memoryview(content)
        self._begin()
        while left:
            if not self._wait(True):
                continue
            try:
                left = left[self._socket.send(left):]
            except BlockingIOError:
                continue
            except OSError as error:
                self._read()  # what was said before the end says more
                raise self._gone(str(error)) from error

    def finish(self) -> int:
        """Ends the stream, waits until everything of it is durable, and returns how many records that are."""
        try:
            self._socket.shutdown(socket.SHUT_WR)
        except OSError as error:
            raise self._gone(str(error)) from error
        return self.wait_durable(self.inside + self._sent)

    def wait_durable(self, records: int) -> int:
        """Waits until that many records of the source are durable, and returns how many are. Of what was sent, as much
        as fills `memory` becomes durable soon; the rest when the daemon makes a checkpoint, or at finish()."""
        self._begin()
        while self.durable < records:
            self._wait(False)
        return self.durable

    def _begin(self) -> None:
        """The caller took its time, not the daemon."""
        if not self._failing:
            self._moved = time.monotonic()

    def _wait(self, writes: bool) -> bool:
        """Until something can be read, which is done, or written where `writes`: whether it can."""
        limit = max(self._timeout, 5.0) if self._promised else self._timeout  # a promise is repeated each second
        left = max(0.0, self._moved + limit - time.monotonic())
        readable, writable, _ = select.select([self._socket], [self._socket] if writes else [], [], left)
        if writable:
            self._moved = time.monotonic()
        if readable:
            self._read()
        if time.monotonic() - self._moved >= limit:
            failing = f"; the daemon cannot write checkpoints: {self._failing}" if self._failing else ""
            raise Unavailable(0, "timeout", f"nothing moved for {self._timeout:g} s{failing}", sent=True)
        return bool(writable)

    def _read(self) -> None:
        try:
            piece = self._socket.recv(1 << 16)
        except BlockingIOError:
            return
        except OSError as error:
            raise self._gone(str(error)) from error
        *lines, self._rest = (self._rest + piece).split(b"\n")
        if len(self._rest) > _MOST_LINE:
            raise Unavailable(0, "invalid_answer", f"a line is longer than {_MOST_LINE} bytes", sent=True)
        for line in lines:
            try:
                self._take(line.decode(errors="replace"))
            except ValueError as error:
                raise Unavailable(0, "invalid_answer", f"cannot be understood: {line[:80]!r}: {error}",
                                  sent=True) from error
        if not piece:
            last = self.replies[-1] if self.replies and self.replies[-1].startswith("error: ") else ""
            raise Unavailable(0, "closed", f"the daemon closed the connection{last and ' after ' + last}", sent=True)

    def _take(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if word == "resume" and self.inside < 0:
            self.inside, self._moved = _count(rest), time.monotonic()
        elif word == "durable":
            if _count(rest) > self.inside + self._sent:
                raise ValueError("no more are inside and sent")
            if int(rest) > self.durable:
                self.durable, self._failing, self._promised, self._pending = int(rest), "", False, 0
                self._moved = time.monotonic()
        elif line == "checkpoint pending":
            self._pending += 1
            self._promised = not self._failing and self._pending <= _MOST_PENDING
            if self._promised:
                self._moved = time.monotonic()
        elif line.startswith("checkpoint failed: "):
            self._failing, self._promised = line[len("checkpoint failed: "):], False
        elif word == "error:" and line.endswith("; closing"):
            raise InvalidRequest(0, "refused", rest[:-len("; closing")])
        elif self._replied == self._sent + _SPARE_REPLIES:
            raise ValueError("there are more replies than records")
        else:
            self.replies.append(line)
            self._replied, self._moved = self._replied + 1, time.monotonic()

    @staticmethod
    def _gone(reason: str) -> Unavailable:
        return Unavailable(0, "broken", f"the connection broke: {reason}", sent=True)

"""Asks as open pages of the HTTP door do (daemon/page/assets): pages.py HOST PORT COUNT

Each page has two connections. Once a second it asks for the status and for what is new in the history at the same time,
and each ten seconds for the model and the moments. Prints "open" once each has had its first answers, and after its
standard input has ended what it asked for: requests, and bytes of answers. It is a program of its own, so that it does
not take turns with the program that measures.
"""

import asyncio
import re
import sys
from pathlib import Path

EVERY, SELDOM = 1.0, 10  # seconds between two looks, and looks between two of what is large
COLUMNS = re.search(r"const COLUMNS = \[(.*?)\];",
                    (Path(__file__).resolve().parents[3] / "daemon/page/assets/history.js").read_text(encoding="utf-8"),
                    re.DOTALL).group(1)
HISTORY = "/v1/history?columns=" + ",".join(re.findall(r'"(\w+)"', COLUMNS))


class Counts:
    requests = bytes = opened = 0


class Connection:
    """Keeps a connection, as browsers do."""

    def __init__(self, host, port):
        self.host, self.port = host, port
        self.writer = None

    async def get(self, path):
        """The body of the answer."""
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection(self.host, self.port)
        self.writer.write(f"GET {path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\nAccept-Encoding: gzip\r\n\r\n".encode())
        head = await self.reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200 "):
            raise OSError(f"GET {path}: {head.splitlines()[0].decode()}")
        body = await self.reader.readexactly(int(re.search(rb"(?i)content-length: (\d+)", head).group(1)))
        Counts.requests += 1
        Counts.bytes += len(head) + len(body)
        return body


async def page(host, port, begin):
    await asyncio.sleep(begin)
    first, second = Connection(host, port), Connection(host, port)
    loop = asyncio.get_running_loop()
    since, look = 0, 0
    while True:
        due = loop.time() + EVERY
        _, history = await asyncio.gather(first.get("/v1/status"), second.get(HISTORY + (f"&since={since}" if since else "")))
        if found := re.search(rb'"columns":\{"examples":\[[^\]]*?(\d+)\]', history):
            since = int(found.group(1))
        if look % SELDOM == 0:
            await first.get("/v1/model")
            await first.get("/v1/moments")
        Counts.opened += look == 0
        look += 1
        await asyncio.sleep(max(0.0, due - loop.time()))


async def main():
    host, port, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    loop = asyncio.get_running_loop()
    pages = [asyncio.create_task(page(host, port, EVERY * k / count)) for k in range(count)]
    ended = loop.run_in_executor(None, sys.stdin.read)
    while Counts.opened < count and not ended.done():
        for one in pages:
            if one.done():
                one.result()  # raises what went wrong
        await asyncio.sleep(0.01)
    print("open", flush=True)
    await asyncio.wait([ended, *pages], return_when=asyncio.FIRST_COMPLETED)
    for one in pages:
        if one.done():
            one.result()
        one.cancel()
    print(Counts.requests, Counts.bytes, flush=True)


if __name__ == "__main__":
    asyncio.run(main())

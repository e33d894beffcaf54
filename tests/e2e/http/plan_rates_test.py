"""How many plans a second are asked for and told, one by one and in batches, on one connection.

The rates are printed (run this file, or ctest -V -L latency); what is asserted does not depend on the machine's mood.
"""

import json
import os
import socket
import time
import unittest

from harness import DEADLINE, TestCase

D, K = 784, 5


class RawHttp:
    """HTTP on one connection with next to nothing of its own: what is measured is the daemon."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(DEADLINE)
        self.socket.connect(path)
        self.rest = b""

    def post(self, path, body):
        self.socket.sendall(b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s" % (path, len(body), body))
        data = self.rest
        while (end := data.find(b"\r\n\r\n")) < 0:
            data += self.socket.recv(1 << 16)
        assert data.startswith(b"HTTP/1.1 200"), data[:200]
        length = data.index(b"Content-Length: ") + 16
        size = int(data[length:data.index(b"\r", length)])
        parts, have = [data[end + 4:]], len(data) - end - 4
        while have < size:
            parts.append(self.socket.recv(1 << 20))
            have += len(parts[-1])
        data = b"".join(parts)
        self.rest = data[size:]
        return data[:size]

    def close(self):
        self.socket.close()


class PlanRates(TestCase):
    def begin(self):
        daemon = self.start("--dimension", D, "--budget", K, "--serve", "--input", os.devnull)
        http = RawHttp(daemon.http_path)
        self.addCleanup(http.close)
        return daemon, http

    def test_one_by_one(self):
        daemon, http = self.begin()
        rounds = 5000
        begin = time.monotonic()
        for _ in range(rounds):
            plan = http.post(b"/v1/ask", b"")
            identity = plan[plan.index(b'"id":"') + 6:plan.index(b'","')]
            http.post(b"/v1/tell", b'{"id":"%s","label":1,"values":[0.5,0.25,0,1,0.125]}' % identity)
        took = time.monotonic() - begin
        print(f"\nask and tell, one by one: {rounds / took:.0f} round trips/s")
        self.assertEqual(daemon.status()["examples"], rounds)

    def test_batches_of_a_thousand(self):
        daemon, http = self.begin()
        batches, size = 200, 1000
        asking = telling = 0.0
        for _ in range(batches):
            begin = time.monotonic()
            answer = http.post(b"/v1/ask", b'{"count":%d}' % size)
            asking += time.monotonic() - begin
            body = b"\n".join(b'{"id":"%s","label":1,"values":[0.5,0.25,0,1,0.125]}' % plan[:plan.index(b'"')]
                              for plan in answer.split(b'{"id":"')[1:])
            begin = time.monotonic()
            answer = http.post(b"/v1/tell", body)
            telling += time.monotonic() - begin
            self.assertEqual(json.loads(answer)["learned"], size)
        plans = batches * size
        print(f"\nin batches of {size}: asked for {plans / asking:.0f}/s, told {plans / telling:.0f}/s, "
              f"both {plans / (asking + telling):.0f}/s")
        self.assertEqual(daemon.status()["examples"], plans)


if __name__ == "__main__":
    unittest.main(verbosity=2)

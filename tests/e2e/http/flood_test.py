"""Under 5,000 idle connections and 50 that trickle: how fast a stream is, beside how fast it was, and how soon /readyz
answers. The figures are printed; what is asserted is that everybody is served, that nothing is lost, and that the
figures are not of another order."""

import resource
import statistics
import threading
import time
import unittest

from harness import StreamClient, TestCase, examples, until, vw

IDLE = 5000
SLOW = 50
ROUNDS = 7


def trickle(clients, ended):
    """A byte from each client, again and again."""
    while not ended.wait(0.02):
        for client in clients:
            client.send("1")


class Flood(TestCase):
    def test_a_flood_of_connections_slows_nobody(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = IDLE + SLOW + 200
        if hard != resource.RLIM_INFINITY and hard < wanted:
            self.skipTest(f"{wanted} descriptors are needed, {hard} allowed")
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
        daemon = self.start("--dimension", 100, "--budget", 5, "--listen", "tcp:127.0.0.1:0", "--replies", "none")
        door = daemon.door()
        batch = vw(examples(2000, 100)).encode() * 20
        sent = [0]

        def rate():
            begin = time.perf_counter()
            with StreamClient(door) as client:
                client.send(batch)
                client.finish()
            sent[0] += 40000
            return 40000 / (time.perf_counter() - begin)

        def answers(seconds):
            """Milliseconds of requests to /readyz, one after another."""
            times = []
            end = time.perf_counter() + seconds
            while time.perf_counter() < end:
                begin = time.perf_counter()
                self.assertEqual(daemon.get("/readyz").status, 200)
                times.append((time.perf_counter() - begin) * 1e3)
            return sorted(times)

        rate()
        alone = [rate() for _ in range(ROUNDS)]
        before = daemon.rss_bytes()
        idle = [StreamClient(door) for _ in range(IDLE)]
        slow = [StreamClient(door) for _ in range(SLOW)]
        until(lambda: f"glimpse_connections {IDLE + SLOW + 1}" in daemon.get("/metrics").body.decode(), "all are connected")
        idle_bytes = (daemon.rss_bytes() - before) / IDLE
        ended = threading.Event()
        thread = threading.Thread(target=trickle, args=(slow, ended))
        thread.start()
        try:
            flooded = [rate() for _ in range(ROUNDS)]
            quiet = answers(1)
            beside = threading.Thread(target=lambda: [rate() for _ in range(ROUNDS)])
            beside.start()
            busy = answers(1)
            beside.join()
        finally:
            ended.set()
            thread.join()
            for client in idle + slow:
                client.close()
        self.assertEqual(daemon.status()["examples"], sent[0])
        print(f"\n{IDLE} idle and {SLOW} slow connections: {statistics.median(flooded) / statistics.median(alone):.2f} times the rate alone "
              f"({statistics.median(alone):,.0f} examples/s); an idle one takes {idle_bytes:,.0f} bytes; /readyz takes "
              f"p50 {quiet[len(quiet) // 2]:.2f}, p99 {quiet[len(quiet) * 99 // 100]:.2f}, at most {quiet[-1]:.2f} ms, beside a stream "
              f"p50 {busy[len(busy) // 2]:.2f}, p99 {busy[len(busy) * 99 // 100]:.2f}, at most {busy[-1]:.2f} ms")
        # The aims are .9 and 50 ms; on a machine that others use as well, this says that nothing is broken.
        self.assertGreater(statistics.median(flooded) / statistics.median(alone), 0.5)
        self.assertLess(max(quiet[len(quiet) // 2], busy[len(busy) // 2]), 50)


if __name__ == "__main__":
    unittest.main()

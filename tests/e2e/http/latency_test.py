"""Queries under a full-speed stream, and the pause of a large checkpoint.

The times are printed (run this file, or ctest -V -L latency); what is asserted does not depend on the machine's mood.
"""

import json
import statistics
import threading
import time
import unittest

from harness import TestCase, examples, svmlight


class Latency(TestCase):
    def test_status_is_answered_again_and_again_while_a_stream_runs_at_full_speed(self):
        rows = 400
        daemon = self.start("--dimension", 784, "--budget", 57, "--format", "svmlight", "--listen", "tcp:127.0.0.1:0",
                            "--state-directory", self.path("state"), "--checkpoint-every", "1s")
        block = svmlight(examples(rows, dimension=784)).encode()
        repeats = 250  # 100 000 examples
        ended = threading.Event()
        failures = []

        def push():
            try:
                with daemon.client() as client:
                    for _ in range(repeats):
                        client.send(block)
                    client.finish()
            except OSError as error:
                failures.append(error)
            finally:
                ended.set()

        pusher = threading.Thread(target=push)
        begin = time.monotonic()
        pusher.start()
        connection = daemon.connection()
        times, seen = [], set()
        while not ended.is_set():
            asked = time.monotonic()
            connection.request("GET", "/v1/status")
            seen.add(json.loads(connection.getresponse().read())["examples"])
            times.append(time.monotonic() - asked)
            ended.wait(0.001)
        pusher.join()
        took = time.monotonic() - begin
        connection.close()
        self.assertEqual(failures, [])
        self.assertEqual(daemon.status()["examples"], rows * repeats)
        times.sort()
        p99 = times[int(0.99 * len(times))]
        print(f"\n/v1/status over {len(times)} requests in {took:.1f} s at {rows * repeats / took:.0f} examples/s: "
              f"median {1e3 * times[len(times) // 2]:.2f} ms, p99 {1e3 * p99:.2f} ms, worst {1e3 * times[-1]:.2f} ms")
        self.assertGreater(len(seen), 100)  # had any waited for the stream to end, few states would have been seen

    def test_a_prediction_on_a_socket_goes_between_the_examples_of_a_stream(self):
        content = svmlight(examples(400, dimension=784)).encode()
        daemon = self.start("--dimension", 784, "--budget", 57, "--format", "svmlight", "--listen", "tcp:127.0.0.1:0")
        ended = threading.Event()

        def push():
            with daemon.client() as client:
                for _ in range(250):
                    client.send(content)
                client.finish()
            ended.set()

        line = " ".join(["?"] + [f"{i + 1}:0.5" for i in range(784)]).encode() + b"\n"
        pusher = threading.Thread(target=push)
        times = []
        with daemon.client() as client:
            client.send(line)
            client.line()  # a first model is there
            pusher.start()
            while not ended.is_set():
                asked = time.monotonic()
                client.send(line)
                float(client.line())
                times.append(time.monotonic() - asked)
                ended.wait(0.001)
            client.finish()
        pusher.join()
        daemon.wait_examples(100000)
        times.sort()
        print(f"\n{len(times)} predictions beside a stream: median {1e3 * times[len(times) // 2]:.2f} ms, "
              f"p99 {1e3 * times[int(0.99 * len(times))]:.2f} ms, worst {1e3 * times[-1]:.2f} ms")
        self.assertGreater(len(times), 100)  # had any waited for the stream to end, few would have been answered

    def test_learning_does_not_wait_for_a_checkpoint_of_a_million_attributes_to_be_written(self):
        dimension = 10 ** 6
        daemon = self.start("--dimension", dimension, "--budget", 16, "--format", "svmlight",
                            "--state-directory", self.path("state"))
        pauses, durations = [], []
        for i in range(5):
            lines = "".join(f"{(-1) ** j} {1 + (7919 * (i + j)) % dimension}:1\n" for j in range(2000))
            self.assertEqual(daemon.post("/v1/learn?format=svmlight", lines).json()["accepted"], 2000)
            self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
            status = daemon.status()
            pauses.append(status["checkpoint_pause_seconds"])
            durations.append(status["checkpoint_duration_seconds"])
        print("\npauses: " + ", ".join(f"{1e3 * pause:.2f} ms" for pause in pauses) +
              " of " + ", ".join(f"{1e3 * duration:.1f} ms" for duration in durations))
        self.assertGreater(min(pauses), 0)
        self.assertLess(2 * statistics.median(pauses), statistics.median(durations))  # the rest is on another thread


if __name__ == "__main__":
    unittest.main(verbosity=2)

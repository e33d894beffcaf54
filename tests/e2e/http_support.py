"""What the tests of the HTTP door share: a daemon that has learned something."""

from harness import SMALL, TestCase, examples, ndjson


class HttpTestCase(TestCase):
    def learned(self, *arguments, count=300):
        """A daemon that has learned something."""
        daemon = self.start(*SMALL, *arguments)
        answer = daemon.post("/v1/learn", ndjson(examples(count)))
        self.assertEqual(answer.status, 200, answer.body)
        return daemon

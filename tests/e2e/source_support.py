"""What the tests of named sources share: a connection that greets, a daemon that makes checkpoints only when asked."""

from harness import SMALL, StreamClient, TestCase


class SourceClient(StreamClient):
    """A connection that has greeted; `inside` is what it was told."""

    def __init__(self, address, name, keys=""):
        super().__init__(address)
        self.send(f"#glimpse source={name}{keys}\n")
        self.inside = self.number("resume")

    def number(self, word):
        line = self.line()
        if not line.startswith(word + " "):
            raise ConnectionError(f"{line!r} instead of {word} N")
        return int(line.split()[1])


class SourceTestCase(TestCase):
    def setUp(self):
        super().setUp()
        self.state = self.path("state")
        self.door = f"unix:{self.path('stream.sock')}"

    def begin(self, *arguments, model=SMALL, **keywords):
        """--checkpoint-every is long: nothing becomes durable but what a test asks for."""
        defaults = () if "--checkpoint-every" in arguments else ("--checkpoint-every", "1h")
        return self.start(*model, "--listen", self.door, "--state-directory", self.state, *defaults, *arguments,
                          **keywords)

    def answers(self, daemon):
        return daemon.model(), daemon.get("/v1/moments").body

    def straight(self, content, *arguments):
        """The model and the moments of an uninterrupted run, over a connection without a name."""
        daemon = self.start(*SMALL, "--listen", f"unix:{self.path('straight.sock')}", *arguments)
        with daemon.client("unix") as client:
            client.send(content)
            client.finish()
        try:
            return self.answers(daemon)
        finally:
            self.assertEqual(daemon.stop(), 0)

"""What the tests of tools/python/glimpsed/client share: where it is, and clients that are closed at the end."""

import os
import sys

from harness import TestCase

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "python")
sys.path.insert(0, TOOLS)
from glimpsed.client import Client  # noqa: E402


class ClientTestCase(TestCase):
    def client(self, url, **keywords):
        keywords.setdefault("backoff", 0.001)
        client = Client(url, **keywords)
        self.addCleanup(client.close)
        return client

    def of(self, daemon, **keywords):
        return self.client("unix:" + daemon.http_path, **keywords)

"""What stands in the way of the daemon's sockets: other things under their names, and sockets of others."""

import os
import socket
import stat
import unittest

from harness import SMALL, TestCase


class Sockets(TestCase):
    def start_on(self, option, path, **keywords):
        if option == "--http":
            daemon = self.start(*SMALL, "--http", f"unix:{path}", http=None, **keywords)
            daemon.http_path = path
        else:
            daemon = self.start(*SMALL, "--listen", f"unix:{path}", **keywords)
        daemon.wait_log("door open")
        return daemon

    def test_only_the_socket_that_was_bound_is_removed_at_the_end(self):
        for option in ("--listen", "--http"):
            for what in ("file", "folder", "link", "fifo", "nothing"):
                with self.subTest(option=option, what=what):
                    path = self.path(f"door{option}-{what}")
                    daemon = self.start_on(option, path)
                    self.assertTrue(stat.S_ISSOCK(os.lstat(path).st_mode))
                    os.remove(path)
                    {"file": lambda: self.write(os.path.basename(path), "precious"), "folder": lambda: os.mkdir(path),
                     "link": lambda: os.symlink("elsewhere", path), "fifo": lambda: os.mkfifo(path),
                     "nothing": lambda: None}[what]()
                    before = os.lstat(path) if what != "nothing" else None
                    self.assertEqual(daemon.stop(), 0)
                    if before is None:
                        self.assertFalse(os.path.lexists(path))
                    else:
                        self.assertEqual(os.lstat(path).st_ino, before.st_ino)

    def test_the_socket_of_another_daemon_that_took_the_path_stays(self):
        for option in ("--listen", "--http"):
            with self.subTest(option=option):
                path = self.path(f"door{option}")
                first = self.start_on(option, path)
                os.remove(path)
                second = self.start_on(option, path)
                self.assertEqual(first.stop(), 0)
                with socket.socket(socket.AF_UNIX) as client:
                    client.connect(path)  # still the second's
                self.assertEqual(second.stop(), 0)
                self.assertFalse(os.path.lexists(path))

    def test_a_socket_that_was_moved_away_is_not_followed(self):
        path = self.path("door")
        first = self.start_on("--listen", path)
        os.rename(path, self.path("moved"))
        self.write("door", "precious")
        self.assertEqual(first.stop(), 0)
        self.assertTrue(os.path.isfile(path))

    def test_a_live_socket_is_not_taken_for_a_dead_one_however_it_answers(self):
        path = self.path("door")
        for kind in ("full", "datagram"):
            with self.subTest(kind=kind):
                other = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM if kind == "datagram" else socket.SOCK_STREAM)
                clients = []
                try:
                    other.bind(path)
                    if kind == "full":
                        other.listen(0)
                        while True:  # until its queue is full, and who connects would wait
                            client = socket.socket(socket.AF_UNIX)
                            client.setblocking(False)
                            clients.append(client)
                            try:
                                client.connect(path)
                            except BlockingIOError:
                                break
                    status, line = self.refused(*SMALL, "--listen", f"unix:{path}")
                    self.assertEqual(status, 1)
                    self.assertIn("another process listens there", line)
                    self.assertTrue(os.path.lexists(path))
                finally:
                    for client in clients:
                        client.close()
                    other.close()
                    os.remove(path)

    def test_a_start_that_fails_takes_its_sockets_with_it(self):
        file = self.write("taken", "x")
        status, _ = self.refused(*SMALL, "--listen", f"unix:{self.path('door')}", "--http", f"unix:{file}")
        self.assertEqual(status, 1)
        self.assertFalse(os.path.lexists(self.path("door")))


if __name__ == "__main__":
    unittest.main()

"""A run of a scenario over all its doors, with ends between and kills amid, where everything is asked behind each portion."""

import os
import re
import select
import socket
import subprocess

import harness
from harness import StreamClient, until
from lives import Lives
from straight import Wrong
from strict import parse


class Interrupted(Lives):
    """Each portion at its door."""

    def live(self):
        for portion in self.scenario.portions:
            try:
                self.learn_at_door(portion)
                self.count()
                self.ask_everything()
                self.end_life(portion.end)
            except (AssertionError, OSError) as error:
                raise Wrong([self.trouble(error)], portion) from error
            except Wrong as wrong:
                wrong.portion = wrong.portion or portion
                raise
        self.need([])
        bodies = self.bodies()
        self.stop()
        self.check_output()
        return self.saved(), bodies

    def trouble(self, error):
        self.check_sanitizers()
        code = self.daemon.process.poll() if self.daemon else None
        return repr(error) if code is None else f"the daemon ended with {code}: {self.last_words()}"

    def learn_at_door(self, portion):
        door = {"http": self.at_http, "http array": self.at_http, "http source": self.at_http_source, "ask": self.at_ask,
                "socket": self.at_socket, "source": self.at_source, "file": self.at_file,
                "stdin": self.at_stdin, "stdin source": self.at_stdin}
        if portion.kills and self.daemon:
            self.checkpoint()
        door[portion.door](portion)

    def doors_for(self, portion):
        """What says how a stream of it is read."""
        made = self.scenario.formatting().get(portion.form, [])
        first = portion.records[0] if portion.records else b""
        decides = {"svmlight": b":" in first and b"#" not in first, "vw": True, "ndjson": True, "csv": not set(first) & set(b":|{")}
        if decides.get(portion.form) and self.chance.random() < .3:
            return ["--format", "auto", *made]  # else it is the checkpoint's
        return ["--format", portion.form, *made]

    def at_http(self, portion):
        self.need([])
        self.learn(portion)

    def at_ask(self, portion):
        self.need([])
        self.ask_and_tell(portion, self.chance.choice(["", "?durable=true"]))

    def at_http_source(self, portion):
        """Sent again from what is inside; killed with the answer on its way, or behind it."""
        path = f"/v1/learn?source=p{portion.number}&format={portion.form}"
        inside = 0
        for share in [*portion.kills, None]:
            self.need([])
            if inside:
                inside = parse(self.daemon.post(path).body)["inside"]
            end = len(portion.records) if share is None else inside + int(share * (len(portion.records) - inside))
            if end > inside:
                self.post(f"{path}&from={inside}", b"".join(portion.records[inside:end]))
            if share is not None:
                self.kill()
                inside = -1  # unknown

    def at_socket(self, portion):
        self.need(self.doors_for(portion))
        with StreamClient(self.door) as client:
            self.check_replies(self.converse(client, portion.content))

    def converse(self, client, content):
        """Sends all of it and returns what is answered until the daemon has worked through it."""
        answers = []
        client.socket.setblocking(False)
        done = False
        while True:
            if content:
                try:
                    content = content[client.socket.send(content[:65536]):]
                except BlockingIOError:
                    pass
            if not content and not done:
                done = True
                client.socket.shutdown(socket.SHUT_WR)
            wait_for(client.socket, bool(content))
            try:
                piece = client.socket.recv(1 << 16)
                if not piece:
                    return b"".join(answers).decode()
                answers.append(piece)
            except BlockingIOError:
                pass

    def at_source(self, portion):
        doors = self.doors_for(portion)
        for share in [*portion.kills, None]:
            self.need(doors)
            with StreamClient(self.door) as client:
                client.send(f"#glimpse source=p{portion.number}\n")
                line = client.line()
                if not line.startswith("resume "):
                    raise Wrong([f"{line!r} instead of resume N"], portion)
                inside = int(line.split()[1])
                if share is None:
                    answers = self.converse(client, b"".join(portion.records[inside:]))
                    self.check_replies(answers)
                else:
                    end = inside + int(share * (len(portion.records) - inside))
                    self.send_some(client, b"".join(portion.records[inside:end]))
                    self.kill()

    def send_some(self, client, content):
        """As much as is taken without reading answers."""
        client.socket.setblocking(False)
        try:
            client.socket.send(content)
        except BlockingIOError:
            pass

    def at_file(self, portion):
        path = os.path.join(self.folder, f"input-{portion.number}")
        with open(path, "wb") as file:
            file.write(portion.content)
        self.fresh_life(portion, ["--input", path, "--serve"], None)

    def at_stdin(self, portion):
        named = ["--stdin-source", f"p{portion.number}"] if portion.door == "stdin source" else []
        self.fresh_life(portion, ["--input", "-", "--serve", *named], portion.content)

    def fresh_life(self, portion, inputs, content):
        """Lives that begin with an input; without kills only one."""
        doors = [*inputs, *self.doors_for(portion)]
        if "--input" in doors and "-" in doors and "--format" not in doors:
            doors += ["--format", portion.form]
        for share in [*portion.kills, None]:
            if self.daemon:
                self.end_life("SIGTERM")
            self.before = None  # it learns at once
            self.begin_life(doors, stdin=subprocess.DEVNULL if content is None else subprocess.PIPE)
            if content is not None:
                self.pour(content if share is None else content[:int(share * len(content))], share is None)
            if share is None:
                self.await_input(portion)
            else:
                target = share * len(portion.content)
                until(lambda: content is not None or self.bytes_inside(portion) >= target, "a part of the file is read")
                self.kill()

    def pour(self, content, ends):
        pipe = self.daemon.process.stdin
        try:
            pipe.write(content)
            pipe.flush()
            if ends:
                pipe.close()
        except BrokenPipeError as error:
            raise Wrong([f"standard input is not read: {self.last_words()}"]) from error

    def bytes_inside(self, portion):
        """Of the input: what was read in this life, and where it went on, or where questions are answered again from."""
        log = self.daemon.stderr
        resumed = re.search(r"resuming at byte (\d+),", log)
        before = int(resumed[1]) if resumed else 0
        if again := re.search(r"are answered again, from line (\d+) on", log):
            before = sum(map(len, portion.content.splitlines(keepends=True)[:int(again[1]) - 1]))
        door = next(door for door in self.daemon.status()["sources"] if door["kind"] not in ("http", "unix"))
        return before + door["bytes"]

    def await_input(self, portion):
        until(lambda: self.bytes_inside(portion) >= len(portion.content), f"portion {portion.number} is learned over {portion.door}")


def wait_for(sock, writes):
    """Until something can be read or, where asked, written."""
    readable, writable, _ = select.select([sock], [sock] if writes else [], [], harness.DEADLINE)
    if not readable and not writable:
        raise Wrong([f"nothing moves on the stream door for {harness.DEADLINE} s"])

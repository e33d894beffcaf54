"""The files that everything reads, and how fast they can be read at all."""

import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from .runs import Run, stop

LARGE = 500_000  # examples: room is looked for before more are written


class Streams:
    """Streams that glimpse-bench writes, each kept in `directory` under a name that tells what it is (without one: in a
    folder that close() removes)."""

    def __init__(self, bench, directory, report):
        self.bench, self.report, self.kept = bench, report, directory is not None
        self.directory = Path(directory or tempfile.mkdtemp(prefix="glimpse-bench-"))
        self.directory.mkdir(parents=True, exist_ok=True)

    def make(self, name, write):
        """The file `name`, written by write(file) where it is not there yet; never half of one."""
        path = self.directory / name
        if not path.exists():
            self.report.progress(f"writing {name}")
            part = path.with_name(path.name + ".part")
            with open(part, "wb") as out:
                write(out)
            part.rename(path)
        return path

    def stream(self, kind, dimension, examples, form):
        if form == "npy":
            return self.npy(self.stream(kind, dimension, examples, "f32"), dimension, examples)
        command = [str(word) for word in (self.bench, "--stream", kind, dimension, examples, form)]
        name = f"{kind}-{dimension}-{examples}.{form}"
        if examples > LARGE and not (self.directory / name).exists():
            self.need_room(self.stream(kind, dimension, LARGE // 100, form), examples / (LARGE // 100))
        return self.make(name, lambda out: subprocess.run(command, stdout=out, check=True))

    def need_room(self, part, times):
        """Ends everything where a file that is so many times `part` does not fit."""
        needed, free = part.stat().st_size * times, shutil.disk_usage(self.directory).free
        if needed > free:
            stop(f"{self.directory} has room for {free / 1e9:.0f} GB, and a stream needs {needed / 1e9:.0f}: name another "
                 "--directory, or a --scale below 1")

    def npy(self, path, dimension, examples):
        """Rows of f32 as numpy.save() writes them."""
        text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({examples}, {dimension + 1}), }}"
        text = text.ljust(-(len(text) + 11) % 64 + len(text)) + "\n"

        def write(out):
            out.write(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode())
            with open(path, "rb") as rows:
                shutil.copyfileobj(rows, out, 1 << 20)
        return self.make(path.stem + ".npy", write)

    def unlabelled(self, path):
        """The same VW text without labels: every line asks for a prediction."""
        def write(out):
            with open(path, "rb") as lines:
                out.writelines(b"|" + line.split(b"|", 1)[1] for line in lines)
        return self.make(path.stem + "-unlabelled.vw", write)

    def empty(self):
        return self.make("empty", lambda out: None)

    def one(self):
        """One example of VW without values."""
        return self.make("one", lambda out: out.write(b"0 |\n"))

    def drop(self, *paths):
        """Forgets files that are large, unless they are to be kept."""
        for path in paths if not self.kept else ():
            path.unlink(missing_ok=True)

    def close(self):
        if not self.kept:
            shutil.rmtree(self.directory, True)


def plain_read(path):
    """Seconds for reading all of the file into the same megabyte again and again: no program that copies it is faster."""
    buffer = bytearray(1 << 20)
    begin = time.perf_counter()
    with open(path, "rb", buffering=0) as file:
        while file.readinto(buffer):
            pass
    return time.perf_counter() - begin


def count_lines(path):
    """Seconds of `wc -l`, its start included."""
    return Run(["wc", "-l", path]).seconds


class Limits:
    """Times of a plain read and of `wc -l` of one file, taken in every round beside the rest. The file is in the page
    cache from then on, where it fits."""

    def __init__(self, path, examples):
        self.path, self.examples, self.size = path, examples, path.stat().st_size
        self.reads, self.counts = [], []
        plain_read(path)

    def take(self):
        self.reads.append(plain_read(self.path))
        self.counts.append(count_lines(self.path))

    def share(self, seconds, of):
        """Of each round's limit (`of`: reads or counts), the share that a run of that round came to."""
        return [limit / took for limit, took in zip(of, seconds)]

    def rows(self, width):
        """Rows of a table of program, examples/s, MB/s, and `width` columns more."""
        named = [("plain read of the file", self.reads)]
        if self.path.suffix not in (".f32", ".npy"):
            named.append(("`wc -l` of the file", self.counts))
        return [[name, f"{self.examples / statistics.median(times):,.0f}",
                 f"{self.size / statistics.median(times) / 1e6:,.0f}"] + [""] * width for name, times in named]

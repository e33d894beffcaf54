"""Jobs on all cores, whose results are kept, so that a stopped command goes on where it was."""

import ctypes
import hashlib
import json
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from types import TracebackType
from typing import Any

from threadpoolctl import threadpool_limits

Result = Any  # what JSON has
_FORMAT = 1  # of results: another one makes kept ones of no use


class Store:
    """Results of jobs by their keys, a line of DIRECTORY/results.jsonl each. A line that was cut short does not count.
    Without a directory nothing is kept."""

    def __init__(self, directory: str | os.PathLike[str] | None) -> None:
        self._results: dict[str, Result] = {}
        self._path = None if directory is None else Path(directory) / "results.jsonl"
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        if self._path.exists():
            kept = self._path.read_bytes()
            whole = kept[:kept.rfind(b"\n") + 1]
            self._results = {row["key"]: row["result"] for row in map(json.loads, whole.splitlines())}
            if whole != kept:
                os.truncate(self._path, len(whole))

    def find(self, key: str) -> Result | None:
        return self._results.get(_hashed(key))

    def put(self, key: str, label: str, result: Result) -> None:
        self._results[_hashed(key)] = result
        if self._path is not None:
            with self._path.open("a") as file:
                print(json.dumps({"key": _hashed(key), "job": label, "result": result}), file=file)


def _hashed(key: str) -> str:
    return hashlib.sha256(f"{_FORMAT} {key}".encode()).hexdigest()[:32]


class Progress:
    """A line on standard error: how many of the jobs are done, and when the rest will be."""

    def __init__(self, title: str, quiet: bool) -> None:
        self._title, self._quiet = title, quiet
        self._total = self._kept = self._done = 0
        self._began = self._shown = time.monotonic()

    def expect(self, jobs: int, kept: int) -> None:
        """Further jobs, of which so many are done already."""
        self._total += jobs
        self._kept += kept

    def advance(self) -> None:
        """A job was done now."""
        self._done += 1
        now = time.monotonic()
        left = self._total - self._kept - self._done
        if not self._quiet and sys.stderr.isatty() and (now - self._shown > 0.2 or left == 0):
            self._shown = now
            print(f"\r\x1b[K{self._title}: {self._total - left} of {self._total}, {_minutes((now - self._began) / self._done * left)} left", end="",
                  file=sys.stderr, flush=True)

    def finish(self) -> None:
        if self._quiet or self._total == 0:
            return
        start = "\r\x1b[K" if sys.stderr.isatty() else ""
        print(f"{start}{self._title}: {self._kept + self._done} of {self._total} done, {self._kept} of them kept before, "
              f"in {_minutes(time.monotonic() - self._began)}", file=sys.stderr, flush=True)


def _minutes(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


_shared: Any = None


def shared() -> Any:
    """What Workers were made with: a job's function calls it, so that data are not sent to each process."""
    return _shared


def _begin_worker() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends the workers
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG: also where it was killed
    threadpool_limits(1)


class Workers:
    """Processes that see `shared`, forked from this one. With one process jobs run here. Results do not depend on how
    many there are: linear algebra has one thread in each."""

    def __init__(self, processes: int, data: Any, store: Store) -> None:
        global _shared
        _shared = data
        self.store = store
        self._executor: ProcessPoolExecutor | None = None
        if processes > 1:
            self._executor = ProcessPoolExecutor(processes, multiprocessing.get_context("fork"), _begin_worker)

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._executor is None:
            return
        if kind is not None:
            for process in list((self._executor._processes or {}).values()):
                process.terminate()
        self._executor.shutdown(wait=kind is None, cancel_futures=True)

    def map(self, function: Callable[..., Result], jobs: Sequence[tuple[Any, ...]], about: str, progress: Progress) -> list[Result]:
        """The results of function(*job) of each job, in their order. What the store has is not computed again; a result
        that a job gives is stored at once. What decides it is the function, one of a module, the repr() of the job, and
        what `about` says of the shared data."""
        keys = [f"{function.__module__}.{function.__qualname__} {about} {job!r}" for job in jobs]
        results: list[Result] = [self.store.find(key) for key in keys]
        missing = [place for place, result in enumerate(results) if result is None]
        progress.expect(len(jobs), kept=len(jobs) - len(missing))
        for place, result in self._compute(function, jobs, missing):
            results[place] = result
            self.store.put(keys[place], repr(jobs[place])[:200], result)
            progress.advance()
        # As they come back from the store, so that a stopped command gives the same.
        return [json.loads(json.dumps(result)) for result in results]

    def _compute(self, function: Callable[..., Result], jobs: Sequence[tuple[Any, ...]],
                 missing: Sequence[int]) -> Iterator[tuple[int, Result]]:
        if self._executor is None:
            for place in missing:
                with threadpool_limits(1):
                    result = function(*jobs[place])
                yield place, result
            return
        places = {self._executor.submit(function, *jobs[place]): place for place in missing}
        for future in as_completed(places):
            yield places[future], future.result()


def run_jobs(function: Callable[..., Result], jobs: Sequence[tuple[Any, ...]], about: str, data: Any, processes: int, store: Store,
             title: str, quiet: bool) -> list[Result]:
    """Workers.map() of processes that are there for these jobs alone."""
    progress = Progress(title, quiet)
    with Workers(min(processes, max(len(jobs), 1)), data, store) as workers:
        results = workers.map(function, jobs, about, progress)
    progress.finish()
    return results

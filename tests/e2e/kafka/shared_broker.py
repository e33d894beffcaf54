"""The broker that all tests of a run of ctest share: a fixture, whose ends ctest runs before the first test that wants it
and behind the last one.

  shared_broker.py start   starts the broker in the background, and returns once it serves
  shared_broker.py end     ends it

It is in a folder of the run, GLIMPSE_BROKERS/PROCESS of ctest, and is watched by a process that ends it with ctest,
however that ends. That process holds a lock of the file that says where the broker listens: where nobody does, the file
is a left-over (broker_support.shared_listeners).
"""

import contextlib
import fcntl
import json
import os
import select
import shutil
import signal
import sys

import broker_support

SERVES = b"serves"


def remove_leftovers(folders):
    """Those of runs that have ended and could not tidy up, because the machine stopped."""
    for name in os.listdir(folders):
        if not os.path.exists(f"/proc/{name}"):
            shutil.rmtree(os.path.join(folders, name), True)


def start(folder, ctest):
    reason = broker_support.why_missing()
    if reason:
        print(f"no broker: {reason}")  # each test skips, and says so as well
        return 0
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    remove_leftovers(os.path.dirname(folder))
    shutil.rmtree(folder, True)  # of another ctest that had the same process id
    os.makedirs(folder)
    ready, is_ready = os.pipe()
    if os.fork() == 0:
        os.close(ready)
        watch(folder, os.pidfd_open(ctest), is_ready)
        os._exit(0)
    os.close(is_ready)
    with open(ready, "rb") as pipe:
        if pipe.read() == SERVES:
            return 0
    with open(os.path.join(folder, "watch.log"), encoding="utf-8") as log:
        print(log.read())
    return 1


def watch(folder, ctest, is_ready):
    """The background process: runs the broker until ctest, or the fixture's end, ends this."""
    os.setsid()
    with open(os.devnull, "rb") as nothing, open(os.path.join(folder, "watch.log"), "wb") as log:
        for number, file in enumerate((nothing, log, log)):  # ctest waits for all that have its pipe
            os.dup2(file.fileno(), number)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    broker = broker_support.Broker(folder)
    path = os.path.join(folder, "listeners.json")
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump({"watcher": os.getpid(), "listeners": {
            "folder": folder, "port": broker.port, "secure_port": broker.secure_port}}, file)
        file.flush()
        fcntl.flock(file, fcntl.LOCK_EX)
        os.rename(path + ".new", path)
        os.write(is_ready, SERVES)
        os.close(is_ready)
        with contextlib.suppress(SystemExit):
            if select.select([ctest, os.pidfd_open(broker.process.pid)], [], [])[0] != [ctest]:
                return  # the broker ended by itself: its log stays for the fixture's end
        broker.discard()
        shutil.rmtree(folder, True)


def end(folder):
    """Fails where the broker ended before."""
    try:
        with open(os.path.join(folder, "listeners.json"), encoding="utf-8") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                os.kill(json.load(file)["watcher"], signal.SIGTERM)
                fcntl.flock(file, fcntl.LOCK_SH)  # once that has ended
                return 0
    except FileNotFoundError:
        return 0  # there was nothing to start
    with open(os.path.join(folder, "broker.log"), encoding="utf-8", errors="replace") as log:
        print("the broker ended by itself:", log.read()[-3000:])
    return 1


if __name__ == "__main__":
    where = broker_support.shared_folder(os.getppid())
    sys.exit(start(where, os.getppid()) if sys.argv[1] == "start" else end(where))

"""Chooses what runs under the thread sanitizer: tests/sanitizers/threads.txt, which `tools/check --all` writes again.

    threads.py BUILD TESTS    measures the tests of BUILD (linked with entered.c), and writes TESTS

A race needs a function's data on two threads. So a test counts for the functions of glimpse that it has two threads enter
in one process, each with what the thread is for (the function at which it began). Of the end-to-end tests are chosen, one
after another, those that add the most of these per second, until none adds any. Of the unit tests of the daemon is chosen
every file in which two threads enter one function.
"""

import argparse
import concurrent.futures
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

THREADS = 64
ENTRY = struct.Struct("<QQ")
LABELS = {"bits", "behaviour"}  # of tests/CMakeLists.txt: what runs with sanitizers
MORE = {"crash_kills", "monkey", "monkey_attacks"}


def functions_of(program):
    """Names by their distance from the start of the program, of glimpse's own functions alone."""
    listed = subprocess.run(["nm", "--defined-only", program], capture_output=True, text=True, check=True).stdout
    symbols = [line.split(" ", 2) for line in listed.splitlines()]
    start = next(int(address, 16) for address, _, name in symbols if name == "__executable_start")
    return {int(address, 16) - start: name for address, kind, name in symbols
            if kind in "tTwW" and re.match(r"_ZN?K?\d*N?K?7glimpse|_ZZ?NK?7glimpse", name)}


def entered(path, names):
    """(function, where its thread began) of each function that two threads of the process entered."""
    with open(path, "rb") as file:
        table = file.read()
    began = struct.unpack_from(f"<{THREADS}Q", table)
    found = set()
    for function, threads in ENTRY.iter_unpack(table[THREADS * 8:]):
        if threads & (threads - 1) == 0 or function not in names:
            continue
        found |= {(names[function], names.get(began[i], "?")) for i in range(THREADS) if threads >> i & 1}
    return found


def measure(command, names, environment=None, folder=None):
    """What the processes of a command entered by two threads, and its seconds."""
    with tempfile.TemporaryDirectory(prefix="glimpse-entered-") as tables:
        begin = time.monotonic()
        done = subprocess.run(command, env={**os.environ, **(environment or {}), "GLIMPSE_ENTERED": tables}, cwd=folder,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        seconds = time.monotonic() - begin
        found = set()
        for name in os.listdir(tables):
            found |= entered(os.path.join(tables, name), names)
        return found, seconds, done.returncode


def end_to_end(build, names):
    """{test: (what it entered, seconds)} of those that run with sanitizers."""
    listed = json.loads(subprocess.run(["ctest", "--show-only=json-v1"], cwd=build, capture_output=True, text=True,
                                       check=True).stdout)
    def run(test):
        properties = {one["name"]: one["value"] for one in test["properties"]}
        if not (LABELS & set(properties.get("LABELS", [])) or test["name"] in MORE):
            return None
        environment = dict(one.split("=", 1) for one in properties.get("ENVIRONMENT", []))
        found, seconds, status = measure(test["command"], names, environment, build)
        print(f"{test['name']}: {len(found)} in {seconds:.1f} s, status {status}", file=sys.stderr, flush=True)
        return test["name"], (found, seconds)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as several:
        return dict(done for done in several.map(run, listed["tests"]) if done)


def cover(measured):
    """The tests chosen, the one that adds the most a second first."""
    left = {name: set(found) for name, (found, _) in measured.items()}
    chosen = []
    while True:
        name = max(left, key=lambda one: (len(left[one]) / (1 + measured[one][1]), one))
        if not left[name]:
            return chosen
        chosen.append((name, len(left[name])))
        new = set(left[name])
        for others in left.values():
            others -= new


def unit_tests(build, names):
    """The files of the daemon's unit tests in which two threads enter one function."""
    program = os.path.join(build, "daemon", "daemon_test")
    listed = subprocess.run([program, "--list-test-cases", "--reporters=xml"], capture_output=True, text=True,
                            check=True).stdout
    files = sorted(set(re.findall(r'filename="([^"]*_test\.cpp)"', listed)))
    chosen = []
    for file in files:
        found, seconds, status = measure([program, f"--source-file={file}"], names)
        print(f"{file}: {len(found)} in {seconds:.1f} s, status {status}", file=sys.stderr, flush=True)
        if found:
            chosen.append(file)
    return chosen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("tests")
    given = parser.parse_args()
    if not shutil.which("nm"):
        sys.exit("threads.py: nm is not here (package binutils)")
    measured = end_to_end(given.build, functions_of(os.path.join(given.build, "daemon", "glimpsed")))
    chosen = cover(measured)
    files = unit_tests(given.build, functions_of(os.path.join(given.build, "daemon", "daemon_test")))
    with open(given.tests, "w", encoding="utf-8") as out:
        out.write("# Written by tests/sanitizers/threads.py: tests, and files of the daemon's unit tests, for the thread sanitizer.\n")
        out.writelines(f"{name}\n" for name, _ in sorted(chosen))
        out.writelines(f"{file[file.index('daemon/'):]}\n" for file in files)
    seconds = sum(measured[name][1] for name, _ in chosen)
    print(f"{len(chosen)} of {len(measured)} end-to-end tests ({seconds:.0f} of "
          f"{sum(one[1] for one in measured.values()):.0f} s), {len(files)} files of unit tests")


if __name__ == "__main__":
    main()

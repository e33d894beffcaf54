#!/usr/bin/env python3
"""kill -9 at hundreds of moments: after each a restart, the input again, and at the end of each stream a comparison, to
the bit, of everything that the last checkpoint holds with that of an uninterrupted run.

    kills.py [--kills 200] [--seed 1] [--verbose]

GLIMPSE_BIN and GLIMPSECTL_BIN name the binaries; ctest sets them. A stream is killed one to six times, then finished
and compared. Moments are chosen by what can be seen of the daemon's progress (what was told, what is on the disk, how
far it came in starting or stopping), never by sleeping; the seed decides which. Kills that find everything already
durable count as well: they must change nothing.
"""

import argparse
import collections
import json
import random
import shutil
import sys
import tempfile
import time

from killed_stream import Stream
from lives import Failure
from sent_records import RECORDS, SCENARIOS


def same(straight, killed):
    """The names of what differs."""
    texts = [] if straight[0] == killed[0] else ["texts"]
    names = sorted(set(straight[1]) | set(killed[1]))
    return texts + [name for name in names if straight[1].get(name) != killed[1].get(name)]


def run_stream(scenario, chance, kills, shared):
    folder = tempfile.mkdtemp(prefix="glimpse-kills-")
    stream = Stream(scenario, chance, folder)
    try:
        for _ in range(kills):
            stream.kill_once()
        answer = stream.finish()
    except Failure as failure:
        raise Failure(f"{scenario}, killed while {stream.moments}: {failure}") from failure
    finally:
        stream.end()
        shutil.rmtree(folder, True)
    key = json.dumps(scenario)
    if key not in shared:
        shared[key] = answer
        return stream
    # Names of a file: another folder. Of learners: one that is killed before its first checkpoint draws another.
    different = [name for name in same(shared[key], answer) if name not in ("inputs.names", "inputs.learners")]
    if different:
        raise Failure(f"{scenario}, killed while {stream.moments}: these differ from the uninterrupted run: "
                      f"{different}")
    return stream


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    begin = time.monotonic()
    shared = {}
    done, streams, moments, hits = 0, 0, collections.Counter(), collections.Counter()
    try:
        for scenario in SCENARIOS:
            run_stream(scenario, chance, 0, shared)  # the uninterrupted ones
        while done < arguments.kills:
            scenario = SCENARIOS[streams % len(SCENARIOS)]
            kills = min(chance.randrange(1, 7), arguments.kills - done)
            stream = run_stream(scenario, chance, kills, shared)
            moments.update(stream.moments)
            hits.update(stream.hits)
            done += kills
            streams += 1
            if arguments.verbose:
                print(f"{done} kills, {streams} streams, {time.monotonic() - begin:.1f} s: {scenario[:2]}", flush=True)
    except Failure as failure:
        sys.exit(f"kills.py --seed {arguments.seed}: after {done} kills: {failure}")
    told = ", ".join(f"{count} {moment}" for moment, count in sorted(moments.items()))
    told += "; " + ", ".join(f"{count} {hit}" for hit, count in sorted(hits.items()))
    print(f"{done} kills ({told}) of {streams} streams of {RECORDS} records over {len(SCENARIOS)} doors and learners "
          f"in {time.monotonic() - begin:.1f} s: every model is that of the uninterrupted run to the bit")


if __name__ == "__main__":
    main()

"""What is sent: records in three formats, streams of them, and over which door which learner gets which stream."""

import random

RECORDS = 3000
DIMENSION = 5


def values(chance):
    return [chance.randrange(-32, 33) / 32 for _ in range(DIMENSION)]


def svmlight(chance):
    """Also bad lines, blanks, comments, and often a bare label, which alone would be taken for CSV."""
    kind = chance.random()
    if kind < .04:
        return chance.choice(["\n", "# comment\n", "nonsense\n", "1 9:1\n"])
    if kind < .25:
        return "1\n"
    x = values(chance)
    return f"{x[0] - x[3]!r} " + " ".join(f"{i + 1}:{v!r}" for i, v in enumerate(x)) + "\n"


def vw(chance):
    """Names that come as they come, and predictions between the examples."""
    x = values(chance)
    names = chance.sample("abcde", 5)
    label = "" if chance.random() < .1 else f"{x[0] - x[3]!r} "
    return label + "| " + " ".join(f"{names[i]}:{v!r}" for i, v in enumerate(x)) + "\n"


def csv(chance):
    """At times a row that alone would be taken for a header."""
    x = values(chance)
    return ",".join(map(repr, [x[0] - x[3], *x])) + "\n" if chance.random() > .05 else "x,y,z,u,v,w\n"


def lines(make, *first):
    chance = random.Random(99)
    return [line.encode() for line in [*first, *(make(chance) for _ in range(RECORDS - len(first)))]]


STREAMS = {
    "svmlight": lines(svmlight),
    "vw": lines(vw),
    "csv": lines(csv, "1,2\n", "y,a,b,c,d,e\n"),
}
# Door and stream and learner of each scenario.
SCENARIOS = [
    ("socket", "svmlight", ["--algorithm", "two-phase-ddaerr", "--phase1", "500"]),
    ("socket", "csv", ["--algorithm", "pairwise"]),
    ("from", "vw", ["--algorithm", "aelr", "--radius", "3"]),
    ("socket", "vw", ["--algorithm", "two-phase-ddaerr", "--total-budget", str(RECORDS + 1)]),
    ("stdin", "svmlight", ["--algorithm", "pairwise"]),
    ("stdin", "csv", ["--algorithm", "two-phase-ddaerr", "--drift", "auto"]),
    ("file", "vw", ["--algorithm", "pairwise"]),
    ("file", "csv", ["--algorithm", "two-phase-ddaerr"]),
    ("send", "csv", ["--algorithm", "two-phase-ddaelr", "--radius", "3"]),
    ("send", "svmlight", ["--algorithm", "pairwise-screened", "--active", "3"]),
]

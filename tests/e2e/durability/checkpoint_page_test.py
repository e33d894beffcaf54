"""lib/checkpoint/FORMAT.md has a row for every array and text that a checkpoint may hold, with the type that it has."""

import glob
import json
import os
import re
import unittest

from harness import TestCase, binary, examples, ndjson

SOURCES = binary("GLIMPSE_SOURCE_DIR")
# A literal name: "weights.u", "names/text". Other literals of this form are types of media, and names of files.
NAME = re.compile(r'"([a-z][a-z_]*(?:[./][a-z_]+)+)"')
OTHERS = re.compile(r"n/a|socket\.timeout\.ms|(application|text)/(json|csv|plain|html)|.*\.(h|inc|cpp|md|conf|service|html)")
# State's functions: names of one word stand in these alone.
CALL = re.compile(r'\b(?:put|put_copy|put_number|put_text|get|get_number|get_text)(?:<[\w:]+>)?\(\s*"([^"{]+)"')
# Rooms of names that other systems gave.
ELSEWHERE = {"kafka", "group"}
PREFIXES = {"held_out.temperature", "guard.earlier", "judge.model", "judge.basis", "products.pairs", "products.magnitudes",
            "magnitudes.sums", "detector.partial"}  # save() of a PastModel, of PairMoments and of a screen put them before

# Names of a past model, of which the page has those of past.K.
AS_PAST = re.compile(r"^(past\.[01]|judge\.model|guard\.earlier)(\.linear|\.indicator\d+)*\.")
# Names that ClassReport puts together, of which the page has "and so on".
OF_LOSS = re.compile(r"^held_out\.(wrong|log_loss|brier)\.")
# Of a partner of products: K on the page.
AS_PARTNER = re.compile(r"^products\.screen\.\d\.")

DIMENSION = 12
SMALL = ("--dimension", DIMENSION, "--budget", 4, "--seed", 5)
RIDGE = ("--radius", 4, "--step", 0.05)
# "%s": a file of prices.
COSTS = ("--costs", "%s", "--budget-cost", 8)
RUNS = (
    ("aerr", RIDGE),
    ("aerr", (*RIDGE, *COSTS)),
    ("two-phase-ddaerr", ("--step", "auto", "--phase1", 100, "--half-life", 50)),
    ("online-ridge", ("--step", "adagrad", "--radius", 4)),
    ("two-phase-ddaelr", ("--step", "auto", "--radius", 3, "--phase1", 100)),
    ("aer", ("--radius", 4, "--step", 0.5)),
    ("baseline", ("--radius", 4)),
    ("pairwise", ("--drift", "auto", "--half-life", 100)),
    ("pairwise", COSTS),
    ("pairwise", ("--products", 2)),
    ("pairwise-screened", ("--active", 6)),
    ("pairwise-screened", ("--active", 8, "--products", 2)),
    ("apple", ("--drift", "auto", "--half-life", 100)),
    # Three classes.
    ("pairwise", ("--task", "classes", "--hold-out", "20%")),
    ("pairwise-screened", ("--task", "classes", "--active", 6)),
)


def rows(page):
    """{name: type} of the tables, and the texts that the page names."""
    types = {}
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("| `") or len(cells) != 3:
            continue
        names, kinds = cells[0].split(";"), cells[1].split(";")
        for at, group in enumerate(names):
            kind = re.match(r"\s*(U8|U32|U64|F32|F64)\b", kinds[min(at, len(kinds) - 1)])
            if kind:
                types.update((name, kind.group(1)) for name in re.findall(r"`([^`]+)`", group))
    return types, set(re.findall(r"[Tt]ext `([^`]+)`", page))


def written_by_the_sources():
    """{name: file} of all literal names in lib/ and daemon/, tests left out."""
    names = {}
    for hall in ("lib", "daemon"):
        for folder, rooms, files in os.walk(os.path.join(SOURCES, hall)):
            rooms[:] = [room for room in rooms if room not in ELSEWHERE]
            for file in files:
                if not file.endswith((".h", ".cpp")) or "_test" in file:
                    continue
                with open(os.path.join(folder, file), encoding="utf-8") as source:
                    text = source.read()
                found = [name for name in NAME.findall(text) if not OTHERS.fullmatch(name)]
                if "State" in text:
                    found += CALL.findall(text)
                names.update((name, file) for name in found if name not in PREFIXES)
    return names


def on_the_page(name):
    return OF_LOSS.sub("held_out.", AS_PARTNER.sub("products.screen.K.", AS_PAST.sub("past.K.", name)))


def newest(state):
    """{name: type} of the arrays in the newest checkpoint of a folder, and the names of the texts."""
    with open(max(glob.glob(os.path.join(state, "checkpoint-*.safetensors"))), "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    texts = json.loads(header.pop("__metadata__")["glimpse"])["texts"]
    return {name: tensor["dtype"] for name, tensor in header.items()}, set(texts)


class CheckpointPage(TestCase):
    def setUp(self):
        super().setUp()
        with open(os.path.join(SOURCES, "lib", "checkpoint", "FORMAT.md"), encoding="utf-8") as page:
            self.types, self.texts = rows(page.read())

    def test_every_name_in_the_sources_stands_on_the_page(self):
        names = written_by_the_sources()
        self.assertGreater(len(names), 90)
        missing = {name: file for name, file in names.items() if name not in self.types and name not in self.texts}
        self.assertEqual(missing, {})

    def saved(self, algorithm, options, state):
        """({name: type}, names of texts) of a checkpoint of a stream with a name, an open plan and 300 examples."""
        daemon = self.start(*SMALL, "--algorithm", algorithm, *options, "--state-directory", state)
        rows = examples(300, DIMENSION, 1)
        if "--task" in options:
            rows = [(round(label) + 1 if abs(label) <= 1 else 1, values) for label, values in rows]
        self.assertEqual(daemon.post("/v1/learn?source=some&from=0", ndjson(rows)).status, 200)
        self.assertEqual(daemon.post("/v1/ask").status, 200)
        self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
        self.assertEqual(daemon.stop(), 0)
        return newest(state)

    def test_checkpoints_hold_arrays_of_the_page_with_its_types(self):
        prices = self.write("prices", "* 1\n0 3\n1 2\n2 0\n")
        seen = set()
        for number, (algorithm, options) in enumerate(RUNS):
            with self.subTest(algorithm=algorithm, options=options):
                options = [prices if option == "%s" else option for option in options]
                arrays, texts = self.saved(algorithm, options, self.path(f"state-{number}"))
                for name, kind in arrays.items():
                    self.assertEqual(self.types.get(on_the_page(name)), kind, name)
                self.assertLessEqual(texts, self.texts)
                seen |= set(arrays)
        for name in ("weights.theta", "shrunk.a", "baseline.labels", "pairs.sums", "screened.active", "plans.open",
                     "past.0.weights", "products.pairs.sums", "centres.sums", "gradient.squares", "costs.keys", "costs.sampling",
                     "products.screen.0.sums", "products.members", "sources.names", "drift.alarms", "monomials.factors", "expansion.parents",
                     "past.0.classes.counts", "past.0.classes.leverages", "past.0.indicator2.weights", "held_out.brier.mean"):
            self.assertIn(name, seen)


if __name__ == "__main__":
    unittest.main()

"""A scenario: a learner, what comes in which portion over which door, and where the daemon is stopped or killed between."""

import json
import random

from learners import Learner
from magnitudes import Columns, Labels, importance
from rendering import FORMATS, ROWS, Example, Renderer, as_json_array

# Doors of a portion. Those that are exactly once are also killed amid it.
DOORS = ("stdin", "stdin source", "file", "socket", "source", "http", "http array", "http source", "ask")
EXACTLY_ONCE = ("stdin source", "file", "source", "http source")
SPARSE_FROM = 301  # attributes


class Portion:
    """Records of one format for one door.

    kills: where it is killed, as shares of the records sent before; `end`: what happens to the daemon behind it.
    """

    def __init__(self, number, door, form, records, examples):
        self.number, self.door, self.form, self.records, self.examples = number, door, form, records, examples
        self.kills = []
        self.end = None
        self.declared = form  # what --format or ?format= says

    @property
    def content(self):
        return b"".join(self.records)


class Scenario:
    """Everything follows from `seed`; `records` bounds the labelled ones."""

    def __init__(self, seed, records, algorithm=None):
        self.seed = seed
        chance = self.chance = random.Random(seed)
        self.learner = Learner(chance, algorithm)
        dimension = self.learner.dimension
        total = max(8, chance.choice([records // 10, records // 2, records, records, 2 * records]))
        self.sparse = dimension >= SPARSE_FROM
        self.columns = Columns(chance, dimension, total, self.learner.learns_from_parts)
        self.labels = Labels(chance, self.columns)
        self.importances = chance.choice(["none", "none", "zero", "ordinary", "tiny", "huge", "wide", "extreme"])
        self.refused = chance.choice([0, 0, .02, .2])
        self.unlabelled = chance.choice([0, .02, .2])
        self.names = self.draw_names()
        self.made = 0
        self.server = self.draw_server()
        self.portions = self.draw_portions(total)

    def describe(self):
        kinds = ", ".join(f"{len(p.examples)} by {p.door} as {p.form}{' killed' * len(p.kills)}, then {p.end}"
                          for p in self.portions)
        return (f"values {self.columns.name}, labels {self.labels.name}, importances {self.importances}, names {self.naming}; "
                f"{self.learner.algorithm}, d = {self.learner.dimension}; {kinds}")

    def draw_names(self):
        """Names of all attributes, and how they are told: by a file, or by those who say them first."""
        self.naming = self.chance.choice(["none", "none", "none", "file", "first"])
        if self.naming == "none" or self.sparse:
            self.naming = "none"
            return None
        odd = ['a b', 'c,d', 'say "x"', "\u00e9\u4e2d", "it's", "x:y", "p|q", "#h", "{}", "a\\b", "=1+1", " lead"]
        names = [odd[i] if i < len(odd) and self.chance.random() < .7 else f"name{i}" for i in range(self.learner.dimension)]
        if self.naming == "file":
            self.learner.files["names"] = "\n".join(names) + "\n"
            self.learner.options["attributes"] = "@names"
        return names

    def draw_server(self):
        """Options of the doors and of predictions, as arguments."""
        chance = self.chance
        clip = chance.choice(["auto", "auto", "off", "off", "-1:1", "-1e308:1e308", "0:1e-300"])
        made = ["--clip", clip, "--checkpoint-examples", chance.choice([0, 0, 20, 300]), "--checkpoint-every", "1h",
                "--schema-change", "allow"]  # each portion has a format of its own
        if self.learner.algorithm in ("pairwise", "pairwise-screened"):
            made += ["--solver", chance.choice(["inline", "inline", "auto", "background"])]
        self.delimiter = chance.choice([",", ",", ";", "tab"])
        self.index_base = chance.choice([0, 1])
        self.label_column = chance.choice([0, 0, 1, self.learner.dimension])
        if chance.random() < .05:
            made += ["--total-budget", chance.choice([10, 1000])]
        self.replies = chance.choice(["unlabelled", "all", "none"])
        # A reply looks at the whole line, and refuses one that is wrong where learning would not look.
        if self.replies == "all" or chance.random() < .3:
            made += ["--validate", "full"]
        return made

    def formatting(self):
        """Options that say how records are read, where the format has a say in them."""
        return {"csv": ["--delimiter", self.delimiter, "--label", f"#{self.label_column + 1}"],
                "svmlight": ["--index-base", self.index_base]}

    def draw_portions(self, total):
        portions = []
        left = total
        while left > 0:
            count = min(left, self.chance.choice([1, 2, 3, max(1, total // 4), max(1, total // 2)]))
            portions.append(self.draw_portion(len(portions), count))
            left -= count
        return portions

    def draw_portion(self, number, count):
        chance = self.chance
        door = chance.choice(DOORS)
        if door == "ask":
            count = min(count, 60)
        form = self.draw_format(door)
        examples = [self.draw_example(form, door) for _ in range(count)]
        renderer = Renderer(chance, form, self.learner.dimension, self.names_for(form),
                            "\t" if self.delimiter == "tab" else self.delimiter, self.index_base, self.label_column)
        records = [] if door == "ask" else renderer.stream(examples, self.refused)
        if door == "http array":
            records = [record for record in records if is_element(record)]
        portion = Portion(number, door, form, records, examples)
        if door in EXACTLY_ONCE:
            portion.kills = sorted(chance.random() for _ in range(chance.choice([0, 0, 1, 2])))
        portion.end = chance.choice(["SIGTERM", "kill -9", "nothing", "nothing"])
        portion.is_named = bool(renderer.names)
        return portion

    def draw_format(self, door):
        if door in ("http array", "ask"):
            return "ndjson"
        forms = [form for form in FORMATS if form not in (("csv", *ROWS) if self.sparse else ())]
        return self.chance.choice(forms)

    def names_for(self, form):
        """CSV's header fixes all names, which contradicts those that others said first."""
        if self.naming == "first" and form == "csv":
            return self.names if self.chance.random() < .5 else None
        return self.names

    def draw_example(self, form, door):
        chance = self.chance
        attributes = range(self.learner.dimension)
        if self.sparse:
            attributes = sorted(chance.sample(attributes, 40))
        values = self.columns.row(self.made, attributes)
        self.made += 1
        label = self.labels.of(values)
        if door != "ask" and chance.random() < self.unlabelled:
            label = None
        tag = "t%d" % self.made if form in ("vw", "ndjson") and chance.random() < .1 else ""
        return Example(label, values, importance(chance, self.importances), tag)

    def questions(self):
        """(whole examples, known parts) to predict; of their own chance, so that asking changes nothing."""
        chance = random.Random(self.seed + 1)
        columns = Columns(chance, self.learner.dimension, 10, False)
        columns.rules = self.columns.rules
        columns.missing = 0
        attributes = range(self.learner.dimension) if not self.sparse else range(0, self.learner.dimension, 50)
        rows = [columns.row(10 ** 9, attributes) for _ in range(3)]
        rows += [{i: 1.0 for i in attributes}, {0: 0.0}, {i: 1e30 * (-1) ** i for i in attributes}]
        parts = [{i: v for i, v in row.items() if abs(v) <= 1e30 and chance.random() < .3} for row in rows[:4]]
        return rows, [{}, *parts]

    def not_promised(self):
        """Beginnings of the names of what may differ from an uninterrupted run: losses, and without --drift the models that
        they are of, are of whichever were solved for in time: others, where somebody asks for predictions between."""
        if not self.learner.learns_from_parts:
            return []
        return ["progressive."] if "drift" in self.learner.options else ["progressive.", "past."]


def is_element(record):
    """Whether it can stand in an array: an object or array that closes, whatever it says."""
    try:
        return isinstance(json.loads(record), (dict, list))
    except ValueError:
        return False


def body_of(portion):
    """What /v1/learn is sent of it, and the format that it is called."""
    if portion.door == "http array":
        return as_json_array(portion.records), "json"
    return portion.content, portion.form

"""The numbers of a scenario: columns of every magnitude that a double has, labels, importances, and what is missing.

Everything is drawn from the random.Random that is handed in, so that a seed says it all.
"""

import math

LEAST, MOST = -320, 308  # exponents of ten: from denormals to the end of the doubles


def signed(chance, value):
    return -value if chance.random() < .5 else value


def by_exponent(low, high):
    """A rule that draws log-uniformly between these powers of ten, either sign."""
    return lambda chance: signed(chance, 10.0 ** chance.uniform(low, high))


def ordinary(chance):
    return chance.gauss(0, 1)


def around(exponent):
    scale = 10.0 ** exponent
    return lambda chance: chance.gauss(0, 1) * scale


def constant(value):
    return lambda chance: value


def with_wild_ones(chance):
    if chance.random() < 1 / 100:
        return wide(chance)
    return chance.gauss(0, 1)


def wide(chance):
    """Of every magnitude; few are beyond what is learned from, as else no example would be."""
    return by_exponent(LEAST, 30 if chance.random() < .99 else MOST)(chance)


def denormal(chance):
    return signed(chance, chance.randrange(1, 1000) * 5e-324)


def zeros(chance):
    return chance.choice([0.0, -0.0])


def pick_constant(chance):
    return constant(chance.choice([1.0, -1.0, 0.1, 1e-300, 1e-160, 1e-90, 1e15, 1e30, by_exponent(LEAST, 29)(chance)]))


# What all columns of a scenario may have in common. Each makes the rule of one column. `shared` is drawn once a
# scenario.
PALETTES = {
    "ordinary": lambda chance, shared: ordinary,
    "one scale": lambda chance, shared: around(shared),
    "scales": lambda chance, shared: around(chance.uniform(LEAST, 29)),
    "wide": lambda chance, shared: wide,
    "learned": lambda chance, shared: by_exponent(LEAST, 30),
    "tiny": lambda chance, shared: by_exponent(LEAST, -140),
    "small": lambda chance, shared: by_exponent(-165, -75),
    "huge": lambda chance, shared: by_exponent(14, 30),
    "at the limit": lambda chance, shared: by_exponent(29, 30.02),
    "beyond": lambda chance, shared: by_exponent(28, 30.5),
    "wild": lambda chance, shared: with_wild_ones,
    "constants": lambda chance, shared: pick_constant(chance),
    "zeros": lambda chance, shared: zeros,
    "denormals": lambda chance, shared: denormal,
    "whole": lambda chance, shared: lambda c: float(c.randrange(-2, 3)),
}


def zoo(chance, shared):
    """Each column another."""
    name = chance.choice(sorted(PALETTES))
    return PALETTES[name](chance, shared)


def palette(chance):
    """(its name, the maker of columns)"""
    name = chance.choice([*sorted(PALETTES), "zoo", "zoo", "zoo", "one scale", "ordinary"])
    return name, PALETTES.get(name, zoo)


class Columns:
    """The attributes of a scenario. Some are stuck, missing, or copies of others for long."""

    def __init__(self, chance, dimension, records, learns_from_parts):
        self.chance = chance
        self.dimension = dimension
        shared = chance.uniform(-170, 29)
        self.name, make = palette(chance)
        self.rules = [make(chance, shared) for _ in range(dimension)]
        # Where one missing value keeps an example from being learned, there are few.
        self.missing = chance.choice([0, 0, 0, .01, .1, .5] if learns_from_parts else [0, 0, 0, .001, .02])
        unusual = chance.choice([0, 0, .1 if learns_from_parts else 2 / dimension])
        self.stretches = {}  # of attributes that are missing or stuck between two records
        for i in range(dimension):
            if chance.random() < unusual:
                begin = chance.choice([0, chance.randrange(records)])
                end = chance.choice([records, begin + chance.randrange(records)])
                self.stretches[i] = (begin, end, chance.choice([None, "stuck", "missing", chance.randrange(dimension)]))
        self.held = {}

    def row(self, number, attributes):
        """{attribute: value, or None where it is missing} of the record `number`."""
        values = {i: self.rules[i](self.chance) for i in attributes}
        for i in attributes:
            begin, end, kind = self.stretches.get(i, (0, 0, None))
            if self.missing and self.chance.random() < self.missing:
                values[i] = None
            elif begin <= number < end and kind == "missing":
                values[i] = None
            elif begin <= number < end and kind == "stuck":
                values[i] = self.held.setdefault(i, values[i])
            elif begin <= number < end and kind is not None:
                values[i] = values.get(kind, values[i])
        return values


# Labels that are alike, for ever or for long: the rule of the label of record `number`.
ALIKE = {
    "all zero": lambda chance: lambda number: 0.0,
    "all the same": lambda chance: (lambda value: lambda number: value)(chance.choice([1.0, -3.5, 1e-300, 1e20, 1e30])),
    "rare events": lambda chance: lambda number: 1.0 if chance.random() < .01 else 0.0,
    "one event": lambda chance: (lambda at: lambda number: 1.0 if number == at else 0.0)(chance.randrange(200)),
    "alike at first": lambda chance: (lambda end: lambda number: 1.0 if number < end else chance.gauss(0, 1))(
        chance.choice([10, 60, 200])),
}


class Labels:
    """Labels that follow some attributes, or do not."""

    def __init__(self, chance, columns):
        self.chance = chance
        self.columns = columns
        self.made = 0
        shared = chance.uniform(-170, 29)
        self.name, make = chance.choice([("linear", None), ("linear", None), palette(chance), ("alike", None)])
        self.rule = make(chance, shared) if make else None
        self.alike = None
        if self.name == "alike":
            self.name = chance.choice(sorted(ALIKE))
            self.alike = ALIKE[self.name](chance)
        scale = chance.choice([1.0, 1.0, 10.0 ** chance.uniform(-100, 20)])
        self.weights = {i: chance.gauss(0, scale) for i in range(min(columns.dimension, 4))}

    def of(self, values):
        self.made += 1
        if self.alike:
            return self.alike(self.made - 1)
        if self.rule:
            return self.rule(self.chance)
        label = self.chance.gauss(0, .1) * 10.0 ** self.chance.choice([0, 0, -30])
        label += sum(w * (values.get(i) or 0) for i, w in self.weights.items())
        return label if math.isfinite(label) else 1.0


def importance(chance, kind):
    """One of a record; None: it says none."""
    if kind == "none" or chance.random() < .3:
        return None
    return {"zero": lambda: chance.choice([0.0, 1.0]),
            "ordinary": lambda: chance.choice([.5, 1.0, 2.0, 100.0]),
            "tiny": lambda: 10.0 ** chance.uniform(LEAST, -10),
            "huge": lambda: 10.0 ** chance.uniform(3, 30),
            "extreme": lambda: chance.choice([1e20, 1e-300]) if chance.random() < .05 else 1.0,
            "wide": lambda: 10.0 ** chance.uniform(LEAST, MOST)}[kind]()

"""The options of a learner: every algorithm that the daemon takes, with random ones of those that go with it."""

from magnitudes import by_exponent, palette

RIDGE = ("aerr", "ddaerr", "two-phase-ddaerr")
LASSO = ("aelr", "ddaelr", "two-phase-ddaelr")
FIRST_ORDER = RIDGE + LASSO
FULL = ("online-ridge", "online-lasso", "apple")
PAIRS = ("pairwise", "pairwise-screened")
ALGORITHMS = (*FIRST_ORDER, *FULL, "aer", "baseline", *PAIRS, "auto")
L1_BALL = (*LASSO, "online-lasso", "aer", "baseline")
# The point is what these compute when several records are wrong at once. The pairwise ones come more often: they are
# the default.
WEIGHTS = [3 if name in PAIRS or name == "auto" else 2 for name in ALGORITHMS]


class Learner:
    """Options of the command line, and the texts of the files that they name ("@costs" stands for the path of "costs")."""

    def __init__(self, chance, algorithm=None):
        self.chance = chance
        self.algorithm = algorithm or chance.choices(ALGORITHMS, WEIGHTS)[0]
        self.dimension = self.draw_dimension()
        self.budget = self.draw_budget()
        self.options = {"algorithm": self.algorithm, "dimension": self.dimension, "seed": chance.randrange(1, 1000)}
        self.files = {}
        if self.algorithm not in FULL:
            self.options["budget"] = self.budget
        self.draw()

    def arguments(self, folder):
        made = []
        for name, value in self.options.items():
            made += [f"--{name}", f"{folder}/{value[1:]}" if str(value).startswith("@") else str(value)]
        return made

    @property
    def learns_from_parts(self):
        return self.algorithm in (*PAIRS, "auto")

    @property
    def solves(self):
        return self.learns_from_parts or self.algorithm == "baseline"

    def draw_dimension(self):
        if self.algorithm == "pairwise-screened" and self.chance.random() < .15:
            return self.chance.randrange(1000, 4000)
        low, high = self.chance.choice([(2, 6), (2, 6), (2, 12), (2, 12), (5, 40), (5, 40), (40, 130), (130, 300)])
        return self.chance.randrange(low, high + 1)

    def draw_budget(self):
        d = self.dimension
        return self.chance.choice([2, min(d, 3), min(d, self.chance.randrange(2, 13)), min(d, self.chance.randrange(2, 60)), d])

    def maybe(self, probability, name, value):
        """`value` makes it, only where it is taken."""
        if name not in self.options and self.chance.random() < probability:
            self.options[name] = value()
            return True
        return False

    def draw(self):
        chance, algorithm = self.chance, self.algorithm
        self.maybe(.3, "bias", lambda: chance.choice(["on", "off"]))
        if algorithm == "apple":
            self.draw_products()
        else:
            self.maybe(1 if algorithm in L1_BALL else .3, "radius", self.draw_radius)
        if algorithm == "pairwise" and "radius" in self.options:
            self.maybe(.5, "ball", lambda: chance.choice(["l1", "l2"]))
        if algorithm == "pairwise" and self.takes_products():
            self.maybe(.4, "products", lambda: self.chance.choice(self.takes_products()))
        if algorithm in PAIRS and self.dimension > 2 and "products" not in self.options:
            self.maybe(.4, "look-at-best", lambda: chance.choice([2, chance.randrange(1, min(self.dimension, 257))]))
        if algorithm == "pairwise-screened":
            self.maybe(.6, "active", lambda: chance.randrange(2, min(self.dimension, 40) + 2))
            if int(self.options.get("active", 8)) >= 8 and self.takes_products():
                self.maybe(.4, "products", lambda: self.chance.choice(self.takes_products()))
        if algorithm in ("ddaerr", "ddaelr"):
            self.options["moments"] = "@moments"
            self.files["moments"] = self.draw_moments()
        if algorithm in FIRST_ORDER + FULL + ("aer",) and algorithm != "apple":
            self.draw_step()
        self.draw_costs()
        if algorithm in FIRST_ORDER:
            self.draw_estimators()
        self.draw_forgetting()

    def takes_products(self):
        """The degrees that go with the other options, in a size that is learned in a moment."""
        if "radius" in self.options or self.options.get("bias") == "off":
            return []
        return [str(degree) for degree, most in ((2, 40), (3, 14))
                if self.budget >= min(2 * degree, self.dimension) and self.dimension <= most]

    def draw_products(self):
        self.maybe(.4, "step", self.draw_number)
        self.maybe(.5, "horizon", lambda: self.chance.choice([1, 7, 100, 1000]))
        self.maybe(.4, "expansion-exponent", lambda: repr(self.chance.uniform(0, 1.5)))
        self.maybe(.4, "max-features", lambda: self.chance.choice([1, 10, 200, 5000]))
        self.maybe(.3, "fallback-parent", lambda: "on")

    def draw_radius(self):
        highest = 30 if self.algorithm in ("aer", "baseline") else 200
        low, high = self.chance.choice([(-2, 2), (-2, 2), (-2, 2), (-300, -3), (3, highest)])
        return repr(10.0 ** self.chance.uniform(low, high))

    def draw_moments(self):
        _, make = palette(self.chance)
        shared = self.chance.uniform(-150, 29)
        text = "attribute,second_moment\n"
        for i in range(self.dimension):
            text += f"{i},{min(abs(make(self.chance, shared)(self.chance)), 1e60)!r}\n"
        return text

    def draw_number(self):
        low, high = self.chance.choice([(-5, 1), (-5, 1), (-5, 1), (-250, 100)])
        return repr(10.0 ** self.chance.uniform(low, high))

    def draw_step(self):
        chance = self.chance
        kinds = ["number", "theory"] if self.algorithm == "aer" else ["auto", "auto", "auto", "number", "adagrad", "theory"]
        kind = chance.choice(kinds)
        if kind == "theory":
            self.options["horizon"] = chance.choice([10, 1000, 100000])
        if kind != "auto":
            self.options["step"] = self.draw_number() if kind == "number" else kind
        if kind == "adagrad" and chance.random() < .5:
            self.options["step"] = "adagrad:" + self.draw_number()
        if not self.algorithm.startswith("two-phase"):
            return
        if self.maybe(.5, "phase1", lambda: chance.choice(["auto", "1", "50", "10%"])) and self.options["phase1"] == "10%":
            self.options.setdefault("horizon", 1000)
        if self.maybe(.3, "confidence", lambda: chance.choice(["theory", "0", repr(abs(by_exponent(-300, 60)(chance)))])):
            if self.options["confidence"] == "theory":
                self.maybe(.5, "delta", lambda: chance.choice(["0.5", "1e-300", "0.01"]))
        if "radius" in self.options:
            self.maybe(.3, "phase1-radius", self.draw_radius)
        if kind in ("number", "adagrad"):
            self.maybe(.3, "phase1-step", self.draw_number)
        if self.algorithm == "two-phase-ddaerr" and kind == "theory":
            self.maybe(.3, "half-norm", lambda: repr(abs(by_exponent(-300, 60)(chance))))
        if self.options.get("phase1") == "50" and self.options.get("horizon", 1000) <= 50:
            del self.options["phase1"]

    def draw_estimators(self):
        chance = self.chance
        theory, limited = self.options.get("step") == "theory", "budget-cost" in self.options
        separate = theory or limited
        if not separate and self.maybe(.3, "draws", lambda: chance.choice(["pairs", "separate"])):
            separate = self.options["draws"] == "separate"
        if separate:
            self.maybe(.3, "split", lambda: chance.choice(["even", "paper"]))
        if not theory and self.options.get("bias") != "off":
            self.maybe(.3, "control-variates", lambda: chance.choice(["on", "off"]))
        self.maybe(.3, "inner-sampling", lambda: chance.choice(["improved", "plain"]))
        self.separate = separate

    def draw_forgetting(self):
        if self.algorithm in ("aer", "baseline") or self.options.get("step") == "theory":
            return
        if not self.options.get("step", "").startswith("adagrad"):
            self.maybe(.25, "half-life", lambda: self.chance.choice([1, 2, 10, 300, 1000000]))
        separate = getattr(self, "separate", False)
        if "budget-cost" in self.options or (separate and self.budget < 4):
            return
        self.maybe(.25, "drift", lambda: "auto")

    def draw_costs(self):
        """Prices, some of nothing and some of much, in groups; and a limit that pays for two of the dearest."""
        chance = self.chance
        if chance.random() < .75 or self.algorithm == "auto":
            return
        high = chance.choice([1, 20, 10 ** 9])
        lines = [f"{i} {round(chance.uniform(0, high), 6):.6f}" + (f" g{chance.randrange(2)}" if chance.random() < .3 else "")
                 for i in range(self.dimension)]
        self.files["costs"] = "\n".join([*lines, f"@g0 {high}", "@g1 0.5", ""])
        if not any(line.endswith("g0") for line in lines):
            self.files["costs"] = self.files["costs"].replace(f"@g0 {high}\n", "")
        if not any(line.endswith("g1") for line in lines):
            self.files["costs"] = self.files["costs"].replace("@g1 0.5\n", "")
        self.options["costs"] = "@costs"
        if self.algorithm in FIRST_ORDER + ("pairwise",) and self.options.get("step") != "theory":
            self.maybe(.7, "budget-cost", lambda: f"{4 * (high + 1) * chance.uniform(1, 3):.6f}")

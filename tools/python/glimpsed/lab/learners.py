"""Methods, and one run of a method: a learner with its options goes over a training set, and its model is measured."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from . import as_written, references
from .data import Table, pieces, second_moments

Order = NDArray[np.uint32]
Numbers = NDArray[np.float64]

BUDGETED = ("aerr", "ddaerr", "two-phase-ddaerr", "aelr", "ddaelr", "two-phase-ddaelr")
AS_WRITTEN = ("two-phase-ddaerr-as-written", "two-phase-ddaelr-as-written")  # by as_written.py, as in KS15 section 5
IN_L1_BALL = ("aelr", "ddaelr", "two-phase-ddaelr", AS_WRITTEN[1], "online-lasso", "aer")
KNOWS_MOMENTS = ("ddaerr", "ddaelr")
FULL_INFORMATION = ("online-ridge", "online-lasso", "apple")
OFFLINE = ("offline-ridge", "offline-lasso")
WITHOUT_STEP = ("baseline", "pairwise", "pairwise-screened", *OFFLINE)
ALGORITHMS = (*BUDGETED, *AS_WRITTEN, "online-ridge", "online-lasso", "aer", "baseline", "pairwise", "pairwise-screened", *OFFLINE)

# What holds where nothing is given: what the papers have.
_PAPERS = {"draws": "separate", "control-variates": "off"}
_OF_AS_WRITTEN = ("budget", "radius", "step", "phase1", "phase1-radius", "phase1-step")


@dataclass(frozen=True)
class Method:
    """A learner of the library or an offline solver with its options, independent of data.

    `options` are those of `glimpsed --help`, by their names without dashes in front. Dimension, known moments and (where
    it is not given) the horizon come from the training set. With `passes` the learner goes over a prefix so often, in
    the same order and with draws of its own each time; the papers' go once.
    """
    algorithm: str
    options: Mapping[str, str] = field(default_factory=dict)
    passes: int = 1
    costs: str = ""  # text of --costs
    buying: str = "priced"

    def __post_init__(self) -> None:
        if self.algorithm not in ALGORITHMS:
            raise ValueError(f"--algorithm {self.algorithm}: must be one of {', '.join(ALGORITHMS)}")
        if (self.is_offline or self.is_as_written) and self.passes != 1:
            raise ValueError(f"--passes {self.passes}: {self.algorithm} goes over the examples once")
        given = {"bias": "off", **self.options}
        for name in given if self.is_as_written else ():
            if name not in _OF_AS_WRITTEN and (name, given[name]) != ("bias", "off"):
                raise ValueError(f"--{name} {given[name]}: {self.algorithm} has only --{', --'.join(_OF_AS_WRITTEN)}")
        if self.algorithm in BUDGETED:
            given = {**_PAPERS, **given}
        if self.has_phases:
            given.setdefault("phase1", "10%")
        object.__setattr__(self, "options", dict(sorted(given.items())))

    @property
    def is_offline(self) -> bool:
        return self.algorithm in OFFLINE

    @property
    def is_as_written(self) -> bool:
        return self.algorithm in AS_WRITTEN

    @property
    def has_phases(self) -> bool:
        return self.algorithm.startswith("two-phase-")

    @property
    def has_step(self) -> bool:
        return self.algorithm not in WITHOUT_STEP

    @property
    def depends_on_length(self) -> bool:
        """Whether a prefix needs a run of its own: some learners depend on how many examples are to come."""
        if self.passes > 1:
            return True
        if "horizon" in self.options:
            return False
        return self.options.get("step") == "theory" or (self.has_phases and self.options["phase1"].endswith("%"))

    def examples_of_phase1(self, horizon: int) -> int | None:
        """m1 of that many examples; None: the data decide it."""
        length = self.options["phase1"]
        if length == "auto":
            return None
        return min(int(float(length[:-1]) / 100 * horizon) if length.endswith("%") else int(length), horizon)

    @property
    def has_bias(self) -> bool:
        return self.options["bias"] == "on"

    def having(self, **options: str | None) -> "Method":
        """The method with further options; underscores stand for dashes, None takes an option away."""
        merged = {**self.options, **{name.replace("_", "-"): value for name, value in options.items()}}
        return replace(self, options={name: value for name, value in merged.items() if value is not None})

    def attributes_each(self, dimension: int) -> int:
        """How many attributes of an example it may look at."""
        if self.is_offline or self.algorithm in FULL_INFORMATION:
            return dimension
        return int(self.options["budget"])

    def session(self, dimension: int, horizon: int, seed: int, moments: str = "",
                classes: Sequence[str] | None = None) -> _core.Session:
        """The learner before its first example."""
        beginning = _core.Beginning()
        options = {"algorithm": self.algorithm, "dimension": str(dimension), "seed": str(seed % 10 ** 18), **self.options}
        if self.algorithm in FULL_INFORMATION:
            options.pop("budget", None)
        if self.has_phases or options.get("step") == "theory":
            options.setdefault("horizon", str(horizon))
        beginning.options = options
        beginning.moments = moments
        beginning.costs = self.costs
        beginning.buying = self.buying
        beginning.classes = classes
        return _core.Session.begin(beginning)

    def check(self, dimension: int) -> None:
        """Raises ValueError for options that this learner cannot have."""
        if self.is_as_written:
            _phase_as_written(self, 2)
        elif not self.is_offline:
            self.session(dimension, 1 << 58, 1, moments_csv(*np.ones((3, dimension))) if self.algorithm in KNOWS_MOMENTS else "")


@dataclass(frozen=True)
class Snapshot:
    """A model after a prefix of the training set."""
    examples: int
    attributes: int  # distinct ones revealed so far, of whole runs n*d
    weights: Numbers
    bias: float
    skipped: int = 0  # of the run's examples those not learned from
    given: int = 0
    session: _core.Session | None = None

    @property
    def mostly_skipped(self) -> bool:
        """Such a model says nothing of the data: its steps are too large."""
        return self.skipped > self.given / 2


def moments_text(x: NDArray[np.float32]) -> str:
    """The rows' second moments, as --moments reads them."""
    return moments_csv(second_moments(x), x.mean(axis=0, dtype=np.float64), np.abs(x).max(axis=0).astype(np.float64))


def moments_csv(second: Numbers, mean: Numbers, largest: Numbers) -> str:
    rows = zip(second.tolist(), mean.tolist(), largest.tolist())
    return "attribute,second_moment,mean,max_abs\n" + "".join(f"{i},{m!r},{a!r},{b!r}\n" for i, (m, a, b) in enumerate(rows))


def learn(session: _core.Session, train: Table, order: Order) -> int:
    """Learns these rows, one after the other. Returns how many were not learned from."""
    step = max(1 << 24 // (4 * train.dimension), 1)  # rows that are copied at once
    skipped = 0
    for begin in range(0, len(order), step):
        rows = order[begin:begin + step]
        skipped += session.learn(_core.Rows.matrix(train.x[rows]), train.y[rows], None)[1]
    return skipped


def run(method: Method, train: Table, order: Order, prefixes: Sequence[int], seed: int,
        recent: int | None = None) -> Iterator[Snapshot]:
    """Goes over prefixes of `order`, rows of `train`, and gives the model after each. `prefixes` ascend.

    Moments that an algorithm knows beforehand are those of the rows in `order`. The same `seed` gives the same models.
    `recent`: of how many examples the recent progressive loss is.
    """
    if method.is_offline:
        yield from _run_offline(method, train, order, prefixes)
        return
    if method.is_as_written:
        yield from _run_as_written(method, train, [order[:n] for n in prefixes], seed)
        return
    moments = moments_text(train.x[np.sort(order)]) if method.algorithm in KNOWS_MOMENTS else ""
    session, begin, skipped = None, 0, 0
    for n in prefixes:
        if session is None or method.depends_on_length:
            horizon = (n if method.depends_on_length else prefixes[-1]) * method.passes
            session, begin, skipped = method.session(train.dimension, horizon, seed, moments), 0, 0
            if recent is not None:
                session.set_recent(recent)
        for _ in range(method.passes):
            skipped += learn(session, train, order[begin:n])
        begin = n
        weights, bias = session.model()
        yield Snapshot(n, session.attributes_revealed, weights, bias, skipped, n * method.passes, session)


def models(method: Method, train: Table, orders: Sequence[Order], seeds: Sequence[int]) -> Iterator[Snapshot]:
    """The model after each of these orders, by a run of its own with its seed. Learners as written run side by side."""
    if method.is_as_written:
        return _run_as_written(method, train, orders, seeds[0])
    return (next(run(method, train, order, [len(order)], seed)) for order, seed in zip(orders, seeds))


def _run_as_written(method: Method, train: Table, orders: Sequence[Order], seed: int) -> Iterator[Snapshot]:
    """Two phases as in KS15's experiments (section 5), a run an order, side by side: one seed is of all their draws."""
    longest = sorted(range(len(orders)), key=lambda place: -len(orders[place]))
    settings = [_phase_as_written(method, len(orders[place])) for place in longest]
    phases = [[orders[place][:first] for place, (first, _) in zip(longest, settings)],
              [orders[place][first:] for place, (first, _) in zip(longest, settings)]]
    learned = as_written.two_phases(_steps(train, phases[0]), _steps(train, phases[1]), len(orders), train.dimension, np.random.default_rng(seed),
                                    eps=0, learns=True, improved=True, lasso=method.algorithm in IN_L1_BALL, **settings[0][1])
    for place, order in enumerate(orders):
        own = longest.index(place)
        yield Snapshot(len(order), int(learned.seen.revealed[own]), learned.mean[own], 0.0, given=len(order))


def _phase_as_written(method: Method, examples: int) -> tuple[int, dict[str, Any]]:
    """m1, at least one example but never all, and what two_phases() is given."""
    first, options = method.examples_of_phase1(examples), method.options
    if first is None or not {"radius", "step"} <= set(options):
        raise ValueError(f"{method.algorithm} needs --radius, --step and a length as --phase1, not auto")
    numbers = {name: float(options[name]) for name in ("radius", "step")}
    numbers |= {f"first_{name}": float(options[f"phase1-{name}"]) for name in numbers if f"phase1-{name}" in options}
    budget = int(options["budget"])
    return min(max(first, 1), examples - 1), {**numbers, "k": budget // 2, "product_draws": budget - budget // 2}


def _steps(train: Table, orders: Sequence[Order]) -> Iterator[tuple[Numbers, Numbers]]:
    """Example after example of each order, the longest of which are first."""
    for t in range(len(orders[0])):
        rows = [order[t] for order in orders if t < len(order)]
        yield train.x[rows].astype(float), train.y[rows]


def _run_offline(method: Method, train: Table, order: Order, prefixes: Sequence[int]) -> Iterator[Snapshot]:
    radius = float(method.options.get("radius", "inf"))
    for n in prefixes:
        equations = references.normal_equations(train, order[:n], method.has_bias)
        w = references.solve(method.algorithm, equations, [radius])[0]
        weights, bias = (w[:-1], float(w[-1])) if method.has_bias else (w, 0.0)
        yield Snapshot(n, n * train.dimension, weights, bias)


# Losses.


def predictions(weights: Numbers, bias: float, x: NDArray[np.float32]) -> Numbers:
    """Of a linear model."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.concatenate([part.astype(np.float64) @ weights[:x.shape[1]] for part in pieces(x)]) + bias


def loss_ratio(predicted: Numbers, y: Numbers) -> float:
    """The squared loss over that of always predicting 0; infinite where it is no number."""
    with np.errstate(over="ignore", invalid="ignore"):
        loss = float(np.square(predicted - y).sum())
    zero = float(np.square(y).sum())
    if not np.isfinite(loss):
        return float("inf")
    return loss / zero if zero > 0 else 0.0


def classification_error(predicted: Numbers, y: Numbers) -> float:
    """The share of wrong signs where all labels are -1 or 1, else NaN."""
    if len(y) == 0 or not (np.abs(y) == 1).all():
        return float("nan")
    return float(np.mean(~(predicted * y > 0)))


def within_reach(x: NDArray[np.float32], largest: Numbers) -> NDArray[np.float32]:
    """Values beyond 1.5 times the largest that was seen of an attribute count as that."""
    bound = 1.5 * np.where(largest > 0, largest, np.inf)
    return np.clip(x, -bound, bound).astype(np.float32)


def believed(session: _core.Session, x: NDArray[np.float32]) -> NDArray[np.float32]:
    """What the daemon takes values for: those of pairwise learners within reach, wild ones for the mean."""
    reach = session.reaches()
    if len(reach) == 0:
        return x
    largest, low, high = reach.T
    return np.where((x < low) | (x > high), session.means(), within_reach(x, largest)).astype(np.float32)


Answers = Callable[[Numbers, float], tuple[float, float]]


def answers(snapshot: Snapshot, train: Table, order: Order, test: Table) -> Answers:
    """Of weights and a bias the test loss over the zero predictor's in two forms: of the exported model, and of the daemon's
    answers, which are clipped to the labels learned from, and for pairwise learners by believed(). Models of whole examples
    are clipped by the same rules."""
    session = snapshot.session
    seen = train.rows(order[:snapshot.examples])
    low, high = (session.label_range() or (-np.inf, np.inf)) if session is not None else (seen.y.min(), seen.y.max())
    x = believed(session, test.x) if session is not None else within_reach(test.x, np.abs(seen.x).max(axis=0))

    def losses(weights: Numbers, bias: float) -> tuple[float, float]:
        if session is not None and len(weights) > test.dimension:  # of products
            both = [session.predict(_core.Rows.matrix(test.x), None, is_auto, False) for is_auto in (False, True)]
        else:
            both = [predictions(weights, bias, test.x), np.clip(predictions(weights, bias, x), low, high)]
        return loss_ratio(both[0], test.y), loss_ratio(both[1], test.y)
    return losses


def as_the_daemon(algorithm: str, options: Mapping[str, str]) -> Method:
    """With the daemon's defaults in place of the papers'."""
    usual = {"bias": "on"}
    if algorithm in BUDGETED:
        usual |= {"draws": "pairs", "control-variates": "on"}
    if algorithm.startswith("two-phase-"):
        usual["phase1"] = "auto"
    return Method(algorithm, {**usual, **options})


def parse_named(text: str, option: str, budget: int | None = None) -> Method:
    """`NAME:OPTION=VALUE:...`: a learner with options behind colons, else with the daemon's."""
    algorithm, *given = text.split(":")
    options = {}
    for part in given:
        name, equals, value = part.partition("=")
        if not equals or name not in ("radius", "step", "phase1", "active", "products"):
            raise ValueError(f"--{option} {text}: '{part}' is not radius, step, phase1, active or products with its value")
        options[name] = value
    if budget is not None:
        options["budget"] = str(budget)
    return as_the_daemon(algorithm, options)

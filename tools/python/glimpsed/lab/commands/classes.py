"""How well a classifier does within its budget, beside peers that see every attribute. Labels are classes.

Prints one CSV row a seed and prefix, with error, Brier score and log loss on the test set. Of the training set 2 % are held
out: by them the slope of the scores is fitted. usual_log_loss is with the slope that there is without them, best_log_loss
with the best one for the test set. attributes are those looked at, all of what is held out among them; seconds are the
processor's for learning, judges among them.

--peers LDA,logistic prints a table of means over the seeds in place of it: of the classifier with each of --budgets, and of
scikit-learn's linear discriminant analysis and multinomial logistic regression (C = 1, of standardised attributes, at most
200 iterations) with the same training and test sets. Behind a +- is the standard error of the mean difference from the
first peer.

  python -m glimpsed.lab classes --data mnist:all --scale none --algorithm pairwise --budget 57 --bias on
  python -m glimpsed.lab classes --data letter.csv.gz --budgets 5 --peers LDA,logistic --test-share 30% --split-seed each --seeds 3
"""

import time

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .. import references
from ... import _core
from ..arguments import Arguments, Parser, add_data, add_method, add_runs, counts, data_options, method_of, run_prefixes, run_seeds, words, write
from ..data import DataSource, Table, load
from ..experiment import markdown, prepared, to_csv
from ..learners import Method, learn
from ..xoshiro import Random, draws_seed

HELD_OUT_OF = 50  # one example of so many
USUAL_SLOPE = 0.75  # lib/learn/classes/temperature.h
SLOPES = 0.05 * 1.05 ** np.arange(105)  # up to 8
HEADER = ["seed", "examples", "classes", "attributes", "error", "brier", "log_loss", "usual_log_loss", "best_log_loss", "slope", "seconds"]
PEERS = ("LDA", "logistic")


def add_arguments(parser: Parser) -> None:
    add_data(parser)
    add_method(parser)
    parser.set_defaults(algorithm="pairwise")
    group = parser.add_argument_group("peers")
    group.add_argument("--peers", type=words, default=(), metavar="NAME,...", help="LDA, logistic")
    group.add_argument("--budgets", type=counts, metavar="K,...", help="of the table (--budget)")
    group.add_argument("--directions", action="store_true", help="print how much least squares explains of the last class, and how much of that along "
                       "directions of less than a tenth of an attribute's variance")
    add_runs(parser, 1)


def measure(seed: int, method: Method, prefixes: list[int]) -> list[list[float]]:
    """The job of a seed: one pass. What is held out is scored by the model that judges then, as the daemon does."""
    sets, order = prepared(seed)
    labels = np.unique(np.concatenate((sets.train.y, sets.test.y)))
    train = Table(sets.train.x, np.searchsorted(labels, sets.train.y).astype(np.float64))
    truth = np.searchsorted(labels, sets.test.y)
    session = method.session(train.dimension, prefixes[-1], draws_seed(seed), classes=[f"class {label:g}" for label in labels])
    temperature = _core.Temperature()
    places = [place for place, row in enumerate(order[:prefixes[-1]].tolist()) if Random(row + 1).below(HELD_OUT_OF) == 0]
    rows, seconds, begin = [], 0.0, 0
    for n in prefixes:
        began = time.thread_time()
        for place in [*(place for place in places if begin <= place < n), n]:
            learn(session, train, order[begin:place])
            if place < n:
                row = order[place:place + 1]
                session.hold_out(temperature, _core.Rows.matrix(train.x[row]), train.y[row])
            begin = place + (place < n)
        seconds += time.thread_time() - began
        held = sum(place < n for place in places)
        p = session.probabilities(_core.Rows.matrix(sets.test.x), False)
        scores = references.class_scores(p, truth)
        log_losses = log_losses_of_slopes(p, session.slope, truth, np.array([USUAL_SLOPE, *SLOPES]))
        rows.append([seed, n, len(labels), session.attributes_revealed + held * train.dimension, scores["error"], scores["brier"], scores["log_loss"],
                     log_losses[0], float(log_losses[1:].min()), session.slope, seconds])
    return rows


def log_losses_of_slopes(p: NDArray[np.float64], slope: float, truth: NDArray[np.intp], slopes: NDArray[np.float64]) -> NDArray[np.float64]:
    """What the log loss would be with other slopes: scores are log(p)/slope, but for a constant of each row."""
    with np.errstate(divide="ignore"):
        scores = np.maximum(np.log(p), -700) / slope
    scores -= scores.max(axis=1, keepdims=True)
    of_truth = scores[np.arange(len(p)), truth]
    return np.array([float(np.minimum(np.log(np.exp(s * scores).sum(axis=1)) - s * of_truth, -np.log(1e-15)).mean()) for s in slopes])


def measure_peer(seed: int, name: str, prefix: int) -> dict[str, float]:
    sets, order = prepared(seed)
    return references.peer_scores(name, sets.train.rows(order[:prefix]), sets.test)


def main(given: Arguments) -> None:
    source = load(data_options(given))
    given.bias = given.bias or "on"
    method = method_of(given)
    if method.is_offline:
        raise ValueError(f"--algorithm {method.algorithm}: solves for numbers, not for classes")
    if unknown := set(given.peers) - set(PEERS):
        raise ValueError(f"--peers {unknown.pop()}: must be of {', '.join(PEERS)}")
    if given.directions:
        print("R2 {:.3f}, {:.2f} of it along directions of small variance\n".format(*references.directions(source.prepare(given.first_seed).train)))
    if given.peers:
        write(table(given, source, method))
        return
    method = method.having(phase1="auto") if method.has_phases else method
    write(to_csv(HEADER, run_prefixes(given, measure, source, method)))


def table(given: Arguments, source: DataSource, method: Method) -> str:
    """A row a budget and peer, in Markdown."""
    n = given.prefixes.prefixes(1, source.training_size)[-1]
    peers = {name: pd.DataFrame(run_seeds(given, measure_peer, source, name, n)) for name in given.peers}
    first = peers[given.peers[0]]
    rows = []
    for budget in given.budgets or (int(method.options["budget"]),):
        own = method.having(budget=str(min(budget, source.dimension)))
        runs = pd.DataFrame([of_seed[-1] for of_seed in run_seeds(given, measure, source, own, [n])], columns=HEADER)
        rows.append(_row(f"{method.algorithm}, K = {budget}", runs, first, float(runs.attributes.mean())))
    rows += [_row(name, scores, first, n * source.dimension) for name, scores in peers.items()]
    return (f"{source.options.data}: {n} examples, {source.dimension} attributes, {given.seeds} seeds\n\n"
            + markdown(["method", "looked at", "error", "Brier", "log loss", f"Brier over {given.peers[0]}'s", "log loss over the best slope's"], rows))


def _row(name: str, runs: pd.DataFrame, first: pd.DataFrame, looked_at: float) -> list[str]:
    means, cells = runs.mean(), [name, f"{looked_at:,.0f}"]
    for key, form in (("error", "{:.2%}"), ("brier", "{:.4f}"), ("log_loss", "{:.4f}")):
        off = f" ± {form}".format((runs[key] - first[key]).sem()) if runs is not first and len(runs) > 1 else ""
        cells.append(form.format(means[key]) + off)
    return [*cells, "1" if runs is first else f"{means.brier / first.brier.mean():.3f}",
            f"{means.log_loss / means.best_log_loss:.3f}" if "best_log_loss" in means else ""]

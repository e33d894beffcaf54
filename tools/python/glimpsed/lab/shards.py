"""Learners of polynomials over shards, with their weights averaged (ABHLT14 section 3.2).

The training rows are divided into N shards, as they come. In the first pass each learner runs its six epochs over its shard
alone. The parents of all are united, and stay. After each pass every weight becomes the mean of the learners', each weighted
with its sum of squared gradients, as Agarwal et al. 2014 (JMLR 15) average. Bigrams are numbered before the first pass,
which no time counts.
"""

import time
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from .. import _core
from .jobs import shared
from .sparse import Examples

HEADER = ["set", "method", "learners", "auc", "error", "square_error", "seconds_with_a_core_each", "processor_seconds", "parents", "products"]
JOBS = [(method, learners) for method in ("lin", "apple-0.25", "bigram", "bigram+apple-0.25", "apple-1", "bigram+apple-1") for learners in (1, 2, 4, 8)]
PASSES = 5
RATE = 4.0  # of the library's apple

Factors = tuple[int, ...]


def run(name: str, method: str, count: int, most: int | None, passes: int = PASSES) -> list[Any]:
    """The job of a method and a number of learners: a row."""
    from .products import parse_method, split

    examples: Examples = shared()
    train, test = split(examples, 1, most)
    if count > len(train):
        raise ValueError(f"{count} learners for {len(train)} examples: from 1 to as many as there are")
    parsed = parse_method(method)
    idempotent = examples.text.idempotent(train)
    bigrams = examples.text.bigrams(train) if parsed[2] else None
    parts = [train[len(train) * k // count:len(train) * (k + 1) // count] for k in range(count)]
    team = [_core.PolynomialLearner(*parsed, idempotent, len(part), RATE, bigrams) for part in parts]
    longest = total = 0.0
    for number in range(passes):
        seconds = [learner.learn(examples.text, part)[1] for learner, part in zip(team, parts)]
        began = time.thread_time()
        if number == 0:
            unite_parents(team)
        average(team)
        own = time.thread_time() - began
        longest += max(seconds) + own
        total += sum(seconds) + own
    labels = examples.labels[test]
    scores = team[0].predict(examples.text, test)
    clipped = np.clip(scores, examples.labels[train].min(), examples.labels[train].max())
    return [name, method, count, float(roc_auc_score(labels > 0, scores)), float(np.mean((scores >= 0) != (labels > 0))),
            float(np.square(clipped - labels).mean()), longest, total, len(team[0].parents()), team[0].slots - len(idempotent)]


def unite_parents(team: list[_core.PolynomialLearner]) -> None:
    """Those of all, behind those that they are made of."""
    parents = sorted({parent for learner in team for parent in learner.parents()}, key=lambda factors: (len(factors), factors))
    for learner in team:
        learner.freeze_parents(parents)


def average(team: list[_core.PolynomialLearner]) -> None:
    """Weights by their factors, that of none is the bias."""
    shares: dict[Factors, list[tuple[float, float, float]]] = {}
    for learner in team:
        for factors, weight, evidence, scale in learner.shares():
            shares.setdefault(factors, []).append((weight, evidence, scale))
    means = {}
    for factors, own in shares.items():
        evidence = sum(share[1] for share in own)
        weight = sum(share[0] * share[1] for share in own) / evidence if evidence > 0 else sum(share[0] for share in own) / len(own)
        means[factors] = (weight, max(share[2] for share in own))
    for learner in team:
        for factors, (weight, scale) in sorted(means.items()):
            learner.take_share(factors, weight, scale)

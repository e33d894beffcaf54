"""The algorithms of Kukliansky & Shamir (ICML 2015, KS15; arXiv 2014, KS14) as their pseudocode has them.

glimpse's own learners of these names depart from the papers (lib/learn/PAPERS.md) and are compared with these.

Runs are side by side: every step has an example of each run, `x` of shape (r, d) and `y` of shape (r), and draws of each.
Runs may end one after the other, the last ones first: then r falls. Of `random` an example asks for the numbers of its k
data-point draws, then for those of its product draws. K = k + `product_draws`: one product draw in
the papers' theorems, half of K in their experiments. O(r·d + r·K·log(r·d)) a step.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.intp]
Examples = Iterable[tuple[Array, Array]]


class Seen:
    """What the runs saw so far: the mean of x_i² over the draws of i (A of Algorithms 2 and 4, lines 5 to 8), and totals."""

    def __init__(self, runs: int, d: int) -> None:
        self.counts = np.zeros((runs, d))
        self.squares = np.zeros((runs, d))
        self.examples = np.zeros((runs, 1))
        self.revealed = np.zeros(runs)

    def add(self, x: Array, i: Indices, others: Indices) -> None:
        """An example of each run: draws `i`, and `others` that are of no use for A."""
        rows = np.arange(len(x))[:, None]
        np.add.at(self.counts, (rows, i), 1)
        np.add.at(self.squares, (rows, i), x[rows, i] ** 2)
        self.examples[:len(i)] += 1
        both = np.sort(np.concatenate((i, others), axis=1), axis=1)
        self.revealed[:len(i)] += 1 + (both[:, 1:] != both[:, :-1]).sum(axis=1)

    def moments(self) -> Array:
        return self.squares / np.maximum(self.counts, 1)


class Learned(NamedTuple):
    """What descend() ends with."""

    mean: Array  # of the iterates w_1 … w_m, a row a run: the result
    seen: Seen  # of the data-point draws


def cumulative(weights: Array) -> Array:
    """What draw() needs of chances proportional to `weights` (r, d): their sums up to each, run r's from r to r + 1."""
    sums = np.cumsum(weights, axis=1)
    return np.asarray(sums / sums[:, -1:] + np.arange(len(sums))[:, None])


def draw(sums: Array, uniform: Array) -> Indices:
    """Indices, with replacement, for `uniform` of shape (r, draws)."""
    d, runs = sums.shape[1], np.arange(len(uniform))[:, None]
    found = np.searchsorted(sums[:len(uniform)].ravel(), (uniform + runs).ravel(), side="right")
    return np.asarray(np.minimum(found.reshape(uniform.shape) - runs * d, d - 1))


def uniform_moments(examples: Examples, runs: int, d: int, draws: int, random: np.random.Generator) -> Seen:
    """Phase 1 as written (KS14, Algorithms 2 and 4, lines 2 to 10): K uniform draws an example, nothing is learned."""
    seen, sums = Seen(runs, d), cumulative(np.ones((runs, d)))
    for x, y in examples:
        i = draw(sums, random.random((len(y), draws)))
        seen.add(x, i, i)
    return seen


def epsilon(d: int, draws: int, examples: int, delta: float, lasso: bool = False) -> float:
    """ε = d·ln(2d/δ)/(K·m₁) (KS14, Algorithm 2, line 11), for lasso at most 1 (Algorithm 4, line 11)."""
    value = d * np.log(2 * d / delta) / (draws * examples)
    return float(min(value, 1) if lasso else value)


def chances(moments: Array, eps: float, lasso: bool = False) -> Array:
    """q_i ∝ √(A_i + 13/6·ε), lasso: without the root (line 12 of both). Of true moments and ε = 0: DDAERR, DDAELR.

    Where ε and all A_i are 0, of which the papers say nothing, q is uniform.
    """
    q = moments + 13 / 6 * eps
    q = q if lasso else np.sqrt(q)
    q = np.where(q.any(axis=1, keepdims=True), q, 1)
    return np.asarray(q / q.sum(axis=1, keepdims=True))


def estimate(x: Array, y: Array, w: Array, q: Array, p: Array, i: Indices, j: Indices) -> Array:
    """g̃ = φ̃·x̃ (Algorithms 1 and 3, lines 4 to 11): x̃ of the draws `i` by chances q, φ̃ of `j` by chances ∝ p."""
    rows = np.arange(len(x))[:, None]
    product = (w[rows, j] * x[rows, j] / p[rows, j]).mean(axis=1) * p.sum(axis=1) - y
    gradient = np.zeros_like(x)
    np.add.at(gradient, (rows, i), product[:, None] * x[rows, i] / q[rows, i] / i.shape[1])
    return gradient


def descend(examples: Examples, q: Array, random: np.random.Generator, *, lasso: bool, radius: float, step: float, k: int,
            product_draws: int = 1, start: Array | None = None, moments: Array | None = None) -> Learned:
    """GAERR (KS15, Algorithm 1): w ← w − η·g̃, then onto the L2 ball. AERR has q_i = 1/d; q: (r, d).

    `lasso`: GAELR (KS14, Algorithm 3), exponentiated gradient on the L1 ball: z± ← z±·exp(∓η·clip(g̃, ±1/η)), where
    z± = exp(±θ), as z⁺z⁻ = 1. `start`: w₁ inside the ball; by default 0 for GAELR, as written, and all but 0 for GAERR.
    p ∝ w² (GAELR: |w|), or with `moments` M, (r, d), ∝ |w|·√M: the improved product of KS15 §3 and §5.
    """
    w = np.full(q.shape, 0 if lasso else 1e-9) if start is None else start.copy()
    theta = exponents(w, radius) if lasso else w
    total, seen, sums = np.zeros(q.shape), Seen(*q.shape), cumulative(q)
    for x, y in examples:
        r = len(y)
        w = exponentiated(theta[:r], radius) if lasso else theta[:r]
        total[:r] += w
        i = draw(sums, random.random((r, k)))
        p = np.abs(w) if lasso or moments is not None else w**2
        p = p if moments is None else p * np.sqrt(moments[:r])
        p = np.where(p.any(axis=1, keepdims=True), p, 1)  # where w = 0 the product is 0 whatever is drawn
        j = draw(cumulative(p), random.random((r, product_draws)))
        g = estimate(x, y, w, q, p, i, j)
        if lasso:
            theta[:r] -= step * np.clip(g, -1 / step, 1 / step)
        else:
            v = w - step * g
            theta[:r] = v * (radius / np.maximum(np.linalg.norm(v, axis=1, keepdims=True), radius))
        seen.add(x, i, j)
    return Learned(total / np.maximum(seen.examples, 1), seen)


def exponentiated(theta: Array, radius: float) -> Array:
    """w of z± = exp(±θ), Algorithm 3, line 3."""
    largest = np.abs(theta).max(axis=1, keepdims=True)
    above, below = np.exp(theta - largest), np.exp(-theta - largest)
    return np.asarray(radius * (above - below) / (above + below).sum(axis=1, keepdims=True))


def exponents(w: Array, radius: float) -> Array:
    """θ of a w inside the ball: w_i = B·sinh θ_i/Σ cosh θ_j, the sum S by halving: Σ √(1 + (w_j·S/B)²) = S."""
    part = np.abs(w) / radius
    low, high = np.ones((len(w), 1)), w.shape[1] / np.maximum(1 - part.sum(axis=1, keepdims=True), 1e-9)
    for _ in range(100):
        middle = (low + high) / 2
        above = np.sqrt(1 + (part * middle) ** 2).sum(axis=1, keepdims=True) > middle
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.asarray(np.arcsinh(w / radius * high))


def two_phases(first: Examples, second: Examples, runs: int, d: int, random: np.random.Generator, *, radius: float, step: float, k: int,
               product_draws: int = 1, eps: float, lasso: bool = False, learns: bool = False, first_radius: float | None = None,
               first_step: float | None = None, improved: bool = False) -> Learned:
    """KS14, Algorithms 2 and (`lasso`) 4: A of the `first` examples, then GAERR or GAELR with q of A and `eps`, fixed.

    As written `learns` and `improved` are False, and `eps` is epsilon(). The experiments (KS15 §5) have eps = 0, the
    improved product, and AERR or AELR, with a radius and a step of their own, as phase 1, where phase 2 begins.
    """
    start = None
    if learns:
        start, seen = descend(first, np.full((runs, d), 1 / d), random, lasso=lasso, k=k, product_draws=product_draws,
                              radius=radius if first_radius is None else first_radius, step=step if first_step is None else first_step)
    else:
        seen = uniform_moments(first, runs, d, k + product_draws, random)
    moments = seen.moments()
    done = descend(second, chances(moments, eps, lasso), random, lasso=lasso, radius=radius, step=step, k=k, product_draws=product_draws,
                   start=start, moments=moments if improved else None)
    done.seen.revealed += seen.revealed
    return done

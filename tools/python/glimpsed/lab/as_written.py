"""The algorithms of Kukliansky & Shamir (ICML 2015, KS15; arXiv 2014, KS14) as their pseudocode has them.

glimpse's own learners of these names depart from the papers (lib/learn/PAPERS.md) and are compared with these.

Runs are side by side: r runs of n examples of d attributes, `x` of shape (r, n, d) and `y` of shape (r, n), each run
with examples and draws of its own. A number given for all runs may also be an array of r. `random` has numpy's
`random(shape)`; an example asks it for the numbers of its k data-point draws, then for those of its product draws.
K = k + `product_draws`: one product draw in the papers' theorems, half of K in their experiments. O(r·d·K) an example.
"""

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


class Uniform(Protocol):
    """What draws are made from."""

    def random(self, size: tuple[int, ...], /) -> Array:
        """Numbers that are uniform in [0, 1)."""


class Learned(NamedTuple):
    """What GAERR and GAELR end with, each of shape (r, d)."""

    mean: Array  # of the iterates w_1 … w_m: the result
    last: Array  # w_{m+1}
    moments: Array  # the mean of x_i² over the data-point draws of i; 0 where there was none


def column(value: ArrayLike) -> Array:
    return np.asarray(value, float).reshape(-1, 1)


def draw(weights: Array, uniform: Array) -> NDArray[np.intp]:
    """Indices, with replacement, of chances proportional to `weights` (r, d), for `uniform` of shape (r, draws)."""
    sums = np.cumsum(weights, axis=1)
    indices: NDArray[np.intp] = (sums[:, None, :-1] <= uniform[:, :, None] * sums[:, None, -1:]).sum(axis=2)
    return indices


class Draws:
    """The mean of x_i² over the draws of i, by run: A of Algorithms 2 and 4, lines 5 to 8."""

    def __init__(self, runs: int, d: int) -> None:
        self.counts = np.zeros((runs, d))
        self.squares = np.zeros((runs, d))

    def add(self, indices: NDArray[np.intp], values: Array) -> None:
        rows = np.arange(len(indices))[:, None]
        np.add.at(self.counts, (rows, indices), 1)
        np.add.at(self.squares, (rows, indices), values**2)

    def moments(self) -> Array:
        return self.squares / np.maximum(self.counts, 1)


def uniform_moments(x: Array, draws: int, random: Uniform) -> Array:
    """Phase 1 as written (KS14, Algorithms 2 and 4, lines 2 to 10): K uniform draws an example, nothing is learned."""
    runs, examples, d = x.shape
    seen = Draws(runs, d)
    for t in range(examples):
        i = draw(np.ones((runs, d)), random.random((runs, draws)))
        seen.add(i, np.take_along_axis(x[:, t], i, 1))
    return seen.moments()


def epsilon(d: int, draws: int, examples: int, delta: float, lasso: bool = False) -> float:
    """ε = d·ln(2d/δ)/(K·m₁) (KS14, Algorithm 2, line 11), for lasso at most 1 (Algorithm 4, line 11)."""
    value = d * np.log(2 * d / delta) / (draws * examples)
    return float(min(value, 1) if lasso else value)


def chances(moments: Array, eps: float, lasso: bool = False) -> Array:
    """q_i ∝ √(A_i + 13/6·ε), lasso: without the root (line 12 of both). Of true moments and ε = 0: DDAERR, DDAELR."""
    q = moments + 13 / 6 * eps
    q = q if lasso else np.sqrt(q)
    return np.asarray(q / q.sum(axis=1, keepdims=True))


def estimate(x: Array, y: Array, w: Array, q: Array, p: Array, i: NDArray[np.intp], j: NDArray[np.intp]) -> Array:
    """g̃ = φ̃·x̃ (Algorithms 1 and 3, lines 4 to 11): x̃ of the draws `i` by chances q, φ̃ of `j` by chances ∝ p."""
    p = p / p.sum(axis=1, keepdims=True)
    product = np.take_along_axis(w * x / np.where(p > 0, p, 1), j, 1).mean(axis=1) - y
    point = np.zeros_like(x)
    values = np.take_along_axis(x, i, 1) / np.take_along_axis(q, i, 1) / i.shape[1]
    np.add.at(point, (np.arange(len(x))[:, None], i), values)
    return np.asarray(product[:, None] * point)


def gaerr(x: Array, y: Array, q: Array, random: Uniform, *, radius: ArrayLike, step: ArrayLike, k: int,
          product_draws: int = 1, start: Array | None = None, moments: Array | None = None) -> Learned:
    """KS15, Algorithm 1: w ← w − η·g̃, then onto the L2 ball. q: (r, d); `start`: w₁ ≠ 0, by default all but 0.

    p ∝ w², or with `moments` M, (r, d), ∝ |w|·√M: the improved product of KS15 §3 and §5. AERR has q_i = 1/d.
    """
    runs, examples, d = x.shape
    w = np.full((runs, d), 1e-9) if start is None else start.copy()
    total = np.zeros_like(w)
    seen = Draws(runs, d)
    for t in range(examples):
        total += w
        example = x[:, t].astype(float)
        i = draw(q, random.random((runs, k)))
        p = w**2 if moments is None else np.abs(w) * np.sqrt(moments)
        j = draw(p, random.random((runs, product_draws)))
        v = w - column(step) * estimate(example, y[:, t], w, q, p, i, j)
        w = v * (column(radius) / np.maximum(np.linalg.norm(v, axis=1, keepdims=True), column(radius)))
        seen.add(i, np.take_along_axis(example, i, 1))
    return Learned(total / examples, w, seen.moments())


def gaelr(x: Array, y: Array, q: Array, random: Uniform, *, radius: ArrayLike, step: ArrayLike, k: int,
          product_draws: int = 1, start: Array | None = None, moments: Array | None = None) -> Learned:
    """KS14, Algorithm 3: exponentiated gradient on the L1 ball, z± ← z±·exp(∓η·clip(g̃, ±1/η)). As gaerr() otherwise.

    `start`: w₁ inside the ball, by default 0 as written. z⁺z⁻ = 1, so that one exponent an attribute is kept. p ∝ |w|.
    """
    runs, examples, d = x.shape
    eta, ball = column(step), column(radius)
    theta = np.zeros((runs, d)) if start is None else exponents(start, ball)
    total = np.zeros((runs, d))
    seen = Draws(runs, d)
    for t in range(examples):
        w = exponentiated(theta, ball)
        total += w
        example = x[:, t].astype(float)
        i = draw(q, random.random((runs, k)))
        p = np.abs(w) if moments is None else np.abs(w) * np.sqrt(moments)
        p = np.where(p.sum(axis=1, keepdims=True) > 0, p, 1)  # w = 0: whatever is drawn, the product is 0
        j = draw(p, random.random((runs, product_draws)))
        theta -= eta * np.clip(estimate(example, y[:, t], w, q, p, i, j), -1 / eta, 1 / eta)
        seen.add(i, np.take_along_axis(example, i, 1))
    return Learned(total / examples, exponentiated(theta, ball), seen.moments())


def exponentiated(theta: Array, ball: Array) -> Array:
    """w of z± = exp(±θ), Algorithm 3, line 3."""
    largest = np.abs(theta).max(axis=1, keepdims=True)
    above, below = np.exp(theta - largest), np.exp(-theta - largest)
    return np.asarray(ball * (above - below) / (above + below).sum(axis=1, keepdims=True))


def exponents(w: Array, ball: Array) -> Array:
    """θ of a w inside the ball: w_i = B·sinh θ_i/Σ cosh θ_j, the sum S by halving: Σ √(1 + (w_j·S/B)²) = S."""
    part = np.abs(w) / ball
    low, high = np.ones((len(w), 1)), w.shape[1] / np.maximum(1 - part.sum(axis=1, keepdims=True), 1e-9)
    for _ in range(100):
        middle = (low + high) / 2
        above = np.sqrt(1 + (part * middle) ** 2).sum(axis=1, keepdims=True) > middle
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.asarray(np.arcsinh(w / ball * high))


def two_phases(x: Array, y: Array, random: Uniform, *, first: int, radius: ArrayLike, step: ArrayLike, k: int,
               product_draws: int = 1, eps: float, lasso: bool = False, learns: bool = False,
               first_radius: ArrayLike | None = None, first_step: ArrayLike | None = None,
               improved: bool = False) -> Array:
    """KS14, Algorithms 2 and (`lasso`) 4: A of the `first` examples, then GAERR or GAELR with q of A and `eps`, fixed.

    As written `learns` and `improved` are False, and `eps` is epsilon(). The experiments (KS15 §5) have eps = 0, the
    improved product, and AERR or AELR, with a radius and a step of their own, as phase 1, where phase 2 begins.
    """
    runs, _, d = x.shape
    learn = gaelr if lasso else gaerr
    start = None
    if learns:
        begun = learn(x[:, :first], y[:, :first], np.full((runs, d), 1 / d), random, k=k,
                      product_draws=product_draws, radius=radius if first_radius is None else first_radius,
                      step=step if first_step is None else first_step)
        start, moments = begun.mean, begun.moments
    else:
        moments = uniform_moments(x[:, :first], k + product_draws, random)
    return learn(x[:, first:], y[:, first:], chances(moments, eps, lasso), random, radius=radius, step=step, k=k,
                 product_draws=product_draws, start=start, moments=moments if improved else None).mean

"""Offline references that see whole examples as often as they like: ridge, lasso and logistic regression."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.optimize import brentq
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, RidgeCV, lars_path_gram
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from .data import Table, pieces

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Equations:
    """A = mean x x', b = mean y x and c = mean y^2: the objective is w'Aw/2 - b'w + c/2. A bias is the last attribute."""
    a: Numbers
    b: Numbers
    c: float
    n: int

    def without(self, part: "Equations") -> "Equations":
        """Those of the other rows."""
        rest = self.n - part.n
        return Equations((self.a * self.n - part.a * part.n) / rest, (self.b * self.n - part.b * part.n) / rest,
                         (self.c * self.n - part.c * part.n) / rest, rest)

    def loss_ratio(self, w: Numbers) -> float:
        """The squared loss of w over that of 0."""
        loss = float(w @ self.a @ w - 2 * self.b @ w + self.c)
        return loss / self.c if self.c > 0 else 0.0


def normal_equations(table: Table, rows: NDArray[np.uint32], bias: bool) -> Equations:
    """O(n*d^2)."""
    d = table.dimension + bias
    a, b, c = np.zeros((d, d)), np.zeros(d), 0.0
    for begin in range(0, len(rows), 4096):
        x, y = table.x[rows[begin:begin + 4096]].astype(np.float64), table.y[rows[begin:begin + 4096]]
        if bias:
            x = np.hstack((x, np.ones((len(x), 1))))
        a += x.T @ x
        b += y @ x
        c += float(y @ y)
    n = max(len(rows), 1)
    return Equations(a / n, b / n, c / n, n)


def solve(algorithm: str, equations: Equations, radii: Sequence[float]) -> list[Numbers]:
    """The minimisers within balls of these radii: ||w||_2 of offline-ridge, ||w||_1 of offline-lasso."""
    return ridge(equations, radii) if algorithm == "offline-ridge" else lasso(equations, radii)


def ridge(equations: Equations, radii: Sequence[float]) -> list[Numbers]:
    """Minimisers of the mean squared loss over ||w||_2 <= B. Where least squares are outside of the ball, w solves
    (A + mu I) w = b with the mu of ||w|| = B. Eigenvalues below d * epsilon of the largest count as 0."""
    values, vectors = eigh(equations.a)
    kept = values > max(float(values[-1]) * np.finfo(float).eps * len(values), 0)
    values, vectors = values[kept], vectors[:, kept]
    beta = vectors.T @ equations.b

    def norm(mu: float) -> float:
        return float(np.linalg.norm(beta / (values + mu)))

    solutions = []
    for radius in radii:
        mu = 0.0
        if norm(0) > radius:
            most = float(np.linalg.norm(beta)) / radius  # ||w|| <= ||beta||/mu
            mu = brentq(lambda m: 1 / norm(m) - 1 / radius, 0, most, xtol=1e-300, rtol=1e-14, maxiter=500)
        solutions.append(vectors @ (beta / (values + mu)))
    return solutions


def lasso(equations: Equations, radii: Sequence[float]) -> list[Numbers]:
    """Minimisers over ||w||_1 <= B: points of the path of LARS, on which ||w||_1 grows and w is linear between two steps."""
    varies = np.diag(equations.a) > 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of regressors that others are combinations of
        _, _, path = lars_path_gram(equations.b[varies] * equations.n, equations.a[np.ix_(varies, varies)] * equations.n,
                                    n_samples=equations.n, method="lasso", max_iter=20 * len(equations.b) + 1000)
    norms = np.maximum.accumulate(np.abs(path).sum(axis=0))
    solutions = np.zeros((len(radii), len(equations.b)))
    solutions[:, varies] = np.transpose([np.interp(radii, norms, weight) for weight in path])
    return list(solutions)


def leave_one_out_ridge(seen: Table) -> tuple[Numbers, float]:
    """Weights and bias of ridge regression on standardised attributes, with the lambda, a power of two from 2^-20 to 2^8
    times n, whose error of leaving one out is least; or the mean of the labels, where nothing has less."""
    mean = float(seen.y.mean())
    n = len(seen)
    if n < 3 or seen.y.min() == seen.y.max():
        return np.zeros(seen.dimension), mean
    scaler = StandardScaler()
    z = scaler.fit_transform(seen.x.astype(np.float64))
    model = RidgeCV(alphas=[n * 2.0 ** k for k in range(-20, 9)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(z, seen.y)
    of_mean = float(np.square((seen.y - mean) * n / (n - 1)).mean())
    if not -model.best_score_ < of_mean:
        return np.zeros(seen.dimension), mean
    weights = model.coef_ / scaler.scale_
    return weights, float(model.intercept_ - weights @ scaler.mean_)


# Classes.


def peer_scores(name: str, train: Table, test: Table) -> dict[str, float]:
    """Error, Brier score and log loss of a classifier that sees every attribute, with scikit-learn's defaults: "LDA", or
    "logistic" of standardised attributes with at most 200 iterations."""
    model = (LinearDiscriminantAnalysis() if name == "LDA"
             else make_pipeline(StandardScaler(), LogisticRegression(max_iter=200)))
    x = train.x.astype(np.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of constant attributes, and too few iterations
        model.fit(x, train.y)
    p = np.concatenate([model.predict_proba(part.astype(np.float64)) for part in pieces(test.x)])
    truth = np.searchsorted(model.classes_, test.y)
    return class_scores(p, truth)


def class_scores(p: Numbers, truth: NDArray[np.intp]) -> dict[str, float]:
    """Of probabilities, a row an example; Brier scores are sums over the classes."""
    hit = np.arange(p.shape[1]) == truth[:, None]
    return {"error": float(np.mean(p.argmax(axis=1) != truth)),
            "brier": float(np.square(p - hit).sum(axis=1).mean()),
            "log_loss": float(-np.log(np.maximum(p[hit], 1e-15)).mean())}


def directions(train: Table) -> tuple[float, float]:
    """R^2 of least squares for the last class, and the share of it along principal directions of less than a tenth of an
    attribute's variance."""
    target = (train.y == train.y.max()) - np.mean(train.y == train.y.max())
    x = train.x.astype(np.float64)
    x = x[:, x.std(axis=0) > 0]
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    variances, vectors = eigh(z.T @ z / len(z))
    along = np.square(vectors.T @ (z.T @ target / len(z)))
    explained = np.where(variances > 1e-8, along / np.maximum(variances, 1e-8), 0)
    return float(explained.sum() / target.var()), float(explained[variances < 0.1].sum() / explained.sum())

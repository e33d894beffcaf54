"""Theorem 1 of Agarwal et al. (NIPS 2014, ABHLT14): gradient descent whose support grows, with the step 1/(λ(t + 1)).

glimpse's apple has another base learner, as the authors' program does. This is the variant that the theorem is about.
"""

import unittest

import numpy as np

LAMBDA = 0.05
RUNS = 200
PREFIXES = (64, 256, 1024, 4096)


class GrowingSupportTest(unittest.TestCase):
    def setUp(self):
        # 40 atoms of equal chance, x·y of length 1, the logistic loss, for which max{ℓ', ℓ''} ≤ 1: f is known exactly.
        random = np.random.default_rng(0)
        x = random.normal(size=(40, 8))
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        scores = 6 * x @ np.linspace(2, 4, 8) / np.sqrt(8)
        self.atoms = x * np.where(random.random(40) < 1 / (1 + np.exp(-scores)), 1.0, -1.0)[:, None]

    def objective(self, w):
        return np.log1p(np.exp(-(w @ self.atoms.T))).mean(axis=-1) + LAMBDA / 2 * (w**2).sum(axis=-1)

    def gradient(self, w, z):
        return -z / (1 + np.exp((w * z).sum(axis=-1)))[..., None] + LAMBDA * w

    def best(self, support):
        """The minimum of f over weights of the first `support` features."""
        w = np.zeros(8)
        for _ in range(3000):
            w[:support] -= 0.9 * self.gradient(w[None, :], self.atoms).mean(axis=0)[:support]
        return self.objective(w)

    def descend(self, step, supports):
        """f(w_{T+1}) of each run for each T of PREFIXES, and the longest iterate."""
        random, w, longest, reached = np.random.default_rng(1), np.zeros((RUNS, 8)), 0.0, []
        for t in range(1, PREFIXES[-1] + 1):
            change = step(t) * self.gradient(w, self.atoms[random.integers(40, size=RUNS)])
            w[:, :supports(t)] -= change[:, :supports(t)]
            longest = max(longest, np.linalg.norm(w, axis=1).max())
            if t in PREFIXES:
                reached.append(self.objective(w))
        return np.array(reached), longest

    def test_the_last_iterate_is_within_1_over_T_of_the_weighted_comparators(self):
        def grows(t):
            return 2 if t <= 64 else 4 if t <= 128 else 8

        best = {support: self.best(support) for support in (2, 4, 8)}

        def comparator(T):
            return np.average([best[grows(t)] for t in range(1, T + 1)], weights=np.arange(3, T + 3))

        def theorem(t):
            return 1 / (LAMBDA * (t + 1))

        for name, step, supports, holds in (("theorem", theorem, grows, True),
                                            ("1/(λ√(t + 1))", lambda t: 1 / (LAMBDA * np.sqrt(t + 1)), grows, False),
                                            ("constant", lambda t: 0.5, grows, False),
                                            ("support that stays", theorem, lambda t: 2, False)):
            with self.subTest(name):
                reached, longest = self.descend(step, supports)
                bounds = [(1 + LAMBDA) * (1 + LAMBDA * longest) ** 2 / (2 * LAMBDA**2) / (T + 1) for T in PREFIXES]
                excess = reached - best[8]
                error = 2.6 * excess.std(axis=1, ddof=1) / RUNS**0.5  # 99 %
                print(f"{name}: {excess.mean(axis=1).round(5)} ± {error.round(5)}, bounds {np.round(bounds, 3)}")
                # 1/T: T times the excess does not grow from 1,024 to 4,096 examples, with all features since 129.
                many, few = 4096 * excess[3].mean(), 1024 * excess[2].mean()
                if holds:
                    for reach, err, T, bound in zip(reached.mean(axis=1), error, PREFIXES, bounds):
                        self.assertLess(reach + err - comparator(T), bound)
                    self.assertLess(many + 4096 * error[3], 1.25 * few)
                else:
                    self.assertGreater(many - 4096 * error[3], 1.25 * (few + 1024 * error[2]))
                if name == "support that stays":
                    self.assertGreater(reached[3].mean() - comparator(4096), bounds[3])


if __name__ == "__main__":
    unittest.main()

"""The random numbers of the library, so that data, orders and splits are those of glimpse-gen and of the daemon.

xoshiro256++ (Blackman & Vigna 2021) seeded through SplitMix64: lib/base/random.h.
"""

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
_WORD = (1 << 64) - 1


class _Uniform:
    """A sequence of uniform numbers, or several side by side."""

    def uniform(self) -> Any:
        """Multiples of 2^-53 in [0, 1)."""
        raise NotImplementedError

    def nearly_normal(self) -> Any:
        """The sum of twelve uniform numbers less 6: mean 0, variance 1."""
        return functools.reduce(lambda total, _: total + self.uniform(), range(12), -6.0)


class Random(_Uniform):
    """One sequence."""

    def __init__(self, seed: int) -> None:
        self._state = [int(words[0]) for words in Randoms(np.array([seed & _WORD], dtype=np.uint64)).state]

    def bits(self) -> int:
        a, b, c, d = self._state
        total = (a + d) & _WORD
        result = (((total << 23) | (total >> 41)) + a) & _WORD
        c ^= a
        d ^= b
        self._state = [a ^ d, b ^ c, c ^ (b << 17) & _WORD, ((d << 45) | (d >> 19)) & _WORD]
        return result

    def uniform(self) -> float:
        return float(self.bits() >> 11) * 2.0 ** -53

    def below(self, n: int) -> int:
        """Uniform on 0 to n - 1 (Lemire 2019)."""
        product = self.bits() * n
        if product & _WORD < n:
            threshold = (_WORD + 1 - n) % n
            while product & _WORD < threshold:
                product = self.bits() * n
        return product >> 64


class Randoms(_Uniform):
    """Many sequences side by side, one for each seed: every call gives the next number of each."""

    def __init__(self, seeds: Words) -> None:
        self.state = []
        step = np.uint64(0x9E3779B97F4A7C15)
        for _ in range(4):
            seeds = seeds + step
            self.state.append(mix(seeds))

    def bits(self) -> Words:
        a, b, c, d = self.state
        total = a + d
        result = _rotated(total, 23) + a
        c = c ^ a
        d = d ^ b
        self.state = [a ^ d, b ^ c, c ^ (b << np.uint64(17)), _rotated(d, 45)]
        return result

    def uniform(self) -> NDArray[np.float64]:
        return (self.bits() >> np.uint64(11)).astype(np.float64) * 2.0 ** -53


def mix(z: Words) -> Words:
    """The output function of SplitMix64."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _rotated(x: Words, k: int) -> Words:
    return (x << np.uint64(k)) | (x >> np.uint64(64 - k))


@functools.lru_cache(maxsize=64)
def shuffled(n: int, seed: int) -> NDArray[np.uint32]:
    """0 to n - 1 in random order (Fisher-Yates), which depends on n and the seed alone. Not to be written to."""
    random = Random(seed)
    order = list(range(n))
    for i in range(n, 1, -1):
        j = random.below(i)
        order[i - 1], order[j] = order[j], order[i - 1]
    return np.array(order, dtype=np.uint32)


def draws_seed(seed: int) -> int:
    """The seed of the learner's draws in a run with this seed, and of where a simulated set's examples begin."""
    return Random(~seed & _WORD).bits()

"""Data sets held in memory: simulated ones, MNIST and tables; how they are scaled and split."""

import csv
import functools
import gzip
import hashlib
import io
import os
import struct
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_svmlight_file

from .xoshiro import Random, Randoms, draws_seed, shuffled

SCALINGS = ("none", "norm", "maxabs", "maxabs-norm", "centred")


def rows_of_papers(name: str) -> list[dict[str, str]]:
    """Of a file of papers/, cells by their column's name."""
    with (Path(__file__).with_name("papers") / name).open() as file:
        return list(csv.DictReader(file))


@dataclass(frozen=True)
class Table:
    """Labelled examples, a row each."""
    x: NDArray[np.float32]
    y: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.y)

    @property
    def dimension(self) -> int:
        return int(self.x.shape[1])

    def rows(self, places: NDArray[np.uint32] | slice) -> "Table":
        return Table(self.x[places], self.y[places])


@dataclass(frozen=True)
class Sets:
    """A training and a test set, scaled."""
    train: Table
    test: Table


@dataclass(frozen=True)
class DataOptions:
    """Which data a command uses, as on its command line."""
    data: str
    label_column: str = "first"
    scale: str | None = None  # None: norm for MNIST, none elsewhere
    positive: float | None = None  # of files: this label is 1, every other -1
    standardise_labels: bool = False
    test_share: float | None = None  # None: the data's own test set, or a tenth of a file
    split_seed: int | None = 0  # None: another split with every seed
    examples: int | None = None  # at most so many to train with; of simulated sets exactly
    test_examples: int = 2000
    dimension: int = 500
    data_seed: int = 1
    largest_dimension: int | None = None

    @property
    def is_file(self) -> bool:
        return not self.data.startswith(("mnist:", "simulated:"))


def load(options: DataOptions) -> "DataSource":
    """Reads or makes the data. Raises ValueError for what cannot be, and FileNotFoundError."""
    if options.test_share is not None and not 0 < options.test_share < 1:
        raise ValueError(f"--test-share {options.test_share:%}: must be between 0% and 100%")
    if options.scale not in (None, *SCALINGS):
        raise ValueError(f"--scale {options.scale}: must be one of {', '.join(SCALINGS)}")
    if options.positive is not None and not options.is_file:
        raise ValueError(f"--positive is for files: {options.data} has labels already")
    if options.data.startswith("mnist:"):
        sets = _mnist(options.data)
    elif options.data.startswith("simulated:"):
        sets = _simulated(options)
    else:
        table = _read_table(_path_of(options.data), options)
        if options.positive is not None:
            table = Table(table.x, np.where(table.y == options.positive, 1.0, -1.0))
            if (table.y == table.y[0]).all():
                raise ValueError(f"--positive {options.positive}: {int((table.y > 0).sum())} of {len(table)} examples in {options.data} have that label")
        sets = Sets(table, table.rows(slice(0, 0)))
        if options.test_share is None:
            options = replace(options, test_share=0.1)
    source = DataSource(options, sets)
    if source.training_size < 1 or len(source.prepare(1).test) < 1:
        raise ValueError(f"--data {options.data}: leaves no examples to train or to test with")
    return source


class DataSource:
    """Data that was read and can be split. What prepare() gives is not to be written to."""

    def __init__(self, options: DataOptions, whole: Sets) -> None:
        self.options = options
        self.dimension = whole.train.dimension
        self._whole = whole
        self._content = _hash_of(whole)

    @property
    def resplits(self) -> bool:
        """Whether another seed has another split."""
        return self.options.test_share is not None and self.options.split_seed is None

    @property
    def training_size(self) -> int:
        n = len(self._whole.train)
        if self.options.test_share is not None:
            n += len(self._whole.test)
            n -= int(self.options.test_share * n + 0.5)
        return min(n, self.options.examples or n)

    def prepare(self, seed: int) -> Sets:
        """The sets of a run with this seed."""
        return self._split(seed if self.resplits else self.options.split_seed or 0)

    @functools.lru_cache(maxsize=2)  # noqa: B019 - sources live as long as a command
    def _split(self, seed: int) -> Sets:
        train, test = self._whole.train, self._whole.test
        if self.options.test_share is not None:
            whole = train if len(test) == 0 else Table(np.concatenate((train.x, test.x)), np.concatenate((train.y, test.y)))
            order = shuffled(len(whole), seed)
            tests = int(self.options.test_share * len(whole) + 0.5)
            test, train = whole.rows(order[:tests]), whole.rows(order[tests:tests + self.training_size])
        else:
            train = train.rows(slice(0, self.training_size))
        scale = self.options.scale or ("norm" if self.options.data.startswith("mnist:") else "none")
        sets = scaled(Sets(train, test), scale)
        return standardised(sets) if self.options.standardise_labels else sets

    def describe(self) -> str:
        """What decides the sets. What a file is called decides nothing; what is in it does."""
        o = self.options
        return (f"content={self._content} scale={o.scale} test-share={o.test_share} split-seed={o.split_seed} "
                f"training={self.training_size} standardise-labels={o.standardise_labels}")


def _hash_of(sets: Sets) -> str:
    digest = hashlib.blake2b(digest_size=8)
    for part in (sets.train, sets.test):
        digest.update(str(part.x.shape).encode())
        digest.update(np.ascontiguousarray(part.x).tobytes())
        digest.update(part.y.tobytes())
    return digest.hexdigest()


# Scales.


def scaled(sets: Sets, how: str) -> Sets:
    """Factors come from the training set. norm: all attributes by one, so that the largest ||x||_2 is 1; maxabs: each by
    its own, so that its largest |x_i| is 1; maxabs-norm: by both. centred: attributes less their means."""
    if how == "centred":
        means = sets.train.x.mean(axis=0, dtype=np.float64)
        return Sets(*(Table((part.x - means).astype(np.float32), part.y) for part in (sets.train, sets.test)))
    if how in ("maxabs", "maxabs-norm"):
        largest = np.abs(sets.train.x).max(axis=0).astype(np.float64)
        sets = _times(sets, 1 / np.where(largest > 0, largest, 1))
    if how in ("norm", "maxabs-norm"):
        norm = np.sqrt(max(float(np.square(row, dtype=np.float64).sum(axis=1).max()) for row in pieces(sets.train.x)))
        sets = _times(sets, np.full(sets.train.dimension, 1 / norm if norm > 0 else 1.0))
    return sets


def pieces(x: NDArray[np.float32], rows: int = 8192) -> list[NDArray[np.float32]]:
    """Parts of a matrix, so that no copy of it in double precision is needed at once."""
    return [x[begin:begin + rows] for begin in range(0, len(x), rows)]


def _times(sets: Sets, factors: NDArray[np.float64]) -> Sets:
    def product(x: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.concatenate([(part * factors).astype(np.float32) for part in pieces(x)] or [x])
    return Sets(Table(product(sets.train.x), sets.train.y), Table(product(sets.test.x), sets.test.y))


def standardised(sets: Sets) -> Sets:
    """Labels less their mean, over their deviation, both of the training set: the zero predictor is then the mean."""
    y = sets.train.y
    mean = float(y.mean()) if y.min() < y.max() else float(y[0])
    deviation = float(np.sqrt(np.square(y - mean).mean()))
    unit = deviation if deviation > 0 else 1.0
    return Sets(Table(sets.train.x, (y - mean) / unit), Table(sets.test.x, (sets.test.y - mean) / unit))


# Simulated sets.


def _simulated(options: DataOptions) -> Sets:
    parts = options.data.split(":")
    try:
        dimension = int(parts[3]) if len(parts) > 3 else options.dimension
        n = options.examples or 20000
        count = n + options.test_examples
        if len(parts) > 4 or dimension < 1:
            raise ValueError
        if parts[1] == "factors":
            whole = factors(int(parts[2]), dimension, count, options.data_seed)
        elif parts[1] in ("ridge", "lasso"):
            whole = bernoulli(parts[1], float(parts[2]), dimension, count, options.data_seed)
        else:
            raise ValueError
    except (ValueError, IndexError):
        raise ValueError(f"--data {options.data}: must be simulated:ridge:ALPHA, simulated:lasso:ALPHA or "
                         "simulated:factors:F, F a number of factors; :D behind it is the number of attributes") from None
    return Sets(whole.rows(slice(0, n)), whole.rows(slice(n, count)))


def bernoulli(kind: str, alpha: float, dimension: int, examples: int, seed: int) -> Table:
    """KS15 section 5.1, as glimpse-gen makes it: x_i ~ Bernoulli(u_i), u_i in proportion to i^alpha, y = <w*, x>.

    ridge: ||u||_2 <= 1, w*_i is -1 or 1. lasso: u_i <= 1, w*_i is -1 or 1 with a chance of 15 % each, else 0.
    """
    u = np.power(np.arange(1, dimension + 1, dtype=np.float64), alpha)
    norm = float(np.sqrt(sum(value * value for value in u.tolist()))) if kind == "ridge" else float(u.max())
    thresholds = ((u / norm if norm > 1 else u) * 2.0 ** 63).astype(np.uint64)
    random = Random(seed)
    draws = np.array([random.uniform() for _ in range(dimension)])
    weights = np.where(draws < 0.5, -1, 1) if kind == "ridge" else np.where(draws < 0.15, -1, np.where(draws < 0.85, 0, 1))
    streams = Randoms(_stream_seeds(seed, examples))
    x = np.empty((examples, dimension), dtype=np.float32)
    for i in range(dimension):
        x[:, i] = streams.bits() >> np.uint64(1) < thresholds[i]
    y = np.concatenate([part.astype(np.float64) @ weights for part in pieces(x)])
    return Table(x, y + 0.0)


def factors(count: int, dimension: int, examples: int, seed: int) -> Table:
    """Attributes that are noisy views of `count` hidden factors, as is the label, of which 90 % is explained."""
    if not 1 <= count <= 1000:
        raise ValueError
    random = Random(seed)
    weights = np.array([random.nearly_normal() for _ in range(count)])
    weights /= np.sqrt(weights @ weights)
    loadings = np.array([random.nearly_normal() for _ in range(dimension * count)]).reshape(dimension, count)
    loadings *= 1 / np.sqrt(count)
    streams = Randoms(_stream_seeds(seed, examples))
    hidden = np.stack([streams.nearly_normal() for _ in range(count)], axis=1)
    explained = 0.9
    y = np.sqrt((1 - explained) / explained) * streams.nearly_normal() + hidden @ weights
    x = np.empty((examples, dimension), dtype=np.float32)
    for i in range(dimension):
        x[:, i] = streams.nearly_normal() + hidden @ loadings[i]
    return Table(x, y)


def _stream_seeds(seed: int, examples: int) -> NDArray[np.uint64]:
    return np.uint64(draws_seed(seed)) + np.arange(examples, dtype=np.uint64)


# MNIST.


def read_mnist(part: str, folder: str = "") -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Pixels, a row an image, and digits, of "train" or "t10k"."""
    folder = folder or os.environ.get("GLIMPSE_MNIST", "")
    if not folder:
        raise ValueError("--data mnist:...: neither :DIR nor GLIMPSE_MNIST names the folder of MNIST's files: "
                         "export GLIMPSE_MNIST=\"$(tools/fetch-mnist)\"")
    images = (Path(folder) / f"{part}-images-idx3-ubyte").read_bytes()
    labels = (Path(folder) / f"{part}-labels-idx1-ubyte").read_bytes()
    kind, count, height, width = struct.unpack(">4I", images[:16])
    if kind != 0x803 or len(images) != 16 + count * height * width or len(labels) != 8 + count:
        raise ValueError(f"{folder}/{part}-...: not the two files of MNIST: tools/fetch-mnist brings them")
    return np.frombuffer(images, np.uint8, offset=16).reshape(count, height * width), np.frombuffer(labels, np.uint8, offset=8)


def _mnist(spec: str) -> Sets:
    digits, _, folder = spec.removeprefix("mnist:").partition(":")
    pair = digits.split(",")
    if digits != "all" and not (len(pair) == 2 and all(len(d) == 1 and d.isdecimal() for d in pair) and pair[0] != pair[1]):
        raise ValueError(f"--data {spec}: must be mnist:all, or name two digits, as mnist:3,5[:DIR]")
    parts = []
    for name in ("train", "t10k"):
        pixels, labels = read_mnist(name, folder)
        if digits != "all":
            chosen = np.isin(labels, [int(digit) for digit in pair])
            pixels, labels = pixels[chosen], labels[chosen]
        y = labels.astype(np.float64) if digits == "all" else np.where(labels == int(pair[1]), 1.0, -1.0)
        parts.append(Table(pixels.astype(np.float32) / np.float32(255), y))
    return Sets(*parts)


# Tables.


def _path_of(name: str) -> Path:
    """The file, or that of GLIMPSE_DATA."""
    folder = os.environ.get("GLIMPSE_DATA")
    if folder and not Path(name).exists() and (Path(folder) / name).exists():
        return Path(folder) / name
    return Path(name)


def _read_table(path: Path, options: DataOptions) -> Table:
    raw = path.read_bytes()
    text = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
    first = text[:text.find(b"\n")].decode(errors="replace") if text else ""
    table = read_svmlight(text) if ":" in first else _read_csv(text, str(path), options.label_column, len(first.split(",")))
    if options.largest_dimension is not None and table.dimension > options.largest_dimension:
        raise ValueError(f"{path}: has {table.dimension} attributes, more than {options.largest_dimension}")
    return table


def _read_csv(text: bytes, name: str, label: str, columns: int) -> Table:
    place = columns - 1 if label == "last" else 0 if label == "first" else int(label.removeprefix("#")) - 1
    if not 0 <= place < columns:
        raise ValueError(f"{name}: has {columns} columns, and no column {label} for the label")
    if columns < 2:
        raise ValueError(f"{name}: has no attributes")
    try:
        cells = np.loadtxt(io.BytesIO(text), delimiter=",", dtype=np.float64, ndmin=2)
    except ValueError as error:
        raise ValueError(f"{name}: the laboratory needs whole examples of numbers, without a header: {error}") from None
    if not np.isfinite(cells).all():
        row, column = np.argwhere(~np.isfinite(cells))[0]
        raise ValueError(f"{name}: line {row + 1}, column {column + 1} is missing or infinite: the laboratory needs whole examples")
    return Table(np.delete(cells, place, axis=1).astype(np.float32), cells[:, place].copy())


def read_svmlight(text: bytes) -> Table:
    """Lines `LABEL INDEX:VALUE ...`, indices from 1; what is not there is 0."""
    x, y = load_svmlight_file(io.BytesIO(text), zero_based=False)
    return Table(x.toarray().astype(np.float32), y)


# What knowing moments can gain.


def second_moments(x: NDArray[np.float32]) -> NDArray[np.float64]:
    """E[x_i^2], the mean of the rows."""
    sums = np.zeros(x.shape[1])
    for part in pieces(x):
        sums += np.square(part, dtype=np.float64).sum(axis=0)
    return sums / max(len(x), 1)


def improvement_ratios(moments: NDArray[np.float64]) -> tuple[float, float]:
    """rho_ridge = ||M||_half / (d ||M||_1) and rho_lasso = ||M||_1 / (d max M) (KS15 section 5)."""
    if not moments.max() > 0:
        return 0.0, 0.0
    d, total = len(moments), moments.sum()
    return float(np.sqrt(moments).sum() ** 2 / (d * total)), float(total / (d * moments.max()))

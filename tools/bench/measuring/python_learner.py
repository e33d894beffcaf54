"""Learns with scikit-learn's SGDRegressor or River's LinearRegression: python_learner.py sgd|river FILE D MOST TEST

Reads VW text, at most MOST (-1: all) examples of FILE, and prints the seconds that took without imports, the number of
examples, and the mean squared error on the examples of TEST (-: none). It runs in the peers' environment.
"""

import sys
import time

if sys.argv[1] == "sgd":
    import numpy as np
    import scipy.sparse as sp
    from sklearn.linear_model import SGDRegressor
else:
    from river import linear_model, optim


def batches(path, most, size=1000):
    rows, labels = [], []
    with open(path, encoding="ascii") as lines:
        for n, line in enumerate(lines):
            if n == most:
                break
            head, rest = line.split("|")
            pairs = [pair.split(":") for pair in rest.split()]
            rows.append(([int(name) for name, _ in pairs], [float(value) for _, value in pairs]))
            labels.append(float(head))
            if len(labels) == size:
                yield rows, labels
                rows, labels = [], []
    if labels:
        yield rows, labels


class Sgd:
    def __init__(self, dimension):
        self.dimension, self.model = dimension, SGDRegressor(average=True)

    def matrix(self, rows):
        ends = np.cumsum([0] + [len(indices) for indices, _ in rows])
        return sp.csr_matrix((np.concatenate([values for _, values in rows]),
                              np.concatenate([indices for indices, _ in rows]), ends), (len(rows), self.dimension))

    def learn(self, rows, labels):
        self.model.partial_fit(self.matrix(rows), labels)

    def predict(self, rows):
        return self.model.predict(self.matrix(rows))


class River:
    def __init__(self, _):
        self.model = linear_model.LinearRegression(optimizer=optim.SGD(0.01))

    def learn(self, rows, labels):
        for (indices, values), label in zip(rows, labels):
            self.model.learn_one(dict(zip(indices, values)), label)

    def predict(self, rows):
        return [self.model.predict_one(dict(zip(indices, values))) for indices, values in rows]


def main():
    which, path, dimension, most, test = sys.argv[1:6]
    begin, learned = time.perf_counter(), 0
    learner = (Sgd if which == "sgd" else River)(int(dimension))
    for rows, labels in batches(path, int(most)):
        learner.learn(rows, labels)
        learned += len(labels)
    took = time.perf_counter() - begin
    loss = count = 0
    if test != "-":
        for rows, labels in batches(test, -1):
            loss += sum((guess - label) ** 2 for guess, label in zip(learner.predict(rows), labels))
            count += len(labels)
    print(took, learned, loss / max(count, 1))


if __name__ == "__main__":
    main()

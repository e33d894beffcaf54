"""What it costs to learn a stream in parts that are merged at the end: deals the examples out to P learners in turn, merges
these, and prints one CSV row a seed and P, with the loss of the merged learner on the test set and that of the first part
alone, over the zero predictor's.

Learners are those of pairs: their sums merge exactly, and only their plans, which go by a part's own examples, are not
those of one learner over all; --share-every makes them so.

  python -m glimpsed.lab merging --data bike_hour.csv.gz --standardise-labels --budget 5 --parts 1,4,16,64 --seeds 5
"""

from ... import _core
from ..arguments import Arguments, Parser, add_data, add_runs, counts, data_options, run_seeds, whole, write
from ..data import load
from ..experiment import prepared, to_csv
from ..learners import Method, learn, loss_ratio
from ..xoshiro import Random, draws_seed


def add_arguments(parser: Parser) -> None:
    add_data(parser)
    parser.add_argument("--budget", type=whole(2), required=True, metavar="K", help="attributes drawn from each example")
    parser.add_argument("--algorithm", default="pairwise", choices=("pairwise", "pairwise-screened"))
    parser.add_argument("--parts", type=counts, default=(1, 4, 16, 64), metavar="P,...", help="how many parts (1,4,16,64)")
    parser.add_argument("--share-every", type=whole(0), default=0, metavar="N", help="all plan by what all know together, as of each N examples; 0: each by its own")
    add_runs(parser, 5, None)


def measure(seed: int, method: Method, parts: tuple[int, ...], share_every: int) -> list[list[float]]:
    """The job of a seed."""
    sets, order = prepared(seed)
    train, test = sets.train, _core.Rows.matrix(sets.test.x)
    rows = []
    for count in parts:
        random = Random(draws_seed(seed))
        sessions = [method.session(train.dimension, 1, random.bits()) for _ in range(count)]
        if share_every == 0:
            for p, session in enumerate(sessions):
                learn(session, train, order[p::count])
        for begin in range(0, len(order), share_every) if share_every else ():
            together = merged(sessions) if begin > 0 else None
            for p, session in enumerate(sessions):
                own = order[begin + (p - begin) % count:begin + share_every:count]
                if together is None:
                    learn(session, train, own)
                else:
                    session.learn_by(together, _core.Rows.matrix(train.x[own]), train.y[own])
        whole_ = merged(sessions)
        rows.append([seed, count, whole_.examples, loss_ratio(whole_.predict(test, None, True, False), sets.test.y),
                     loss_ratio(sessions[0].predict(test, None, True, False), sets.test.y)])
    return rows


def merged(sessions: list[_core.Session]) -> _core.Session:
    """The learner that goes on from all of them."""
    return _core.Session.restore(_core.merge([session.save() for session in sessions]), _core.Beginning())


def main(given: Arguments) -> None:
    source = load(data_options(given))
    for count in given.parts:
        if count > source.training_size:
            raise ValueError(f"--parts {count}: must be from 1 to the {source.training_size} examples of the training set")
    method = Method(given.algorithm, {"budget": str(given.budget), "bias": "on"})
    runs = run_seeds(given, measure, source, method, given.parts, given.share_every)
    write(to_csv(["seed", "parts", "examples", "merged_loss", "first_part_loss"], [row for own in runs for row in own]))

"""Client: questions to the HTTP door."""

from __future__ import annotations

import http.client
import random
import ssl
import threading
import time
import urllib.parse
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import _answers
from ._connection import LEAST_RATE, LONGEST, Connection
from ._errors import BY_CODE, Broken, GlimpseError, InvalidRequest, Unavailable
from ._fleet import Owners
from ._records import Choice, Choices, Explanation, LearnReport, Plan, Predictions, Tell, Told, id_of
from ._text import (Attribute, Known, LabelledExample, ToldLabel, Values, attributes_of, batches, checked_absent,
                    dump, example_line, is_frame, labelled, name_of_checkpoint, optional_number, optional_numbers,
                    optional_text, rows_of, target_of, values_of)

_BATCH_BYTES = 500_000  # of a body; far below the daemon's --max-body, far beyond where the cost of a request shows
_BATCH_ROWS = 4000  # predictions of a request: of 1000 classes the daemon answers no more
_EXPLAINED_BYTES = 16_000  # explanations are much longer than what is explained
_PAGE = 1000  # plans
_PLAN_BYTES = 64  # of an answer, at least
_LONGEST_PAUSE = 5.0  # seconds
_DURABLE = ("", "?durable=true")
_LEARN_COUNTS = ("accepted", "skipped", "held_out", "error_count", "beyond_budget", "frozen")


def _check_ids(told: Sequence[Told], ids: Sequence[Any]) -> None:
    for one, wanted in zip(told, ids):
        if not one.failed and one.id != wanted:
            raise GlimpseError(200, "invalid_answer", f"plan {wanted!r} was told, and the answer is of {one.id!r}")


class Client:
    """Asks a glimpsed. See the module for what is tried again, and for threads.

    url: http://HOST:PORT, https://HOST:PORT or unix:PATH, the daemon's --http.
    timeout: seconds that connecting, and each wait for the daemon, may take; an answer as a whole may take 60 times
        as long, and longer while 16 KiB a second come.
    retries: how often a request is tried again; the pauses are backoff, 2*backoff, 4*backoff, ... seconds, at most
        5, each shortened by a random share of up to a half, so that many clients do not come back at once.
    token: one of the daemon's --token-file, sent as 'Authorization: Bearer TOKEN'.
    tls: for https, whom to trust: ssl.create_default_context(cafile="certificate.pem"), or as the system does.
    max_answer: bytes of an answer; a longer one is not read on, and is an error.
    """

    def __init__(self, url: str, timeout: float = 10.0, retries: int = 3, token: str | None = None,
                 backoff: float = 0.1, tls: ssl.SSLContext | None = None, max_answer: int = 1 << 30) -> None:
        if retries < 0 or timeout <= 0 or backoff < 0 or max_answer < 1:
            raise ValueError("retries and backoff must be at least 0, timeout and max_answer above 0")
        self.url = url
        self._retries = retries
        self._backoff = backoff
        self._max_answer = max_answer
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._lock = threading.Lock()
        path: str | None = None
        host, port = "localhost", None
        if url.startswith("unix:") and len(url) > 5:
            path = url[5:]
        else:
            parts = urllib.parse.urlsplit(url)
            if parts.scheme not in ("http", "https") or not parts.hostname or parts.path not in ("", "/") or parts.query:
                raise ValueError(f"url {url!r} must be http://HOST:PORT, https://HOST:PORT or unix:PATH")
            host, port = parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)
            if parts.scheme == "https":
                tls = tls or ssl.create_default_context()
            elif tls is not None:
                raise ValueError(f"url {url!r} must be https://HOST:PORT where tls is given")
        self._owners = Owners(
            lambda other: Client(other, timeout, retries, token, backoff, tls if other.startswith("https:") else None,
                                 max_answer),
            tls is not None)
        self._connection = Connection(host, port, path, timeout, tls)

    def __enter__(self) -> Client:  # noqa: PYI034 (typing.Self is of Python 3.11)
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection; the next request opens it again."""
        with self._lock:
            self._connection.close()
        self._owners.close()

    # Buying attributes.

    def ask(self, count: int = 1, available: Iterable[Attribute] | None = None,
            ttl: None | str | float = None, ask_again: bool = False, durable: bool = False,
            partition: int | None = None) -> list[Plan]:
        """`count` plans, or fewer where the daemon's limits end. `available`: only these attributes can be had. `ttl`:
        how long the plans wait for their values, in seconds or as "12h"; else the daemon's --plan-ttl.

        >>> client.ask(2, available=["age", "sgot"], ttl="12h")
        [Plan(id='3f9a2b-1', attributes=(0, 3), names=('age', 'sgot'), cost=9.37, ...), ...]

        `ask_again`: also after an answer was lost, whose plans then stay open until they expire. `durable`: answered
        once a checkpoint holds the plans. `partition`: of a fleet, the plans are this partition's; its owner is
        asked.
        Raises NotBuying, TooManyPlans, InvalidRequest, Unavailable.
        """
        question: dict[str, Any] = {"count": count}
        if available is not None:
            question["available"] = attributes_of(available)
        if ttl is not None:
            question["ttl"] = ttl
        target = target_of("/v1/ask", durable="true" if durable else None,
                           partition=None if partition is None else str(int(partition)))
        answer = self._object("POST", target, question, again=ask_again)
        plans = _answers.rows(answer, "plans", Plan._of)
        if not 1 <= len(plans) <= count:
            _answers.check_size("plans", len(plans), count, "plan")
        return plans

    def tell(self, plan: Plan | str, label: ToldLabel | None = None, values: Values | None = None,
             refused: Sequence[Attribute] | None = None, importance: float | None = None,
             durable: bool = False) -> Told:
        """Tells of one plan: see Tell. The label and the values may be told one after the other. `durable`: answered
        once a checkpoint holds what was learned.

        >>> client.tell(plan, label=1, values=[61, 0.3])
        Told(id='3f9a2b-1', status='learned', message='', expected=(), told_label=None)

        Raises PlanClosed (expired, abandoned), UnknownPlan, InvalidRequest (the plan stays open), Unavailable.
        """
        item = Tell(plan, label, values, refused, importance)._item()
        answer = self._object("POST", "/v1/tell" + _DURABLE[durable], item, again=True)
        told = _answers.rows({"answer": [answer]}, "answer", Told._of)
        _check_ids(told, [item["id"]])
        return told[0]

    def tell_many(self, items: Iterable[Tell | Mapping[str, Any]], durable: bool = False) -> list[Told]:
        """Tells of many plans, in requests of many items each; a Mapping is sent as it is. One answer an item, in their
        order, also for those that failed: nothing is raised for an item. `durable`: a checkpoint for each request.

        After an exception, `partial` has the answers so far; telling all of them again does no harm.
        """
        told: list[Told] = []
        ids: list[Any] = []

        def line_of(item: Mapping[str, Any]) -> str:
            ids.append(item.get("id") if isinstance(item, Mapping) else None)
            return dump(item)

        lines = (line_of(item._item() if isinstance(item, Tell) else item) for item in items)
        for batch in batches(lines, _BATCH_BYTES):
            # A single line would be answered as a single item, by its HTTP status.
            body = "\n".join(batch) if len(batch) > 1 else f"[{batch[0]}]"
            try:
                answer = self._object("POST", "/v1/tell" + _DURABLE[durable], body, again=True)
                results = _answers.rows(self._owners.tell(answer, batch), "results", Told._of)
                _answers.check_size("results", len(results), len(batch), "item")
                _check_ids(results, ids[len(told):])
            except GlimpseError as error:
                error.partial = told
                raise
            told += results
        return told

    def plans(self) -> list[Plan]:
        """All open plans, in the order in which they were given out. They take 60 times `timeout` and `max_answer` bytes
        at most, and longer while 16 KiB a second come."""
        found: dict[str, Plan] = {}
        after = ""
        end = time.monotonic() + LONGEST * (self._connection.timeout or 0.0)
        while True:
            page = self._object("GET", f"/v1/plans?limit={_PAGE}{after}", again=True)
            plans = {str(plan.id): plan for plan in _answers.rows(page, "plans", Plan._of)}
            following = page.get("next")
            is_new = isinstance(following, str) and following in plans and following not in found
            found.update(plans)
            if following is None:
                return list(found.values())
            least = len(found) * _PLAN_BYTES
            if not is_new or time.monotonic() > end + least / LEAST_RATE or least > self._max_answer:
                raise GlimpseError(200, "invalid_answer", f"the list of plans has no end: {len(found)} came, the next "
                                                          f"behind {str(following)[:80]!r}")
            after = "&after=" + urllib.parse.quote(following, safe="")

    def abandon(self, plan: Plan | str) -> None:
        """The plan will not be bought. May be said as often as one likes. Raises PlanClosed, UnknownPlan."""
        answer = self._object("DELETE", "/v1/plans/" + urllib.parse.quote(id_of(plan), safe=""), again=True)
        if (answer.get("id"), answer.get("status")) != (id_of(plan), "abandoned"):
            raise GlimpseError(200, "invalid_answer",
                               f"it does not say that the plan is abandoned: {str(answer)[:200]}")

    def choose(self, known: Known, count: int | None = None, label: str | None = None) -> Choices:
        """Which attributes, `count` at most, to buy next of an example of which `known` is known, to predict it.

        >>> client.choose({"age": 61}, 2).choices[0]
        Choice(attribute=3, name='sgot', cost=7.27, standard_error=0.31, gain=None)

        Where labels are classes the prediction is one, with a probability, and a choice has a `gain` in place of a
        standard error: by how much the expected loss, half of the Brier score, falls once it and those before it are
        known. `label`: which is predicted, where --label names several.
        """
        question: dict[str, Any] = {"for": "prediction", "known": values_of(known)}
        if label is not None:
            question["label"] = label
        if count is not None:
            question["count"] = count
        answer = self._object("POST", "/v1/ask", question, again=True)
        choices = _answers.rows(answer, "choices", Choice._of)
        return Choices(tuple(choices), answer.get("prediction"), answer.get("standard_error"), answer.get("probability"))

    # Predicting and learning.

    def predict(self, examples: Iterable[Values] | Any = None, *,
                known: None | Known | Iterable[Known] = None, absent: str | None = None, explain: bool = False,
                top: int | None = None, checkpoint: str | int | None = None,
                predict: str | None = None, label: str | None = None) -> Predictions:
        """Predictions for examples ([0.5, 61, None], or {"age": 61}; the rows of a DataFrame, whose columns are attributes),
        or from what is known of one example or several.

        A value that is None is unknown: the prediction is the one expected from the others, and `standard_errors` says
        how far it may be off. `absent` says what an attribute is that a mapping does not name: "unknown", "zero", or
        as the daemon's --absent has it (None), which is unknown where all attributes have names. In `known` it is
        always unknown. `explain`: with the reasons of each prediction, `top` contributions of attributes at most.
        `checkpoint`: by the model of this one, not by the newest; see checkpoints().
        More than half a megabyte, or 4000 examples, go in pieces, each to the newest model; `examples` is of the last.
        `predict`: what is told where labels are classes: "label" (the likeliest and its probability), "probabilities"
        (those of all as well, None) or "scores". `label`: which one, where --label names several.

        >>> client.predict([[0.5, 61, 2], {"age": 61}]).predictions
        (1.25, 0.5)
        """
        if top is not None and not explain:
            raise ValueError("top is for explain=True")
        path = target_of("/v1/predict", absent=checked_absent(absent), explain="true" if explain else None,
                       top=None if top is None else str(int(top)), checkpoint=name_of_checkpoint(checkpoint), predict=predict,
                         label=label)
        if (examples is None) == (known is None):
            raise ValueError("either examples or known must be given")
        if examples is not None:
            examples = rows_of(examples) if is_frame(examples) else examples
            asked = (dump({"values": values_of(values)}) for values in examples)
        else:
            asked = (dump({"known": values_of(one)}) for one in ([known] if isinstance(known, Mapping) else known or ()))
        pieces = batches(asked, _EXPLAINED_BYTES if explain else _BATCH_BYTES, _BATCH_ROWS)
        if isinstance(known, Mapping):
            return self._predictions(path, next(pieces)[0], 1, explain)
        told = [self._predictions(path, f"[{','.join(piece)}]", len(piece), explain) for piece in pieces]
        return Predictions._joined(told) if told else self._predictions(path, "[]", 0, explain)

    def _predictions(self, path: str, body: str, count: int, explain: bool) -> Predictions:
        answer = self._object("POST", path, body, again=True)
        if isinstance(answer.get("predictions"), Mapping):
            raise ValueError(f"there are several labels: give label=, one of {', '.join(answer['predictions'])}")
        rows: dict[str, Any] = {name: tuple(_answers.rows(answer, name, read)) for name, read in (
            ("standard_errors", optional_number), ("probability", optional_number), ("margins", optional_number),
            ("probabilities", optional_numbers), ("scores", optional_numbers), ("classes", str)) if name in answer}
        if explain:
            rows["explanations"] = tuple(_answers.rows(answer, "explanations", Explanation._of))
        predictions = tuple(_answers.rows(answer, "predictions", optional_text if "classes" in answer else float))
        for name, values in {"predictions": predictions, **rows}.items():
            if name != "classes":
                _answers.check_size(name, len(values), count, "example")
            if name in ("probabilities", "scores"):
                for row in values:
                    _answers.check_size(name, len(row), len(rows.get("classes", ())), "name")
        return Predictions(predictions, answer.get("examples", 0), **rows)

    def learn(self, examples: Iterable[LabelledExample] | Any, y: Any = None, *, absent: str | None = None) -> LearnReport:
        """Learns from whole examples: (label, values) or (label, values, importance), of which the daemon looks at the
        attributes that it chooses. Or from the rows of a DataFrame: `y` are their labels, or the name of a column that has
        them. Of several labels `label` is {"temp": 3, "cnt": 12}. `absent`: see predict().

        >>> client.learn([(1, [0.5, 61, 2]), (0, {"age": 18})]).accepted
        2

        After an exception, `partial` has the report of the batches before. Raises InvalidRequest where no example of a
        batch could be read.
        """
        path = target_of("/v1/learn", absent=checked_absent(absent))
        if is_frame(examples):
            examples = labelled(examples, y)
        elif y is not None:
            raise ValueError("y is for a DataFrame: other examples are (label, values)")
        report = LearnReport()
        sent = 0
        for batch in batches(map(example_line, examples), _BATCH_BYTES):
            try:
                answer = self._object("POST", path, "\n".join(batch) + "\n", again=False)
                counts = {name: answer.get(name, 0) for name in _LEARN_COUNTS}
                if (not all(type(count) is int for count in counts.values()) or "accepted" not in answer
                        or sum(counts[name] for name in _LEARN_COUNTS[:4]) > len(batch)):
                    raise GlimpseError(200, "invalid_answer", f"{counts} cannot be of "
                                                              f"{_answers.counted(len(batch), 'example')}")
                errors = _answers.rows({"errors": [], **answer}, "errors",
                                       lambda row: (row["line"] - 1, str(row["message"])))
            except GlimpseError as error:
                error.partial = report
                raise
            for name, count in counts.items():
                setattr(report, name, getattr(report, name) + count)
            report.errors += [(sent + line, message) for line, message in errors]
            sent += len(batch)
        return report

    # What it knows, and does.

    def status(self, checkpoint: str | int | None = None) -> dict[str, Any]:
        """What the daemon is doing. `checkpoint`: what this one says of its time."""
        return self._object("GET", target_of("/v1/status", checkpoint=name_of_checkpoint(checkpoint)), again=True)

    def history(self, since: int = 0, columns: Iterable[str] | None = None, label: str | None = None) -> dict[str, Any]:
        """How learning went: `columns`, a list of numbers for each name, None where it was not known; and `events`.
        `since`: samples of more examples alone. `columns`: these alone. Ask again without `since` where `run` or
        `promotions` of an answer have changed, or its `examples` are fewer. `label`: of several, the first without."""
        target = target_of("/v1/history", since=str(int(since)) if since else None,
                           columns=None if columns is None else ",".join(columns), label=label)
        return self._object("GET", target, again=True)

    def model(self, fresh: bool = False, errors: bool = False, checkpoint: str | int | None = None,
              label: str | None = None) -> dict[str, Any]:
        """The averaged weights, the bias and what each attribute is worth. `fresh`: wait for a model of this moment.
        `errors`: wait for one with standard errors and 90 % intervals of its weights: `weight_errors`, `weight_lows`,
        `weight_highs`; None where they are not known. `checkpoint`: the model of this one, not the newest.
        `label`: of several, the first without."""
        target = target_of("/v1/model", fresh="true" if fresh else None, errors="true" if errors else None,
                         checkpoint=name_of_checkpoint(checkpoint), label=label)
        return self._object("GET", target, again=True)

    def small_model(self, attributes: int | None = None, cost: float | str | None = None,
                    label: str | None = None) -> dict[str, Any]:
        """A model of the `attributes` that predict best together, at most 256, or of those that cost `cost` at most, or
        both: `weights` by name, `bias`, `attributes` with the best first, `loss` that is expected, and `curve`, the
        losses of 0, 1, … attributes. `class`, where there are two classes: whose indicator it predicts. `label`: of
        several, the first without."""
        if attributes is None and cost is None:
            raise ValueError("small_model() needs attributes, cost or both")
        asked = {"attributes": attributes, "cost": cost, "label": label}
        known = {name: str(value) for name, value in asked.items() if value is not None}
        return self._object("GET", target_of("/v1/model", **known), again=True)

    def moments(self, checkpoint: str | int | None = None) -> list[dict[str, Any]]:
        """What is known of each attribute, or was in this checkpoint."""
        target = target_of("/v1/moments", checkpoint=name_of_checkpoint(checkpoint))
        return _answers.rows(self._object("GET", target, again=True), "moments", dict)

    def checkpoint(self) -> dict[str, Any]:
        """Writes a checkpoint; returns when it is durable."""
        return self._object("POST", "/v1/checkpoint", "", again=True)

    def checkpoints(self) -> list[dict[str, Any]]:
        """Those that are kept, the newest first: `name`, `examples`, `bytes`, `written_at` (seconds since 1970). Where
        a checkpoint is to be named, `name` says it, and so does the number `examples`: the newest of these."""
        return _answers.rows(self._object("GET", "/v1/checkpoints", again=True), "checkpoints", dict)

    def promote(self, checkpoint: str | int) -> dict[str, Any]:
        """The model of this checkpoint takes the place of the newest, and learns on from there. Positions of sources
        stay: what was learned since is not learned again. Returns when that is durable.

        >>> client.promote(200)["replaced_examples"]
        300

        Not tried again once it was sent: the second time would forget what came between.
        Raises InvalidRequest, Unavailable.
        """
        return self._object("POST", target_of("/v1/promote", checkpoint=str(checkpoint)), "", again=False)

    def freeze(self) -> dict[str, Any]:
        """Ends learning: labelled examples are evaluated and counted alone. Returns when that is durable.

        Asking and telling then raise NotBuying and Frozen; open plans wait.
        """
        return self._object("POST", "/v1/freeze", "", again=True)

    def unfreeze(self) -> dict[str, Any]:
        """Goes on with learning."""
        return self._object("POST", "/v1/unfreeze", "", again=True)

    def ready(self) -> bool:
        """Whether the daemon answers, its state is restored and its checkpoints succeed. Tried once; never raises
        because the daemon is away."""
        try:
            return self._exchange("GET", "/readyz", None)[0] == 200
        except Broken:
            return False

    # Requests.

    def _object(self, method: str, target: str, body: Any = None, *, again: bool, follow: bool = True) -> dict[str, Any]:
        """The answer to a request, tried as often as the module says. `again`: also when it may have been acted on.
        `follow`: to the owner of a fleet's partition, once."""
        payload = body if body is None or isinstance(body, str) else dump(body)
        attempt = 0
        while True:
            try:
                status, data = self._exchange(method, target, None if payload is None else payload.encode())
                owner = self._owners.named_in(_answers.parse(data)) if status == 409 and follow else None
                if owner is not None:
                    return owner._object(method, target, body, again=again, follow=False)
                if status != 503:
                    return self._read(method, target, status, data)
                code, message = _answers.reason(_answers.parse(data), data)
                # Done, but not durable; what changed nothing says so.
                done = code == "not_durable" and not message.startswith("nothing was changed")
                failure = Unavailable(status, code, message, sent=done)
            except Broken as broken:
                failure = Unavailable(0, "no_answer", f"{self.url}, {method} {target}: {broken}", broken.sent)
            if attempt == self._retries or (failure.sent and not again):
                raise failure
            pause = min(self._backoff * 2.0**attempt, _LONGEST_PAUSE)
            time.sleep(pause * random.uniform(0.5, 1.0))
            attempt += 1

    def _exchange(self, method: str, target: str, body: bytes | None) -> tuple[int, bytes]:
        """Status and body of the answer. Raises Broken, which says whether the request was sent."""
        with self._lock:
            connection = self._connection
            headers = self._headers if body is None else {**self._headers, "Content-Type": "application/json"}
            sent = False
            try:
                if connection.is_stale():
                    connection.close()
                if connection.sock is None:
                    connection.connect()
                sent = True
                cut_short = False
                try:
                    connection.request(method, target, body, headers)
                except (BrokenPipeError, ConnectionResetError):
                    cut_short = True  # who refuses a body may close while it is still being sent: the answer says more
                answer = connection.getresponse()
                status, data = answer.status, answer.read(self._max_answer + 1)
                if len(data) > self._max_answer:
                    raise GlimpseError(status, "invalid_answer", f"{method} {target}: the answer is longer than "
                                                                 f"max_answer, {self._max_answer} bytes")
                if answer.length:  # what is still to come: read(SIZE) does not notice the end
                    raise http.client.IncompleteRead(data, answer.length)
                if cut_short:
                    connection.close()
                return status, data
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                raise Broken(error, sent) from error
            except BaseException:  # an interrupt: the answer that is under way must not be taken for the next one
                connection.close()
                raise

    def _read(self, method: str, target: str, status: int, data: bytes) -> dict[str, Any]:
        answer = _answers.parse(data)
        if status // 100 != 2:
            code, message = _answers.reason(answer, data)
            error = BY_CODE.get(code, InvalidRequest if status // 100 == 4 else GlimpseError)(status, code, message)
            error.details = answer or {}
            raise error
        if answer is None:
            raise GlimpseError(status, "invalid_answer", f"{method} {target}: not a JSON object: {data[:200]!r}")
        _answers.check(answer)
        return answer

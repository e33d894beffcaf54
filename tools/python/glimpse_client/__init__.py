"""A client of glimpsed's HTTP door, on Python's standard library alone (3.9 and later).

    from glimpse_client import Client

    with Client("unix:/run/glimpse/http.sock") as glimpse:
        for plan in glimpse.ask(10, ttl="12h"):
            values = [buy(attribute) for attribute in plan.attributes]    # None where it is refused
            glimpse.tell(plan, label=outcome(), values=values)
        print(glimpse.predict([{"age": 61, "sgot": 0.3}]).predictions)

Attributes are called by number or by name. Numbers must be finite; None is a value that is refused or missing.

What is tried again. A request is tried again, after a pause that doubles each time, when it could not be sent, or was
answered with 503 (glimpsed is about to end): nothing was done then. When the connection broke, or the answer did not
come in time, after the request was sent, the daemon may have acted on it or not. Whatever may be done twice is tried
again then, too: all that only reads, checkpoint(), abandon(), and telling, as glimpsed learns from a plan once at
most: what was told before is answered 'duplicate'. Two are not: learn(), which would learn twice, and ask(), as the
plans of the lost answer stay open, with what they cost set aside, until they expire; ask(..., ask_again=True) accepts
that.

A plan survives a crash of the daemon once a checkpoint was written after it was given out, for which ask(...,
durable=True) waits; what was told after the
last checkpoint is forgotten with all else that was learned since, and its plan is open again.

Thread-safety: a Client may be shared; its threads take turns on its one connection. Threads that want to wait for
answers side by side have a Client each. After fork(), each process needs its own.
"""

from __future__ import annotations

import datetime
import http.client
import json
import math
import random
import select
import socket
import ssl
import threading
import time
import urllib.parse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Callable, Optional, TypeVar, Union

__all__ = ["Choice", "Choices", "Client", "GlimpseError", "InvalidRequest", "LearnReport", "NotBuying", "Plan",
           "PlanClosed", "Predictions", "Source", "Tell", "Told", "TooManyPlans", "Unavailable", "UnknownPlan"]

Attribute = Union[int, str]
# By attribute (the keys are not Attribute, as mypy takes no dict of names and numbers for such a Mapping), or all.
Values = Union[Mapping[Any, Optional[float]], Sequence[Optional[float]]]
Known = Mapping[Any, Optional[float]]
LabelledExample = Union[tuple[float, Values], tuple[float, Values, float]]

_Row = TypeVar("_Row")

_BATCH_BYTES = 500_000  # of a body; far below the daemon's --max-body, far beyond where the cost of a request shows
_PAGE = 1000  # plans
_LONGEST_PAUSE = 5.0  # seconds
_DURABLE = ("", "?durable=true")


class GlimpseError(Exception):
    """A request that failed. `status`: of HTTP, 0 where there was no answer. `code` and `message`: the daemon's.

    `details`: the whole answer, where it was a JSON object. `partial`: of tell_many() and learn(), what the batches
    before the one that failed came to.
    """

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.status, self.code, self.message = status, code, message
        self.details: dict[str, Any] = {}
        self.partial: Any = None


class Unavailable(GlimpseError):
    """No answer, or 503, also after trying again. `sent`: the daemon may have acted on the request."""

    def __init__(self, status: int, code: str, message: str, sent: bool = False) -> None:
        super().__init__(status, code, message)
        self.sent = sent


class _Broken(Exception):
    """One attempt at a request had no answer."""

    def __init__(self, reason: Exception, sent: bool) -> None:
        super().__init__(str(reason) or type(reason).__name__)
        self.sent = sent


class NotBuying(GlimpseError):
    """Nothing can be asked for: the totals are spent, or the algorithm cannot plan so (409)."""


class TooManyPlans(GlimpseError):
    """As many plans are open as --max-plans allows (429)."""


class PlanClosed(GlimpseError):
    """The plan has expired, was abandoned, or, where it is to be abandoned, was told already (410, 409)."""


class UnknownPlan(GlimpseError):
    """There is no such plan, or it was closed long ago (404)."""


class InvalidRequest(GlimpseError):
    """The daemon cannot take it as it is: the message says what is wrong (400, 413, 422, ...)."""


_BY_CODE: dict[str, type[GlimpseError]] = {
    "not_buying": NotBuying, "too_many_plans": TooManyPlans, "expired": PlanClosed, "abandoned": PlanClosed,
    "closed": PlanClosed, "unknown": UnknownPlan}


@dataclass(frozen=True)
class Plan:
    """Which attributes to buy of the next example. `expires_at` is in UTC; `names` is empty where attributes have none.

    The last two are told by plans() alone.
    """

    id: str
    attributes: tuple[int, ...]
    names: tuple[str, ...]
    cost: float
    expires_at: datetime.datetime
    label_told: bool = False
    values_told: bool = False

    @staticmethod
    def _of(row: Mapping[str, Any]) -> Plan:
        until = datetime.datetime.strptime(row["expires_at"], "%Y-%m-%dT%H:%M:%SZ")
        return Plan(row["id"], tuple(row["attributes"]), tuple(row.get("names", ())), row["cost"],
                    until.replace(tzinfo=datetime.timezone.utc), row.get("label_told", False),
                    row.get("values_told", False))


@dataclass(frozen=True)
class Tell:
    """What is told of a plan: its label, its values, or both; the other may follow.

    `values`: in the plan's order, or by attribute; None is refused. `refused`: attributes that could not be had.
    """

    plan: Plan | str
    label: float | None = None
    values: Values | None = None
    refused: Sequence[Attribute] | None = None
    importance: float | None = None

    def _item(self) -> dict[str, Any]:
        item: dict[str, Any] = {"id": _id_of(self.plan)}
        if self.label is not None:
            item["label"] = _number(self.label)
        if self.importance is not None:
            item["importance"] = _number(self.importance)
        if self.values is not None:
            item["values"] = _values(self.values)
        if self.refused is not None:
            item["refused"] = _attributes(self.refused)
        return item


@dataclass(frozen=True)
class Told:
    """What became of it. `status`: learned, incomplete (the label or the values are still to come), duplicate (told
    before; that may be this very item, whose first answer was lost), not_learned (nothing can be learned from such an
    answer; the plan is closed), and of tell_many() also the errors: expired, abandoned, unknown, wrong_attributes
    (`expected` has the right ones), invalid_value, invalid."""

    id: str
    status: str
    message: str = ""
    expected: tuple[int, ...] = ()

    @property
    def learned(self) -> bool:
        """Whether the daemon has learned from the plan, now or before. (A duplicate of what was not_learned counts as
        well: the daemon does not tell them apart.)"""
        return self.status in ("learned", "duplicate")

    @property
    def failed(self) -> bool:
        """Whether there is something to do about it."""
        return self.status not in ("learned", "duplicate", "incomplete", "not_learned")

    @staticmethod
    def _of(answer: Mapping[str, Any]) -> Told:
        expected = answer.get("expected", {}).get("attributes", ())
        return Told(answer["id"], answer["status"], answer.get("message", ""), tuple(expected))


@dataclass(frozen=True)
class Choice:
    """An attribute that may be bought for a prediction, and the prediction's standard error once it and those before
    it are known."""

    attribute: int
    name: str | None
    cost: float | None
    standard_error: float | None

    @staticmethod
    def _of(row: Mapping[str, Any]) -> Choice:
        return Choice(row["attribute"], row.get("name"), row.get("cost"), row.get("standard_error"))


@dataclass(frozen=True)
class Choices:
    """What to buy next for a prediction, the best first, and the prediction from what is known already."""

    choices: tuple[Choice, ...]
    prediction: float | None
    standard_error: float | None


@dataclass(frozen=True)
class Predictions:
    """One prediction an example, None where there is none; `standard_errors` of those from known values; `examples`:
    how many the model was made from."""

    predictions: tuple[float | None, ...]
    examples: int
    standard_errors: tuple[float | None, ...] | None = None


@dataclass
class LearnReport:
    """`accepted` were learned, `skipped` lacked a value that was to be looked at, `error_count` were refused; `errors`
    has (place among the examples, from 0; why), of each batch the first ones."""

    accepted: int = 0
    skipped: int = 0
    error_count: int = 0
    errors: list[tuple[int, str]] = field(default_factory=list)


def _id_of(plan: Plan | str) -> str:
    return plan.id if isinstance(plan, Plan) else plan


def _number(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{value!r} is not a finite number; None is what is refused or missing")
    return number


def _attributes(attributes: Iterable[Attribute]) -> list[Attribute]:
    return [attribute if isinstance(attribute, str) else int(attribute) for attribute in attributes]


def _optional_number(value: Any) -> float | None:
    return None if value is None else float(value)


def _values(values: Values) -> Any:
    def one(value: Any) -> float | None:
        return None if value is None else _number(value)

    if isinstance(values, Mapping):
        return {str(attribute): one(value) for attribute, value in values.items()}
    return [one(value) for value in values]


def _dump(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def _batches(lines: Iterable[str], most: int) -> Iterator[list[str]]:
    """Lines, as many at a time as fit into `most` bytes; at least one."""
    batch: list[str] = []
    size = 0
    for line in lines:
        if batch and size + len(line) + 1 > most:
            yield batch
            batch, size = [], 0
        batch.append(line)
        size += len(line) + 1
    if batch:
        yield batch


class _Connection(http.client.HTTPConnection):
    """http.client over TCP, with `tls` over TLS, or, where `path` is given, over a Unix socket."""

    def __init__(self, host: str, port: int | None, path: str | None, timeout: float,
                 tls: ssl.SSLContext | None) -> None:
        super().__init__(host, port, timeout=timeout)
        self._path = path
        self._tls = tls

    def connect(self) -> None:
        if self._path is None:
            super().connect()
            if self._tls is not None:
                self.sock = self._tls.wrap_socket(self.sock, server_hostname=self.host)
            return
        connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connected.settimeout(self.timeout)
            connected.connect(self._path)
        except OSError:
            connected.close()
            raise
        self.sock = connected

    def is_stale(self) -> bool:
        """Between two requests nothing is to be read but the end: the daemon was restarted, or tired of waiting."""
        if self.sock is None:
            return False
        poll = select.poll()
        poll.register(self.sock, select.POLLIN)
        if not poll.poll(0):
            return False
        if self._tls is None:
            return True
        self.sock.settimeout(0)  # what came may be a ticket of TLS, which no reader sees
        try:
            self.sock.recv(1)
        except ssl.SSLWantReadError:
            return False
        except OSError:
            pass
        finally:
            self.sock.settimeout(self.timeout)
        return True


class Client:
    """Asks a glimpsed. See the module for what is tried again, and for threads.

    url: http://HOST:PORT, https://HOST:PORT or unix:PATH, the daemon's --http.
    timeout: seconds that connecting, and each wait for the daemon, may take.
    retries: how often a request is tried again; the pauses are backoff, 2*backoff, 4*backoff, ... seconds, at most
        5, each shortened by a random share of up to a half, so that many clients do not come back at once.
    token: one of the daemon's --token-file, sent as 'Authorization: Bearer TOKEN'.
    tls: for https, whom to trust: ssl.create_default_context(cafile="certificate.pem"), or as the system does.
    """

    def __init__(self, url: str, timeout: float = 10.0, retries: int = 3, token: str | None = None,
                 backoff: float = 0.1, tls: ssl.SSLContext | None = None) -> None:
        if retries < 0 or timeout <= 0 or backoff < 0:
            raise ValueError("retries and backoff must be at least 0, timeout above 0")
        self.url = url
        self._retries = retries
        self._backoff = backoff
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
        self._connection = _Connection(host, port, path, timeout, tls)

    def __enter__(self) -> Client:  # noqa: PYI034 (typing.Self is of Python 3.11)
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection; the next request opens it again."""
        with self._lock:
            self._connection.close()

    # Buying attributes.

    def ask(self, count: int = 1, available: Iterable[Attribute] | None = None,
            ttl: None | str | float = None, ask_again: bool = False, durable: bool = False) -> list[Plan]:
        """`count` plans, or fewer where the daemon's limits end. `available`: only these attributes can be had. `ttl`:
        how long the plans wait for their values, in seconds or as "12h"; else the daemon's --plan-ttl.

        >>> client.ask(2, available=["age", "sgot"], ttl="12h")
        [Plan(id='3f9a2b-1', attributes=(0, 3), names=('age', 'sgot'), cost=9.37, ...), ...]

        `ask_again`: also after an answer was lost, whose plans then stay open until they expire. `durable`: answered
        once a checkpoint holds the plans.
        Raises NotBuying, TooManyPlans, InvalidRequest, Unavailable.
        """
        question: dict[str, Any] = {"count": count}
        if available is not None:
            question["available"] = _attributes(available)
        if ttl is not None:
            question["ttl"] = ttl
        answer = self._object("POST", "/v1/ask" + _DURABLE[durable], question, again=ask_again)
        return self._rows(answer, "plans", Plan._of)

    def tell(self, plan: Plan | str, label: float | None = None, values: Values | None = None,
             refused: Sequence[Attribute] | None = None, importance: float | None = None,
             durable: bool = False) -> Told:
        """Tells of one plan: see Tell. The label and the values may be told one after the other. `durable`: answered
        once a checkpoint holds what was learned.

        >>> client.tell(plan, label=1, values=[61, 0.3])
        Told(id='3f9a2b-1', status='learned', message='', expected=())

        Raises PlanClosed (expired, abandoned), UnknownPlan, InvalidRequest (the plan stays open), Unavailable.
        """
        item = Tell(plan, label, values, refused, importance)._item()
        answer = self._object("POST", "/v1/tell" + _DURABLE[durable], item, again=True)
        return self._rows({"answer": [answer]}, "answer", Told._of)[0]

    def tell_many(self, items: Iterable[Tell | Mapping[str, Any]], durable: bool = False) -> list[Told]:
        """Tells of many plans, in requests of many items each; a Mapping is sent as it is. One answer an item, in their
        order, also for those that failed: nothing is raised for an item. `durable`: a checkpoint for each request.

        After an exception, `partial` has the answers so far; telling all of them again does no harm.
        """
        told: list[Told] = []
        lines = (_dump(item._item() if isinstance(item, Tell) else item) for item in items)
        for batch in _batches(lines, _BATCH_BYTES):
            # A single line would be answered as a single item, by its HTTP status.
            body = "\n".join(batch) if len(batch) > 1 else f"[{batch[0]}]"
            try:
                answer = self._object("POST", "/v1/tell" + _DURABLE[durable], body, again=True)
                results = self._rows(answer, "results", Told._of)
                if len(results) != len(batch):
                    raise GlimpseError(200, "invalid_answer", f"{len(results)} answers to {len(batch)} items")
            except GlimpseError as error:
                error.partial = told
                raise
            told += results
        return told

    def plans(self) -> list[Plan]:
        """All open plans, in the order in which they were given out."""
        found: list[Plan] = []
        after = ""
        while True:
            page = self._object("GET", f"/v1/plans?limit={_PAGE}{after}", again=True)
            found += self._rows(page, "plans", Plan._of)
            if page.get("next") is None:
                return found
            after = "&after=" + urllib.parse.quote(str(page["next"]), safe="")

    def abandon(self, plan: Plan | str) -> None:
        """The plan will not be bought. May be said as often as one likes. Raises PlanClosed, UnknownPlan."""
        self._object("DELETE", "/v1/plans/" + urllib.parse.quote(_id_of(plan), safe=""), again=True)

    def choose(self, known: Known, count: int | None = None) -> Choices:
        """Which attributes, `count` at most, to buy next of an example of which `known` is known, to predict it.

        >>> client.choose({"age": 61}, 2).choices[0]
        Choice(attribute=3, name='sgot', cost=7.27, standard_error=0.31)
        """
        question: dict[str, Any] = {"for": "prediction", "known": _values(known)}
        if count is not None:
            question["count"] = count
        answer = self._object("POST", "/v1/ask", question, again=True)
        choices = self._rows(answer, "choices", Choice._of)
        return Choices(tuple(choices), answer.get("prediction"), answer.get("standard_error"))

    # Predicting and learning.

    def predict(self, examples: Iterable[Values] | None = None, *,
                known: None | Known | Iterable[Known] = None) -> Predictions:
        """Predictions for examples with all their values ([0.5, 61, None], or {"age": 61}: those that are not named
        are 0), or from what is known of one example or several (those that are not named are not known).

        >>> client.predict([[0.5, 61, 2], {"age": 61}]).predictions
        (1.25, 0.5)
        """
        if (examples is None) == (known is None):
            raise ValueError("either examples or known must be given")
        if examples is not None:
            body = _dump([{"values": _values(values)} for values in examples])
        elif isinstance(known, Mapping):
            body = _dump({"known": _values(known)})
        else:
            body = _dump([{"known": _values(one)} for one in known or ()])
        answer = self._object("POST", "/v1/predict", body, again=True)
        errors = answer.get("standard_errors")
        return Predictions(tuple(self._rows(answer, "predictions", _optional_number)), answer.get("examples", 0),
                           None if errors is None else tuple(self._rows(answer, "standard_errors", _optional_number)))

    def learn(self, examples: Iterable[LabelledExample]) -> LearnReport:
        """Learns from whole examples: (label, values) or (label, values, importance), of which the daemon looks at the
        attributes that it chooses.

        >>> client.learn([(1, [0.5, 61, 2]), (0, {"age": 18})]).accepted
        2

        After an exception, `partial` has the report of the batches before. Raises InvalidRequest where no example of a
        batch could be read.
        """
        report = LearnReport()
        sent = 0
        for batch in _batches(map(self._example_line, examples), _BATCH_BYTES):
            try:
                answer = self._object("POST", "/v1/learn", "\n".join(batch) + "\n", again=False)
            except GlimpseError as error:
                error.partial = report
                raise
            report.accepted += answer.get("accepted", 0)
            report.skipped += answer.get("skipped", 0)
            report.error_count += answer.get("error_count", 0)
            report.errors += [(sent + error["line"] - 1, error["message"]) for error in answer.get("errors", ())]
            sent += len(batch)
        return report

    @staticmethod
    def _example_line(example: LabelledExample) -> str:
        fields = {"label": _number(example[0]), "values": _values(example[1])}
        if len(example) == 3:
            fields["importance"] = _number(example[2])
        return _dump(fields)

    # What it knows, and does.

    def status(self) -> dict[str, Any]:
        """What the daemon is doing."""
        return self._object("GET", "/v1/status", again=True)

    def model(self, fresh: bool = False) -> dict[str, Any]:
        """The averaged weights and the bias. `fresh`: wait for a model of this moment."""
        return self._object("GET", "/v1/model?fresh=true" if fresh else "/v1/model", again=True)

    def moments(self) -> list[dict[str, Any]]:
        """What is known of each attribute."""
        return self._rows(self._object("GET", "/v1/moments", again=True), "moments", dict)

    def checkpoint(self) -> dict[str, Any]:
        """Writes a checkpoint; returns when it is durable."""
        return self._object("POST", "/v1/checkpoint", "", again=True)

    def ready(self) -> bool:
        """Whether the daemon answers, its state is restored and its checkpoints succeed. Tried once; never raises
        because the daemon is away."""
        try:
            return self._exchange("GET", "/readyz", None)[0] == 200
        except _Broken:
            return False

    # Requests.

    def _object(self, method: str, target: str, body: Any = None, *, again: bool) -> dict[str, Any]:
        """The answer to a request, tried as often as the module says. `again`: also when it may have been acted on."""
        payload = body if body is None or isinstance(body, str) else _dump(body)
        attempt = 0
        while True:
            try:
                status, data = self._exchange(method, target, None if payload is None else payload.encode())
                if status != 503:
                    return self._read(method, target, status, data)
                code, message = self._reason(self._parse(data), data)
                failure = Unavailable(status, code, message, sent=code == "not_durable")  # done, but not durable
            except _Broken as broken:
                failure = Unavailable(0, "no_answer", f"{self.url}, {method} {target}: {broken}", broken.sent)
            if attempt == self._retries or (failure.sent and not again):
                raise failure
            pause = min(self._backoff * 2.0**attempt, _LONGEST_PAUSE)
            time.sleep(pause * random.uniform(0.5, 1.0))
            attempt += 1

    def _exchange(self, method: str, target: str, body: bytes | None) -> tuple[int, bytes]:
        """Status and body of the answer. Raises _Broken, which says whether the request was sent."""
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
                status, data = answer.status, answer.read()
                if cut_short:
                    connection.close()
                return status, data
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                raise _Broken(error, sent) from error
            except BaseException:  # an interrupt: the answer that is under way must not be taken for the next one
                connection.close()
                raise

    def _read(self, method: str, target: str, status: int, data: bytes) -> dict[str, Any]:
        answer = self._parse(data)
        if status // 100 != 2:
            code, message = self._reason(answer, data)
            error = _BY_CODE.get(code, InvalidRequest if status // 100 == 4 else GlimpseError)(status, code, message)
            error.details = answer or {}
            raise error
        if answer is None:
            raise GlimpseError(status, "invalid_answer", f"{method} {target}: not a JSON object: {data[:200]!r}")
        return answer

    @staticmethod
    def _parse(data: bytes) -> dict[str, Any] | None:
        try:
            answer = json.loads(data)
        except ValueError:
            return None
        return answer if isinstance(answer, dict) else None

    @staticmethod
    def _reason(answer: dict[str, Any] | None, data: bytes) -> tuple[str, str]:
        """Code and message of an error."""
        error = (answer or {}).get("error")
        if isinstance(error, dict):
            return str(error.get("code")), str(error.get("message"))
        return "invalid_answer", repr(data[:200])

    @staticmethod
    def _rows(answer: Mapping[str, Any], name: str, make: Callable[[Any], _Row]) -> list[_Row]:
        """What `make` makes of each element of the list `name`."""
        try:
            return [make(row) for row in answer[name]]
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise GlimpseError(200, "invalid_answer", f"'{name}' cannot be understood: {error!r}") from error


class Source:
    """A named stream of records through a stream door, each learned exactly once (daemon/stream/SOURCES.md).

        with Source("unix:/run/glimpse-stream.sock", "meter-7") as source:
            for line in lines_behind(source.inside):
                source.send(line + "\\n")
            source.finish()

    `inside`: records that were in the model when the connection was made: send those behind. `durable`: of all, those
    that survive a crash; no others may be forgotten. `replies`: lines that came beside, predictions and what is said
    of records that cannot be read; take them out. When Unavailable is raised, make another Source and go on behind what
    is inside then; InvalidRequest says why there is no sense in that. Thread-safety: none.

    address: unix:PATH or tcp:HOST:PORT, the daemon's --listen; not through TLS.
    token: one of the daemon's --token-file that may write.
    timeout: seconds in which nothing moves, before the daemon counts as gone. A checkpoint that it promised counts as
    moving, until one fails.
    memory: bytes of records that you can keep until they are durable: the daemon is asked for a checkpoint when half of
    them are not, and wait_durable() waits for it. 0: you need not keep any.
    """

    def __init__(self, address: str, name: str, timeout: float = 60.0, token: str | None = None,
                 memory: int = 0) -> None:
        kind, _, rest = address.partition(":")
        host, _, port = rest.rpartition(":")
        if not (kind == "unix" and rest) and not (kind == "tcp" and host and port.isdigit()):
            raise ValueError(f"address {address!r} must be unix:PATH or tcp:HOST:PORT")
        self.inside, self.durable, self._sent = -1, 0, 0
        self.replies: list[str] = []
        self._name, self._timeout, self._rest = name, timeout, b""
        self._failing, self._promised, self._moved = "", False, time.monotonic()
        shown = "" if token is None else f"token={token} "

        def greet(more: str) -> None:
            try:
                if kind == "unix":
                    self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                    self._socket.connect(rest)
                else:
                    self._socket = socket.create_connection((host.strip("[]"), int(port)), timeout)
            except OSError as error:
                if kind == "unix":
                    self.close()
                raise Unavailable(0, "unreachable", f"{address}: {error}") from error
            self._socket.setblocking(False)
            try:
                self.send(f"#glimpse {shown}source={name}{more}\n", 0)
                while self.inside < 0:
                    self._wait(False)
            except BaseException:
                self.close()
                raise

        try:
            greet(f" memory={memory}")
        except InvalidRequest as error:
            if not error.message.startswith("greeting #glimpse: 'memory' is not a key"):
                raise
            self._rest = b""
            greet("")  # an older daemon

    def __enter__(self) -> Source:  # noqa: PYI034 (typing.Self is of Python 3.11)
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection at once; what was sent may be learned or not."""
        self._socket.close()

    def send(self, records: str | bytes, count: int | None = None) -> None:
        """Whole records: lines with their ends, or `count` rows. Waits until the system has taken them."""
        content = records.encode() if isinstance(records, str) else records
        left = memoryview(content)
        while left:
            if not self._wait(True):
                continue
            try:
                left = left[self._socket.send(left):]
            except BlockingIOError:
                continue
            except OSError as error:
                self._read()  # what was said before the end says more
                raise self._gone(str(error)) from error
        self._sent += content.count(b"\n") if count is None else count

    def finish(self) -> int:
        """Ends the stream, waits until everything of it is durable, and returns how many records that are."""
        try:
            self._socket.shutdown(socket.SHUT_WR)
        except OSError as error:
            raise self._gone(str(error)) from error
        while self.durable < self.inside + self._sent:
            self._wait(False)
        return self.durable

    def wait_durable(self, records: int) -> int:
        """Waits until that many records of the source are durable, and returns how many are. Of what was sent, as much
        as fills `memory` becomes durable soon; the rest when the daemon makes a checkpoint, or at finish()."""
        while self.durable < records:
            self._wait(False)
        return self.durable

    def _wait(self, writes: bool) -> bool:
        """Until something can be read, which is done, or written where `writes`: whether it can."""
        if not self._failing:
            self._moved = time.monotonic()
        limit = max(self._timeout, 5.0) if self._promised else self._timeout  # a promise is repeated each second
        left = max(0.0, self._moved + limit - time.monotonic())
        readable, writable, _ = select.select([self._socket], [self._socket] if writes else [], [], left)
        if not readable and not writable:
            failing = f"; the daemon cannot write checkpoints: {self._failing}" if self._failing else ""
            raise Unavailable(0, "timeout", f"nothing moved for {self._timeout:g} s{failing}", sent=True)
        if writable:
            self._moved = time.monotonic()
        if readable:
            self._read()
        return bool(writable)

    def _read(self) -> None:
        try:
            piece = self._socket.recv(1 << 16)
        except BlockingIOError:
            return
        except OSError as error:
            raise self._gone(str(error)) from error
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in lines:
            self._take(line.decode())
        if not piece:
            raise Unavailable(0, "closed", "the daemon closed the connection", sent=True)

    def _take(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if word == "resume" and self.inside < 0:
            self.inside = int(rest)
        elif word == "durable":
            self.durable, self._failing, self._promised, self._moved = int(rest), "", False, time.monotonic()
        elif line == "checkpoint pending":
            self._promised = not self._failing
        elif line.startswith("checkpoint failed: "):
            self._failing, self._promised = line[len("checkpoint failed: "):], False
        elif word == "error:" and line.endswith("; closing"):
            raise InvalidRequest(0, "refused", rest[:-len("; closing")])
        else:
            self.replies.append(line)

    @staticmethod
    def _gone(reason: str) -> Unavailable:
        return Unavailable(0, "broken", f"the connection broke: {reason}", sent=True)

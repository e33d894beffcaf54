"""What is asked, told and answered: plans, values, predictions."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ._text import Attribute, ToldLabel, Values, attributes_of, number_of, value_of, values_of


@dataclass(frozen=True)
class Plan:
    """Which attributes to buy of the next example. `expires_at` is in UTC; `names` is empty where attributes have none.

    The last three are told by plans() alone; `labels_told` by a daemon of several labels.
    """

    id: str
    attributes: tuple[int, ...]
    names: tuple[str, ...]
    cost: float
    expires_at: datetime.datetime
    label_told: bool = False
    values_told: bool = False
    labels_told: tuple[str, ...] = ()

    @staticmethod
    def _of(row: Mapping[str, Any]) -> Plan:
        until = datetime.datetime.strptime(row["expires_at"], "%Y-%m-%dT%H:%M:%SZ")
        return Plan(row["id"], tuple(row["attributes"]), tuple(row.get("names", ())), row["cost"],
                    until.replace(tzinfo=datetime.timezone.utc), row.get("label_told", False),
                    row.get("values_told", False), tuple(row.get("labels_told", ())))


@dataclass(frozen=True)
class Tell:
    """What is told of a plan: its label, its values, or both; the other may follow.

    `values`: in the plan's order, or by attribute; None is refused. `refused`: attributes that could not be had. Of
    several labels `label` is {"temp": 3, "cnt": None}: those that are known; the others may follow.
    """

    plan: Plan | str
    label: ToldLabel | None = None
    values: Values | None = None
    refused: Sequence[Attribute] | None = None
    importance: float | None = None

    def _item(self) -> dict[str, Any]:
        item: dict[str, Any] = {"id": id_of(self.plan)}
        if isinstance(self.label, Mapping):
            item["labels"] = {str(name): None if label is None else number_of(label)
                              for name, label in self.label.items()}
        elif self.label is not None:
            item["label"] = value_of(self.label)
        if self.importance is not None:
            item["importance"] = number_of(self.importance)
        if self.values is not None:
            item["values"] = values_of(self.values)
        if self.refused is not None:
            item["refused"] = attributes_of(self.refused)
        return item


_STATUSES = ("learned", "incomplete", "duplicate", "not_learned", "expired", "abandoned", "unknown", "wrong_attributes",
             "invalid_value", "invalid", "frozen", "elsewhere")


@dataclass(frozen=True)
class Told:
    """What became of it. `status`: learned, incomplete (the label or the values are still to come), duplicate (told
    before; that may be this very item, whose first answer was lost), not_learned (nothing can be learned from such an
    answer; the plan is closed), and of tell_many() also the errors: expired, abandoned, unknown, wrong_attributes
    (`expected` has the right ones), invalid_value, invalid, frozen (the plan stays open: tell it again later).
    `told_label`: the label that was told before, where this one differs from it; a duplicate's was not learned, and
    another's takes its place. Of several labels a dict of those that differ."""

    id: str
    status: str
    message: str = ""
    expected: tuple[int, ...] = ()
    told_label: float | str | dict[str, float] | None = None

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
        if answer["status"] not in _STATUSES:
            raise ValueError(f"{answer['status']!r} is no status of a plan that was told of")
        expected = answer.get("expected", {}).get("attributes", ())
        label = answer.get("told_label")
        if "told_labels" in answer:
            label = {name: float(number) for name, number in answer["told_labels"].items()}
        return Told(answer["id"], answer["status"], answer.get("message", ""), tuple(expected),
                    label if label is None or isinstance(label, (str, dict)) else float(label))


@dataclass(frozen=True)
class Choice:
    """An attribute that may be bought for a prediction, and the prediction's standard error once it and those before
    it are known. Where labels are classes there is none, but `gain`: by how much the expected loss falls."""

    attribute: int
    name: str | None
    cost: float | None
    standard_error: float | None
    gain: float | None = None

    @staticmethod
    def _of(row: Mapping[str, Any]) -> Choice:
        return Choice(row["attribute"], row.get("name"), row.get("cost"), row.get("standard_error"), row.get("gain"))


@dataclass(frozen=True)
class Choices:
    """What to buy next for a prediction, the best first, and the prediction from what is known already: a number with a
    standard error, or a class with its `probability`; None before the first class."""

    choices: tuple[Choice, ...]
    prediction: float | str | None
    standard_error: float | None
    probability: float | None = None


@dataclass(frozen=True)
class Contribution:
    """What a feature adds to a prediction: its weight times how far `value` is from its mean. `attribute`: a number,
    and a tuple of them for a product; `name`: "sex=M" of a category, "age*bmi" of a product."""

    attribute: int | tuple[int, ...]
    name: str | None
    value: float | None
    contribution: float | None

    @staticmethod
    def _of(row: Mapping[str, Any]) -> Contribution:
        attribute = row["attribute"]
        return Contribution(tuple(attribute) if isinstance(attribute, list) else attribute, row.get("name"),
                            row.get("value"), row.get("contribution"))


@dataclass(frozen=True)
class Explanation:
    """at_means + the contributions + rest + unknown + clipped is the prediction, to rounding. `contributions`: the
    largest first; `rest`: the sum of the others; `unknown`: what is expected of the values that are not known.
    noise_variance + unknown_variance is the square of the prediction's standard error; None: not known yet."""

    at_means: float | None
    contributions: tuple[Contribution, ...]
    rest: float | None
    unknown: float | None
    clipped: float | None
    noise_variance: float | None
    unknown_variance: float | None

    @staticmethod
    def _of(row: Mapping[str, Any]) -> Explanation:
        variance = row["variance"]
        return Explanation(row["at_means"], tuple(map(Contribution._of, row["contributions"])), row["rest"],
                           row["unknown"], row["clipped"], variance["noise"], variance["unknown"])


@dataclass(frozen=True)
class Predictions:
    """One prediction an example, of classes None where there is none; `standard_errors`: of each, where one of them
    lacked a value; `examples`: how many the model was made from; `explanations`: of each, where they were asked for.

    Where labels are classes, a prediction is the name of one, `classes` has all names, `probability` is that of the
    predicted class, and `margins` is log of it over that of the next likely one. `probabilities` has a row an example
    with those of all `classes`; so has `scores`, where they were asked for."""

    predictions: tuple[float | str | None, ...]
    examples: int
    standard_errors: tuple[float | None, ...] | None = None
    explanations: tuple[Explanation, ...] | None = None
    classes: tuple[str, ...] | None = None
    probability: tuple[float | None, ...] | None = None
    margins: tuple[float | None, ...] | None = None
    probabilities: tuple[tuple[float | None, ...], ...] | None = None
    scores: tuple[tuple[float | None, ...], ...] | None = None

    @staticmethod
    def _joined(pieces: Sequence[Predictions]) -> Predictions:
        """Those of several requests, one behind the other. What one of them lacks is None there."""
        if len(pieces) == 1:
            return pieces[0]
        rows: dict[str, Any] = {}
        for name in ("standard_errors", "explanations", "probability", "margins", "probabilities", "scores"):
            if any(getattr(piece, name) is not None for piece in pieces):
                rows[name] = tuple(value for piece in pieces for value in getattr(piece, name) or (None,) * len(piece.predictions))
        return Predictions(tuple(value for piece in pieces for value in piece.predictions), pieces[-1].examples,
                           classes=pieces[-1].classes, **rows)


@dataclass
class LearnReport:
    """`accepted` were learned, `skipped` lacked a value that was to be looked at, came when the budget was spent
    (`beyond_budget` of them: --total-budget, --total-cost) or while the model was frozen (`frozen`), `held_out` were
    predicted and not learned (--hold-out), `error_count` were refused; `errors` has (place among the examples, from 0;
    why), of each batch the first ones."""

    accepted: int = 0
    skipped: int = 0
    error_count: int = 0
    held_out: int = 0
    beyond_budget: int = 0
    frozen: int = 0
    errors: list[tuple[int, str]] = field(default_factory=list)


def id_of(plan: Plan | str) -> str:
    return plan.id if isinstance(plan, Plan) else plan

"""What a daemon refuses, and what a connection does not get through."""

from __future__ import annotations

from typing import Any


class GlimpseError(Exception):
    """A request that failed. `status`: of HTTP, 0 where there was no answer. `code` and `message`: the daemon's.

    `details`: the whole answer, where it was a JSON object. `partial`: of tell_many() and learn(), what the batches
    before the one that failed came to.
    """

    def __init__(self, status: int, code: str, message: str) -> None:
        shown = f"{code}: {message}"  # a server must not steer the terminal that this is printed on
        super().__init__("".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in shown))
        self.status, self.code, self.message = status, code, message
        self.details: dict[str, Any] = {}
        self.partial: Any = None


class Unavailable(GlimpseError):
    """No answer, or 503, also after trying again. `sent`: the daemon may have acted on the request."""

    def __init__(self, status: int, code: str, message: str, sent: bool = False) -> None:
        super().__init__(status, code, message)
        self.sent = sent


class Broken(Exception):
    """One attempt at a request had no answer."""

    def __init__(self, reason: Exception, sent: bool) -> None:
        super().__init__(str(reason) or type(reason).__name__)
        self.sent = sent


class NotBuying(GlimpseError):
    """Nothing can be asked for: the totals are spent, or the algorithm cannot plan so (409)."""


class Frozen(GlimpseError):
    """Nothing is learned while the model is frozen; the plan stays open (409)."""


class Elsewhere(GlimpseError):
    """Another instance of the fleet has the plan, and could not be asked (409): `details["owner"]` says where it is."""


class TooManyPlans(GlimpseError):
    """As many plans are open as --max-plans allows (429)."""


class PlanClosed(GlimpseError):
    """The plan has expired, was abandoned, or, where it is to be abandoned, was told already (410, 409)."""


class UnknownPlan(GlimpseError):
    """There is no such plan, or it was closed long ago (404)."""


class InvalidRequest(GlimpseError):
    """The daemon cannot take it as it is: the message says what is wrong (400, 413, 422, ...)."""


BY_CODE: dict[str, type[GlimpseError]] = {
    "not_buying": NotBuying, "too_many_plans": TooManyPlans, "expired": PlanClosed, "abandoned": PlanClosed,
    "closed": PlanClosed, "unknown": UnknownPlan, "frozen": Frozen, "elsewhere": Elsewhere}

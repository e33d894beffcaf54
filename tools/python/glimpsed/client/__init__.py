"""A client of glimpsed's HTTP door, on Python's standard library alone (3.9 and later).

    from glimpsed.client import Client

    with Client("unix:/run/glimpse/http.sock") as glimpse:
        for plan in glimpse.ask(10, ttl="12h"):
            values = [buy(attribute) for attribute in plan.attributes]    # None where it is refused
            glimpse.tell(plan, label=outcome(), values=values)
        print(glimpse.predict([{"age": 61, "sgot": 0.3}]).predictions)

Attributes are called by number or by name. Numbers must be finite, and truth values are none; None is a value that is
refused or missing.

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

Fleets. A plan of a fleet is its partition's, and the partition's owner is asked: another instance says where the
owner answers, and the request is sent there once, with the same token. Where nobody answers there Unavailable is
raised, or Elsewhere where it is no address; the next instance that owns the partition has its plans.

Thread-safety: a Client may be shared; its threads take turns on its one connection. Threads that want to wait for
answers side by side have a Client each. After fork(), each process needs its own.
"""

from ._async import AsyncClient
from ._client import Client
from ._errors import (Elsewhere, Frozen, GlimpseError, InvalidRequest, NotBuying, PlanClosed, TooManyPlans,
                      Unavailable, UnknownPlan)
from ._records import Choice, Choices, Contribution, Explanation, LearnReport, Plan, Predictions, Tell, Told
from ._source import Source

__all__ = ["AsyncClient", "Choice", "Choices", "Client", "Contribution", "Elsewhere", "Explanation", "Frozen",
           "GlimpseError", "InvalidRequest", "LearnReport", "NotBuying", "Plan", "PlanClosed", "Predictions", "Source", "Tell",
           "Told", "TooManyPlans", "Unavailable", "UnknownPlan"]

"""Fleets: a partition's plans are asked for and told where its owner answers."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Callable

if TYPE_CHECKING:
    from ._client import Client


class Owners:
    """Clients of other instances of a fleet, by what a daemon calls their address: opened where one is sent there."""

    def __init__(self, make: Callable[[str], Client], tls: bool) -> None:
        """`make`: a Client of a URL, as the first one is. `tls`: that one is asked over TLS."""
        self._make, self._tls = make, tls
        self._lock = threading.Lock()
        self._clients: dict[str, Client] = {}

    def close(self) -> None:
        with self._lock:
            clients = list(self._clients.values())
        for client in clients:
            client.close()

    def named_in(self, answer: dict[str, Any] | None) -> Client | None:
        """Who is to be asked instead; None where the answer names nobody, or nobody who can be asked."""
        owner = (answer or {}).get("owner")
        return self._of(owner) if isinstance(owner, str) and owner else None

    def _of(self, owner: str) -> Client | None:
        url = owner if "://" in owner else ("https://" if self._tls else "http://") + owner
        if self._tls and not url.startswith("https://"):
            return None  # who asks over TLS shows its token to nobody without
        if "://" not in owner and ":" not in owner:
            return None  # a machine's name alone
        with self._lock:
            if owner not in self._clients:
                try:
                    self._clients[owner] = self._make(url)
                except ValueError:
                    return None
            return self._clients[owner]

    def tell(self, answer: dict[str, Any], lines: list[str]) -> dict[str, Any]:
        """The answer to many tells, `lines`, once those of plans that other instances have were told to these."""
        results = answer.get("results")
        if not isinstance(results, list) or len(results) != len(lines):
            return answer
        elsewhere: dict[str, list[int]] = {}
        for place, row in enumerate(results):
            if isinstance(row, dict) and row.get("status") == "elsewhere" and isinstance(row.get("owner"), str):
                elsewhere.setdefault(row["owner"], []).append(place)
        for owner, places in elsewhere.items():
            client = self._of(owner)
            if client is None:
                continue
            body = "[" + ",".join(lines[place] for place in places) + "]"
            told = client._object("POST", "/v1/tell", body, again=True, follow=False).get("results")
            if isinstance(told, list) and len(told) == len(places):
                for place, row in zip(places, told):
                    results[place] = row
        return answer

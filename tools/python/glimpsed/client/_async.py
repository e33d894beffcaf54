"""AsyncClient: the same questions, awaited."""

from __future__ import annotations

import asyncio
import functools
import ssl
from collections.abc import Awaitable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Callable, TypeVar

from ._client import Client

if TYPE_CHECKING:
    from typing import Concatenate, ParamSpec

    _P = ParamSpec("_P")
_R = TypeVar("_R")


def _awaited(method: Callable[Concatenate[Client, _P], _R]) -> Callable[Concatenate[AsyncClient, _P], Awaitable[_R]]:
    """The method of a connection that is free."""

    @functools.wraps(method)
    async def ask(self: AsyncClient, *arguments: _P.args, **named: _P.kwargs) -> _R:
        return await self._run(lambda client: method(client, *arguments, **named))

    return ask  # type: ignore[return-value]  # `self` is given by its place


class AsyncClient:
    """Asks a glimpsed without keeping the event loop waiting. Methods, parameters and errors are those of Client.

        async with AsyncClient("http://127.0.0.1:9318") as glimpse:
            first, second = await asyncio.gather(glimpse.predict([x]), glimpse.predict([z]))

    `connections`: so many questions are asked side by side, each on a thread and a connection of its own; more wait.
    A question that is cancelled was perhaps asked already: what it asked for may be done. The loop goes on at once; the
    connection is free again once the answer is there.
    """

    def __init__(self, url: str, timeout: float = 10.0, retries: int = 3, token: str | None = None,
                 backoff: float = 0.1, tls: ssl.SSLContext | None = None, connections: int = 4,
                 max_answer: int = 1 << 30) -> None:
        if connections < 1:
            raise ValueError("connections must be at least 1")
        self._free = [Client(url, timeout, retries, token, backoff, tls, max_answer) for _ in range(connections)]
        self._threads = ThreadPoolExecutor(connections, "glimpse-client")
        self.url = url

    async def __aenter__(self) -> AsyncClient:  # noqa: PYI034 (typing.Self is of Python 3.11)
        return self

    async def __aexit__(self, *unused: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Waits for the answers that are under way, and closes the connections."""
        await asyncio.get_running_loop().run_in_executor(None, self._threads.shutdown)
        for client in self._free:
            client.close()

    async def _run(self, question: Callable[[Client], _R]) -> _R:
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._ask, question)

    def _ask(self, question: Callable[[Client], _R]) -> _R:
        """On a thread: there are as many of these as connections."""
        client = self._free.pop()
        try:
            return question(client)
        finally:
            self._free.append(client)

    ask = _awaited(Client.ask)
    tell = _awaited(Client.tell)
    tell_many = _awaited(Client.tell_many)
    plans = _awaited(Client.plans)
    abandon = _awaited(Client.abandon)
    choose = _awaited(Client.choose)
    predict = _awaited(Client.predict)
    learn = _awaited(Client.learn)
    status = _awaited(Client.status)
    history = _awaited(Client.history)
    model = _awaited(Client.model)
    small_model = _awaited(Client.small_model)
    moments = _awaited(Client.moments)
    checkpoint = _awaited(Client.checkpoint)
    checkpoints = _awaited(Client.checkpoints)
    promote = _awaited(Client.promote)
    freeze = _awaited(Client.freeze)
    unfreeze = _awaited(Client.unfreeze)
    ready = _awaited(Client.ready)

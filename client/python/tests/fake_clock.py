"""An event loop whose clock only leaps, to the next timer when nothing else happens: minutes pass in moments."""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor
from typing import Any, TypeVar

T = TypeVar('T')

# Real seconds without anything to read or write after which nothing else is expected.
_QUIET = 0.01


class _LeapingSelector(selectors.DefaultSelector):
    def __init__(self) -> None:
        super().__init__()
        self.leapt = 0.0
        # What threads do for the loop, which no selector sees.
        self.elsewhere = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout <= 0:
            return super().select(timeout)
        ready = super().select(_QUIET)
        if not ready and self.elsewhere == 0:
            self.leapt += timeout
        return ready


class _LeapingLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._leaping = _LeapingSelector()
        super().__init__(self._leaping)

    def time(self) -> float:
        return self._leaping.leapt

    # The exact signature can only be written since Python 3.11.
    def run_in_executor(  # type: ignore[override]
        self, executor: Executor | None, func: Callable[..., T], *args: Any
    ) -> asyncio.Future[T]:
        work = super().run_in_executor(executor, func, *args)
        self._leaping.elsewhere += 1
        work.add_done_callback(self._came_back)
        return work

    def _came_back(self, _: object) -> None:
        self._leaping.elsewhere -= 1


def run_leaping(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end; `loop.time()` tells how long it seemed to take."""
    loop = _LeapingLoop()
    asyncio.set_event_loop(loop)
    try:
        return loop.run_until_complete(work)
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
        asyncio.set_event_loop(None)
        loop.close()

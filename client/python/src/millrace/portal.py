"""A thread with an event loop inside, for programs without asyncio."""

from __future__ import annotations

import asyncio
import concurrent.futures
import functools
import sys
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from .errors import create_error

__all__ = ['Portal']

T = TypeVar('T')

# Waiting for a lock cannot be interrupted on Windows, so there it is done in pieces.
_POLL = 0.2 if sys.platform == 'win32' else None


class Portal:
    """Runs coroutines of one client on a loop of its own, and its callbacks on a second thread, one after the other.

    Callbacks have a thread of their own so that they may use the client. Both threads start with the first call and
    end with `close`; neither keeps the process alive.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._callbacks: _Worker | None = None

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end and return its value. Interrupting this cancels the coroutine.

        Raises:
            ArgumentError: it is called by the loop itself, which would wait for ever.
        """
        loop = self._started()
        if threading.current_thread() is self._thread:
            work.close()
            raise create_error('invalid_argument', 'The synchronous client cannot be used inside its own event loop')
        future = asyncio.run_coroutine_threadsafe(work, loop)
        try:
            while True:
                try:
                    return future.result(_POLL)
                except concurrent.futures.TimeoutError:
                    if future.done():
                        raise
        except BaseException:
            if not future.done():
                future.cancel()
                loop.call_soon_threadsafe(lambda: None)
            raise

    def callback(self, function: Callable[..., Any] | None) -> Callable[..., None] | None:
        """Return a function that has `function` called on the thread of the callbacks."""
        return None if function is None else self.listener(function)

    def listener(self, function: Callable[..., Any]) -> Callable[..., None]:
        """Return `callback` of a function that is there."""
        return functools.partial(self._call_later, function)

    def close(self) -> None:
        """End the threads, after the callbacks that wait. Safe to call twice; the next call starts them again."""
        with self._lock:
            callbacks = self._callbacks
        if callbacks is not None:
            # While the loop still runs, because callbacks may use the client.
            callbacks.close()
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = self._callbacks = None
        if loop is not None and thread is not None:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                loop = self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=_serve, args=(loop,), name='millrace', daemon=True)
                self._callbacks = _Worker()
                self._thread.start()
            return self._loop

    def _call_later(self, function: Callable[..., Any], *args: Any) -> None:
        callbacks = self._callbacks
        if callbacks is not None:
            callbacks.submit(functools.partial(function, *args))


class _Worker:
    """One thread that calls what it is given, in order."""

    def __init__(self) -> None:
        self._ready = threading.Condition()
        self._work: list[Callable[[], Any]] = []
        self._closed = False
        self._thread = threading.Thread(target=self._run, name='millrace callbacks', daemon=True)
        self._thread.start()

    def submit(self, work: Callable[[], Any]) -> None:
        with self._ready:
            self._work.append(work)
            self._ready.notify()

    def close(self) -> None:
        with self._ready:
            self._closed = True
            self._ready.notify()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        while True:
            with self._ready:
                while not self._work and not self._closed:
                    self._ready.wait()
                if not self._work:
                    return
                work = self._work.pop(0)
            try:
                work()
            except Exception:
                # A callback that raises must not break the client, nor may its error vanish.
                threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        rest = asyncio.all_tasks(loop)
        for task in rest:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*rest, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
    finally:
        loop.close()

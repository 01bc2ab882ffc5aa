"""When to try again, as data."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import AuthenticationError, MillraceError


@dataclass(frozen=True)
class RetryPolicy:
    """How a lost connection is restored. All times in seconds."""

    persist: bool = False
    """Reconnect by itself."""
    max_retry_time: float = 0
    """Seconds since the loss after which reconnecting ends; 0 means never."""
    step: float = 0.25
    """Longer wait after each failure in a row."""
    longest: float = 15
    """Longest wait."""

    def delay(self, failures: int, elapsed: float) -> float | None:
        """Return the seconds to wait after so many failures in a row, or None when the time is over.

        The wait never reaches beyond `max_retry_time`, counted from `elapsed` seconds ago.
        """
        remaining = self.remaining(elapsed)
        if remaining is None:
            return min(self.longest, self.step * failures)
        return None if remaining <= 0 else min(self.longest, self.step * failures, remaining)

    def remaining(self, elapsed: float) -> float | None:
        """Return the seconds left, None when there is no end."""
        return self.max_retry_time - elapsed if self.max_retry_time > 0 else None

    def worth_retrying(self, error: MillraceError) -> bool:
        """A refused key stays refused; anything else may be different next time."""
        return self.persist and not isinstance(error, AuthenticationError)

"""Says what keeps the bot from doing its work, from measured values."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Readings:
    """What was measured, at one moment. The defaults are those of a bot in good order."""

    database: str = ""
    """Why the last write to the database failed; empty when it was written."""
    missing_keys: tuple[str, ...] = ()
    """Ids of sealing keys that stored values name and nobody gave us."""
    pending_migrations: int = 0
    disk_free: int | None = None
    """Bytes free where the state lies; None where the state is elsewhere."""
    stopped: tuple[str, ...] = ()
    """Names of parts that should run and do not."""
    lane_silence: float = 0.0
    """Seconds since the lanes last looked for work."""
    outbox_age: float = 0.0
    """Seconds that the oldest post has been due."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """From which values on the bot is not ready."""

    disk_free: int = 64 * 1024 * 1024
    """Bytes: room for the write-ahead log at its largest."""
    lane_silence: float = 30.0
    outbox_age: float = 600.0


def problems(readings: Readings, bounds: Bounds | None = None) -> list[str]:
    """One sentence for the operator for each thing that is wrong; empty when ready."""
    bounds = bounds or Bounds()
    found: list[str] = []
    if readings.database:
        found.append(f"The database cannot be written: {readings.database}.")
    if readings.missing_keys:
        keys = ", ".join(readings.missing_keys)
        found.append(
            f"COUNTERSIGN_KEYS lacks the keys that stored values were sealed with: {keys}."
        )
    if readings.pending_migrations:
        found.append(f"{readings.pending_migrations} database migrations have not been applied.")
    if readings.disk_free is not None and readings.disk_free < bounds.disk_free:
        free = readings.disk_free // 1024 // 1024
        found.append(f"Only {free} MiB are free where the state lies.")
    found += [f"{name} has stopped." for name in readings.stopped]
    if readings.lane_silence > bounds.lane_silence:
        found.append(f"The lanes have not looked for work for {readings.lane_silence:.0f} s.")
    if readings.outbox_age > bounds.outbox_age:
        found.append(f"A post has been waiting to go out for {readings.outbox_age:.0f} s.")
    return found

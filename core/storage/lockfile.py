"""The lock file that keeps a second process away from a SQLite database."""

import os
from pathlib import Path
from typing import IO

from core.errors import Misconfigured

try:
    import fcntl
except ImportError:  # not a POSIX system: the promise of one process is the operator's there
    fcntl = None


def take_lock(database: Path) -> IO[str]:
    """Hold `<database>.lock` until the returned file is closed or the process ends, however it
    ends: the operating system lets go, so a lock is never left behind.

    Raises `Misconfigured` when another process holds it.
    """
    path = database.with_name(database.name + ".lock")
    try:
        lock = path.open("a+", encoding="utf-8")
    except OSError as failure:
        raise Misconfigured(f"The lock file {path} cannot be opened: {failure.strerror}.") from None
    if fcntl is not None:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.seek(0)
            holder = lock.read().strip() or "unknown"
            lock.close()
            raise Misconfigured(
                f"Another process (id {holder}) already runs on the database {database}. "
                "Stop it first, or give this one a database of its own."
            ) from None
    lock.seek(0)
    lock.truncate()
    lock.write(f"{os.getpid()}\n")
    lock.flush()
    return lock

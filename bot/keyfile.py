"""Keeps the sealing key that a bot without COUNTERSIGN_KEYS makes for itself."""

import base64
import binascii
import os
import re
import secrets
from pathlib import Path

BYTES = 32


def keys_fault(keys: str) -> str:
    """What is wrong with `id:base64,id:base64`; empty when nothing is. Never repeats a key."""
    names: list[str] = []
    for number, entry in enumerate(keys.split(","), start=1):
        name, colon, coded = entry.strip().partition(":")
        if not colon or not re.fullmatch(r"[A-Za-z0-9_-]{1,32}", name):
            return f"does not have the form id:base64 in entry {number}"
        try:
            length = len(base64.b64decode(coded, validate=True))
        except (binascii.Error, ValueError):
            return f"has a key “{name}” that is not base64"
        if length != BYTES:
            return f"has a key “{name}” of {length} bytes; it must be {BYTES}"
        names.append(name)
    return "" if len(set(names)) == len(names) else "gives two keys the same id"


def file_fault(path: Path) -> str:
    """Why a file cannot hold a secret; empty when it can."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if mode & 0o007:
        return (
            f"can be read by everybody on this machine (mode {mode & 0o777:04o}); "
            f"run chmod 600, or give the mounted secret the mode 0400"
        )
    return ""


def made_keys(path: Path) -> tuple[str, bool]:
    """The keys in the file, and whether the file had to be made. Raises OSError."""
    try:
        return path.read_text("ascii").strip(), False
    except FileNotFoundError:
        pass
    path.parent.mkdir(parents=True, exist_ok=True)
    keys = f"local:{base64.b64encode(secrets.token_bytes(BYTES)).decode()}"
    # Exclusive and private from the first moment; written under another name first, so that a
    # cut start leaves no empty key file behind.
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
        out.write(keys + "\n")
        out.flush()
        os.fsync(out.fileno())
    draft.replace(path)
    return keys, True

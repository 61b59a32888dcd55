"""Reads the `sources` section of the configuration."""

from collections.abc import Mapping
from typing import Any

from core.specialists.sql.source import Source


def read_sources(
    section: Any,
    secrets: Mapping[str, str],
    lines: Mapping[tuple[str | int, ...], int] | None = None,
) -> tuple[Source, ...]:
    """The sources of a parsed section; `${NAME}` in a connection becomes `secrets[NAME]`.

    `lines` are the lines of its values by their path. Raises Misconfigured with one sentence per
    mistake, `line 12: …` where the line is known.
    """
    raise NotImplementedError

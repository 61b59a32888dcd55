"""Holds a manifest against the schema that its platform publishes."""

import json
from pathlib import Path
from typing import Any, cast

from core.records import Json


def faults(manifest: Json, schema: Path) -> list[str]:
    """A sentence for each place where the schema in this file does not allow the manifest."""
    from jsonschema import Draft202012Validator

    given: Json = json.loads(schema.read_text(encoding="utf-8"))
    validator = cast(Any, Draft202012Validator(given))
    return [f"{error.json_path}: {error.message}." for error in validator.iter_errors(manifest)]

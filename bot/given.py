"""What an operator gave in the environment, with everything that is wrong with it."""

import difflib
from collections.abc import Mapping
from pathlib import Path

from bot import addresses, keyfile

OURS = (
    "MODEL",
    "EMBEDDINGS",
    "VISION",
    "DATABASE",
    "CONFIG",
    "KEYS",
    "PUBLIC_URL",
    "HOST",
    "PORT",
    "WORKSPACE_PORT",
    "METRICS_TOKEN",
)
"""Names of settings that are Countersign's own, without COUNTERSIGN_ before them."""


class Given:
    """What the operator gave, with the problems found so far."""

    def __init__(self, environment: Mapping[str, str], folder: Path) -> None:
        self.problems: list[str] = []
        self._environment = environment
        self._folder = folder
        known = [f"COUNTERSIGN_{name}{end}" for name in OURS for end in ("", "_FILE")]
        for name in sorted(environment):
            if name.startswith("COUNTERSIGN_") and name not in known:
                near = difflib.get_close_matches(name, known, 1)
                meant = f"; did you mean {near[0]}?" if near else "."
                self.problems.append(f"{name} is not a setting of Countersign{meant}")

    def judge(self, name: str, fault: str) -> None:
        if fault:
            self.problems.append(f"{name} {fault}.")

    def text(self, name: str, default: str = "", *, is_secret: bool = False) -> str:
        """The value of NAME, or what stands in the file that NAME_FILE names."""
        value = self._environment.get(name, "").strip()
        file = self._environment.get(f"{name}_FILE", "").strip()
        if not file:
            return value or default
        if value:
            self.problems.append(f"Both {name} and {name}_FILE are set; take one away.")
            return value
        path = self._folder / file
        if is_secret and (fault := keyfile.file_fault(path)):
            self.problems.append(f"The file of {name}_FILE ({path}) {fault}.")
            return default
        try:
            return path.read_text("utf-8").strip() or default
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not text"
            self.problems.append(f"The file of {name}_FILE ({path}) cannot be read: {reason}.")
            return default

    def words(self, name: str) -> tuple[str, ...]:
        """The values of NAME, with commas or spaces between them."""
        return tuple(self.text(name).lower().replace(",", " ").split())

    def all_named(self, beginning: str) -> dict[str, str]:
        """The secrets whose names begin so, those given as files under their plain name."""
        names = {n.removesuffix("_FILE") for n in self._environment if n.startswith(beginning)}
        return {name: self.text(name, is_secret=True) for name in sorted(names)}

    def address(self, name: str, default: str = "", *, ends: str = "") -> str:
        value = self.text(name, default)
        if value:
            self.judge(name, addresses.web_fault(value, ends=ends))
        return value

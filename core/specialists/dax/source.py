"""A semantic model that questions are answered from, as the operator described it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

SCOPE = "https://analysis.windows.net/powerbi/api/Dataset.Read.All"
"""The permission of the person's own token for every question to a model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """A question whose DAX somebody answers for."""

    question: str
    dax: str
    owner: str
    checked: str
    """The day it was last looked at, `2026-10-01`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SemanticModel:
    """One model of Power BI, from one entry of the `sources` section."""

    id: str
    """A word; the tool is `ask_<id>` and carries the tag `connector:powerbi`."""
    title: str
    workspace: str = ""
    """The workspace's id; empty for the person's own one."""
    dataset: str
    """The model's id, as the service names it in addresses."""
    description: str = ""
    tables: tuple[str, ...] = ()
    """What is in scope. Empty: every table that is not hidden."""
    glossary: Mapping[str, str] = field(default_factory=dict[str, str])
    verified: tuple[Verified, ...] = ()
    unprofiled: frozenset[str] = frozenset()
    """Columns whose values are never looked at ahead of a question: `Customer[Name]`."""
    definition: str = ""
    """The model's committed definition, the text of a `.bim` or of TMDL files one after another:
    for services that do not say what a model holds."""
    time_zone: str = "UTC"
    """IANA name: in which the model's dates are meant."""

    @property
    def path(self) -> str:
        """Of its REST address, after `/v1.0/myorg`."""
        group = f"/groups/{self.workspace}" if self.workspace else ""
        return f"{group}/datasets/{self.dataset}"

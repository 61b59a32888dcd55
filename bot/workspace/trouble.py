"""The ways in which the workspace's stand-ins fail on demand, each with a name to switch it on."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from bot.workspace.faults import Faults
from bot.workspace.microsoft.records import Fault as MicrosoftFault
from bot.workspace.microsoft.records import Json
from bot.workspace.microsoft.stand_in import MicrosoftStandIn
from bot.workspace.slack.records import Fault as SlackFault
from bot.workspace.slack_server import SlackStandIn


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch:
    """What is asked for. `on` names the requests that suffer it, `*` standing for anything;
    `times` 0 means all of them until the faults are cleared."""

    name: str
    on: str = "*"
    seconds: float = 30.0
    word: str = ""
    times: int = 0


OfSlack = Callable[[Switch], SlackFault]
OfMicrosoft = Callable[[Switch], MicrosoftFault]

SLACK: Final[dict[str, tuple[str, OfSlack]]] = {
    "rate_limited": (
        "429 with Retry-After: the seconds",
        lambda s: SlackFault(status=429, retry_after=round(s.seconds), times=s.times),
    ),
    "refused": (
        '{"ok": false} with the word as its error',
        lambda s: SlackFault(error=s.word or "internal_error", times=s.times),
    ),
    "broken": ("503", lambda s: SlackFault(status=503, times=s.times)),
    "gateway": ("502 with a page instead of JSON", lambda s: SlackFault(status=502, times=s.times)),
    "dropped_before": (
        "connection cut, nothing was done",
        lambda s: SlackFault(drop="before", times=s.times),
    ),
    "dropped_after": (
        "connection cut, although it was done",
        lambda s: SlackFault(drop="after", times=s.times),
    ),
    "slow": (
        "answers after the seconds",
        lambda s: SlackFault(delay=s.seconds, times=s.times),
    ),
}
"""Pattern: a Web API method, such as `chat.*`."""

MICROSOFT: Final[dict[str, tuple[str, OfMicrosoft]]] = {
    "unauthorized": (
        "401 with the word as its code",
        lambda s: MicrosoftFault(status=401, code=s.word, times=s.times),
    ),
    "forbidden": (
        "403 with the word as its code",
        lambda s: MicrosoftFault(status=403, code=s.word, times=s.times),
    ),
    "rate_limited": (
        "429 with Retry-After: the seconds",
        lambda s: MicrosoftFault(status=429, retry_after=round(s.seconds), times=s.times),
    ),
    "broken": ("503", lambda s: MicrosoftFault(status=503, times=s.times)),
    "dropped_before": (
        "connection cut, nothing was done",
        lambda s: MicrosoftFault(drop=True, times=s.times),
    ),
    "dropped_after": (
        "connection cut, although it was done",
        lambda s: MicrosoftFault(drop=True, when="after", times=s.times),
    ),
    "slow": (
        "answers after the seconds",
        lambda s: MicrosoftFault(delay=s.seconds, times=s.times),
    ),
}
"""Pattern: `METHOD /path` of Graph, such as `POST /me/sendMail`, or `token <grant>` of Entra."""


class Troubles:
    """Switches faults of the running stand-ins on and off."""

    def __init__(self, slack: SlackStandIn, microsoft: MicrosoftStandIn) -> None:
        self._slack, self._microsoft = slack, microsoft
        self._skew = 0.0

    def on(self, switch: Switch) -> None:
        """Raises KeyError for a trouble that there is not, ValueError for numbers that mean
        nothing."""
        if switch.times < 0 or not 0 <= switch.seconds <= 3_600:
            raise ValueError(switch)
        platform, _, kind = switch.name.partition(".")
        if platform == "slack":
            self._slack.web_api.faults.add(switch.on, SLACK[kind][1](switch))
        elif platform == "graph":
            self._microsoft.graph.faults.add(switch.on, MICROSOFT[kind][1](switch))
        elif platform == "entra":
            self._microsoft.entra.faults.add(switch.on, MICROSOFT[kind][1](switch))
        else:
            raise KeyError(platform)

    def pace(self, is_paced: bool) -> None:
        """Whether Slack's documented rate limits hold."""
        self._slack.web_api.rate_limits = is_paced

    def move_clock(self, seconds: float) -> None:
        """Slack's clock is so many seconds ahead of ours; behind when negative."""
        self._skew = seconds
        self._slack.move_clock(seconds)

    def calm(self) -> None:
        """Everything works again."""
        for faults in self._faults().values():
            faults.clear()
        self.pace(False)
        self.move_clock(0.0)

    def _faults(self) -> dict[str, Faults[SlackFault] | Faults[MicrosoftFault]]:
        entra, graph = self._microsoft.entra.faults, self._microsoft.graph.faults
        return {"slack": self._slack.web_api.faults, "graph": graph, "entra": entra}

    def standing(self) -> Json:
        """What fails now: `faults` with the requests each still meets (0: all), `is_paced` and
        `skew` in seconds."""
        faults = [
            {"platform": platform, "on": one.pattern, "left": one.left, "what": _told(one.fault)}
            for platform, kept in self._faults().items()
            for one in kept.kept
        ]
        is_paced = self._slack.web_api.rate_limits
        return {"faults": faults, "is_paced": is_paced, "skew": self._skew}


def catalogue() -> list[Json]:
    """Every trouble with its name and what it does."""
    return [
        {"name": f"{platform}.{kind}", "sentence": sentence}
        for platform, table in (("slack", SLACK), ("graph", MICROSOFT), ("entra", MICROSOFT))
        for kind, (sentence, _) in table.items()
    ]


def _told(fault: SlackFault | MicrosoftFault) -> str:
    word = fault.error if isinstance(fault, SlackFault) else fault.code
    if isinstance(fault, SlackFault):
        drop = f"dropped {fault.drop}" if fault.drop else ""
    else:
        drop = f"dropped {fault.when}" if fault.drop else ""
    status = str(fault.status) if fault.status not in (0, 200) else ""
    wait = f"Retry-After {fault.retry_after}" if fault.retry_after is not None else ""
    slow = f"after {fault.delay:g} s" if fault.delay else ""
    return ", ".join(part for part in (status, word, wait, drop, slow) if part)

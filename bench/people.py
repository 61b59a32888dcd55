"""Simulates the busiest hour of 100,000 people: `python -m bench.people [PEOPLE]`.

Arrivals and times of models are published figures, each with its source; what is assumed says so.
It prints, for growing numbers of replicas, how long questions wait for a free lane, and what the
database has to write.
"""

import heapq
import math
import random
import sys
from typing import NamedTuple

PROMPTS = ((0.90, 4.1), (0.09, 17.6), (0.01, 72.0))
"""(share of people, questions of each in a day). Six a day on average, the top tenth 23, the top
hundredth 72. Source: Netskope Threat Labs, "ChatGPT use is increasing exponentially in the
enterprise" (2023), which counts those who use it; here everybody does."""
BUSY_HOUR = 0.16
"""Of a day's questions that come in its busiest hour. Assumed: an even day of eight hours gives
each an eighth, and the hours that Microsoft's Work Trend Index (June 2025) calls peaks, 9 to 11 and
13 to 15, a quarter more; everybody works in one time zone."""
FIRST_TOKEN, TOKENS_PER_SECOND = 0.89, 80.0
"""Seconds and tokens a second of a current model at its provider's API. Source: Artificial
Analysis, "GPT-5 (minimal): API Provider Benchmarking & Analysis"."""
ROUNDS = ((0.35, 1), (0.40, 2), (0.15, 3), (0.10, 5))
"""(share, rounds of a turn). Assumed."""
TOKENS, CALL = 250.0, 1.5
"""Tokens of a round and seconds of its calls, on average. Assumed."""
LANES = 16
"""Of one replica; `core.turn.lanes.LaneLimits.concurrency`."""
WRITES = (4, 4)
"""Commits of a turn: so many once (accepted, claimed, ended, posted), so many in each round (begun
and counted, its checkpoint, its evidence)."""
HOUR = 3_600.0


class Waits(NamedTuple):
    replicas: int
    busy: float
    """Share of the lanes that work, on average."""
    median: float
    late: float
    """Of a hundred questions one waits for longer, in seconds."""
    worst: float


def arrivals(people: int, chance: random.Random) -> list[float]:
    """The moments of the hour at which somebody asks."""
    a_day = people * sum(share * count for share, count in PROMPTS)
    rate = a_day * BUSY_HOUR / HOUR
    found: list[float] = []
    now = 0.0
    while now < HOUR:
        now += chance.expovariate(rate)
        found.append(now)
    return found


def rounds(chance: random.Random) -> int:
    luck = chance.random()
    for share, count in ROUNDS:
        luck -= share
        if luck < 0:
            return count
    return ROUNDS[-1][1]


def seconds(count: int, chance: random.Random) -> float:
    """Of a turn with that many rounds; times of models and calls have a long tail."""

    def about(mean: float) -> float:
        return mean * chance.lognormvariate(-0.32, 0.8)

    model = sum(about(FIRST_TOKEN) + about(TOKENS) / TOKENS_PER_SECOND for _ in range(count))
    return model + sum(about(CALL) for _ in range(count - 1))


def waits(asked: list[float], lasting: list[float], replicas: int) -> Waits:
    """With one queue for all lanes, as the inbox is one."""
    lanes = [0.0] * (replicas * LANES)
    heapq.heapify(lanes)
    waited: list[float] = []
    for at, lasts in zip(asked, lasting, strict=True):
        begins = max(at, heapq.heappop(lanes))
        heapq.heappush(lanes, begins + lasts)
        waited.append(begins - at)
    waited.sort()
    busy = sum(lasting) / (HOUR * len(lanes))
    return Waits(
        replicas, busy, waited[len(waited) // 2], waited[len(waited) * 99 // 100], waited[-1]
    )


def main(people: int = 100_000) -> None:
    chance = random.Random(1)
    asked = arrivals(people, chance)
    counts = [rounds(chance) for _ in asked]
    lasting = [seconds(count, chance) for count in counts]
    once, each = WRITES
    commits = (once * len(counts) + each * sum(counts)) / HOUR
    print(
        f"{people:,} people: {len(asked):,} questions in the busiest hour"
        f" ({len(asked) / HOUR:.0f}/s), {sum(counts) / HOUR:.0f} calls of models/s,"
        f" {sum(lasting) / len(lasting):.1f} s a turn, {sum(lasting) / HOUR:.0f} at once,"
        f" {commits:.0f} commits/s"
    )
    print(f"{'replicas':>8}{'busy':>7}{'median':>9}{'p99':>9}{'worst':>9}   seconds of waiting")
    needed = math.ceil(sum(lasting) / HOUR / LANES)
    for replicas in range(needed, needed + 5):
        found = waits(asked, lasting, replicas)
        print(
            f"{replicas:>8}{found.busy:>7.0%}{found.median:>9.2f}{found.late:>9.2f}"
            f"{found.worst:>9.2f}"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

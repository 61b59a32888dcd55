"""What the figures were measured on."""

import os
import platform
from importlib.metadata import version
from pathlib import Path

PACKAGES = (
    "langchain",
    "langgraph",
    "langgraph-checkpoint-sqlite",
    "pydantic-ai-slim",
    "openai-agents",
    "slack-bolt",
    "mcp",
)


def machine() -> str:
    """One line: processor, cores, memory, system, Python."""
    cores = os.cpu_count() or 0
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    return (
        f"{_processor()}, {cores} cores, {memory:.0f} GB, "
        f"{platform.system()} {platform.release()}, Python {platform.python_version()}"
    )


def versions() -> str:
    """One line: the peers, and the libraries that they share with the product."""
    return ", ".join(f"{name} {version(name)}" for name in PACKAGES)


def load() -> float:
    """How many processes wanted to run over the last minute."""
    return os.getloadavg()[0]


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())

"""Asks a process of its own, one JSON object a line, and kills it where it answers too late."""

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.specialists.sql.engines.threads import too_slow

LONGEST_ANSWER = 64 * 1024 * 1024
"""Bytes."""


class Child:
    """Started when it is first needed, and anew after it was killed. It inherits nothing of this
    process' environment, which holds keys."""

    def __init__(self, script: Path, *arguments: str) -> None:
        self._script = script
        self._arguments = arguments
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()

    async def ask(self, asked: Mapping[str, object], seconds: float) -> dict[str, Any] | None:
        """What it answers; None where it died. Raises `QueryFailed` when the time is over."""
        try:
            async with asyncio.timeout(seconds), self._turn:
                line = b""
                try:
                    line = await self._line(json.dumps(asked))
                finally:
                    # Also when the time is over or nobody waits any more: it is still at work.
                    if not line:
                        await self._kill()
        except TimeoutError:
            raise too_slow(seconds) from None
        return json.loads(line) if line else None

    async def close(self) -> None:
        async with self._turn:
            await self._kill()

    async def _line(self, asked: str) -> bytes:
        process = self._process
        if process is None or process.returncode is not None:
            process = self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-I",
                str(self._script),
                *self._arguments,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                cwd="/",
                env={"LC_ALL": "C.UTF-8"},
                limit=LONGEST_ANSWER,
            )
        if process.stdin is None or process.stdout is None:
            return b""
        try:
            process.stdin.write(asked.encode() + b"\n")
            await process.stdin.drain()
            return await process.stdout.readline()
        except (ConnectionError, ValueError):
            return b""

    async def _kill(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if process.returncode is None:
            process.kill()
        await process.wait()

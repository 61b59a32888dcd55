"""Loads what turns and clicks are made of while deliveries are taken already."""

import asyncio
import gc
import sys
from collections.abc import Generator
from contextlib import contextmanager

from bot.chats import Chats
from bot.office import OfficeRooms
from core.telemetry import logs
from core.turn.lanes import Lanes
from core.turn.run import Rooms

log = logs.get(__name__)


async def running(rooms: Rooms, lanes: Lanes, office: OfficeRooms, chats: Chats) -> None:
    """Load what turns are made of while questions are accepted already, then run them, and
    meanwhile load what the first click would wait for."""
    with _giving_way():
        await load(rooms)
    async with asyncio.TaskGroup() as group:
        warming = group.create_task(_warmed(office, chats))
        await lanes.run()
        warming.cancel()


async def load(rooms: Rooms) -> None:
    """Load what turns are made of."""
    await rooms.loop.load()
    await rooms.catalog.discover()
    _keep_what_is_loaded()


@contextmanager
def _giving_way() -> Generator[None]:
    """Libraries are imported in a thread, and whatever else wants the interpreter gets it ten times
    as often meanwhile: a delivery that comes in has a hundred hand-overs to make."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(usual / 10)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)


async def _warmed(office: OfficeRooms, chats: Chats) -> None:
    try:
        with _giving_way():
            await chats.warm()
            await office.warm()
    # Whoever clicks first is told what is wrong with it; questions are answered all the same.
    except Exception as failure:
        log.warning("office.unloaded", kind=type(failure).__name__)
        return
    _keep_what_is_loaded()
    log.info("office.loaded")


def _keep_what_is_loaded() -> None:
    """What was loaded stays. The collector would look through all of it again and again, 150 ms
    at a time in which nothing is acknowledged; and a turn makes a thousand objects that live
    until its end, which it need not look through twice while they do."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)

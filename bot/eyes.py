"""Chooses what reads pictures of pages: a model that sees, or a program of this machine."""

import shutil

from bot.settings import Settings
from core.errors import Misconfigured
from core.ledger.meter import Meter
from core.llm.chat import ChatDoor
from core.specialists.documents.eyes import Seeing
from core.specialists.documents.ingest import Eyes
from core.specialists.documents.ocr import LANGUAGES, NAME, Reading


def eyes(settings: Settings, chat: ChatDoor | None, meter: Meter) -> Eyes | None:
    """Raises `Misconfigured` where the program is wanted and is not there."""
    if settings.reads_locally:
        program = shutil.which(NAME)
        if program is None:
            raise Misconfigured(
                f"COUNTERSIGN_VISION is {settings.vision}, and there is no program {NAME} here:"
                " install it, or name a model that sees."
            )
        languages = settings.vision.partition(":")[2] or LANGUAGES
        return Reading(meter=meter, program=program, languages=languages)
    return Seeing(ask=chat.ask, model=settings.vision) if settings.vision and chat else None

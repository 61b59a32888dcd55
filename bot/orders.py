"""The commands of the command line that admins know from the chat, such as `usage` and `why`."""

# Imports stand inside the commands: `countersign --help` answers at once.
import argparse
import asyncio
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bot.config import Config
    from bot.settings import Settings

TEXTS = {
    "usage": "what was used: today, 7d, 30d, month, by person, channel, model, tool, purpose",
    "why": "why a tool is offered to a person or not",
    "policy": "the policy as it holds, with what admins changed in chat",
    "accept": "let a new or changed tool stand as it is listed now",
    "disable": "switch a tool, a connector, everything or all effects off",
    "enable": "switch it on again",
    "budget": "show or set budgets",
}


def add(commands: Any) -> None:
    """The parsers of these commands, added to those of the command line."""
    for word, text in TEXTS.items():
        part = commands.add_parser(word, help=text, description=f"{text[:1].upper()}{text[1:]}.")
        part.set_defaults(command=_ordered, word=word)
        part.add_argument("words", nargs="*", help="as in the chat")
        _common(part)
        if word == "usage":
            part.add_argument("--csv", action="store_true", help="all lines, as CSV")
        if word == "why":
            part.add_argument("--person", default="", metavar="ID", help="slack:T…/U…")
            part.add_argument("--place", default="", metavar="ID", help="slack:T…/C…")
    erase = commands.add_parser("erase", help="forget one human, under all of their ids")
    erase.set_defaults(command=_erase)
    erase.add_argument("persons", nargs="+", metavar="PERSON", help="slack:T…/U…, teams:…/…")
    _common(erase)
    prices = commands.add_parser("prices", help="let a price list count from the next use on")
    prices.set_defaults(command=_prices)
    prices.add_argument("verb", choices=["update"])
    prices.add_argument("file", type=Path, help="YAML or JSON: a version, prices by model")
    _common(prices)


def _common(part: argparse.ArgumentParser) -> None:
    part.add_argument("--workspace", action="store_true", help="of the local workspace")


def _ordered(given: argparse.Namespace) -> int:
    from bot import operator

    settings, config = _read(given)
    words = " ".join([given.word, *given.words, *(["csv"] if getattr(given, "csv", False) else [])])
    place, person = getattr(given, "place", ""), getattr(given, "person", "")
    operator.printed(asyncio.run(operator.carried(settings, config, words, place, person)))
    return 0


def _erase(given: argparse.Namespace) -> int:
    from bot import operator

    settings, _ = _read(given)
    id = asyncio.run(operator.forget(settings, given.persons))
    print(f"{id} is on record: the bot erases it within a minute, or when it is started next.")
    return 0


def _prices(given: argparse.Namespace) -> int:
    from bot import operator

    settings, _ = _read(given)
    count = asyncio.run(operator.bring_prices(settings, given.file))
    print(f"Prices of {count} models count from the next use on; those of the file stay before.")
    return 0


def _read(given: argparse.Namespace) -> "tuple[Settings, Config]":
    from bot import config, keyfile, settings

    found = settings.from_environment(is_workspace=given.workspace)
    if not found.keys:
        found = replace(found, keys=keyfile.made_keys(found.key_file)[0])
    return found, config.read(found)

"""The words of `countersign documents` on the command line."""

import argparse
import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bot.config import Config
    from bot.settings import Settings

Read = Callable[[argparse.Namespace], "tuple[Settings, Config]"]
_TEXT = "the documents that people may ask about"


def add_documents(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",  # pyright: ignore[reportPrivateUsage]
    read: Read,
    workspace: Callable[[argparse.ArgumentParser], None],
) -> None:
    """Add the command; `read` gives settings and configuration for what was typed."""
    part = commands.add_parser("documents", help=_TEXT, description=_TEXT)
    verbs = part.add_subparsers(metavar="VERB")

    def help(given: argparse.Namespace) -> int:
        part.print_help()
        return 2

    part.set_defaults(command=help)

    def verb(name: str, help: str, work: Callable[..., Coroutine[Any, Any, int]]) -> Any:
        made = verbs.add_parser(name, help=help, description=help)

        def run(given: argparse.Namespace) -> int:
            return asyncio.run(work(*read(given), given))

        made.set_defaults(command=run)
        workspace(made)
        return made

    adding = verb("add", "add a folder, or a drive of Microsoft 365, and read it", _add)
    adding.add_argument(
        "place", help="a folder; with --person: me/drive, drives/ID, sites/ID/drive"
    )
    adding.add_argument("--name", default="", help="what it is called; else the folder's own name")
    adding.add_argument(
        *("--readers", "-r"), action="append", default=[], metavar="WHO",
        help="group:…, person:…, entra:ID or place:…, several times; else group:everyone. Of a"
        " drive: shared, for those with whom Microsoft shares an item; else its person alone",
    )  # fmt: skip
    adding.add_argument("--link", default="", help="where people find the folder in a browser")
    adding.add_argument("--person", default="", help="whose rights a drive is read with")
    verb("sync", "read what changed", _sync).add_argument("name", nargs="?", default="")
    verb("status", "what each source holds, and what could not be read", _status)
    changing = verb("readers", "say anew who may read a source", _readers)
    changing.add_argument("name")
    changing.add_argument("who", nargs="+", metavar="WHO")
    verb("remove", "forget a source and its documents", _remove).add_argument("name")
    verb("search", "find passages in all of them", _search).add_argument("words", nargs="+")


async def _add(settings: "Settings", config: "Config", given: argparse.Namespace) -> int:
    from bot import documents

    return await documents.add(
        settings,
        config,
        given.place,
        name=given.name,
        readers=given.readers,
        link=given.link,
        owner=given.person,
    )


async def _sync(settings: "Settings", config: "Config", given: argparse.Namespace) -> int:
    from bot import documents

    return await documents.sync(settings, config, given.name)


async def _status(settings: "Settings", config: "Config", given: argparse.Namespace) -> int:
    from bot import documents

    return await documents.status(settings, config)


async def _readers(settings: "Settings", config: "Config", given: argparse.Namespace) -> int:
    from bot import documents

    return await documents.readers(settings, config, given.name, given.who)


async def _remove(settings: "Settings", config: "Config", given: argparse.Namespace) -> int:
    from bot import documents

    return await documents.remove(settings, config, given.name)


async def _search(settings: "Settings", config: "Config", given: argparse.Namespace) -> int:
    from bot import documents

    return await documents.search(settings, config, " ".join(given.words))

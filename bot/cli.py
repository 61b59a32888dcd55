"""The command line: `countersign run`, `check`, `doctor`, `backup` and the others."""

# Imports stand inside the commands: `countersign --help` answers at once.
import argparse
import asyncio
import importlib
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from bot import copying, documents_cli, orders

if TYPE_CHECKING:
    from bot.config import Config
    from bot.settings import Settings

MISCONFIGURED = 2
WRONG = 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code: 0 done, 1 found or met a problem, 2 misconfigured
    or misspelt."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.command is None:
        parser.print_help()
        return MISCONFIGURED
    from core.errors import Misconfigured, Unavailable, Unreadable

    try:
        return given.command(given)
    except Misconfigured as problem:
        _print_problems(str(problem).splitlines())
        return MISCONFIGURED
    except (Unavailable, Unreadable) as problem:
        _print_problems([str(problem)])
        return WRONG
    except BrokenPipeError:
        # Whoever read the output had enough; Python would flush into the pipe once more at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return WRONG
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="countersign", description="The governed AI colleague for Slack and Microsoft Teams."
    )
    commands = parser.add_subparsers(metavar="COMMAND")
    parser.set_defaults(command=None)
    texts = {
        "run": (_run, "start the bot"),
        "check": (_check, "read settings and configuration, start nothing"),
        "doctor": (_doctor, "say what is missing or out of reach"),
        "rotate-keys": (_rotate_keys, "seal what is kept with the first of COUNTERSIGN_KEYS"),
    }
    for name, (command, text) in texts.items():
        part = commands.add_parser(name, help=text, description=text)
        part.set_defaults(command=command)
        _add_workspace(part)
    copying.add_commands(commands.add_parser, _copy)
    _add_turn(commands.add_parser("turn", help="show what happened inside a turn"))
    _add_eval(commands.add_parser("eval", help="ask the SQL specialist graded questions"))
    documents_cli.add_documents(commands, _read, _add_workspace)
    _add_export(commands.add_parser("export", help="write out what was decided"))
    orders.add(commands)
    _add_sources(commands.add_parser("sources", help="look at the databases of `sources`"))
    _add_powerbi(commands.add_parser("powerbi", help="look at the semantic models of `sources`"))
    manifest = commands.add_parser(
        "manifest", help="print the app manifest for Slack, or write the app package for Teams"
    )
    manifest.set_defaults(command=_manifest)
    manifest.add_argument("surface", choices=["slack", "teams"])
    way_in = manifest.add_mutually_exclusive_group(required=True)
    way_in.add_argument("--url", default="", help="where the bot is reached: https://…")
    way_in.add_argument("--socket", action="store_true", help="Slack cannot reach the bot")
    manifest.add_argument("--app-id", default="", help="of the bot in Teams: TEAMS_APP_ID")
    manifest.add_argument(
        "--sso-resource", default="", help="where Teams may sign people in: TEAMS_SSO_RESOURCE"
    )
    manifest.add_argument(
        "--out", default="countersign-teams.zip", help="the file for Teams' app package"
    )
    return parser


def _add_workspace(part: argparse.ArgumentParser) -> None:
    part.add_argument(
        "--workspace",
        action="store_true",
        help="with the local workspace, which needs no account and no key",
    )


def _add_turn(part: argparse.ArgumentParser) -> None:
    part.description = "Show what happened inside a turn; without an id, list the newest turns."
    part.set_defaults(command=_turn)
    part.add_argument("id", nargs="?", default="", help="t_… as a failed answer or the log has it")
    part.add_argument("--json", action="store_true", help="everything, as JSON")
    part.add_argument("--full", action="store_true", help="long texts whole")


def _add_export(part: argparse.ArgumentParser) -> None:
    part.set_defaults(command=_export)
    part.add_argument(
        "what", choices=["decisions", "acts"], help="decisions about parked calls; acts of admins"
    )
    part.add_argument("--format", choices=["jsonl", "csv"], default="jsonl")
    part.add_argument("--since", type=_day, default=0.0, metavar="DAY", help="2026-10-01, in UTC")
    part.add_argument("--out", type=Path, metavar="FILE", help="instead of standard output")
    _add_workspace(part)


def _add_eval(part: argparse.ArgumentParser) -> None:
    part.description = (
        "Ask graded questions and say how many were answered right, and at what cost."
    )
    part.set_defaults(command=_eval, workspace=True)
    part.add_argument("set", nargs="?", default="sheets", help="`sheets`, or a file of questions")
    part.add_argument("--model", default="", help="a configured model; the default one otherwise")
    ways = ["progressive", "whole", "both"]
    part.add_argument("--discovery", choices=ways, default="both")
    part.add_argument("--only", nargs="+", default=[], metavar="ID", help="these questions alone")
    part.add_argument("--replay", default="", help="a recording, or `shipped`: asks no model")
    part.add_argument("--record", default="", metavar="FILE", help="keep what the model says")
    part.add_argument("--json", default="", metavar="FILE", help="everything, as JSON")


def _add_powerbi(part: argparse.ArgumentParser) -> None:
    part.description = "Ask Power BI what a person can reach of the semantic models."
    part.set_defaults(command=_powerbi)
    part.add_argument("what", choices=["check"], help="sign-in, permissions, tables, measures")
    part.add_argument("person", help="as the ledger names them: `slack:T…/U…`")
    _add_workspace(part)


def _add_sources(part: argparse.ArgumentParser) -> None:
    part.description = "Ask each database whether it is as its source describes it."
    part.set_defaults(command=_sources)
    part.add_argument("what", choices=["check"], help="tables, columns, verified queries, metrics")
    part.add_argument("id", nargs="?", default="", help="one source; otherwise all of them")
    _add_workspace(part)


def _day(text: str) -> float:
    return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC).timestamp()


def _read(given: argparse.Namespace) -> "tuple[Settings, Config]":
    """Settings and configuration, both with all their problems. Raises `Misconfigured`."""
    from bot import config, settings

    found = settings.from_environment(is_workspace=given.workspace)
    return found, config.read(found)


def _run(given: argparse.Namespace) -> int:
    from core.telemetry import logs
    from core.telemetry.redact import Redactor

    settings, config = _read(given)
    redactor = Redactor(settings.secrets())
    logs.configure(redactor)
    if not settings.keys:
        settings = _with_own_keys(settings)
        redactor.learn(*settings.secrets())
    # Loading the rooms takes a second or two, in which asyncio would hold back a Ctrl-C.
    importlib.import_module("bot.wiring")
    return asyncio.run(_running(settings, config))


def _with_own_keys(settings: "Settings") -> "Settings":
    from bot import keyfile
    from core.errors import Misconfigured
    from core.telemetry import logs

    try:
        keys, is_new = keyfile.made_keys(settings.key_file)
    except OSError as error:
        reason = f"cannot be made or read: {error.strerror}"
        raise Misconfigured(f"The key file {settings.key_file} {reason}.") from error
    if fault := keyfile.keys_fault(keys):
        raise Misconfigured(f"The key file {settings.key_file} {fault}.")
    if is_new:
        logs.get(__name__).info("keys.made", file=settings.key_file)
    return replace(settings, keys=keys)


async def _running(settings: "Settings", config: "Config") -> int:
    from bot import lifecycle, wiring
    from bot.server import Server

    async with wiring.build(settings, config, has_samples=settings.is_workspace) as application:
        standing = lifecycle.Standing()
        server = Server(application, standing, host=settings.host, port=settings.port)

        def greet() -> None:
            if text := application.greeting(server.address):
                print(text, flush=True)

        return await lifecycle.run([*application.parts, server], standing, on_up=greet)


def _check(given: argparse.Namespace) -> int:
    settings, _ = _read(given)
    where = settings.config or "no countersign.yaml, so the defaults"
    print(f"Settings and configuration are in order ({where}).")
    return 0


def _doctor(given: argparse.Namespace) -> int:
    from bot import doctor

    settings, config = _read(given)
    found = asyncio.run(doctor.problems(settings, config))
    _print_problems(found)
    if not found:
        print("Nothing is missing. Model keys were checked without a call that costs money.")
    return WRONG if found else 0


def _turn(given: argparse.Namespace) -> int:
    from bot import inside, settings

    stored = settings.stored_from_environment()
    said = asyncio.run(inside.told(stored, given.id, is_json=given.json, is_full=given.full))
    if said is None:
        _print_problems([f"No turn {given.id} is known here (any more)."])
        return WRONG
    print(said)
    return 0


def _manifest(given: argparse.Namespace) -> int:
    if given.surface == "teams":
        return _teams_package(given)
    from adapters.slack import manifest

    print(manifest.render(given.url), end="")
    return 0


def _copy(given: argparse.Namespace) -> int:
    print(asyncio.run(given.copying(given)))
    return 0


def _teams_package(given: argparse.Namespace) -> int:
    from pathlib import Path

    from adapters.teams import manifest

    content = manifest.package(given.url, given.app_id.lower(), given.sso_resource.lower())
    try:
        Path(given.out).write_bytes(content)
    except OSError as error:
        _print_problems([f"{given.out} cannot be written: {error.strerror}."])
        return WRONG
    print(f"{given.out} is ready to be uploaded to Teams.")
    return 0


def _export(given: argparse.Namespace) -> int:
    from bot import admin

    settings, _ = _read(given)
    read = admin.decisions_since if given.what == "decisions" else admin.acts_since
    rows = asyncio.run(read(settings, given.since))
    write = admin.as_csv if given.format == "csv" else admin.as_lines
    if given.out is None:
        write(rows, sys.stdout)
    else:
        admin.into_file(given.out, rows, write)
        print(f"{_counted(len(rows), given.what.removesuffix('s'))} written to {given.out}.")
    return 0


def _eval(given: argparse.Namespace) -> int:
    from bot.evaluation import command
    from core.errors import SourceFailed

    _, config = _read(given)
    ways = ("progressive", "whole") if given.discovery == "both" else (given.discovery,)
    wish = command.Wish(
        set=given.set,
        model=given.model,
        discovery=ways,
        only=tuple(given.only),
        replay=given.replay,
        record=given.record,
        json=given.json,
    )
    try:
        table, is_all_right = asyncio.run(command.evaluate(config, wish))
    except SourceFailed as failure:
        _print_problems([str(failure)])
        return WRONG
    print(table)
    return 0 if is_all_right else WRONG


def _sources(given: argparse.Namespace) -> int:
    from bot import sources

    _, config = _read(given)
    chosen = [one for one in config.sources if given.id in ("", one.id)]
    if not chosen:
        _print_problems(
            [f"There is no source {given.id}." if given.id else "There are no sources."]
        )
        return WRONG
    said, is_well = asyncio.run(sources.checked(chosen))
    print("\n".join(said))
    return 0 if is_well else WRONG


def _powerbi(given: argparse.Namespace) -> int:
    from bot import powerbi
    from core.records import PersonId

    settings, config = _read(given)
    if not config.semantic_models:
        _print_problems(["There are no semantic models under `sources`."])
        return WRONG
    person = PersonId(given.person)
    said, is_well = asyncio.run(powerbi.checked(settings, config.semantic_models, person))
    print("\n".join(said))
    return 0 if is_well else WRONG


def _rotate_keys(given: argparse.Namespace) -> int:
    from bot import admin

    settings, _ = _read(given)
    count = asyncio.run(admin.rotate_keys(settings))
    print(f"{_counted(count, 'row')} sealed anew. Nothing that is kept needs an older key now.")
    return 0


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _print_problems(problems: Sequence[str]) -> None:
    for problem in problems:
        print(f"- {problem}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())

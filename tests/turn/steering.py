"""Gives orders to a whole bot on either platform, and reads what came of them."""

import json

from bot.workspace.microsoft.seed import ACCOUNTS
from bot.workspace.slack.records import Json
from tests.fakes.model_script import Step, say
from tests.house import House
from tests.sides import MENTION

MARA = next(one.oid for one in ACCOUNTS if one.name == "mara")
ADMINS = f'admins: ["person:U0MARA", "person:{MARA}"]'
"""Mara is an admin on Slack, and in Teams by her verified object id."""
OFFERED = f"""
policy:
  {ADMINS}
  rules:
    - {{offer: "server:sample"}}
    - {{withhold: "tool:sample/export_sheet", in: ["place:public"]}}
"""
QUIET: list[Step] = [say("Done.")]


async def ordered(bot: House, person: str, words: str) -> Json:
    """Give the order in the channel sales; the message that the person alone is shown."""
    await bot.bot.rooms.catalog.discover()
    if bot.side.name == "slack":
        delivery = await bot.slack.command(person, "sales", "/countersign", words)
        return json.loads(delivery.body)
    before = len(bot.teams.by_bot(f"@{person}"))
    await bot.side.say(person, "sales", f"{MENTION} {words}")

    def told() -> list[Json] | None:
        """A panel is a card; what else is written to them has none."""
        new = bot.teams.by_bot(f"@{person}")[before:]
        return [one for one in new if one.get("attachments")] or None

    found = await bot.side.wait_for(told, 10.0)
    return found[0]


def words_of(shown: Json) -> str:
    """Everything that is to be read in it, on one line."""
    found: list[str] = []

    def walk(node: object) -> None:
        if isinstance(node, dict):
            text = node.get("text")
            if isinstance(text, str):
                found.append(text)
            for key, value in node.items():
                if key not in ("fallback", "text") or not isinstance(value, str):
                    walk(value)
        elif isinstance(node, list):
            for one in node:
                walk(one)

    walk({key: value for key, value in shown.items() if key != "text" or "blocks" not in shown})
    return " ".join(" ".join(found).replace("`", "").replace("**", "").split())


def buttons_of(shown: Json) -> dict[str, str]:
    """What each button is called, and what it types."""
    found: dict[str, str] = {}

    def walk(node: object) -> None:
        if isinstance(node, dict):
            if node.get("type") == "button":
                found[node["text"]["text"]] = node["value"]
            elif node.get("type") == "Action.Execute":
                found[node["title"]] = node["data"]["words"]
            for value in node.values():
                walk(value)
        elif isinstance(node, list):
            for one in node:
                walk(one)

    walk(shown)
    return found

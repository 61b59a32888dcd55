"""The people and channels that a fresh local workspace starts with."""

from bot.workspace.slack.records import Channel, ChannelKind, Member
from bot.workspace.slack.world import World

PEOPLE = (
    Member(
        id="U0MARA",
        name="mara",
        real_name="Mara Lindqvist",
        title="Sales lead",
        email="mara@larkspur.example",
    ),
    Member(
        id="U0TOMAS",
        name="tomas",
        real_name="Tomás Ferrer",
        title="Finance",
        email="tomas@larkspur.example",
        tz="Europe/Madrid",
    ),
    Member(
        id="U0PRIYA",
        name="priya",
        real_name="Priya Nair",
        title="IT admin",
        email="priya@larkspur.example",
        is_admin=True,
    ),
    Member(
        id="U0JONAS",
        name="jonas",
        real_name="Jonas Weber",
        title="Fjord & Fell Bikes",
        email="jonas@fjord-fell.example",
        is_guest=True,
    ),
)
CHANNELS: tuple[tuple[str, str, ChannelKind, str, tuple[Member, ...]], ...] = (
    ("C0GENERAL", "general", "public", "News and questions for everybody", PEOPLE),
    ("C0SALES", "sales", "public", "Orders, regions, forecasts", PEOPLE[:3]),
    ("C0FINANCE", "finance", "private", "Numbers before they are public", PEOPLE[1:3]),
)


def plant(world: World) -> None:
    """Four people, two public channels, a private one, and a direct message with the app for
    each person."""
    for person in PEOPLE:
        fields = {name: getattr(person, name) for name in person.__slots__}
        world.members[person.id] = Member(**fields)
    for channel_id, name, kind, topic, people in CHANNELS:
        members = [person.id for person in people] + [world.app.member]
        world.channels[channel_id] = Channel(
            id=channel_id, name=name, kind=kind, topic=topic, members=members
        )
    for person in PEOPLE:
        channel_id = f"D{person.id[1:]}"
        world.channels[channel_id] = Channel(
            id=channel_id, name="", kind="im", members=[person.id, world.app.member]
        )

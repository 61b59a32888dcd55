"""The app as an installation of its manifest makes it."""

from bot.workspace.slack.records import App, Json


def installed(manifest: Json) -> App:
    """What the manifest declares is there, and nothing else: an event without a subscription is
    not delivered, a command without a declaration is not known."""
    features, settings = manifest["features"], manifest["settings"]
    return App(
        name=manifest["display_information"]["name"],
        commands=tuple(one["command"] for one in features.get("slash_commands", ())),
        subscriptions=frozenset(settings["event_subscriptions"]["bot_events"]),
        has_home=features["app_home"]["home_tab_enabled"],
    )

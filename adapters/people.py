"""Adds to a person what their platform tells of them."""

from dataclasses import replace

from core.records import Person


def introduced(person: Person, *, name: str, time_zone: str, locale: str) -> Person:
    """The person with what is known; as they were where a value is empty."""
    return replace(
        person,
        name=name or person.name,
        time_zone=time_zone or person.time_zone,
        locale=locale or person.locale,
    )

"""What both chats say about how rows came about."""

from core.workings import Working

TITLE = "How I got this"


def lines(one: Working) -> list[str]:
    """Plain lines beside the query itself."""
    kept = f"{one.rows:,} row{'' if one.rows == 1 else 's'}"
    whole = "complete" if one.is_complete else "there are more"
    when = f" · as of {one.as_of}" if one.as_of else ""
    zone = f" · times in {one.time_zone}" if one.time_zone else ""
    said = [f"{one.source} · {kept}, {whole}{when}{zone} · {one.seconds:.2f} s"]
    if one.verified:
        said.append(f"Verified query: {one.verified}")
    if one.tables:
        said.append(f"Tables: {', '.join(one.tables)}")
    if one.filters:
        said.append(f"Filters: {'; '.join(one.filters)}")
    return [*said, *(f"Note: {note}" for note in one.notes)]

"""Files and folders of a drive: found by path, written, shared, shown."""

import secrets
from datetime import UTC, datetime

from bot.workspace.microsoft.graph import quickxor
from bot.workspace.microsoft.graph.calls import Call
from bot.workspace.microsoft.graph.failures import refused
from bot.workspace.microsoft.graph.records import Drive, DriveItem
from bot.workspace.microsoft.graph.world import Graph
from bot.workspace.microsoft.records import Account, Json
from bot.workspace.slack.people import media_type_of

ROOT = "root"
FORBIDDEN = frozenset('"*:<>?/\\|')
"""Characters that no name may have."""


def new_item_id() -> str:
    return f"01{secrets.token_hex(16).upper()}"


def root_of(drive: Drive) -> DriveItem:
    """The root folder, made when it is first needed."""
    for item in drive.items.values():
        if item.parent == "":
            return item
    made = DriveItem(id=new_item_id(), name=ROOT, parent="")
    drive.items[made.id] = made
    return made


def children(drive: Drive, folder: DriveItem) -> list[DriveItem]:
    found = [item for item in drive.items.values() if item.parent == folder.id]
    return sorted(found, key=lambda item: (item.content is not None, item.name.lower()))


def child(drive: Drive, folder: DriveItem, name: str) -> DriveItem | None:
    for item in children(drive, folder):
        if item.name.lower() == name.lower():
            return item
    return None


def by_path(drive: Drive, start: DriveItem, path: str) -> DriveItem:
    """Raises GraphRefused 404."""
    item = start
    for name in filter(None, path.split("/")):
        found = child(drive, item, name)
        if found is None:
            raise missing()
        item = found
    return item


def missing() -> Exception:
    return refused(404, "itemNotFound", "The resource could not be found.")


def folder_for(graph: Graph, drive: Drive, start: DriveItem, path: str) -> tuple[DriveItem, str]:
    """The folder in which a path ends, made where it is missing, and the last name."""
    *folders, name = [part for part in path.strip("/").split("/") if part] or [""]
    item = start
    for part in folders:
        check_name(part)
        found = child(drive, item, part)
        if found is None:
            found = _added(graph, drive, item, part)
        item = found
    check_name(name)
    return item, name


def check_name(name: str) -> None:
    if not name.strip() or name in (".", "..") or set(name) & FORBIDDEN or len(name) > 255:
        raise refused(400, "invalidRequest", "The provided name cannot contain such characters.")


def _added(graph: Graph, drive: Drive, parent: DriveItem, name: str) -> DriveItem:
    now = graph.tenant.clock()
    item = DriveItem(
        id=new_item_id(),
        name=name,
        parent=parent.id,
        created_at=now,
        changed_at=now,
        changed_by=drive.account.oid,
    )
    drive.items[item.id] = item
    return item


def make_folder(
    graph: Graph, drive: Drive, parent: DriveItem, name: str, behaviour: str
) -> DriveItem:
    """Raises GraphRefused 409 under `fail`, which is what a folder is made with usually."""
    check_name(name)
    if child(drive, parent, name) is None:
        return _added(graph, drive, parent, name)
    if behaviour != "rename":
        raise refused(409)
    return _added(graph, drive, parent, free_name(drive, parent, name))


def write(
    graph: Graph,
    drive: Drive,
    by: Account,
    target: tuple[DriveItem, str],
    content: bytes,
    *,
    behaviour: str = "replace",
    expected: str = "*",
) -> tuple[DriveItem, bool]:
    """Put bytes under a name in a folder; says as well whether the file is a new one.

    `behaviour` is what happens when the name is taken: `replace`, `rename` or `fail` (409).
    `expected` is an etag; another one is refused with 412.
    """
    folder, name = target
    known = child(drive, folder, name)
    if known is not None and known.content is None:
        raise refused(409, "nameAlreadyExists", "A folder has this name.")
    if known is None and expected not in ("", "*"):
        raise missing()
    if known is not None:
        check_etag(known, expected)
        if behaviour == "fail":
            raise refused(409)
        if behaviour == "rename":
            known, name = None, free_name(drive, folder, name)
    is_new = known is None
    item = known or _added(graph, drive, folder, name)
    item.version += 0 if is_new else 1
    item.content, item.media_type = content, media_type_of(item.name)
    item.changed_at, item.changed_by = graph.tenant.clock(), by.oid
    return item, is_new


def check_etag(item: DriveItem, expected: str) -> None:
    if expected not in ("", "*", item.etag):
        raise refused(412, "resourceModified", "ETag does not match current item's value")


def free_name(drive: Drive, folder: DriveItem, name: str) -> str:
    stem, dot, ending = name.rpartition(".")
    stem, tail = (stem, f"{dot}{ending}") if dot else (name, "")
    number = 1
    while child(drive, folder, f"{stem} {number}{tail}") is not None:
        number += 1
    return f"{stem} {number}{tail}"


def path_of(drive: Drive, item: DriveItem) -> str:
    """From the root, beginning with a slash; of the root itself, nothing."""
    names: list[str] = []
    while item.parent:
        names.append(item.name)
        item = drive.items[item.parent]
    return "".join(f"/{name}" for name in reversed(names))


def may_see(call: Call, drive: Drive, item: DriveItem, role: str = "read") -> bool:
    return is_visible(call.caller, drive, item, role)


def is_visible(account: Account, drive: Drive, item: DriveItem, role: str = "read") -> bool:
    """One's own, or shared: by a link for everybody of the company, or with oneself; what lies
    in a shared folder is shared."""
    if drive.account.oid == account.oid:
        return True
    while True:
        for grant in item.permissions:
            is_enough = role in grant["roles"] or "write" in grant["roles"]
            if is_enough and is_for(grant, account):
                return True
        if not item.parent:
            return False
        item = drive.items[item.parent]


def is_for(grant: Json, account: Account) -> bool:
    if "link" in grant:
        return grant["link"]["scope"] in ("organization", "anonymous")
    return is_invited(grant, account)


def is_invited(grant: Json, account: Account) -> bool:
    """By name, not by a link that many may use."""
    return str(grant.get("invitation", {}).get("email", "")).lower() == account.upn.lower()


def shown(graph: Graph, drive: Drive, item: DriveItem) -> Json:
    """The driveItem resource."""
    parent = drive.items.get(item.parent)
    changed = graph.tenant.find(item.changed_by) or drive.account
    person = {"user": {"id": changed.oid, "displayName": changed.display_name}}
    made: Json = {
        "@odata.etag": item.etag,
        "id": item.id,
        "eTag": item.etag,
        "cTag": f'"c:{item.etag[1:]}',
        "name": item.name,
        "size": size_of(drive, item),
        "webUrl": graph.tenant.link("files", item.id),
        "createdDateTime": time_of(item.created_at),
        "lastModifiedDateTime": time_of(item.changed_at),
        "createdBy": person,
        "lastModifiedBy": person,
        "parentReference": {"driveType": "business", "driveId": drive.id},
    }
    if parent is not None:
        where = f"/drives/{drive.id}/root:{path_of(drive, parent)}"
        made["parentReference"] |= {"id": parent.id, "name": parent.name, "path": where}
    else:
        made["root"] = {}
    if item.content is None:
        made["folder"] = {"childCount": len(children(drive, item))}
    else:
        hashes = {"quickXorHash": quickxor.digest(item.content)}
        made["file"] = {"mimeType": item.media_type, "hashes": hashes}
        made["@microsoft.graph.downloadUrl"] = download_address(graph, drive, item)
    if item.permissions:
        made["shared"] = {"scope": "users"}
    return made


def size_of(drive: Drive, item: DriveItem) -> int:
    if item.content is not None:
        return len(item.content)
    return sum(size_of(drive, inner) for inner in children(drive, item))


def time_of(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def download_address(graph: Graph, drive: Drive, item: DriveItem) -> str:
    """An address that needs no token, for as long as this stand-in runs."""
    for secret, (owner, item_id) in graph.downloads.items():
        if (owner, item_id) == (drive.account.oid, item.id):
            return f"{graph.tenant.base}/download/{secret}"
    secret = secrets.token_urlsafe(24)
    graph.downloads[secret] = (drive.account.oid, item.id)
    return f"{graph.tenant.base}/download/{secret}"

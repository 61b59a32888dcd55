"""Graph's files: by path, by id, searched, written, shared."""

import base64
from collections.abc import Callable

from bot.workspace.microsoft.graph import drives, odata, sharing, uploads
from bot.workspace.microsoft.graph.calls import Answer, Call, Route, owned, route
from bot.workspace.microsoft.graph.drive_changes import delta
from bot.workspace.microsoft.graph.failures import refused
from bot.workspace.microsoft.graph.records import DriveItem
from bot.workspace.microsoft.records import Json, object_of

READ = ("Files.Read", "Files.Read.All", "Files.ReadWrite", "Files.ReadWrite.All")
WRITE = ("Files.ReadWrite", "Files.ReadWrite.All")
SMALL = 250 * 2**20
"""Bytes that may be put in one request."""
BEHAVIOUR = "@microsoft.graph.conflictBehavior"
Use = Callable[[Call, DriveItem], Answer]


def _start(call: Call) -> DriveItem:
    """The item that the route names by its id, or the root."""
    wanted = call.parts.get("id", drives.ROOT)
    root = drives.root_of(call.drive)
    if wanted.lower() == drives.ROOT:
        return root
    found = call.drive.items.get(wanted)
    if found is None:
        raise drives.missing()
    return found


def _item(call: Call, role: str = "read") -> DriveItem:
    """The item that the route is about. Raises GraphRefused 404, also for what the caller may
    not see, 403 for what they may only read."""
    item = _start(call)
    if "path" in call.parts:
        item = drives.by_path(call.drive, item, call.parts["path"])
    if not drives.may_see(call, call.drive, item):
        raise drives.missing()
    if role != "read" and not drives.may_see(call, call.drive, item, role):
        raise refused(403, "accessDenied", "Access denied")
    return item


def _reading(use: Use) -> Callable[[Call], Answer]:
    return lambda call: use(call, _item(call))


def _writing(use: Use) -> Callable[[Call], Answer]:
    return lambda call: use(call, _item(call, "write"))


def get_drive(call: Call) -> Answer:
    owner = call.drive.account
    used = drives.size_of(call.drive, drives.root_of(call.drive))
    body: Json = {
        "id": call.drive.id,
        "driveType": "business",
        "name": "OneDrive",
        "webUrl": call.graph.tenant.link("files", ""),
        "owner": {"user": {"id": owner.oid, "displayName": owner.display_name}},
        "quota": {"total": 2**40, "used": used, "remaining": 2**40 - used, "state": "normal"},
    }
    return Answer(body=body)


def get_item(call: Call, item: DriveItem) -> Answer:
    shown = drives.shown(call.graph, call.drive, item)
    if "children" in call.query.get("$expand", ""):
        shown["children"] = _shown(call, drives.children(call.drive, item))
    return Answer(body=odata.selected(shown, call.query.get("$select", "")))


def _shown(call: Call, items: list[DriveItem]) -> list[Json]:
    return [drives.shown(call.graph, call.drive, item) for item in items]


def list_children(call: Call, item: DriveItem) -> Answer:
    found = _shown(call, drives.children(call.drive, item))
    return Answer(body=odata.listed(call, found, usual=200, context="driveItems"))


def get_content(call: Call, item: DriveItem) -> Answer:
    """Elsewhere, at an address that needs no token."""
    if item.content is None:
        raise refused(400, "invalidRequest", "A folder has no content.")
    address = drives.download_address(call.graph, call.drive, item)
    return Answer(status=302, headers={"Location": address})


def search(call: Call) -> Answer:
    """In names, and in the text of files that are text."""
    words = call.parts["q"].lower().split()
    found = [
        item
        for item in call.drive.items.values()
        if item.parent and drives.may_see(call, call.drive, item)
        if all(word in _text(item) for word in words)
    ]
    return Answer(body=odata.listed(call, _shown(call, found), usual=200, context="driveItems"))


def _text(item: DriveItem) -> str:
    is_text = item.content is not None and item.media_type.startswith("text/")
    content = item.content.decode("utf-8", "replace") if is_text and item.content else ""
    return f"{item.name} {content}".lower()


def shared_with_me(call: Call) -> Answer:
    found: list[Json] = []
    for drive in call.graph.drives.values():
        if drive.account.oid == call.caller.oid:
            continue
        for item in drive.items.values():
            if any(drives.is_invited(grant, call.caller) for grant in item.permissions):
                shown = drives.shown(call.graph, drive, item)
                found.append({**shown, "remoteItem": shown})
    return Answer(body=odata.listed(call, found, usual=200, context="driveItems"))


def get_shared(call: Call) -> Answer:
    """The bytes behind an address, as the caller may see them."""
    written = call.parts["share"].removeprefix("u!")
    try:
        address = base64.urlsafe_b64decode(written + "=" * (-len(written) % 4)).decode()
    except ValueError:
        raise refused(400, "invalidRequest", "The sharing token is not valid.") from None
    owner, id = call.graph.shared.get(address, ("", ""))
    drive = call.graph.drives.get(owner)
    item = drive.items.get(id) if drive is not None else None
    if drive is None or item is None:
        raise drives.missing()
    if not drives.may_see(call, drive, item):
        raise refused(403, "accessDenied", "Access denied")
    return Answer(
        status=302, headers={"Location": drives.download_address(call.graph, drive, item)}
    )


def recent(call: Call) -> Answer:
    files = [item for item in call.drive.items.values() if item.content is not None]
    files.sort(key=lambda item: item.changed_at, reverse=True)
    return Answer(body=odata.listed(call, _shown(call, files), context="driveItems"))


def put_content(call: Call) -> Answer:
    """Replaces what is there unless another `conflictBehavior` is asked for."""
    if len(call.content) > SMALL:
        raise refused(413, "invalidRequest", "The file is too large for one request.")
    item, is_new = drives.write(
        call.graph,
        call.drive,
        call.caller,
        _target(call),
        call.content,
        behaviour=call.query.get(BEHAVIOUR, "replace"),
        expected=call.headers.get("if-match", "*"),
    )
    call.note("file.written", item.name, item.id)
    shown = drives.shown(call.graph, call.drive, item)
    return Answer(status=201 if is_new else 200, body=shown)


def _target(call: Call) -> tuple[DriveItem, str]:
    """Folder and name that are to be written."""
    start = _start(call)
    if not drives.may_see(call, call.drive, start, "write"):
        raise refused(403, "accessDenied", "Access denied")
    if "path" in call.parts:
        return drives.folder_for(call.graph, call.drive, start, call.parts["path"])
    if start.content is None:
        raise refused(400, "invalidRequest", "Cannot write to a folder.")
    return call.drive.items[start.parent], start.name


def make_folder(call: Call, parent: DriveItem) -> Answer:
    given = call.json()
    if object_of(given.get("folder")) is None:
        raise refused(400, "invalidRequest", "Only folders can be made here.")
    name, behaviour = str(given.get("name") or ""), str(given.get(BEHAVIOUR) or "fail")
    made = drives.make_folder(call.graph, call.drive, parent, name, behaviour)
    call.note("file.written", made.name, made.id)
    return Answer(status=201, body=drives.shown(call.graph, call.drive, made))


def change_item(call: Call, item: DriveItem) -> Answer:
    """A new name, or another folder."""
    drives.check_etag(item, call.headers.get("if-match", "*"))
    given = call.json()
    if "name" in given:
        drives.check_name(str(given["name"]))
        other = drives.child(call.drive, call.drive.items[item.parent], str(given["name"]))
        if other is not None and other is not item:
            raise refused(409)
        item.name = str(given["name"])
    parent = object_of(given.get("parentReference")) or {}
    if parent.get("id"):
        if parent["id"] not in call.drive.items:
            raise drives.missing()
        item.parent = str(parent["id"])
    item.version += 1
    call.note("file.written", item.name, item.id)
    return Answer(body=drives.shown(call.graph, call.drive, item))


def delete_item(call: Call, item: DriveItem) -> Answer:
    drives.check_etag(item, call.headers.get("if-match", "*"))
    if not item.parent:
        raise refused(400, "invalidRequest", "The root cannot be deleted.")
    for inner in list(drives.children(call.drive, item)):
        delete_item(call, inner)
    call.drive.items.pop(item.id, None)
    call.note("file.deleted", item.name, item.id)
    return Answer(status=204)


def create_upload(call: Call) -> Answer:
    return uploads.create(call, _target(call))


def _everywhere(method: str, tail: str, act: Callable[[Call], Answer], *scopes: str) -> list[Route]:
    """By id, by path from the root, and by path from an id. A client library writes the path
    from the root as if `root:/…` were an id."""
    mark = ":" if tail else ""
    templates = [
        f"/drive/root{tail}",
        f"/drive/items/{{id}}{tail}",
        f"/drive/root:/{{path}}{mark}{tail}",
        f"/drive/items/{{id}}:/{{path}}{mark}{tail}",
    ]
    if not tail:
        templates += ["/drive/root:/{path}:", "/drive/items/{id}:/{path}:"]
    return [owned(method, template, act, *scopes, others="anybody") for template in templates]


ROUTES: tuple[Route, ...] = (
    route("GET", "/shares/{share}/driveItem/content", get_shared, "Files.Read.All"),
    owned("GET", "/drive", get_drive, *READ, others="anybody"),
    owned("GET", "/drive/root/delta", delta, *READ, others="anybody"),
    owned("GET", "/drive/root/search(q='{q}')", search, *READ, others="anybody"),
    owned("GET", "/drive/items/{id}/search(q='{q}')", search, *READ, others="anybody"),
    owned("GET", "/drive/sharedWithMe", shared_with_me, *READ),
    owned("GET", "/drive/recent", recent, *READ),
    *_everywhere("GET", "/content", _reading(get_content), *READ),
    *_everywhere("PUT", "/content", put_content, *WRITE),
    *_everywhere("GET", "/children", _reading(list_children), *READ),
    *_everywhere("POST", "/children", _writing(make_folder), *WRITE),
    *_everywhere("POST", "/createLink", _writing(sharing.create_link), *WRITE),
    *_everywhere("POST", "/invite", _writing(sharing.invite), *WRITE),
    *_everywhere("GET", "/permissions", _reading(sharing.permissions), *READ),
    *_everywhere("POST", "/createUploadSession", create_upload, *WRITE),
    *_everywhere("PATCH", "", _writing(change_item), *WRITE),
    *_everywhere("DELETE", "", _writing(delete_item), *WRITE),
    *_everywhere("GET", "", _reading(get_item), *READ),
)

"""Large files that arrive in pieces at an address of their own."""

import re
import secrets

from aiohttp import web

from bot.workspace.microsoft.graph import drives
from bot.workspace.microsoft.graph.calls import Answer, Call
from bot.workspace.microsoft.graph.failures import GraphRefused, body, refused
from bot.workspace.microsoft.graph.records import DriveItem, Upload
from bot.workspace.microsoft.graph.world import Graph, stamped
from bot.workspace.microsoft.records import Json, object_of
from bot.workspace.microsoft.tenant import new_guid

RANGE = re.compile(r"^bytes (\d+)-(\d+)/(\d+)$")
PIECE = 320 * 1_024
"""Every piece but the last has to be a multiple of this many bytes."""
LIFETIME = 86_400.0


def create(call: Call, target: tuple[DriveItem, str]) -> Answer:
    given = object_of(call.json().get("item")) or {}
    behaviour = str(given.get("@microsoft.graph.conflictBehavior") or "replace")
    folder, name = target
    if behaviour == "fail" and drives.child(call.drive, folder, name) is not None:
        raise refused(409)
    secret = secrets.token_urlsafe(24)
    call.graph.uploads[secret] = Upload(
        owner=call.owner.oid,
        by=call.caller.oid,
        folder=folder.id,
        name=name,
        behaviour=behaviour,
        request_id=call.request_id,
        client_request_id=call.client_request_id,
    )
    answer: Json = {
        "uploadUrl": f"{call.graph.tenant.base}/upload/{secret}",
        "expirationDateTime": stamped(call.graph.tenant.clock() + LIFETIME),
        "nextExpectedRanges": ["0-"],
    }
    return Answer(body=answer)


class Pieces:
    """The addresses that need no token: pieces in, files out."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def add_routes(self, site: web.Application) -> None:
        site.router.add_put("/upload/{secret}", self._put)
        site.router.add_get("/upload/{secret}", self._state)
        site.router.add_delete("/upload/{secret}", self._cancel)
        site.router.add_get("/download/{secret}", self._download)

    def _upload(self, request: web.Request) -> Upload:
        found = self._graph.uploads.get(request.match_info["secret"])
        if found is None:
            raise refused(404, "itemNotFound", "The upload session was not found")
        return found

    async def _put(self, request: web.Request) -> web.Response:
        piece = await request.read()
        try:
            upload = self._upload(request)
            self._take(upload, request.headers.get("Content-Range", ""), piece)
            if len(upload.content) < upload.total:
                return web.json_response(
                    {"nextExpectedRanges": [f"{len(upload.content)}-"]}, status=202
                )
            item, is_new = self._finished(upload)
        except GraphRefused as no:
            return self._refused(no)
        del self._graph.uploads[request.match_info["secret"]]
        drive = self._graph.drives[upload.owner]
        shown = drives.shown(self._graph, drive, item)
        return web.json_response(shown, status=201 if is_new else 200)

    def _take(self, upload: Upload, given: str, piece: bytes) -> None:
        found = RANGE.match(given)
        if found is None:
            raise refused(
                400, "invalidRequest", "The Content-Range header is missing or malformed."
            )
        first, last, total = (int(number) for number in found.groups())
        if last - first + 1 != len(piece) or last >= total:
            raise refused(400, "invalidRequest", "The Content-Range does not fit the content.")
        if first != len(upload.content):
            raise refused(416, "invalidRange", "The uploaded fragment has already been received.")
        if last + 1 < total and len(piece) % PIECE:
            raise refused(400, "invalidRequest", "The fragment size is no multiple of 320 KiB.")
        upload.total = total
        upload.content += piece

    def _finished(self, upload: Upload) -> tuple[DriveItem, bool]:
        graph, drive = self._graph, self._graph.drives[upload.owner]
        by = graph.tenant.account(upload.by)
        item, is_new = drives.write(
            graph,
            drive,
            by,
            (drive.items[upload.folder], upload.name),
            bytes(upload.content),
            behaviour=upload.behaviour,
        )
        graph.note(
            "file.written",
            by,
            item.name,
            item.id,
            request_id=upload.request_id,
            client_request_id=upload.client_request_id,
        )
        return item, is_new

    async def _state(self, request: web.Request) -> web.Response:
        try:
            upload = self._upload(request)
        except GraphRefused as no:
            return self._refused(no)
        return web.json_response({"nextExpectedRanges": [f"{len(upload.content)}-"]})

    async def _cancel(self, request: web.Request) -> web.Response:
        self._graph.uploads.pop(request.match_info["secret"], None)
        return web.Response(status=204)

    async def _download(self, request: web.Request) -> web.Response:
        """Always as a download, never as a page."""
        owner, item_id = self._graph.downloads.get(request.match_info["secret"], ("", ""))
        drive = self._graph.drives.get(owner)
        item = drive.items.get(item_id) if drive is not None else None
        if item is None or item.content is None:
            return web.Response(status=404)
        headers = {"Content-Disposition": "attachment", "X-Content-Type-Options": "nosniff"}
        kind = "application/octet-stream"
        return web.Response(body=item.content, content_type=kind, headers=headers)

    def _refused(self, no: GraphRefused) -> web.Response:
        told = body(no.failure, new_guid(), "", self._graph.tenant.clock())
        return web.json_response(told, status=no.failure.status)

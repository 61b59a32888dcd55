"""Files at the Graph stand-in: written, found, shared."""

import base64

import pytest

from bot.workspace.microsoft.graph.quickxor import digest

WRITE = "Files.ReadWrite"


async def test_a_file_is_written_by_path_and_read_back_without_a_token(ms, caller):
    mara = caller("mara", WRITE)
    path = "/me/drive/root:/Reports/q3 summary.txt:"
    made = await mara("PUT", f"{path}/content", raw=b"North 1")
    assert made.status == 201
    assert made.body["parentReference"]["path"].endswith("/root:/Reports")
    again = await mara("PUT", f"{path}/content", raw=b"North 2")
    assert (again.status, again.body["id"]) == (200, made.body["id"])
    assert again.body["eTag"] != made.body["eTag"]
    moved = await mara("GET", f"{path}/content")
    assert moved.status == 302
    async with mara.session.get(moved.headers["Location"]) as response:
        assert await response.read() == b"North 2"
        assert response.headers["Content-Disposition"] == "attachment"
    assert len(ms.effects("file.written")) == 2


async def test_a_library_may_write_the_path_as_if_it_were_an_id(ms, caller):
    mara = caller("mara", WRITE)
    drive = (await mara("GET", "/me/drive")).body["id"]
    url = f"/drives/{drive}/items/root%3A%2FA%2Fb.txt%3A/content"
    assert (await mara("PUT", url, raw=b"x")).status == 201
    found = await mara("GET", f"/drives/{drive}/items/root:/A/b.txt")
    assert found.body["size"] == 1


@pytest.mark.parametrize(
    ("behaviour", "status", "name"),
    [("fail", 409, None), ("rename", 201, "a 1.txt"), ("replace", 200, "a.txt")],
)
async def test_what_happens_to_a_taken_name_is_asked_for(caller, behaviour, status, name):
    mara = caller("mara", WRITE)
    await mara("PUT", "/me/drive/root:/a.txt:/content", raw=b"1")
    url = f"/me/drive/root:/a.txt:/content?@microsoft.graph.conflictBehavior={behaviour}"
    reply = await mara("PUT", url, raw=b"2")
    assert reply.status == status
    assert name is None or reply.body["name"] == name
    assert name is not None or reply.code == "nameAlreadyExists"


async def test_an_older_version_does_not_overwrite_a_newer_one(caller):
    mara = caller("mara", WRITE)
    path = "/me/drive/root:/a.txt:/content"
    first = (await mara("PUT", path, raw=b"1")).body
    await mara("PUT", path, raw=b"2", If_Match=first["eTag"])
    assert (await mara("PUT", path, raw=b"3", If_Match=first["eTag"])).status == 412


async def test_files_are_found_by_name_and_by_text(caller):
    mara = caller("mara", WRITE)
    await mara("PUT", "/me/drive/root:/Plans/spring.txt:/content", raw=b"Otter launch")
    for words in ("spring", "otter"):
        found = await mara("GET", f"/me/drive/root/search(q='{words}')")
        assert [one["name"] for one in found.body["value"]] == ["spring.txt"]
    listed = await mara("GET", "/me/drive/root:/Plans:/children")
    assert [one["name"] for one in listed.body["value"]] == ["spring.txt"]


async def test_the_same_link_is_made_once(ms, caller):
    mara = caller("mara", WRITE)
    item = (await mara("PUT", "/me/drive/root:/a.txt:/content", raw=b"1")).body["id"]
    url, body = f"/me/drive/items/{item}/createLink", {"type": "view", "scope": "organization"}
    first, second = await mara("POST", url, body), await mara("POST", url, body)
    assert (first.status, second.status) == (201, 200)
    assert first.body["link"]["webUrl"] == second.body["link"]["webUrl"]
    assert len(ms.effects("link.created")) == 1
    everybody = {"type": "view", "scope": "anonymous"}
    assert (await mara("POST", url, everybody)).status == 403
    ms.graph.allows_anonymous_links = True
    assert (await mara("POST", url, everybody)).status == 201


@pytest.mark.parametrize("is_told", [True, False])
async def test_an_invitation_gives_access_and_a_mail_only_when_asked_for(ms, caller, is_told):
    mara, tomas = caller("mara", WRITE), caller("tomas", WRITE)
    made = (await mara("PUT", "/me/drive/root:/a.txt:/content", raw=b"1")).body
    url = f"/drives/{made['parentReference']['driveId']}/items/{made['id']}"
    before = len(ms.mails("tomas"))
    assert (await tomas("GET", url)).status == 404
    body = {
        "recipients": [{"email": "tomas@larkspur.example"}],
        "roles": ["read"],
        "sendInvitation": is_told,
    }
    assert (await mara("POST", f"{url}/invite", body)).status == 200
    assert (await tomas("GET", url)).status == 200
    assert (await tomas("PUT", f"{url}/content", raw=b"2")).status == 403
    shared = await tomas("GET", "/me/drive/sharedWithMe")
    assert "a.txt" in [one["name"] for one in shared.body["value"]]
    assert len(ms.mails("tomas")) - before == len(ms.effects("mail.sent")) == is_told


async def test_a_large_file_arrives_in_pieces_and_can_be_resumed(ms, caller):
    mara = caller("mara", WRITE)
    url = "/me/drive/root:/large.bin:/createUploadSession"
    begun = (await mara("POST", url, {"item": {}})).body
    content, piece = bytes(range(256)) * 2_000, 320 * 1_024
    total = len(content)

    async def put(first, last, part):
        headers = {"Content-Range": f"bytes {first}-{last}/{total}"}
        async with mara.session.put(begun["uploadUrl"], data=part, headers=headers) as response:
            return response.status, await response.json()

    assert begun["nextExpectedRanges"] == ["0-"]
    status, answer = await put(0, piece - 1, content[:piece])
    assert (status, answer["nextExpectedRanges"]) == (202, [f"{piece}-"])
    assert (await put(0, piece - 1, content[:piece]))[0] == 416
    async with mara.session.get(begun["uploadUrl"]) as response:
        assert (await response.json())["nextExpectedRanges"] == [f"{piece}-"]
    assert ms.effects("file.written") == []
    status, item = await put(piece, total - 1, content[piece:])
    assert (status, item["size"]) == (201, total)
    assert item["file"]["hashes"]["quickXorHash"] == digest(content)
    assert (await put(piece, total - 1, content[piece:]))[0] == 404


@pytest.mark.parametrize("name", ["a|b.txt", "..", "%20"])
async def test_a_name_that_no_file_may_have_is_refused(caller, name):
    reply = await caller("mara", WRITE)("PUT", f"/me/drive/root:/x/{name}:/content", raw=b"1")
    assert reply.status == 400


async def test_a_reader_cannot_write(caller):
    mara = caller("mara", "Files.Read")
    reply = await mara("PUT", "/me/drive/root:/a.txt:/content", raw=b"1")
    assert (reply.status, reply.code) == (403, "accessDenied")


def test_the_hash_is_the_sum_of_single_bytes_laid_round_a_ring():
    assert digest(b"") == base64.b64encode(bytes(20)).decode()
    for content in (b"a", b"Larkspur" * 50, bytes(range(256)) * 3):
        ring = [0] * 160
        for index, byte in enumerate(content):
            for bit in range(8):
                ring[(index * 11 + bit) % 160] ^= byte >> bit & 1
        for bit in range(64):
            ring[96 + bit] ^= len(content) >> bit & 1
        value = sum(bit << place for place, bit in enumerate(ring))
        assert digest(content) == base64.b64encode(value.to_bytes(20, "little")).decode()

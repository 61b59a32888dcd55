"""Chats and channels at the Graph stand-in."""

MEMBER = "#microsoft.graph.aadUserConversationMember"


def chat(ms, *people, kind="oneOnOne"):
    members = [
        {
            "@odata.type": MEMBER,
            "roles": ["owner"],
            "user@odata.bind": f"https://graph.microsoft.com/v1.0/users('{ms.person(who).oid}')",
        }
        for who in people
    ]
    return {"chatType": kind, "members": members}


def said(text):
    return {"body": {"contentType": "text", "content": text}}


async def test_a_chat_of_two_is_the_same_one_every_time(ms, caller):
    mara = caller("mara", "Chat.Create")
    first = await mara("POST", "/chats", chat(ms, "mara", "tomas"))
    second = await mara("POST", "/chats", chat(ms, "tomas", "mara"))
    assert (first.status, second.status) == (201, 201)
    assert first.body["id"] == second.body["id"]
    groups = [await mara("POST", "/chats", chat(ms, "mara", "tomas", kind="group")) for _ in "12"]
    assert groups[0].body["id"] != groups[1].body["id"]
    assert (await mara("POST", "/chats", chat(ms, "tomas", "priya"))).status == 400


async def test_a_message_is_posted_each_time_it_is_asked_for_and_read_by_members(ms, caller):
    mara = caller("mara", "Chat.Create ChatMessage.Send Chat.Read")
    made = (await mara("POST", "/chats", chat(ms, "mara", "tomas"))).body["id"]
    url = f"/chats/{made}/messages"
    for _ in "12":
        await mara("POST", url, said("Done"), client_request_id="c-1")
    assert ms.graph.counted("chat.posted") == {"c-1": 2}
    tomas = caller("tomas", "Chat.Read")
    found = (await tomas("GET", url)).body["value"]
    assert [m["body"]["content"] for m in found[:2]] == ["Done", "Done"]
    assert found[0]["from"]["user"]["displayName"] == "Mara Lindqvist"
    assert (await caller("priya", "Chat.Read")("GET", url)).status == 403
    assert (await mara("POST", url, said(""))).status == 400


async def test_a_channel_needs_its_own_permission(ms, caller):
    mara = caller("mara", "Team.ReadBasic.All Channel.ReadBasic.All ChannelMessage.Send")
    team = (await mara("GET", "/me/joinedTeams")).body["value"][0]["id"]
    channels = (await mara("GET", f"/teams/{team}/channels")).body["value"]
    channel = next(one["id"] for one in channels if one["displayName"] == "Sales")
    url = f"/teams/{team}/channels/{channel}/messages"
    posted = await mara("POST", url, said("Numbers are in"))
    assert posted.status == 201
    reply = await mara("POST", f"{url}/{posted.body['id']}/replies", said("Thanks"))
    assert reply.body["replyToId"] == posted.body["id"]
    assert (await mara("GET", url)).code == "Forbidden"
    priya = caller("priya", "ChannelMessage.Read.All")
    assert (await priya("GET", url)).body["value"][0]["body"]["content"] == "Numbers are in"

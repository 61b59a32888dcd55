"""A provider that fails in the ways that hurt, and counts what really happened: `FILE PORT`.

Of all requests 2 % are refused before the effect, 3 % are answered with 504 after it, and of 3 %
the reply is dropped. Keyed requests have one effect for each key; blind ones have one every time.
"""

import asyncio
import random
import sqlite3
import sys

from aiohttp import web

REFUSED, LIED, DROPPED = 0.02, 0.05, 0.08


def application(path: str) -> web.Application:
    db = sqlite3.connect(path, isolation_level=None)
    db.executescript(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;"
        "CREATE TABLE IF NOT EXISTS requests (key TEXT, kind TEXT);"
        "CREATE TABLE IF NOT EXISTS effects (key TEXT, kind TEXT);"
    )
    chance = random.Random(7)

    async def send(request: web.Request) -> web.Response:
        body = await request.json()
        key, kind, luck = body["key"], body["kind"], chance.random()
        db.execute("INSERT INTO requests VALUES (?, ?)", (key, kind))
        if luck < REFUSED:
            return web.Response(status=504)
        if kind == "blind" or not _count(db, key):
            db.execute("INSERT INTO effects VALUES (?, ?)", (key, kind))
        await asyncio.sleep(chance.random() * 0.01)
        if luck < LIED:
            return web.Response(status=504)
        if luck < DROPPED and request.transport is not None:
            request.transport.close()
        return web.json_response({"id": f"m-{key}"})

    async def look(request: web.Request) -> web.Response:
        return web.json_response({"count": _count(db, request.match_info["key"])})

    app = web.Application()
    app.router.add_post("/send", send)
    app.router.add_get("/by/{key}", look)
    app.add_routes(_channel(db, chance))
    return app


def _channel(db: sqlite3.Connection, chance: random.Random) -> list[web.RouteDef]:
    """A chat platform that takes every post, as often as it comes, and may answer too late."""
    db.execute("CREATE TABLE IF NOT EXISTS posts (id TEXT, thread TEXT, text TEXT)")

    async def put(request: web.Request) -> web.Response:
        body = await request.json()
        db.execute("INSERT INTO posts VALUES (?, ?, ?)", (body["id"], body["thread"], body["text"]))
        await asyncio.sleep(chance.random() * 0.05)
        return web.json_response({})

    async def find(request: web.Request) -> web.Response:
        sql = "SELECT count(*) FROM posts WHERE id = ?"
        [count] = db.execute(sql, (request.match_info["id"],)).fetchone()
        return web.json_response({"count": count})

    return [web.post("/posts", put), web.get("/posts/{id}", find)]


def _count(db: sqlite3.Connection, key: str) -> int:
    return int(db.execute("SELECT count(*) FROM effects WHERE key = ?", (key,)).fetchone()[0])


if __name__ == "__main__":
    web.run_app(
        application(sys.argv[1]), host="127.0.0.1", port=int(sys.argv[2]), print=None,
        access_log=None,
    )  # fmt: skip

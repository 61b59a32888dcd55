"""LangGraph's checkpoints of a running turn: sealed, plain JSON, the newest alone.

LangGraph's own savers keep every step of a thread for ever and load whatever type a row names.
Here a checkpoint belongs to a turn, holds nothing but JSON values, and a row that this process'
keys did not seal for exactly its place is refused.

The graph runs one node at a time (the calls of a round run side by side inside one), so a step is
kept when it is over. What a node wrote while its siblings still work is not: there are none.
"""

import json
from collections.abc import Sequence
from typing import Any, TypeAlias

from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
)

from core.errors import Unreadable
from core.identity.vault import KeyRing
from core.records import TurnId
from core.storage import checkpoints
from core.storage.checkpoints import Sealed
from core.storage.database import Database

RunnableConfig: TypeAlias = Any
"""LangChain's dict of settings for a run, of which `configurable` alone matters here."""


class SealedSaver(BaseCheckpointSaver[int]):
    """The saver to compile the graph with. The graph's `thread_id` is the turn's id.

    State must be dict, list, str, int, float, bool or None; anything else raises `Unreadable`
    when it is to be saved. Of the run's config only the ids are stored: `configurable` and
    `metadata` may carry secrets, which LangGraph's savers write down in clear.
    """

    def __init__(self, db: Database, keys: KeyRing) -> None:
        super().__init__()
        self._db = db
        self._keys = keys

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The newest checkpoint of the turn. Raises `Unreadable` for a row that is not ours."""
        turn, namespace = _place(config)
        row = await checkpoints.newest(self._db, turn, namespace)
        asked = get_checkpoint_id(config)
        if row is None or (asked is not None and asked != row.id):
            return None
        stored = self._open(row.body, "checkpoint", turn, namespace, row.id)
        try:
            return CheckpointTuple(
                config=_config(turn, namespace, row.id),
                checkpoint=stored["checkpoint"],
                metadata=stored["metadata"],
            )
        except (KeyError, TypeError):
            raise Unreadable("A sealed checkpoint does not have our shape.") from None

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep the checkpoint in place of the one before it, from the first node's end on: a turn
        of which nothing is done is begun anew."""
        turn, namespace = _place(config)
        id = checkpoint["id"]
        if metadata.get("step", 1) < 1:
            return _config(turn, namespace, id)
        body = self._seal(
            {"checkpoint": checkpoint, "metadata": metadata}, "checkpoint", turn, namespace, id
        )
        await checkpoints.put(self._db, turn, namespace, Sealed(id, body))
        return _config(turn, namespace, id)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Nothing to keep: the step's own checkpoint follows at once."""

    async def adelete_thread(self, thread_id: str) -> None:
        """Remove everything of the turn."""
        await checkpoints.forget(self._db, TurnId(thread_id))

    def _seal(self, value: object, *where: str) -> bytes:
        _require_plain(value)
        return self._keys.seal(json.dumps(value).encode(), json.dumps(where))

    def _open(self, body: bytes, *where: str) -> Any:
        opened = self._keys.unseal(body, json.dumps(where))
        try:
            return json.loads(opened)
        except ValueError:
            raise Unreadable("A sealed checkpoint is not JSON.") from None


def _place(config: RunnableConfig) -> tuple[TurnId, str]:
    configurable = config["configurable"]
    return TurnId(configurable["thread_id"]), configurable.get("checkpoint_ns", "")


def _config(turn: TurnId, namespace: str, checkpoint: str) -> RunnableConfig:
    return {
        "configurable": {
            "thread_id": turn,
            "checkpoint_ns": namespace,
            "checkpoint_id": checkpoint,
        }
    }


def _require_plain(value: object) -> None:
    """Raise `Unreadable` unless JSON gives the very same value back (a tuple would not)."""
    if value is None or type(value) in (str, int, float, bool):
        return
    if type(value) is list:
        for item in value:  # pyright: ignore[reportUnknownVariableType]
            _require_plain(item)  # pyright: ignore[reportUnknownArgumentType]
        return
    if type(value) is dict:
        for key, item in value.items():  # pyright: ignore[reportUnknownVariableType]
            if type(key) is not str:  # pyright: ignore[reportUnknownArgumentType]
                raise Unreadable("A checkpoint's keys must be texts.")
            _require_plain(item)  # pyright: ignore[reportUnknownArgumentType]
        return
    raise Unreadable(f"A checkpoint cannot hold a {type(value).__name__}, only JSON values.")

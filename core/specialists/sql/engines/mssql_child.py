"""The process that asks SQL Server and Fabric with Microsoft's driver: to kill it ends its query.

Run by its path, with nothing of this project imported. The driver has no way to cancel a query from
outside; the end of its connection is one, and the server rolls back and stops. One JSON object a
line comes in, `{"said": …, "token": …, "timeout": …, "pinned": …, "sql": …, "rows": …, "seconds":
…}`, and one goes out.
"""

import json
import math
import os
import re
import struct
import sys
import threading
import time as clock
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, cast

ACCESS_TOKEN = 1256
"""SQL_COPT_SS_ACCESS_TOKEN of Microsoft's ODBC driver: the Entra token that stands for a login."""
PROVIDER = "mssql-odbc"
"""The driver in the package that needs no library of the system."""


def main() -> None:
    threading.Thread(target=_follow, args=(os.getppid(),), daemon=True).start()
    import mssql_python

    # Its settings are properties of the module, which its types do not say.
    driver = cast("Any", mssql_python)
    if driver.native_provider != PROVIDER:
        driver.native_provider = PROVIDER
    # The driver's own pool knows connections by their address, not by whose they are.
    driver.pooling(enabled=False)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # Whatever a library prints must not stand between two answers.
    os.dup2(2, 1)
    for line in sys.stdin:
        answers.write(json.dumps(_told(driver, json.loads(line)), ensure_ascii=True) + "\n")
        answers.flush()


def _follow(parent: int) -> None:
    """End with the process that asks, also in the middle of a query."""
    while os.getppid() == parent:
        clock.sleep(0.5)
    os._exit(1)


def _told(driver: Any, asked: dict[str, Any]) -> dict[str, Any]:
    try:
        connection = _connected(driver, asked)
    except driver.Error as error:
        return {"failed": "connect", "text": str(error)[:1000]}
    try:
        connection.timeout = max(1, math.ceil(asked["seconds"]))
        cursor = connection.cursor()
        cursor.execute(asked["pinned"])
        cursor.execute(asked["sql"])
        rows = cursor.fetchmany(asked["rows"]) if asked["rows"] else cursor.fetchall()
        return {
            "columns": [str(one[0]) for one in cursor.description or ()],
            "rows": [list(map(_cell, row)) for row in rows],
        }
    except driver.Error as error:
        return {"failed": "query", "text": str(error)[:1000]}
    finally:
        _leave(driver, connection)


def _connected(driver: Any, asked: dict[str, Any]) -> Any:
    before = {ACCESS_TOKEN: token_struct(asked["token"])} if asked["token"] else {}
    address = ";".join(f"{name}={_braced(value)}" for name, value in asked["said"].items())
    # Nothing is ever committed: a statement that slipped through would be undone.
    return driver.connect(address, autocommit=False, attrs_before=before, timeout=asked["timeout"])


def token_struct(token: str) -> bytes:
    """A token as the driver takes it: its length in bytes, then UTF-16."""
    raw = token.encode("utf-16-le")
    return struct.pack("<I", len(raw)) + raw


def _braced(value: str) -> str:
    return "{" + value.replace("}", "}}") + "}" if re.search(r"[;{}=\s]", value) else value


def _leave(driver: Any, connection: Any) -> None:
    try:
        connection.rollback()
        connection.close()
    except driver.Error:
        # It is gone already, and with it whatever was to be undone.
        return


def _cell(value: Any) -> Any:
    """JSON has neither decimals nor dates: these come as `[kind, text]`."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else ["float", str(value)]
        case Decimal():
            return ["decimal", str(value)]
        case datetime():
            return ["moment", value.isoformat()]
        case date():
            return ["date", value.isoformat()]
        case time():
            return ["time", value.isoformat()]
        case bytes() | bytearray():
            return ["bytes", bytes(value).hex()]
        case _:
            return str(value)


if __name__ == "__main__":
    main()

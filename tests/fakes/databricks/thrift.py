"""The warehouse's protocol: HiveServer2's Thrift, by the connector's own generated code."""

import re
import time
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from databricks.sql.thrift_api.TCLIService import TCLIService
from databricks.sql.thrift_api.TCLIService import ttypes as T
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.transport.TTransport import TMemoryBuffer

from tests.fakes.databricks.warehouse import Statement, Warehouse

AT_ONCE = 1000
"""Rows of one fetch."""
_IDS = {
    "STRING": T.TTypeId.STRING_TYPE,
    "INT": T.TTypeId.INT_TYPE,
    "BIGINT": T.TTypeId.BIGINT_TYPE,
    "DOUBLE": T.TTypeId.DOUBLE_TYPE,
    "BOOLEAN": T.TTypeId.BOOLEAN_TYPE,
    "DATE": T.TTypeId.DATE_TYPE,
    "TIMESTAMP": T.TTypeId.TIMESTAMP_TYPE,
}


def answer(
    warehouse: Warehouse, statements: dict[bytes, Statement], user: str, body: bytes
) -> bytes:
    """The reply to one request. `statements` are those that were begun, by their id."""
    arrived, leaving = TMemoryBuffer(body), TMemoryBuffer()
    processor = TCLIService.Processor(_Calls(warehouse, statements, user))
    processor.process(TBinaryProtocol(arrived), TBinaryProtocol(leaving))
    return leaving.getvalue()


def _fine() -> Any:
    return T.TStatus(statusCode=T.TStatusCode.SUCCESS_STATUS)


class _Calls:
    """The calls of the protocol that the connector makes."""

    def __init__(self, warehouse: Warehouse, statements: dict[bytes, Statement], user: str) -> None:
        self._warehouse = warehouse
        self._statements = statements
        self._user = user

    def OpenSession(self, request: Any) -> Any:
        self._warehouse.sessions.append(dict(request.configuration or {}))
        return T.TOpenSessionResp(
            status=_fine(),
            serverProtocolVersion=T.TProtocolVersion.SPARK_CLI_SERVICE_PROTOCOL_V5,
            sessionHandle=T.TSessionHandle(T.THandleIdentifier(uuid4().bytes, uuid4().bytes)),
            canUseMultipleCatalogs=True,
            configuration={},
        )

    def CloseSession(self, request: Any) -> Any:
        return T.TCloseSessionResp(_fine())

    def ExecuteStatement(self, request: Any) -> Any:
        key = uuid4().bytes
        self._statements[key] = self._warehouse.begin(request.statement, self._user)
        handle = T.TOperationHandle(
            T.THandleIdentifier(key, key), T.TOperationType.EXECUTE_STATEMENT, True
        )
        return T.TExecuteStatementResp(status=_fine(), operationHandle=handle)

    def GetOperationStatus(self, request: Any) -> Any:
        statement = self._of(request)
        if not statement.is_over:
            time.sleep(0.02)
        error = statement.error
        return T.TGetOperationStatusResp(
            status=_fine(),
            operationState=_state(statement),
            sqlState=error.state if error else None,
            errorMessage=str(error) if error else None,
            displayMessage=str(error) if error else None,
        )

    def CancelOperation(self, request: Any) -> Any:
        self._of(request).cursor.interrupt()
        self._warehouse.cancelled.set()
        return T.TCancelOperationResp(_fine())

    def CloseOperation(self, request: Any) -> Any:
        return T.TCloseOperationResp(_fine())

    def GetResultSetMetadata(self, request: Any) -> Any:
        return _metadata(self._of(request))

    def FetchResults(self, request: Any) -> Any:
        statement = self._of(request)
        start = statement.given
        part = statement.rows[start : start + min(request.maxRows or AT_ONCE, AT_ONCE)]
        statement.given += len(part)
        columns = [
            _column(kind, [row[place] for row in part])
            for place, (_, kind) in enumerate(statement.columns)
        ]
        return T.TFetchResultsResp(
            status=_fine(),
            hasMoreRows=statement.given < len(statement.rows),
            results=T.TRowSet(start, [], columns),
            resultSetMetadata=_metadata(statement),
        )

    def _of(self, request: Any) -> Statement:
        return self._statements[request.operationHandle.operationId.guid]


def _state(statement: Statement) -> int:
    if not statement.is_over:
        return T.TOperationState.RUNNING_STATE
    if statement.error is None:
        return T.TOperationState.FINISHED_STATE
    if statement.error.name == "QUERY_EXECUTION_CANCELLED":
        return T.TOperationState.CANCELED_STATE
    return T.TOperationState.ERROR_STATE


def _metadata(statement: Statement) -> Any:
    described = [
        T.TColumnDesc(name, _described(kind), place)
        for place, (name, kind) in enumerate(statement.columns, 1)
    ]
    return T.TGetResultSetMetadataResp(
        status=_fine(),
        schema=T.TTableSchema(described),
        resultFormat=T.TSparkRowSetType.COLUMN_BASED_SET,
        lz4Compressed=False,
        isStagingOperation=False,
    )


def _described(kind: str) -> Any:
    if kind.startswith("DECIMAL"):
        precision, scale = map(int, re.findall(r"\d+", kind))
        sizes = {
            "precision": T.TTypeQualifierValue(i32Value=precision),
            "scale": T.TTypeQualifierValue(i32Value=scale),
        }
        entry = T.TPrimitiveTypeEntry(T.TTypeId.DECIMAL_TYPE, T.TTypeQualifiers(sizes))
    else:
        entry = T.TPrimitiveTypeEntry(_IDS.get(kind, T.TTypeId.STRING_TYPE))
    return T.TTypeDesc([T.TTypeEntry(primitiveEntry=entry)])


def _column(kind: str, found: Sequence[Any]) -> Any:
    nulls = bytearray((len(found) + 7) // 8)
    for place, value in enumerate(found):
        if value is None:
            nulls[place // 8] |= 1 << (place % 8)
    flags = bytes(nulls)
    match kind:
        case "INT":
            return T.TColumn(i32Val=T.TI32Column([one or 0 for one in found], flags))
        case "BIGINT":
            return T.TColumn(i64Val=T.TI64Column([one or 0 for one in found], flags))
        case "DOUBLE":
            return T.TColumn(doubleVal=T.TDoubleColumn([one or 0.0 for one in found], flags))
        case "BOOLEAN":
            return T.TColumn(boolVal=T.TBoolColumn([bool(one) for one in found], flags))
        case _:
            texts = ["" if one is None else str(one) for one in found]
            return T.TColumn(stringVal=T.TStringColumn(texts, flags))

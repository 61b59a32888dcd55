"""What a query may be made of: lists of node classes, functions and types, by sqlglot's names.

Nothing outside these lists runs. A name stands here because it reads what it is given and nothing
else: no file, no network, no setting, no session, no other statement.
"""

from collections.abc import Mapping

from core.specialists.sql.source import Dialect


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ROOTS = _words("Select Union Except Intersect Subquery")

NODES = ROOTS | _words("""
    CTE With From Join Where Group Having Order Ordered Limit Offset Fetch LimitOptions Distinct
    Qualify Window WindowSpec Lateral Pivot PivotAlias UnpivotColumns Table TableAlias Alias Aliases
    Column Identifier Star Literal Null Boolean Paren Tuple Interval IntervalSpan DataType
    DataTypeParam Between In Filter WithinGroup IgnoreNulls RespectNulls Bracket Slice Dot Lambda
    PropertyEQ AtTimeZone Escape Any All GroupingSets Cube Rollup JSONPath JSONPathKey JSONPathRoot
    JSONPathSubscript JSONPathWildcard Var National HavingMax Add Sub Mul Div IntDiv Mod DPipe
    BitwiseAnd BitwiseOr BitwiseXor BitwiseNot Neg Not EQ NEQ GT GTE LT LTE Is NullSafeEQ
    NullSafeNEQ Like ILike SimilarTo Glob Overlaps RawString
""")

FUNCTIONS = _words("""
    And Or Xor Case Convert If Coalesce Nullif Nvl2 Greatest Least Exists Cast TryCast Try Typeof
    Abs Acos Asin Atan Atan2 Cbrt Ceil Cos Cot Degrees Exp Factorial Floor Ln Log Pi Pow Radians
    Round Sign Sin Sqrt Tan Trunc SafeDivide IsNan IsInf WidthBucket Ascii Chr Concat ConcatWs
    Contains EndsWith StartsWith Initcap Left Right Length Lower Upper Levenshtein
    JarowinklerSimilarity Soundex Overlay Pad Repeat Replace Reverse Space Split SplitPart
    StrPosition Stuff Substring SubstringIndex Translate Trim Unicode Format StringToArray
    ArrayToString ToChar ToNumber RegexpCount RegexpExtract RegexpExtractAll RegexpFullMatch
    RegexpILike RegexpInstr RegexpLike RegexpReplace RegexpSplit RegexpSubstr AddMonths CurrentDate
    CurrentDatetime CurrentTime CurrentTimestamp Localtime Localtimestamp Date DateAdd DateBin
    DateDiff DateFromParts DateFromUnixDate DateStrToDate DateSub DateToDateStr DateToDi DateTrunc
    Datetime DatetimeAdd DatetimeDiff DatetimeSub DatetimeTrunc Day DayOfMonth DayOfWeek
    DayOfWeekIso DayOfYear Dayname DiToDate Extract Hour LastDay MakeInterval Minute Month Monthname
    MonthsBetween NextDay ParseDatetime ParseTime Quarter Second StrToDate StrToTime StrToUnix Time
    TimeAdd TimeDiff TimeFromParts TimeStrToDate TimeStrToTime TimeStrToUnix TimeSub TimeToStr
    TimeToTimeStr TimeToUnix TimeTrunc Timestamp TimestampAdd TimestampDiff TimestampFromParts
    TimestampSub TimestampTrunc TsOrDiToDi TsOrDsAdd TsOrDsDiff TsOrDsToDate TsOrDsToDateStr
    TsOrDsToDatetime TsOrDsToTime TsOrDsToTimestamp UnixDate UnixMicros UnixMillis UnixSeconds
    UnixToStr UnixToTime UnixToTimeStr Week WeekOfYear WeekStart Year YearOfWeek YearOfWeekIso
    ConvertTimezone JustifyDays JustifyHours JustifyInterval AnyValue ApproxDistinct ApproxQuantile
    ArgMax ArgMin ArrayAgg ArrayConcatAgg ArrayUniqueAgg Avg Corr Count CountIf CovarPop CovarSamp
    First GroupConcat Grouping GroupingId Kurtosis Last LogicalAnd LogicalOr Max Median Min Mode
    PercentileCont PercentileDisc Quantile RegrAvgx RegrAvgy RegrCount RegrIntercept RegrR2
    RegrSlope RegrSxx RegrSxy RegrSyy Skewness Stddev StddevPop StddevSamp Sum Variance VariancePop
    BitwiseAndAgg BitwiseOrAgg BitwiseCount CumeDist DenseRank FirstValue Lag LastValue Lead
    NthValue Ntile PercentRank Rank RowNumber Array ArrayAll ArrayAny ArrayConcat ArrayContains
    ArrayContainsAll ArrayDistinct ArrayExcept ArrayFilter ArrayFirst ArrayIntersect ArrayLast
    ArrayMax ArrayMin ArrayOverlaps ArrayPosition ArrayReverse ArraySize ArraySlice ArraySort
    ArraySum Flatten Transform Reduce List Explode ExplodeOuter _ExplodeOuter Posexplode
    PosexplodeOuter Unnest GenerateSeries ExplodingGenerateSeries GenerateDateArray
    GenerateTimestampArray JSONArrayContains JSONBContains JSONBExtract JSONBExtractScalar
    JSONBExists JSONExists JSONExtract JSONExtractArray JSONExtractScalar JSONFormat JSONKeys
    JSONType JSONValueArray ParseJSON FromJson OpenJSON StructExtract Struct Map MapKeys MapSize
    MapContainsKey Collate ToDays
""")
"""Functions that sqlglot has a class for. `Struct` is what `{'a': 1}` and ROW(…) become."""

TYPES = _words("""
    ARRAY BIGDECIMAL BIGINT BIT BOOLEAN BPCHAR CHAR DATE DATETIME DATETIME2 DATETIME64 DECIMAL
    DOUBLE FLOAT INT INT128 INTERVAL JSON JSONB LIST LONGTEXT MAP MEDIUMTEXT MONEY NCHAR NVARCHAR
    SMALLDATETIME SMALLINT SMALLMONEY STRUCT TEXT TIME TIMETZ TIMESTAMP TIMESTAMPNTZ TIMESTAMPLTZ
    TIMESTAMPTZ TIMESTAMP_S TIMESTAMP_MS TIMESTAMP_NS TINYINT UBIGINT UINT USMALLINT UTINYINT UUID
    VARCHAR
""")
"""Types to cast to. Not there: names that the database looks up (`regclass`), XML, bytes."""

_COMMON = _words("""
    age char_length concat date datetime datefromparts date_part datename datepart day dayofmonth
    difference eomonth floor hour instr isfinite julianday minute mod month nvl position power
    quarter second similarity sqrt strftime substr time timediff to_date to_timestamp trunc truncate
    unixepoch week weekday year corr covar_pop covar_samp cume_dist grouping median mode ntile
    nth_value percent_rank percentile regr_intercept regr_slope stdev stdevp total var var_pop
    var_samp varp bool_and bool_or every json_array_length json_extract json_extract_string
    json_query json_type json_value
""")
ANONYMOUS: Mapping[Dialect, frozenset[str]] = {
    "duckdb": _COMMON
    | _words("""
        approx_quantile century datesub datetrunc decade entropy epoch epoch_ms histogram isnan
        isodow isoyear json_array_length json_keys len list_aggregate list_avg list_contains
        list_count list_distinct list_extract list_filter list_max list_min list_sort list_sum
        list_transform make_date make_timestamp mad monthname dayname printf quantile_cont
        quantile_disc strlen time_bucket today weekofyear yearweek nullif
    """),
    "postgres": _COMMON
    | _words("""
        array_length array_position btrim cardinality date_bin div jsonb_array_elements
        jsonb_array_elements_text jsonb_array_length jsonb_each jsonb_each_text jsonb_extract_path
        jsonb_extract_path_text jsonb_object_keys jsonb_typeof json_array_elements
        json_array_elements_text json_each json_each_text json_extract_path json_extract_path_text
        json_object_keys json_typeof make_date make_interval make_time make_timestamp octet_length
        regexp_match regexp_matches regexp_split_to_array regexp_split_to_table scale to_number
        unnest width_bucket
    """),
    "sqlite": _COMMON
    | _words("""
        acos asin atan ceil char degrees glob iif json_each json_tree likely log2 log10 octet_length
        pi printf radians sign unicode unlikely
    """),
    "tsql": _COMMON
    | _words("""
        checksum_agg choose count_big datediff_big datetimefromparts datetrunc isdate isjson
        isnumeric log10 openjson parsename patindex quotename square str string_split switchoffset
        todatetimeoffset sysdatetime sysutcdatetime getutcdate
    """),
    "databricks": _COMMON
    | _words("""
        approx_percentile arrays_zip bround collect_list collect_set date_format date_from_unix_date
        element_at every exists filter forall from_unixtime from_utc_timestamp get get_json_object
        isnotnull isnull kurtosis log10 make_date make_timestamp map_entries map_values max_by
        min_by percentile posexplode sequence size some sort_array str_to_map to_unix_timestamp
        to_utc_timestamp transform try_add try_avg try_cast try_divide try_multiply try_subtract
        try_sum try_to_number try_to_timestamp unix_timestamp weekofyear
    """),
}
"""Functions that sqlglot has no class for, lower case."""

FROM_FUNCTIONS: Mapping[Dialect, frozenset[str]] = {
    "duckdb": _words("unnest generate_series range json_each"),
    "postgres": _words("""
        unnest generate_series exploding_generate_series jsonb_array_elements
        jsonb_array_elements_text jsonb_each jsonb_each_text jsonb_object_keys json_array_elements
        json_array_elements_text json_each json_each_text regexp_split_to_table
    """),
    "sqlite": _words("json_each json_tree"),
    "tsql": _words("string_split openjson generate_series"),
    "databricks": _words("explode explode_outer posexplode posexplode_outer range unnest sequence"),
}
"""Functions that may stand in FROM, lower case."""

SIZED = _words("Repeat Pad Space")
"""Functions whose text is as long as a number says."""
PRINTING = _words("printf format")
"""Functions whose text is as long as a format says."""
SERIES = _words("GenerateSeries ExplodingGenerateSeries")
SERIES_NAMES = _words("range generate_series sequence")

ARGUMENTS: Mapping[str, frozenset[str]] = {
    "Select": _words("""
        with_ expressions distinct from_ laterals joins where group having qualify windows order
        limit offset
    """),
    "Subquery": _words("this alias with_ laterals joins pivots order limit offset"),
    "Union": _words("with_ this expression distinct order limit offset"),
    "Except": _words("with_ this expression distinct order limit offset"),
    "Intersect": _words("with_ this expression distinct order limit offset"),
    "Table": _words("this alias db catalog laterals joins"),
    "Join": _words("this on side kind using"),
    "With": _words("expressions"),
    "CTE": _words("this alias materialized"),
    "Lateral": _words("this view outer alias cross_apply ordinality"),
    "Star": _words("except_ replace rename"),
    "Cast": _words("this to safe format"),
    "TryCast": _words("this to safe format"),
    "Limit": _words("this expression offset limit_options"),
    "Fetch": _words("direction count limit_options"),
    "Column": _words("this table db catalog"),
}
"""Of these nodes, the parts that may be there; of the others, every part."""

STATEMENT_WORDS = _words("""
    ADD ALTER BACKUP BEGIN BREAK BULK CHECKPOINT CLOSE COMMIT CONTINUE CREATE DBCC DEALLOCATE
    DECLARE DELETE DENY DROP DUMP EXEC EXECUTE EXIT FETCH GO GOTO GRANT IF INSERT KILL LOAD MERGE
    OPEN PRINT RAISERROR READTEXT RECONFIGURE RESTORE RETURN REVERT REVOKE ROLLBACK SAVE SET SETUSER
    SHUTDOWN THROW TRUNCATE UPDATE UPDATETEXT USE WAITFOR WHILE WRITETEXT
""")
"""T-SQL's statements need no separator: after a query one of these begins a statement, where
sqlglot reads an alias."""

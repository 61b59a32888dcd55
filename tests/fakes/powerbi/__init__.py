"""A stand-in for the Power BI service, with a subset of DAX over DuckDB."""

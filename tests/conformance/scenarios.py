"""Which scenarios of the suite are run, and which of their checks fail for which reason."""

from dataclasses import dataclass

SUITE = "@modelcontextprotocol/conformance"
VERSION = "0.2.0-alpha.12"
"""The first line of versions that knows the protocol of 2026-07-28."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    name: str
    fails: frozenset[str] = frozenset()
    """The checks that do not pass."""
    why: str = ""


def failing(name: str, why: str, *checks: str) -> Scenario:
    return Scenario(name=name, fails=frozenset(checks), why=why)


CLIENT = (
    Scenario(name="initialize"),
    Scenario(name="tools_call"),
    Scenario(name="sse-retry"),
    Scenario(name="request-metadata"),
    Scenario(name="http-standard-headers"),
    Scenario(name="json-schema-ref-no-deref"),
    Scenario(name="json-schema-2020-12-preservation"),
    failing(
        "sep-2322-client-request-state",
        "a call that asks a person for input in its middle is not supported and ends in a sentence",
        "sep-2322-client-request-state-echoed",
        "sep-2322-client-jsonrpc-id-different",
        "sep-2322-client-no-state-omitted",
    ),
    failing(
        "http-invalid-tool-headers",
        "a tool that mirrors an argument into a header is refused, a valid one as well",
        "sep-2243-client-reject-invalid-tool",
    ),
    failing(
        "http-custom-headers",
        "a tool that mirrors an argument into a header is refused: what a model wrote belongs into"
        " the body",
        "sep-2243-client-supports-custom-headers",
        "sep-2243-client-mirrors-designated-params",
        "sep-2243-client-encode-values",
        "sep-2243-client-base64-unsafe",
        "sep-2243-client-omit-null",
    ),
    failing(
        "elicitation-sep1034-client-defaults",
        "elicitation is not offered: nobody but the model is asked in the middle of a call",
        "client-elicitation-sep1034-general",
        "client-elicitation-sep1034-string-default",
        "client-elicitation-sep1034-integer-default",
        "client-elicitation-sep1034-number-default",
        "client-elicitation-sep1034-enum-default",
        "client-elicitation-sep1034-boolean-default",
    ),
)
"""Against our bridge. The scenarios of `auth/` are not run: a server's credentials are headers that
the operator sets, and the bridge does not sign itself in."""

SERVER = (
    Scenario(name="server-initialize"),
    Scenario(name="ping"),
    Scenario(name="tools-list"),
    Scenario(name="caching"),
    Scenario(name="http-header-validation"),
    Scenario(name="dns-rebinding-protection"),
    Scenario(name="resources-list"),
    Scenario(name="sep-2164-resource-not-found"),
    Scenario(name="prompts-list"),
    Scenario(name="input-required-result-unsupported-methods"),
    Scenario(name="input-required-result-ignore-extra-params"),
    failing(
        "server-stateless",
        "two of its checks want a diagnostic tool of the suite's",
        "sep-2575-server-rejects-undeclared-capability",
        "sep-2575-missing-capability-http-400",
    ),
    failing(
        "logging-set-level",
        "our servers log for the operator and not for their clients",
        "logging-set-level",
    ),
    failing(
        "completion-complete",
        "our servers have no prompts or templates to complete",
        "completion-complete",
    ),
)
"""Against our sample server. What is not named wants a tool, resource or prompt of the suite's
own."""

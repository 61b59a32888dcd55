"""How permissions are named and compared."""

import pytest

from core.identity.scopes import asked, granted, merged, missing, resource

PBI = "https://analysis.windows.net/powerbi/api/Dataset.Read.All"


def test_graphs_permissions_have_one_spelling() -> None:
    assert asked(["https://graph.microsoft.com/Mail.Send", "Mail.Send", "User.Read"]) == (
        "Mail.Send",
        "User.Read",
    )
    assert granted("https://graph.microsoft.com/Mail.Send openid profile User.Read") == {
        "Mail.Send",
        "User.Read",
    }


def test_a_permission_belongs_to_one_resource() -> None:
    assert resource("Mail.Send") == "https://graph.microsoft.com"
    assert resource(PBI) == "https://analysis.windows.net/powerbi/api"
    with pytest.raises(ValueError, match="one resource"):
        asked(["Mail.Send", PBI])
    with pytest.raises(ValueError, match="one resource"):
        asked(["openid", "offline_access"])


def test_what_was_not_given_is_named() -> None:
    assert missing(("Mail.Send", "User.Read"), frozenset({"mail.send"})) == ("User.Read",)
    assert granted(None) == granted("") == granted(7) == frozenset()


def test_an_answer_speaks_for_its_own_resource_alone() -> None:
    before = frozenset({"Mail.Send", "User.Read", PBI})
    assert merged(before, frozenset({"User.Read"})) == {"User.Read", PBI}
    assert merged(before, frozenset()) == before

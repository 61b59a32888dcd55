"""The pages of a sign-in, as HTML for a browser without scripts."""

from html import escape

from bot.workspace.microsoft.entra.authorize import Agree, Confirm, Pick, Sent, Stopped
from bot.workspace.microsoft.entra.directory import Directory
from bot.workspace.microsoft.entra.scopes import ADMIN_ONLY, GRAPH, KEPT, MEANINGS
from bot.workspace.microsoft.records import Account

STYLE, ICON = "/entra/entra.css", "/entra/icon.svg"
HUES = 8
"""Colours of avatars in the style sheet."""


def picked(directory: Directory, page: Pick) -> str:
    """Who signs in: everybody in the directory, the expected one first."""
    hint = page.attempt.login_hint.lower()
    people = [a for a in directory.tenant.accounts.values() if not a.is_shared_mailbox]
    people.sort(key=lambda account: account.upn.lower() != hint)
    tiles = "".join(_tile(account, account.upn.lower() == hint) for account in people)
    expected = f'<p class="hint">Expected: {escape(hint)}</p>' if hint else ""
    problem = f'<p class="problem" role="alert">{escape(page.problem)}</p>' if page.problem else ""
    other = (
        "<details><summary>Use another account</summary><label>Address"
        '<input type="email" name="other" autocomplete="off"></label>'
        '<button class="quiet" name="choice" value="">Next</button></details>'
    )
    body = f"""<h1>Pick an account</h1>
<p class="lead">to continue to <b>{escape(directory.registration.name)}</b></p>
{expected}{problem}<form method="post" action="/{directory.tenant.id}/sign-in">
{_hidden(page.attempt.id, "pick")}<div class="tiles">{tiles}</div>{other}</form>"""
    return layout(directory, "Sign in", body)


def confirmed(directory: Directory, page: Confirm) -> str:
    body = f"""{_who(page.account)}<h1>Approve sign in request</h1>
<p>{escape(directory.tenant.name)} asks for a second factor. Here a click stands for the phone.</p>
<form method="post" action="/{directory.tenant.id}/sign-in">{_hidden(page.attempt.id, "confirm")}
<div class="buttons"><button class="primary" name="choice" value="yes">Approve</button></div>
</form>"""
    return layout(directory, "Approve sign in request", body)


def agreed(directory: Directory, page: Agree) -> str:
    """What the app asks for, in words; a person who may not grant it can only go back."""
    app = directory.registration
    rows = [_permission(resource, name) for resource, name in _named(page.missing)]
    if page.attempt.asked.is_offline:
        rows.append(f"<li><b>{escape(KEPT)}</b><code>offline_access</code></li>")
    if page.needs_admin:
        title, lead = "Need admin approval", "needs permissions that only an admin can grant."
        buttons = '<button class="quiet" name="choice" value="no">Return to the app</button>'
    else:
        title, lead = "Permissions requested", "would like to:"
        buttons = (
            '<button class="quiet" name="choice" value="no">Cancel</button>'
            '<button class="primary" name="choice" value="yes">Accept</button>'
        )
    body = f"""{_who(page.account)}<h1>{title}</h1>
<div class="app"><span class="seal" aria-hidden="true">C</span><div><b>{escape(app.name)}</b>
<small>{escape(app.publisher)}</small></div></div>
<p class="lead">This app {lead}</p><ul class="permissions">{"".join(rows)}</ul>
<form method="post" action="/{directory.tenant.id}/sign-in">{_hidden(page.attempt.id, "agree")}
<div class="buttons">{buttons}</div></form>"""
    return layout(directory, title, body)


def stopped(directory: Directory, page: Stopped) -> str:
    failure = page.failure
    blocked = failure.number in (53000, 53003)
    title = "You cannot access this right now" if blocked else "Sorry, we cannot sign you in"
    body = f"""<h1>{title}</h1><p role="alert">AADSTS{failure.number}: {escape(failure.text)}</p>"""
    return layout(directory, title, body)


def told(directory: Directory, title: str, sentence: str) -> str:
    """A page that only says something."""
    body = f"<h1>{escape(title)}</h1><p>{escape(sentence)}</p>"
    return layout(directory, title, body)


def posted(directory: Directory, sent: Sent, nonce: str) -> str:
    """The page that posts the answer to the app, by itself where scripts run."""
    fields = "".join(
        f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">'
        for name, value in sent.fields.items()
    )
    body = f"""<h1>Working…</h1><form method="post" action="{escape(sent.redirect_uri)}">{fields}
<div class="buttons"><button class="primary">Continue</button></div></form>
<script nonce="{nonce}">document.forms[0].submit()</script>"""
    return layout(directory, "Working…", body)


def approval(directory: Directory, query: dict[str, str], names: list[str]) -> str:
    """What an administrator agrees to for everybody."""
    admins = [a for a in directory.tenant.accounts.values() if a.is_admin]
    rows = "".join(_permission(GRAPH, name) for name in names)
    hidden = "".join(
        f'<input type="hidden" name="{escape(k)}" value="{escape(v)}">' for k, v in query.items()
    )
    choices = "".join(
        f'<button class="primary" name="admin" value="{escape(a.upn)}">'
        f"Accept as {escape(a.display_name)}</button>"
        for a in admins
    )
    body = f"""<h1>Permissions requested</h1>
<p class="lead">Review for <b>{escape(directory.tenant.name)}</b>: everybody in it is covered.</p>
<ul class="permissions">{rows}</ul>
<form method="post">{hidden}<div class="buttons">
<button class="quiet" name="admin" value="">Cancel</button>{choices}</div></form>"""
    return layout(directory, "Permissions requested", body)


def layout(directory: Directory, title: str, body: str) -> str:
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title><link rel="icon" href="{ICON}">
<link rel="stylesheet" href="{STYLE}"></head>
<body><main><p class="tenant"><span class="mark" aria-hidden="true"></span>
{escape(directory.tenant.name)}</p>{body}</main>
<footer>A stand-in for Microsoft Entra ID on this machine. No password is asked for.</footer>
</body></html>"""


def _hidden(attempt: str, step: str) -> str:
    return (
        f'<input type="hidden" name="attempt" value="{escape(attempt)}">'
        f'<input type="hidden" name="step" value="{step}">'
    )


def _tile(account: Account, is_expected: bool) -> str:
    mark = " is-expected" if is_expected else ""
    return (
        f'<button class="tile{mark}" name="choice" value="{escape(account.upn)}">'
        f"{avatar(account)}<span><b>{escape(account.display_name)}</b>"
        f"<small>{escape(account.upn)}</small></span></button>"
    )


def avatar(account: Account) -> str:
    initials = "".join(word[0] for word in account.display_name.split()[:2])
    hue = sum(ord(c) * (i + 3) for i, c in enumerate(account.display_name)) % HUES
    return f'<span class="avatar hue-{hue}" aria-hidden="true">{escape(initials)}</span>'


def _who(account: Account) -> str:
    return f'<p class="who">{avatar(account)}{escape(account.upn)}</p>'


def _named(missing: dict[str, frozenset[str]]) -> list[tuple[str, str]]:
    return [(resource, name) for resource in missing for name in sorted(missing[resource])]


def _permission(resource: str, name: str) -> str:
    mark = '<em class="admin">admin</em>' if name in ADMIN_ONLY else ""
    short = name if resource == GRAPH else f"{resource}/{name}"
    return f"<li><b>{escape(MEANINGS.get(name, name))}</b>{mark}<code>{escape(short)}</code></li>"

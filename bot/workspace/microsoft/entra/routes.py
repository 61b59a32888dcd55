"""Entra's addresses on loopback: metadata, keys, sign-in pages, the token endpoint."""

import asyncio
import secrets
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from aiohttp import web

from bot.workspace.microsoft.entra import authorize, failures, pages, scopes, token
from bot.workspace.microsoft.entra.authorize import Agree, Confirm, Pick, Sent, Step
from bot.workspace.microsoft.entra.directory import LOGIN, Directory
from bot.workspace.microsoft.entra.failures import Refused
from bot.workspace.microsoft.records import Fault, Json, Request
from bot.workspace.microsoft.tenant import new_guid

COOKIE = "entra-local-session"
STATIC = Path(__file__).parents[2] / "static" / "outlook"
TENANT = "/{tenant}"
OAUTH = f"{TENANT}/oauth2/v2.0"


class EntraRoutes:
    def __init__(self, directory: Directory) -> None:
        self._directory, self._tenant = directory, directory.tenant

    def add_routes(self, site: web.Application) -> None:
        known = self._known_tenant
        router = site.router
        router.add_get(f"{TENANT}/v2.0/.well-known/openid-configuration", known(self._metadata))
        router.add_get("/common/discovery/instance", self._instance)
        router.add_get(f"{TENANT}/discovery/v2.0/keys", known(self._keys))
        router.add_get(f"{OAUTH}/authorize", known(self._authorize))
        router.add_post(f"{TENANT}/sign-in", known(self._sign_in))
        router.add_post(f"{OAUTH}/token", known(self._token))
        router.add_get(f"{OAUTH}/logout", known(self._logout))
        router.add_get(f"{TENANT}/v2.0/adminconsent", known(self._approval))
        router.add_post(f"{TENANT}/v2.0/adminconsent", known(self._approve))
        router.add_get("/entra/entra.css", self._style)
        router.add_get("/entra/icon.svg", self._icon)

    def _known_tenant(self, answer: Any) -> Any:
        async def known(request: web.Request) -> web.StreamResponse:
            given = request.match_info["tenant"]
            if given in (self._tenant.id, "organizations", "common"):
                return await answer(request)
            refused = failures.said(failures.UNKNOWN_TENANT, tenant=given)
            return self._refused(refused, "")

        return known

    # What libraries read.

    async def _metadata(self, _: web.Request) -> web.Response:
        """Everything under Microsoft's own name, as issued tokens say it, except the page that a
        browser opens: a client that maps the name to loopback needs to do so for its own calls
        alone."""
        login = f"{LOGIN}/{self._tenant.id}"
        here = f"{self._tenant.base}/{self._tenant.id}"
        return web.json_response(
            {
                "issuer": self._directory.issuer,
                "authorization_endpoint": f"{here}/oauth2/v2.0/authorize",
                "token_endpoint": f"{login}/oauth2/v2.0/token",
                "end_session_endpoint": f"{here}/oauth2/v2.0/logout",
                "jwks_uri": f"{login}/discovery/v2.0/keys",
                "response_modes_supported": list(authorize.MODES),
                "response_types_supported": ["code"],
                "scopes_supported": list(scopes.OPENID),
                "subject_types_supported": ["pairwise"],
                "id_token_signing_alg_values_supported": ["RS256"],
                "token_endpoint_auth_methods_supported": ["client_secret_post"],
                "request_uri_parameter_supported": False,
                "tenant_region_scope": "EU",
                "cloud_instance_name": "microsoftonline.com",
                "msgraph_host": "graph.microsoft.com",
            }
        )

    async def _instance(self, _: web.Request) -> web.Response:
        name = urlsplit(LOGIN).hostname
        address = f"{LOGIN}/{self._tenant.id}/v2.0/.well-known/openid-configuration"
        alias = {"preferred_network": name, "preferred_cache": name, "aliases": [name]}
        return web.json_response(
            {
                "tenant_discovery_endpoint": address,
                "api-version": "1.1",
                "metadata": [alias],
            }
        )

    async def _keys(self, _: web.Request) -> web.Response:
        return web.json_response(self._directory.keys.jwks())

    async def _token(self, request: web.Request) -> web.StreamResponse:
        form = {name: str(value) for name, value in (await request.post()).items()}
        fault = self._directory.faults.take(f"token {form.get('grant_type', '')}")
        await asyncio.sleep(self._directory.latency + (fault.delay if fault else 0.0))
        correlation_id = request.headers.get("client-request-id", "")
        if fault is not None and fault.when == "before":
            failed = self._faulty(request, form, fault, correlation_id)
            if failed is not None:
                return failed
        try:
            body, account = token.answer(self._directory, form)
        except Refused as refused:
            return self._refused(refused, correlation_id, request, form)
        if fault is not None and fault.when == "after":
            failed = self._faulty(request, form, fault, correlation_id)
            if failed is not None:
                return failed
        minted = next(reversed(self._directory.access_tokens.values()))
        self._note(request, form, 200, sorted(body), person=account.name, uti=minted.uti)
        return web.json_response(body, headers=_kept_by_nobody())

    def _faulty(
        self, request: web.Request, form: dict[str, str], fault: Fault, correlation_id: str
    ) -> web.Response | None:
        if fault.drop:
            self._note(request, form, 0, None)
            if request.transport is not None:
                request.transport.abort()
            return web.Response(status=500)
        if not fault.status:
            return None
        return self._refused(Refused(failures.of_fault(fault)), correlation_id, request, form)

    def _refused(
        self,
        refused: Refused,
        correlation_id: str,
        request: web.Request | None = None,
        form: dict[str, str] | None = None,
    ) -> web.Response:
        body = token.refusal(self._directory, refused, correlation_id)
        failure = refused.failure
        if request is not None and form is not None:
            self._note(request, form, failure.status, body)
        headers = _kept_by_nobody()
        if failure.retry_after is not None:
            headers["Retry-After"] = str(failure.retry_after)
        return web.json_response(body, status=failure.status, headers=headers)

    def _note(
        self,
        request: web.Request,
        form: dict[str, str],
        status: int,
        answer: Any,
        *,
        person: str = "",
        uti: str = "",
    ) -> None:
        secret = {"client_secret", "code", "code_verifier", "refresh_token", "assertion"}
        self._directory.requests.append(
            Request(
                method=request.method,
                path=request.path,
                query={},
                headers={},
                body={k: "…" if k in secret else v for k, v in form.items()},
                person=person,
                token=uti,
                status=status,
                answer=answer,
                request_id=new_guid(),
                client_request_id=request.headers.get("client-request-id", ""),
                at=self._tenant.clock(),
            )
        )
        self._tenant.publish("request", person)

    # What a browser opens.

    async def _authorize(self, request: web.Request) -> web.StreamResponse:
        session = request.cookies.get(COOKIE, "")
        shown = self._shown(authorize.begin(self._directory, dict(request.query), session))
        self._note(request, dict(request.query), shown.status, None)
        return shown

    async def _sign_in(self, request: web.Request) -> web.StreamResponse:
        form = {name: str(value) for name, value in (await request.post()).items()}
        attempt = authorize.open_attempt(self._directory, form.get("attempt", ""))
        if attempt is None:
            sentence = "Go back to the app and start again."
            page = pages.told(self._directory, "This sign-in has ended", sentence)
            return self._page(page, status=400)
        choice = form.get("choice", "")
        match form.get("step"):
            case "pick":
                step = authorize.pick(self._directory, attempt, choice or form.get("other", ""))
            case "confirm":
                step = authorize.confirm(self._directory, attempt)
            case _:
                step = authorize.agree(self._directory, attempt, is_accepted=choice == "yes")
        response = self._shown(step)
        if attempt.account is not None:
            session = secrets.token_urlsafe(24)
            self._directory.sessions[session] = attempt.account.oid
            response.set_cookie(COOKIE, session, httponly=True, samesite="Lax")
        return response

    def _shown(self, step: Step) -> web.Response:
        match step:
            case Pick():
                return self._page(pages.picked(self._directory, step), step.attempt.redirect_uri)
            case Confirm():
                page = pages.confirmed(self._directory, step)
                return self._page(page, step.attempt.redirect_uri)
            case Agree():
                return self._page(pages.agreed(self._directory, step), step.attempt.redirect_uri)
            case Sent(response_mode="form_post"):
                nonce = secrets.token_urlsafe(12)
                page = pages.posted(self._directory, step, nonce)
                return self._page(page, step.redirect_uri, nonce=nonce)
            case Sent():
                location = {"Location": step.url, **_kept_by_nobody()}
                return web.Response(status=302, headers=location)
            case _:
                return self._page(pages.stopped(self._directory, step), status=400)

    def _page(
        self, text: str, next_address: str = "", *, nonce: str = "", status: int = 200
    ) -> web.Response:
        """A browser asks for `form-action` at the redirect that follows a form as well."""
        split = urlsplit(next_address)
        origin = f" {split.scheme}://{split.netloc}" if split.netloc else ""
        script = f"'nonce-{nonce}'" if nonce else "'none'"
        headers = _kept_by_nobody() | {
            "Content-Security-Policy": (
                f"default-src 'none'; style-src 'self'; img-src 'self'; script-src {script}; "
                f"base-uri 'none'; form-action 'self'{origin}; frame-ancestors 'none'"
            ),
            "Referrer-Policy": "strict-origin-when-cross-origin",
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
        }
        return web.Response(text=text, content_type="text/html", status=status, headers=headers)

    async def _logout(self, request: web.Request) -> web.StreamResponse:
        self._directory.sessions.pop(request.cookies.get(COOKIE, ""), None)
        address = request.query.get("post_logout_redirect_uri", "")
        known = self._directory.registration.redirect_uris
        if any(authorize.same_address(address, one) for one in known):
            response = web.Response(status=302, headers={"Location": address})
        else:
            sentence = "It is a good idea to close all browser windows."
            response = self._page(pages.told(self._directory, "You signed out", sentence))
        response.del_cookie(COOKIE)
        return response

    async def _approval(self, request: web.Request) -> web.StreamResponse:
        query = dict(request.query)
        try:
            names = self._approved_names(query)
        except Refused as refused:
            return self._shown(authorize.Stopped(failure=refused.failure))
        page = pages.approval(self._directory, query, names)
        return self._page(page, query["redirect_uri"])

    def _approved_names(self, query: Json) -> list[str]:
        app, address = self._directory.registration, str(query.get("redirect_uri", ""))
        if query.get("client_id") != app.client_id:
            client = str(query.get("client_id", ""))
            raise failures.said(failures.UNKNOWN_APP, client=client, tenant=self._tenant.name)
        if not any(authorize.same_address(address, known) for known in app.redirect_uris):
            raise failures.said(failures.BAD_REDIRECT, redirect=address, client=app.client_id)
        asked = scopes.read(str(query.get("scope", "")))
        return sorted(asked.resources.get(scopes.GRAPH, frozenset()))

    async def _approve(self, request: web.Request) -> web.StreamResponse:
        form = {name: str(value) for name, value in (await request.post()).items()}
        try:
            names = self._approved_names(form)
        except Refused as refused:
            return self._shown(authorize.Stopped(failure=refused.failure))
        admin = self._tenant.find(form.get("admin", ""))
        fields = {"state": form.get("state", ""), "tenant": self._tenant.id}
        if admin is not None and admin.is_admin:
            self._directory.consents.grant_for_everybody(scopes.GRAPH, names)
            fields |= {"admin_consent": "True", "scope": " ".join(names)}
        else:
            fields |= {"error": "access_denied", "error_description": failures.DECLINED.text}
        address = form["redirect_uri"]
        return self._shown(Sent(redirect_uri=address, response_mode="query", fields=fields))

    async def _style(self, _: web.Request) -> web.StreamResponse:
        content = (STATIC / "css" / "entra.css").read_bytes()
        return web.Response(body=content, content_type="text/css")

    async def _icon(self, _: web.Request) -> web.StreamResponse:
        content = (STATIC / "entra.svg").read_bytes()
        return web.Response(body=content, content_type="image/svg+xml")


def _kept_by_nobody() -> dict[str, str]:
    return {"Cache-Control": "no-store", "Pragma": "no-cache"}

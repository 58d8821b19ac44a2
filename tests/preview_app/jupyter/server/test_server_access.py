"""Who may see what: every route is closed to strangers, and no path leads out of the root directory."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from typing import Any

import pytest
from jupyter_server.auth import Authorizer
from tornado.routing import PathMatches, Rule, RuleRouter
from tornado.web import RequestHandler

from preview_app.jupyter.handlers_base import DocpeekHandler
from preview_app.jupyter.routes import PREFIX, ROUTES
from tests.preview_app.jupyter.server.client import Client

METHODS = ("get", "head", "post", "put", "patch", "delete")
DENYING = {"ServerApp": {"authorizer_class": "tests.preview_app.jupyter.server.test_server_access.Denying"}}


class Denying(Authorizer):
    """Lets nobody read contents, and everybody do everything else."""

    def is_authorized(self, handler: Any, user: Any, action: str, resource: str) -> bool:
        return (action, resource) != ("read", "contents")


def mounted(router: RuleRouter) -> Iterator[Rule]:
    """Every rule of the application, however deep."""
    for rule in router.rules:
        if isinstance(rule.target, RuleRouter):
            yield from mounted(rule.target)
        else:
            yield rule


def requests(client: Client) -> list[tuple[str, str]]:
    """A method and a URL path for everything of ours that is mounted."""
    application = client.extension.serverapp.web_app  # type: ignore[union-attr]
    found = []
    for rule in mounted(application.default_router):
        if isinstance(rule.target, type) and rule.target.__module__.startswith("preview_app."):
            assert isinstance(rule.matcher, PathMatches)
            path = re.sub(r"\([^)]*\)", "12345678", rule.matcher.regex.pattern.rstrip("$")).replace("\\", "")
            own = [method for method in METHODS if getattr(rule.target, method) is not _missing(method)]
            found += [(method.upper(), path) for method in own]
    return found


def _missing(method: str) -> Any:
    return getattr(RequestHandler, method)


async def _codes(client: Client, headers: dict[str, str]) -> dict[tuple[str, str], int]:
    codes = {}
    for method, path in requests(client):
        route = path.partition(f"{PREFIX}/")[2]
        body = {"body": "{}"} if method in ("POST", "PUT", "PATCH") else {}
        answer = await client.ask(route, method=method, headers=headers, params={"path": "a.txt"}, **body)
        codes[method, route] = answer.code
    return codes


async def test_every_route_is_closed_without_a_token(client: Client) -> None:
    client.write("a.txt", "text")
    codes = await _codes(client, {"Authorization": ""})
    assert len(codes) >= len(ROUTES) == 12
    assert set(codes.values()) == {403}, codes


@pytest.mark.parametrize("settings", [DENYING])
async def test_every_route_asks_the_authorizer(client: Client) -> None:
    client.write("a.txt", "text")
    codes = await _codes(client, {})
    assert set(codes.values()) == {403}, codes


async def test_a_route_that_is_open_would_be_seen(client: Client) -> None:
    class Open(DocpeekHandler):
        async def get(self) -> None:
            self.tell({})

    Open.__module__ = "preview_app.jupyter.open"
    application = client.extension.serverapp.web_app  # type: ignore[union-attr]
    kwargs = {"name": "docpeek", "service": client.service}
    application.add_handlers(".*$", [(f"{client.base_url}{PREFIX}/open", Open, kwargs)])
    codes = await _codes(client, {"Authorization": ""})
    assert codes.pop(("GET", "open")) == 200
    assert set(codes.values()) == {403}


async def test_a_form_of_another_site_opens_nothing(client: Client) -> None:
    """A browser sends its cookie by itself; what it cannot send by itself is the token against forgery."""
    client.write("a.txt", "text")
    token = client.authorization.removeprefix("token ")
    login = await client.ask("about", headers={"Authorization": ""}, params={"token": token})
    cookies = [cookie.partition(";")[0] for cookie in login.headers.get_list("Set-Cookie")]
    assert cookies
    secret = "2|12345678|1234567890abcdef|1"
    headers = {"Authorization": "", "Cookie": "; ".join([*cookies, f"_xsrf={secret}"])}
    body = json.dumps({"path": "a.txt"})
    forged = await client.ask("documents", method="POST", body=body, headers=headers)
    assert forged.code == 403
    assert "_xsrf" in json.loads(forged.body)["message"]
    assert (await client.ask("about", headers=headers)).code == 200
    assert (await client.ask("documents/12345678", method="DELETE", headers=headers)).code == 403
    own = await client.ask("documents", method="POST", body=body, headers={**headers, "X-XSRFToken": secret})
    assert own.code == 200


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("../outside.txt", 404),
        ("sub/../../outside.txt", 404),
        ("/../outside.txt", 404),
        ("..%2Foutside.txt", 404),
        ("sub/../inside.txt", 404),
        ("missing.txt", 404),
        ("with\0nul.txt", 404),
        ("n" * 300 + ".txt", 404),
        ("n" * 5000, 404),
        ("", 404),
        ("/", 404),
        (".hidden.txt", 404),
        (".folder/inside.txt", 404),
        ("sub", 403),
        ("link-out.txt", 403),
        ("folder-out/outside.txt", 403),
        ("pipe.txt", 403),
    ],
)
async def test_what_may_not_be_read_is_refused(client: Client, path: str, code: int) -> None:
    root = client.root
    (root.parent / "outside.txt").write_text("secret")
    (root.parent / "elsewhere").mkdir()
    (root.parent / "elsewhere" / "outside.txt").write_text("secret")
    for name in ("inside.txt", ".hidden.txt", ".folder/inside.txt", "sub/inside.txt"):
        client.write(name, "text")
    (root / "link-out.txt").symlink_to(root.parent / "outside.txt")
    (root / "folder-out").symlink_to(root.parent / "elsewhere")
    os.mkfifo(root / "pipe.txt")
    response = await client.ask("documents", method="POST", body=json.dumps({"path": path}))
    assert response.code == code
    assert json.loads(response.body)["kind"] == {404: "not_found", 403: "not_allowed"}[code]
    assert b"secret" not in response.body
    assert str(root.parent).encode() not in response.body
    assert not len(client.service.documents)


@pytest.mark.parametrize("settings", [{"AsyncLargeFileManager": {"allow_hidden": True}}])
async def test_hidden_files_are_shown_where_jupyter_shows_them(client: Client) -> None:
    assert await client.open(client.write(".folder/.hidden.txt", "text"))


async def test_links_inside_of_the_root_are_followed(client: Client) -> None:
    client.write("real/a.txt", "text")
    (client.root / "link.txt").symlink_to(client.root / "real" / "a.txt")
    assert (await client.open("link.txt"))["path"] == "link.txt"


@pytest.mark.parametrize("settings", [{"links_may_leave": True}])
async def test_links_lead_out_where_that_is_wanted(client: Client) -> None:
    (client.root.parent / "outside.txt").write_text("text")
    (client.root / "link.txt").symlink_to(client.root.parent / "outside.txt")
    assert await client.open("link.txt")


async def test_a_document_whose_path_was_swapped_for_a_link_is_not_shown_any_more(client: Client) -> None:
    document = await client.open(client.write("a.txt", "text"))
    (client.root.parent / "outside.txt").write_text("secret")
    (client.root / "a.txt").unlink()
    (client.root / "a.txt").symlink_to(client.root.parent / "outside.txt")
    for what in ("", "/pages/1.png", "/pages/1/text", "/pdf", "/facts", "/outline", "/search"):
        assert (await client.of(document, what, params={"q": "x"})).code == 403, what


async def test_answers_cannot_be_taken_for_anything_else(client: Client) -> None:
    document = await client.open(client.write("a.txt", "<script>alert(1)</script>"))
    for what, kind in (
        ("", "application/json"),
        ("/pages/1.png", "image/png"),
        ("/pages/1/text", "application/json"),
        ("/outline", "application/json"),
        ("/facts", "application/json"),
        ("/pdf", "application/pdf"),
        ("/search", "application/x-ndjson"),
        ("/pages/9.png", "application/json"),
    ):
        answer = await client.of(document, what, params={"q": "x"})
        assert answer.headers["Content-Type"] == kind, what
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"


async def test_a_path_must_be_named_with_every_id(client: Client) -> None:
    document = await client.open(client.write("a.txt", "text"))
    other = client.write("b.txt", "text")
    assert (await client.ask(f"documents/{document['id']}")).code == 400
    assert (await client.ask(f"documents/{document['id']}", params={"path": other})).code == 410
    assert (await client.ask(f"documents/{document['id'][::-1]}", params={"path": "a.txt"})).code == 410
    assert (await client.ask("documents/short", params={"path": "a.txt"})).code == 404

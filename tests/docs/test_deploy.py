"""Image, compose file and cluster example fit the product: users, mounts, settings, routes."""

import ast
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot import cli, lifecycle, settings
from bot.server import QUIET
from tests.architecture.sources import ROOT, tracked
from tests.docs.test_docs import names_read

USER = 10001
STATE = "/var/lib/countersign"
PORT = 3978
DOCKERFILE = (ROOT / "deploy/Dockerfile").read_text("utf-8").replace("\\\n", " ")
BOT: dict[str, Any] = yaml.safe_load((ROOT / "deploy/compose.yaml").read_text("utf-8"))
CLUSTERS = ("kubernetes.yaml", "kubernetes-replicas.yaml")


def objects(file: str) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((ROOT / "deploy" / file).read_text("utf-8")))


def deployment(file: str) -> dict[str, Any]:
    return next(one for one in objects(file) if one["kind"] == "Deployment")["spec"]


def pod(file: str) -> dict[str, Any]:
    return deployment(file)["template"]["spec"]


def lines(word: str) -> list[str]:
    """What stands behind this instruction of the Dockerfile, line by line."""
    return re.findall(rf"^{word} +(.*)$", DOCKERFILE, re.MULTILINE)


def environment() -> dict[str, str]:
    [told] = [line for line in lines("ENV") if "COUNTERSIGN" in line]
    return dict(pair.split("=", 1) for pair in told.split())


def test_the_image_copies_what_there_is_and_installs_only_what_is_locked():
    sources = [word for line in lines("COPY") if "--from" not in line for word in line.split()[:-1]]
    files = {str(name) for name in tracked()}
    for source in sources:
        assert source in files or any(name.startswith(f"{source}/") for name in files), source
    ignored = (ROOT / "deploy/Dockerfile.dockerignore").read_text("utf-8").splitlines()
    assert ignored[0] == "**" and {f"!{source}" for source in sources} <= set(ignored)
    installs = re.findall(r"pip install ([^&\n]*)", DOCKERFILE)
    assert len(installs) == 2 and all("--no-deps" in one for one in installs)
    assert "--require-hashes --requirement requirements.lock" in installs[0]


def test_the_image_leaves_out_what_the_tests_alone_need():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    extras = [
        one for group in project["project"]["optional-dependencies"].values() for one in group
    ]
    needed = {name(one) for one in [*project["project"]["dependencies"], *extras]}
    of_tests = {name(one) for one in project["dependency-groups"]["dev"]} - needed
    [removed] = re.findall(r"pip uninstall --yes ([^&\n]*)", DOCKERFILE)
    assert set(removed.split()) == of_tests


def name(requirement: str) -> str:
    return re.split(r"[\[<>=~! ]", requirement)[0]


def test_the_image_runs_as_nobody_and_writes_to_one_volume():
    assert lines("USER") == [f"{USER}:{USER}"] and lines("VOLUME") == [STATE]
    given = environment()
    assert given["COUNTERSIGN_DATABASE"] == f"sqlite:///{STATE}/countersign.db"
    assert given["COUNTERSIGN_PORT"] == str(PORT) and lines("EXPOSE") == [str(PORT)]
    [python] = re.findall(r"ARG PYTHON=python:(\d\.\d+)-slim", DOCKERFILE)
    assert tuple(map(int, python.split("."))) >= (3, 11)


def test_the_image_starts_a_command_that_there_is_and_asks_a_route_that_there_is():
    words = ast.literal_eval(lines("ENTRYPOINT")[0]) + ast.literal_eval(lines("CMD")[-1])
    assert (
        words[0]
        in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    )
    assert cli._parser().parse_args(words[1:]).command is not None
    [check] = re.findall(r"127\.0\.0\.1:(\d+)(/\w+)'", DOCKERFILE)
    assert int(check[0]) == PORT and check[1] in QUIET


def test_the_compose_file_gives_the_bot_no_more_than_it_needs():
    bot = BOT["services"]["bot"]
    assert bot["build"]["dockerfile"] == "deploy/Dockerfile" and bot["user"] == f"{USER}:{USER}"
    assert bot["read_only"] is True and bot["cap_drop"] == ["ALL"]
    assert bot["security_opt"] == ["no-new-privileges:true"]
    assert [v for v in bot["volumes"] if not v.endswith(":ro")] == [f"state:{STATE}"]
    assert float(bot["stop_grace_period"].rstrip("s")) > lifecycle.WHOLE_DRAIN_SECONDS
    assert bot["ports"] == [f"127.0.0.1:{PORT}:{PORT}"]
    assert set(bot["secrets"]) == set(BOT["secrets"])
    for setting, value in bot["environment"].items():
        assert setting.removesuffix("_FILE") in names_read(), setting
        assert not value.startswith("/run/secrets/") or value[13:] in BOT["secrets"], setting


@pytest.mark.parametrize("file", CLUSTERS)
def test_the_cluster_gives_the_bot_no_more_than_it_needs(file: str):
    spec = pod(file)
    [bot] = spec["containers"]
    assert spec["securityContext"]["runAsNonRoot"] and spec["securityContext"]["runAsUser"] == USER
    assert spec["securityContext"]["fsGroup"] == USER and not spec["automountServiceAccountToken"]
    held = bot["securityContext"]
    assert held["readOnlyRootFilesystem"] and held["allowPrivilegeEscalation"] is False
    assert held["capabilities"] == {"drop": ["ALL"]}
    assert spec["terminationGracePeriodSeconds"] > lifecycle.WHOLE_DRAIN_SECONDS
    mounts = {m["mountPath"]: m for m in bot["volumeMounts"]}
    assert {path for path, m in mounts.items() if not m.get("readOnly")} == {STATE, "/tmp"}
    assert {m["name"] for m in mounts.values()} == {v["name"] for v in spec["volumes"]}


@pytest.mark.parametrize("file", CLUSTERS)
def test_the_cluster_asks_routes_that_there_are_and_sets_settings_that_are_read(file: str):
    spec = pod(file)
    [bot] = spec["containers"]
    assert bot["ports"] == [{"name": "http", "containerPort": PORT}]
    paths = {
        kind: bot[f"{kind}Probe"]["httpGet"]["path"]
        for kind in ("startup", "liveness", "readiness")
    }
    assert paths == {"startup": "/livez", "liveness": "/livez", "readiness": "/readyz"}
    assert set(paths.values()) <= set(QUIET)
    assert {one["name"] for one in bot["env"]} <= names_read()
    secret = [one for one in bot["env"] if "valueFrom" in one]
    assert {one["name"] for one in secret} == {
        setting.removesuffix("_FILE")
        for setting in BOT["services"]["bot"]["environment"]
        if setting.endswith("_FILE")
    } | ({"COUNTERSIGN_DATABASE"} if file == CLUSTERS[1] else set())


def test_one_process_runs_on_a_sqlite_file():
    cluster = objects(CLUSTERS[0])
    [claim] = [one for one in cluster if one["kind"] == "PersistentVolumeClaim"]
    assert claim["spec"]["accessModes"] == ["ReadWriteOncePod"]
    [service] = [one for one in cluster if one["kind"] == "Service"]
    selector = deployment(CLUSTERS[0])["selector"]["matchLabels"]
    assert service["spec"]["selector"] == selector


def test_the_settings_of_the_examples_start_a_bot(tmp_path: Path):
    """What they set, with values of the right form for the secrets, is a safe configuration."""
    secrets = {
        "COUNTERSIGN_KEYS": "k1:" + "A" * 43 + "=",
        "COUNTERSIGN_METRICS_TOKEN": "t" * 32,
        "OPENAI_API_KEY": "sk-of-the-test",
        "SLACK_BOT_TOKEN": "xoxb-of-the-test",
        "SLACK_SIGNING_SECRET": "s" * 32,
    }
    of_clusters = [
        {
            one["name"]: one.get("value", "postgresql://bot@db/countersign")
            for one in pod(file)["containers"][0]["env"]
        }
        for file in CLUSTERS
    ]
    for given in (
        *of_clusters,
        {k.removesuffix("_FILE"): v for k, v in BOT["services"]["bot"]["environment"].items()},
    ):
        plain = {k: v for k, v in given.items() if k not in secrets and k != "COUNTERSIGN_CONFIG"}
        image = {k: v for k, v in environment().items() if k.startswith("COUNTERSIGN_")}
        read = settings.read(image | plain | secrets, folder=tmp_path, is_workspace=False)
        # On Postgres the state is derived files alone, wherever they may be written.
        is_file = read.database.startswith("sqlite:")
        assert read.host == "0.0.0.0" and (str(read.state) == STATE or not is_file)


def test_several_bots_share_a_database_and_its_keys_and_one_bot_shares_nothing():
    one, several = map(deployment, CLUSTERS)
    assert one["replicas"] == 1 and one["strategy"] == {"type": "Recreate"}
    assert several["replicas"] > 1 and several["strategy"]["rollingUpdate"]["maxUnavailable"] == 0
    secret = {
        given["name"]: given["valueFrom"]["secretKeyRef"]["key"]
        for given in several["template"]["spec"]["containers"][0]["env"]
        if "valueFrom" in given
    }
    assert secret["COUNTERSIGN_DATABASE"] == "database" and secret["COUNTERSIGN_KEYS"] == "keys"
    [state] = [v for v in several["template"]["spec"]["volumes"] if v["name"] == "state"]
    assert "emptyDir" in state

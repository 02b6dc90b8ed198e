"""The files of .deploy, held against the program: its settings, its roles, its ports, its commands, its paths."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any, get_args

import asyncpg
import pytest
import yaml

from infra.config import PREFIX, ROLES, SECRETS, Config
from infra.files.limit import FILES_WANTED
from infra.store.postgres import Role
from services.cli.manual import COMMANDS
from services.local.nats import binary
from services.program.roles import KEYED, rights_of

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / ".deploy"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETTINGS = {f"{PREFIX}{name.upper()}" for name in Config.__struct_fields__}
IN_FILES = {f"{PREFIX}{name.upper()}_FILE" for name in SECRETS}
COMPOSE = yaml.safe_load((DEPLOY / "compose" / "compose.yaml").read_text(encoding="utf-8"))
MANIFESTS = [
    one for path in sorted((DEPLOY / "kubernetes").iterdir()) for one in yaml.safe_load_all(path.read_text("utf-8"))
]
DEPLOYMENTS = {one["metadata"]["name"]: one["spec"] for one in MANIFESTS if one["kind"] == "Deployment"}
PODS = {
    one["metadata"]["name"]: one["spec"]["template"]["spec"]
    for one in MANIFESTS
    if one["kind"] in {"Deployment", "Job"}
}
UNITS = {path.name: path.read_text(encoding="utf-8") for path in (DEPLOY / "systemd").glob("*.service")}


def read(name: str) -> str:
    return (DEPLOY / name).read_text(encoding="utf-8")


def instructions(keyword: str) -> list[str]:
    """Return what stands behind a keyword of the Dockerfile, lines that go on joined."""
    joined = read("Dockerfile").replace("\\\n", "")
    return [line.split(None, 1)[1] for line in joined.splitlines() if line.startswith(f"{keyword} ")]


# ---- names --------------------------------------------------------------------------------------


def test_every_setting_that_is_named_is_one() -> None:
    files = [path for path in DEPLOY.rglob("*") if path.is_file()]
    named = {
        path.relative_to(DEPLOY): set(re.findall(rf"\b{PREFIX}[A-Z_]+\b", path.read_text("utf-8"))) for path in files
    }
    assert {path: names - SETTINGS - IN_FILES for path, names in named.items() if names - SETTINGS - IN_FILES} == {}


def test_every_file_and_page_that_is_named_is_there() -> None:
    for path in DEPLOY.rglob("*"):
        if path.is_file():
            named = re.findall(
                r"(?<![\w/])(\.docs/[\w.-]+\.md|\.ci/[\w/]+|\.deploy/[\w/.]*\w)", path.read_text("utf-8")
            )
            assert [
                name for name in named if not (ROOT / name).exists() and "secrets" not in name and ".env" not in name
            ] == []


def test_every_command_is_one() -> None:
    run = [one["command"][0] for one in COMPOSE["services"].values() if is_ours(one) and "command" in one]
    run += [container["args"][0] for pod in PODS.values() for container in pod["containers"]]
    run += [found for unit in UNITS.values() for found in re.findall(r"bin/truecup (\w+)", unit)]
    run += re.findall(r'"(\w+)"', instructions("CMD")[-1])
    assert set(run) == {"serve", "migrate", "witness", "backup"}
    assert set(run) <= COMMANDS.keys()


def is_ours(service: dict[str, Any]) -> bool:
    return service["image"] == "truecup"


# ---- who has what -------------------------------------------------------------------------------


def assert_fits(roles: str, environment: dict[str, str], login: str) -> None:
    """A process has the key if its roles need it, and no login but that of the most that it does."""
    asked = frozenset(roles.split(","))
    assert asked <= set(ROLES)
    assert ("TRUECUP_KEY_FILE" in environment) == bool(asked & KEYED), roles
    assert {"TRUECUP_DATABASE_URL_FILE", "TRUECUP_NATS_URL_FILE"} <= environment.keys()
    assert login in rights_of(asked)


def test_each_process_of_the_small_cluster_has_what_its_roles_need_and_no_more() -> None:
    serving = {name: one for name, one in COMPOSE["services"].items() if "TRUECUP_ROLES" in one.get("environment", {})}
    assert serving.keys() == {"api", "relay", "dealer"}
    for name, one in serving.items():
        assert_fits(one["environment"]["TRUECUP_ROLES"], one["environment"], name)
        files = {value for key, value in one["environment"].items() if key in IN_FILES}
        assert files == {f"/run/secrets/{secret}" for secret in one["secrets"]}
        assert [secret for secret in one["secrets"] if secret not in {f"url_{name}", f"nats_{name}", "key"}] == []


def test_each_process_in_kubernetes_has_what_its_roles_need_and_no_more() -> None:
    assert DEPLOYMENTS.keys() == {"truecup-api", "truecup-relay", "truecup-dealer"}
    for name in DEPLOYMENTS:
        (container,) = PODS[name]["containers"]
        environment = {one["name"]: one["value"] for one in container["env"]}
        assert_fits(environment["TRUECUP_ROLES"], environment, name.removeprefix("truecup-"))
        assert PODS[name]["volumes"][0]["secret"]["secretName"] == name
        made = re.search(rf"generic {name} (.*)", read("README.md"))
        assert made is not None
        assert {f"/run/truecup/{key}" for key in re.findall(r"--from-file=(\w+)", made[1])} == {
            value for key, value in environment.items() if key in IN_FILES
        }


def test_each_unit_has_the_key_if_its_role_needs_it() -> None:
    keyed = {path.parent.name for path in (DEPLOY / "systemd").glob("*/key.conf")}
    assert keyed == {f"truecup@{role}.service.d" for role in KEYED & {"api", "relay", "dealer"}}
    assert "TRUECUP_KEY" not in UNITS["truecup@.service"]
    for path in (DEPLOY / "systemd").glob("*/key.conf"):
        assert "TRUECUP_KEY_FILE=%d/key" in path.read_text("utf-8")


def test_logins_are_those_of_the_roles() -> None:
    logins = dict(re.findall(r"^login (\w+) (\w+) ", read("compose/logins.sh"), re.MULTILINE))
    assert set(logins.values()) == {*get_args(Role), "pg_read_all_data"}
    roles = (ROOT / ".docs" / "roles.md").read_text("utf-8")
    assert (
        dict(re.findall(r"create role (truecup_\w+) login password '...' in role (\w+);", roles)).items()
        <= logins.items()
    )
    named = set(re.findall(r"login truecup_\w+ \w+ (\w+)", read("compose/logins.sh")))
    assert named <= set(COMPOSE["services"]["postgres"]["secrets"]) <= COMPOSE["secrets"].keys()


# ---- the image ----------------------------------------------------------------------------------


def test_what_the_image_copies_is_there_and_makes_the_program(tmp_path: Path) -> None:
    for copied in instructions("COPY"):
        *sources, target = copied.split()
        if sources[0].startswith("--from"):
            continue
        for source in sources:
            into = tmp_path / (target if len(sources) == 1 else source)
            into.parent.mkdir(parents=True, exist_ok=True)
            into.symlink_to(ROOT / source)
    argv = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path / "made")]
    subprocess.run(argv, cwd=tmp_path, check=True, capture_output=True)
    assert list((tmp_path / "made").glob("truecup-*.whl"))


def test_the_image_is_of_a_python_that_will_do_and_answers_where_the_program_does() -> None:
    for image in instructions("FROM"):
        major, minor = re.findall(r"^python:(\d+)\.(\d+)-", image)[0]
        assert (int(major), int(minor)) >= (3, 11)
    assert instructions("EXPOSE") == [str(Config().port)]
    assert re.findall(r'"(\w+)"', instructions("ENTRYPOINT")[0]) == list(PROJECT["project"]["scripts"])
    assert instructions("USER") == ["10001:10001"]
    assert f"127.0.0.1:{Config().port}/health/live" in read("Dockerfile")


# ---- servers ------------------------------------------------------------------------------------


def test_the_bus_lets_each_role_do_what_the_page_of_roles_says() -> None:
    page = re.search(r"```\n(authorization \{.*?)```", (ROOT / ".docs" / "roles.md").read_text("utf-8"), re.DOTALL)
    assert page is not None
    ours = re.sub(r"\$NATS_\w+_PASSWORD", '"change-me"', read("compose/nats.conf"))
    assert ours.endswith(page[1])


def test_the_bus_takes_its_settings(tmp_path: Path) -> None:
    conf = tmp_path / "nats.conf"
    conf.write_text(read("compose/nats.conf").replace('"/data"', f'"{tmp_path}"'), encoding="utf-8")
    given = COMPOSE["services"]["nats-1"]["environment"]
    environment = {name: re.sub(r"\$\{\w+(:\?)?\}", "secret1", value) for name, value in given.items()}
    assert set(re.findall(r"\$(NATS_\w+)", read("compose/nats.conf"))) == environment.keys()
    checked = subprocess.run(
        [binary(), "-t", "-c", conf], env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr
    routes = re.findall(r"@([\w-]+):6222", environment["NATS_ROUTES"])
    assert routes == [name for name in COMPOSE["services"] if name.startswith("nats-")]


async def test_the_database_knows_its_settings(postgres_dsn: str) -> None:
    ours = dict(re.findall(r"^#? ?([a-z_]+) = (.+)$", read("compose/postgres.conf"), re.MULTILINE))
    connection = await asyncpg.connect(postgres_dsn)
    try:
        kinds = {row["name"]: row["vartype"] for row in await connection.fetch("select name, vartype from pg_settings")}
    finally:
        await connection.close()
    assert ours.keys() <= kinds.keys()
    assert [ours[name] for name in ("fsync", "full_page_writes", "synchronous_commit")] == ["on"] * 3
    assert [name for name, value in ours.items() if kinds[name] == "bool" and value not in {"on", "off"}] == []
    assert int(ours["max_connections"]) >= 12 * connections_of_compose()


def connections_of_compose() -> int:
    """Return how many processes there are at once while all of them are replaced: each has 12 connections."""
    of = {name: one.get("deploy", {}).get("replicas", 1) for name, one in COMPOSE["services"].items()}
    api = of["api"] * (COMPOSE["services"]["api"]["environment"]["TRUECUP_PROCESSES"] + 1)
    return 2 * (of["dealer"] + of["relay"] + api)


# ---- compose and Kubernetes ---------------------------------------------------------------------


def test_what_the_small_cluster_mounts_is_named_and_is_there() -> None:
    for name, one in COMPOSE["services"].items():
        mounted = [volume.partition(":")[0] for volume in one.get("volumes", [])]
        assert set(mounted) <= COMPOSE["volumes"].keys(), name
        assert {config["source"] for config in one.get("configs", [])} <= COMPOSE["configs"].keys(), name
        assert set(one.get("secrets", [])) <= COMPOSE["secrets"].keys(), name
        assert set(one.get("depends_on", [])) <= COMPOSE["services"].keys(), name
    for config in COMPOSE["configs"].values():
        assert (DEPLOY / "compose" / config["file"]).is_file()
    (subnet,) = COMPOSE["networks"]["default"]["ipam"]["config"]
    assert COMPOSE["services"]["api"]["environment"]["TRUECUP_PROXIES"] == subnet["subnet"]


def test_processes_run_as_nobody_in_particular_and_write_nothing_of_the_image() -> None:
    for name, one in COMPOSE["services"].items():
        if is_ours(one):
            assert (one["user"], one["read_only"], one["cap_drop"]) == ("10001:10001", True, ["ALL"]), name
            assert one["ulimits"]["nofile"]["hard"] == FILES_WANTED
    for pod in PODS.values():
        assert (pod["securityContext"]["runAsNonRoot"], pod["securityContext"]["runAsUser"]) == (True, 10001)
        for container in pod["containers"]:
            assert container["securityContext"]["readOnlyRootFilesystem"]
            assert container["image"].endswith(f":{PROJECT['project']['version']}")
    assert f"LimitNOFILE={FILES_WANTED}" in UNITS["truecup@.service"]


def test_no_service_becomes_a_setting() -> None:
    services = [one["metadata"]["name"] for one in MANIFESTS if one["kind"] == "Service"]
    assert any(name.startswith(PREFIX.strip("_").lower()) for name in services)
    assert [name for name, pod in PODS.items() if pod["enableServiceLinks"] is not False] == []


def test_each_part_is_looked_at_and_never_taken_away_as_a_whole() -> None:
    kept = {one["metadata"]["name"] for one in MANIFESTS if one["kind"] == "PodDisruptionBudget"}
    assert kept == DEPLOYMENTS.keys()
    for name, spec in DEPLOYMENTS.items():
        assert spec["replicas"] >= 2
        assert spec["selector"]["matchLabels"] == spec["template"]["metadata"]["labels"]
        (container,) = PODS[name]["containers"]
        assert container["ports"][0]["containerPort"] == Config().port
        assert container["livenessProbe"]["httpGet"]["path"] == "/health/live"
        assert container["readinessProbe"]["httpGet"]["path"] == "/health/ready"


@pytest.mark.parametrize("name", ["proxies/nginx.conf", "proxies/Caddyfile"])
def test_a_proxy_keeps_the_metrics_and_compresses_nothing(name: str) -> None:
    said = re.sub(r"#.*", "", read(name))
    assert re.search(r"/metrics\W+(return )?404", said)
    assert "encode" not in said
    assert "gzip on" not in said
    if name.endswith(".conf"):
        assert said.count("X-Forwarded-For $remote_addr") == said.count("proxy_set_header Host") == 3
        assert "location = /api/v1/socket" in said

"""Settings: what is meant is understood, what cannot be meant is reported, all of it at once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from infra.bus import replicas_at
from infra.config import ROLES, BadConfig, Config, config_of, data_folder, networks_of, primaries_of, servers_of

KEY = "0123456789abcdef" * 4


def faults(environment: Mapping[str, str]) -> list[str]:
    with pytest.raises(BadConfig) as caught:
        config_of(environment)
    assert str(caught.value) == "; ".join(caught.value.faults)
    return caught.value.faults


# ---- what is understood -----------------------------------------------------------------------


def test_nothing_said_means_a_service_on_this_machine_alone() -> None:
    config = config_of({"PATH": "elsewhere", "HOME": "somewhere"})
    assert config == Config()
    assert (config.host, config.database_url, config.nats_url, config.key) == ("127.0.0.1", None, None, None)
    assert config.roles.split(",") == list(ROLES)


def test_the_environment_is_read_as_what_each_setting_is() -> None:
    config = config_of({"TRUECUP_PORT": "0", "TRUECUP_DEMO": "true", "TRUECUP_ROLES": "api,relay", "TRUECUP_KEY": KEY})
    assert (config.port, config.demo, config.roles, config.key) == (0, True, "api,relay", KEY)


@pytest.mark.parametrize(
    ("url", "servers", "replicas"),
    [
        ("nats://one", ["nats://one"], 1),
        ("nats://a:b,c@one:4222", ["nats://a:b,c@one:4222"], 1),
        ("nats://t@one, nats://t@two", ["nats://t@one", "nats://t@two"], 1),
        ("tls://one,tls://two ,tls://three", ["tls://one", "tls://two", "tls://three"], 3),
    ],
)
def test_servers_of_a_bus_are_named_one_after_the_other(url: str, servers: list[str], replicas: int) -> None:
    assert servers_of(url) == servers
    assert replicas_at(servers) == replicas


@pytest.mark.parametrize(
    ("listed", "networks"),
    [
        ("", []),
        ("127.0.0.1", ["127.0.0.1/32"]),
        ("10.0.0.0/8, ::1,2001:db8::/48", ["10.0.0.0/8", "::1/128", "2001:db8::/48"]),
    ],
)
def test_proxies_are_named_by_address_or_network(listed: str, networks: list[str]) -> None:
    config = config_of({"TRUECUP_PROXIES": listed})
    assert [str(network) for network in networks_of(config.proxies)] == networks


@pytest.mark.parametrize(
    ("name", "text"),
    [("key", KEY), ("key_before", KEY), ("database_url", f"postgres://a:{KEY}@b"), ("nats_url", f"nats://{KEY}@b")],
)
def test_a_secret_may_stand_in_a_file_of_its_own(name: str, text: str, tmp_path: Path) -> None:
    secret = tmp_path / "a secret"
    secret.write_text(f"{text}\n", encoding="utf-8")
    assert getattr(config_of({f"TRUECUP_{name.upper()}_FILE": str(secret)}), name) == text


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("database_url", "postgres:///x"),
        (
            "database_url",
            "postgres://%2Frun%2Fpostgresql%2Fa-folder-with-a-name-that-is-longer-than-that-of-any-host/x",
        ),
        ("database_url", "postgresql://a:b%2Fc,d@[::1]:5432,one:5433/x?host=a b&sslmode=require&password=a@b"),
        ("nats_url", "one:4222"),
        ("nats_url", "nats://a:b,c@one,tls://t@[::1]:4222, wss://one/path"),
        ("traces_url", "http://a:b@one:4318/v1/@traces?key=a@b"),
        ("beacon_url", "https://api.drand.sh"),
    ],
)
def test_an_address_is_taken_as_it_is(name: str, address: str) -> None:
    assert getattr(config_of({f"TRUECUP_{name.upper()}": address}), name) == address


def test_several_hosts_in_brackets_are_taken_where_python_splits_them_for_the_driver() -> None:
    address = "postgresql://a:b%2Fc,d@one:5432,[::1]:5433,[::2]/x?host=a b&sslmode=require&password=a@b"
    try:
        urlsplit(address)
    except ValueError:  # from 3.14 on
        with pytest.raises(BadConfig, match="TRUECUP_DATABASE_URL: the host is none"):
            config_of({"TRUECUP_DATABASE_URL": address})
    else:
        assert config_of({"TRUECUP_DATABASE_URL": address}).database_url == address


def test_primaries_are_named_with_their_addresses() -> None:
    listed = "b postgres://b/x, c postgres://c/y?host=a b"
    assert primaries_of(config_of({"TRUECUP_SHARDS": listed}).shards) == {
        "b": "postgres://b/x",
        "c": "postgres://c/y?host=a b",
    }


@pytest.mark.parametrize("listed", ["postgres://b/x", "b", "home postgres://b/x", "b x, b y", "b/c x"])
def test_a_list_of_primaries_that_names_none_is_refused(listed: str) -> None:
    assert faults({"TRUECUP_SHARDS": listed})[0].startswith("TRUECUP_SHARDS: ")


def test_a_file_of_settings_is_read_and_the_environment_wins_over_it(tmp_path: Path) -> None:
    file = tmp_path / "truecup.toml"
    file.write_text('port = 9000\nlog_level = "debug"\ndemo = true\n', encoding="utf-8")
    config = config_of({"TRUECUP_CONFIG": str(file), "TRUECUP_PORT": "9001"})
    assert (config.port, config.log_level, config.demo) == (9001, "debug", True)


# ---- what is reported -------------------------------------------------------------------------


@pytest.mark.parametrize(("roles", "is_fault"), [("bots", True), ("api,bots", True), ("dealer,bots", False)])
def test_bots_without_a_dealer_would_do_nothing_and_are_refused(roles: str, is_fault: bool) -> None:  # noqa: FBT001
    if not is_fault:
        assert config_of({"TRUECUP_ROLES": roles}).roles == roles
        return
    assert faults({"TRUECUP_ROLES": roles}) == [
        "TRUECUP_ROLES names bots: they need the dealer's role in the same process"
    ]


def test_every_fault_is_reported_at_once() -> None:
    told = faults(
        {
            "TRUECUP_PORT": "many",
            "TRUECUP_KEY": "short",
            "TRUECUP_LOG_LEVEL": "loud",
            "TRUECUP_COLOUR": "green",
            "TRUECUP_ROLES": "api,clown",
            "TRUECUP_BOT_PAUSE_MS": "-1",
        }
    )
    named = ["PORT", "KEY", "LOG_LEVEL", "COLOUR", "BOT_PAUSE_MS", "ROLES"]
    assert [fault.removeprefix("TRUECUP_").partition(" ")[0].rstrip(":") for fault in told] == named
    assert "TRUECUP_COLOUR is not a setting" in told
    assert "TRUECUP_ROLES knows no clown" in told


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("PORT", "65536"),
        ("PORT", "-1"),
        ("PORT", ""),
        ("DEMO", "perhaps"),
        ("KEY", KEY.upper()),
        ("KEY", KEY[:-1]),
        ("KEY_BEFORE", f"{KEY}, {KEY}"),
        ("KEY_BEFORE", f"{KEY},"),
        ("KEY_BEFORE", ",".join([KEY] * 9)),
        ("LOG_FORMAT", "xml"),
        ("BOT_PAUSE_MS", "1.5"),
        ("ROLES", ""),
        ("PROXIES", "localhost"),
        ("PROXIES", "10.0.0.1/8"),
        ("PROXIES", "127.0.0.1 10.0.0.0/8"),
        ("ROLES", "api, relay"),
        ("PORT_FILE", "port.txt"),
        ("BUS_REPLICAS", "0"),
        ("BUS_REPLICAS", "6"),
        ("BUS_REPLICAS", "all"),
        ("", "nameless"),
    ],
)
def test_a_setting_that_cannot_be_meant_so_is_named(name: str, text: str) -> None:
    (told,) = faults({f"TRUECUP_{name}": text})
    assert told.startswith(f"TRUECUP_{name}")


def test_a_fault_never_repeats_a_secret() -> None:
    assert "hunter2" not in "".join(faults({"TRUECUP_KEY": "hunter2"}))


@pytest.mark.parametrize("name", ["DATABASE_URL", "NATS_URL", "TRACES_URL", "BEACON_URL", "SHARDS"])
@pytest.mark.parametrize(
    "rest",
    [
        "hunter2",
        "ftp://me:hunter2@one/x",
        "{}://me:hunter2@one:hunter2/x",
        "{}://me:hunter2@one:99999/x",
        "{}://me:hunter2@one..two/x",
        "{}://me@[hunter2/x",
        "{}://me:a/hunter2@one/x",
        "{}://me:a?hunter2@one/x",
        "{}://me:a#hunter2@one/x",
        "{}://me:1#hunter2@one/x",
        "{}://me:hunter2@one\tx:1/x",
    ],
)
def test_an_address_is_refused_without_a_word_of_it(name: str, rest: str) -> None:
    scheme = {"DATABASE_URL": "postgres", "NATS_URL": "nats", "SHARDS": "second postgres"}.get(name, "https")
    text = rest.format(scheme)
    if (name, rest) == ("NATS_URL", "hunter2"):
        text = "hunter2:hunter2"
    if name == "SHARDS" and "{}" not in rest:
        text = f"second {rest}"
    told = "".join(faults({f"TRUECUP_{name}": text}))
    assert told.startswith(f"TRUECUP_{name}: ")
    assert not {"hunter2", "me", "one"} & set(re.findall(r"\w+", told.replace("names", "")))


def test_a_further_database_is_refused_by_its_number() -> None:
    """What stands where its name should may be the rest of a password with a comma and a blank in it."""
    (told,) = faults({"TRUECUP_SHARDS": "b postgres://me, hunter2 @one/x"})
    assert told == "TRUECUP_SHARDS: in number 2 the scheme is not postgres or postgresql"
    (told,) = faults({"TRUECUP_SHARDS": "hunter2 postgres://one, hunter2 postgres://two"})
    assert told == "TRUECUP_SHARDS: number 2 has the name of another primary"


def test_a_secret_that_stands_where_its_file_should_be_named_is_not_repeated(tmp_path: Path) -> None:
    (tmp_path / "odd").write_bytes(b"\xff\xfe")
    for path in ("postgres://me:hunter2@one/x", "hunter2\0", "hunter2" * 100, str(tmp_path / "odd")):
        (told,) = faults({"TRUECUP_DATABASE_URL_FILE": path})
        assert told.startswith("TRUECUP_DATABASE_URL_FILE cannot be read: ")
        assert not {"hunter2", "0xff"} & set(re.findall(r"\w+", told))


def test_a_secrets_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "odd").write_bytes(b"\xff\xfe")
    for path in (tmp_path / "missing", tmp_path, tmp_path / "odd"):
        (told,) = faults({"TRUECUP_KEY_FILE": str(path)})
        assert told.startswith("TRUECUP_KEY_FILE cannot be read: ")


@pytest.mark.parametrize("content", [b"port = ", b"\xff", b"port = 1\nport = 2\n"])
def test_a_file_of_settings_that_is_none_is_reported(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "truecup.toml"
    file.write_bytes(content)
    (told,) = faults({"TRUECUP_CONFIG": str(file)})
    assert told.startswith("TRUECUP_CONFIG cannot be read: ")


def test_what_is_wrong_in_a_file_is_reported_with_what_is_wrong_around_it(tmp_path: Path) -> None:
    file = tmp_path / "truecup.toml"
    file.write_text('roles = ["api"]\nshoe_size = 44\nport = "eighty"\n', encoding="utf-8")
    told = faults({"TRUECUP_CONFIG": str(file), "TRUECUP_DEMO": "perhaps"})
    assert [fault.partition("TRUECUP_")[2].partition(" ")[0].rstrip(":") for fault in told] == [
        "ROLES",
        "SHOE_SIZE",
        "PORT",
        "DEMO",
    ]


# ---- where the data lies ----------------------------------------------------------------------


def test_the_data_lies_where_it_was_asked_for(tmp_path: Path) -> None:
    assert data_folder(Config(data=str(tmp_path / "a" / ".." / "b")), {}) == tmp_path / "b"


def test_or_else_where_this_user_keeps_data(tmp_path: Path) -> None:
    assert data_folder(Config(), {"XDG_DATA_HOME": str(tmp_path)}) == tmp_path / "truecup"
    assert data_folder(Config(), {"HOME": str(tmp_path)}) == tmp_path / ".local" / "share" / "truecup"

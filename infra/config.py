"""Settings from the environment and, if there is one, a TOML file: all faults are reported at once.

Every setting is `TRUECUP_` and its name in capitals. A secret can stand in a file of its own: `TRUECUP_KEY_FILE` for
`TRUECUP_KEY`. What the environment says wins over the file that `TRUECUP_CONFIG` names.

The law of the file: a fault names its setting and what is wrong, and repeats no word of a secret. An address is one:
there may be a password in it, also where it is written so that nobody could say where in it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from urllib.parse import parse_qsl, urlsplit

import msgspec
from msgspec import Meta, Struct

PREFIX = "TRUECUP_"
SECRETS = frozenset({"key", "key_before", "database_url", "nats_url", "shards"})
"""Settings that may stand in a file of their own."""
PORT_MAX: Final = 65_535
_SCHEMES: Final = {
    "database_url": ("postgres", "postgresql"),
    "nats_url": ("nats", "tls", "ws", "wss"),
    "traces_url": ("http", "https"),
    "beacon_url": ("http", "https"),
}
"""Settings that are addresses, and how these may begin."""
_QUOTED: Final = "a /, ?, # or @ in a password is written %2F, %3F, %23 or %40"
_PORT: Final = re.compile("[0-9]{1,5}")
ROLES = ("api", "relay", "dealer", "bots")
HOME = "home"
"""What the first of the primaries is called, which `database_url` names."""


class Config(Struct, frozen=True, forbid_unknown_fields=True):
    """How this process runs.

    Attributes:
        database_url: A Postgres of yours; without it one is started in the data folder.
        shards: Further Postgres databases that shards may live at: `name address`, several of them separated by commas.
        nats_url: A NATS of yours, or the servers of its cluster, separated by commas, each with its scheme; without
            it one is started in the data folder.
        bus_replicas: How many servers of that cluster keep the frames of a shard. Without it three, if so many are
            named, else one. What is kept stays at as many as when it was begun.
        host: The address to listen on.
        hosts: The names by which browsers may address the house, separated by commas, or `*` for any. Without it a
            house on a loopback address is known by the names of its machine alone, and any other by every name.
        port: The port to listen on; 0 takes a free one.
        proxies: Which proxies to believe when they say whom they speak for: addresses and networks, separated by
            commas. Nobody is believed who is not named.
        data: The folder of everything this machine keeps.
        key: The wrapping key, 64 hex digits; without it one is made and kept in the data folder.
        key_before: Keys it had before, the newest first, separated by commas: what they closed is still opened.
        roles: What this process does: any of api, relay, dealer, bots, separated by commas; bots beside a dealer.
        processes: How many processes answer requests, of those that have `api`; one a core if nothing is said. With
            one, the program is a single process.
        log_level: What is worth a line.
        log_format: Lines for people, or JSON.
        traces_url: A collector of traces that takes OTLP over HTTP; needs the extra `tracing`.
        slow_ms: From which time on a command gets a line of its own, in milliseconds; 0 is never.
        origin: The name of the transparency log, as its signed notes bear it: no blank, no plus sign.
        witnesses: Who has to see every checkpoint of the log: `vkey address`, several of them separated by commas.
            Without it `truecup up` starts two of its own, and `truecup serve` asks nobody; empty means nobody.
        quorum: How many of them: `all`, `none`, or a number.
        demo: Whether three bots play at a demo table.
        bot_pause_ms: How long house bots pretend to think.
        bot_tables: How many tables house bots may play among themselves at the same time; 0 is none.
        bot_tables_each: How many of them one address may start.
        tables_each: How many tables that wait for players one address may have opened; of those that wait for a time it
            may have 500, or as many where that is more.
        archive_after_s: How many seconds after its end a match is moved to the archive, where it takes less room and is
            read as before; a month at most.
        webhooks: Where webhooks of hosts may lead: to addresses of the public network over https, or anywhere, which is
            for networks of one's own: whoever holds a tournament then reaches whatever this machine does.
        beacon_url: A relay of a public beacon (drand's HTTP interface); with it a host may let deals wait for one.
        beacon_chain: A file that describes that beacon, as drand's `/info` does; without it, quicknet.
    """

    database_url: str | None = None
    shards: str = ""
    nats_url: str | None = None
    bus_replicas: Annotated[int, Meta(ge=1, le=5)] | None = None
    host: str = "127.0.0.1"
    hosts: Annotated[str, Meta(pattern=r"^[^\s,]+(,[^\s,]+)*$")] | None = None
    port: Annotated[int, Meta(ge=0, le=65_535)] = 8_000
    proxies: str = ""
    data: str = ""
    key: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")] | None = None
    key_before: Annotated[str, Meta(pattern="^[0-9a-f]{64}(,[0-9a-f]{64}){0,7}$")] | None = None
    roles: str = ",".join(ROLES)
    processes: Annotated[int, Meta(ge=1, le=64)] | None = None
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Literal["console", "json"] = "console"
    traces_url: Annotated[str, Meta(pattern=r"^https?://[^\s]+$")] | None = None
    slow_ms: Annotated[int, Meta(ge=0, le=60_000)] = 500
    origin: Annotated[str, Meta(pattern=r"^[^\s+]{1,200}$")] = "truecup.local/log"
    witnesses: str | None = None
    quorum: Annotated[str, Meta(pattern="^(all|none|[1-9][0-9]?)$")] = "all"
    demo: bool = False
    bot_pause_ms: Annotated[int, Meta(ge=0, le=60_000)] = 1_200
    bot_tables: Annotated[int, Meta(ge=0, le=100_000)] = 100
    bot_tables_each: Annotated[int, Meta(ge=0, le=100_000)] = 5
    tables_each: Annotated[int, Meta(ge=1, le=100_000)] = 30
    archive_after_s: Annotated[int, Meta(ge=0, le=2_678_400)] = 3_600
    webhooks: Literal["public", "anywhere"] = "public"
    beacon_url: Annotated[str, Meta(pattern=r"^https?://[^\s]+$")] | None = None
    beacon_chain: str | None = None


class BadConfig(Exception):  # noqa: N818 - named for what happened
    """Settings that cannot be meant so; `faults` holds one sentence for each."""

    def __init__(self, faults: list[str]) -> None:
        """Report these faults."""
        super().__init__("; ".join(faults))
        self.faults = faults


def config_of(environment: Mapping[str, str]) -> Config:
    """Return the settings this environment asks for.

    Raises:
        BadConfig: Some setting is unknown, unreadable or out of range; every one of them is named.
    """
    faults: list[str] = []
    given = {name.removeprefix(PREFIX).lower(): text for name, text in environment.items() if name.startswith(PREFIX)}
    values: dict[str, Any] = _from_toml(given.pop("config", None), faults)
    for name, text in given.items():
        secret = name.removesuffix("_file")
        if secret in SECRETS and secret != name:
            faults += (
                [f"{PREFIX}{name.upper()} says again what {PREFIX}{secret.upper()} says"] if secret in given else []
            )
            values[secret] = _from_file(name, text, faults)
        else:
            values[name] = text
    config = Config(**{name: value for name, value in values.items() if _check(name, value, faults)})
    faults += [f"{PREFIX}ROLES {fault}" for fault in _faults_of_roles(config.roles.split(","))]
    if "api" not in config.roles.split(",") and values.get("processes") not in {None, "1", 1}:
        faults.append(f"{PREFIX}PROCESSES is for programs with the role api: start others more often")
    faults += _no_addresses(config) + _no_proxies(config.proxies) + _no_primaries(config.shards)
    if faults:
        raise BadConfig(faults)
    return _convert(config)


def _faults_of_roles(roles: list[str]) -> list[str]:
    faults = [f"knows no {role}" for role in roles if role not in ROLES]
    if "bots" in roles and "dealer" not in roles:
        # Bots sit beside the dealer and know no tokens: without one they would have nobody to play for.
        faults.append("names bots: they need the dealer's role in the same process")
    return faults


def _check(name: str, value: object, faults: list[str]) -> bool:
    if name not in Config.__struct_fields__:
        faults.append(f"{PREFIX}{name.upper()} is not a setting")
        return False
    try:
        msgspec.convert({name: value}, Config, strict=False)
    except msgspec.ValidationError as error:
        faults.append(f"{PREFIX}{name.upper()}: {str(error).partition(' - at')[0].lower()}")
        return False
    return True


def networks_of(listed: str) -> tuple[IPv4Network | IPv6Network, ...]:
    """Return the networks of a list of addresses and networks.

    Raises:
        ValueError: A member is neither, or names a network by an address in its middle.
    """
    return tuple(ip_network(member.strip()) for member in listed.split(",") if member.strip())


def _no_proxies(listed: str) -> list[str]:
    try:
        networks_of(listed)
    except ValueError as error:
        return [f"{PREFIX}PROXIES: {error}"]
    return []


def primaries_of(listed: str) -> dict[str, str]:
    """Return the addresses of the primaries besides the home, by their names, of a list `name address, name address`.

    Raises:
        ValueError: It is no such list, a name comes twice, or is that of the home.
    """
    found: dict[str, str] = {}
    for number, member in enumerate(filter(None, map(str.strip, listed.split(","))), 1):
        name, _, address = member.partition(" ")
        if not (name.isascii() and name.isidentifier() and address.strip()):
            raise ValueError("each is a name of letters and digits, a blank and an address")
        if name == HOME or name in found:
            raise ValueError(f"number {number} has the name of another primary")
        fault = _fault_of_address(address.strip(), _SCHEMES["database_url"])
        if fault is not None:
            raise ValueError(f"in number {number} {fault}")
        found[name] = address.strip()
    return found


def _no_addresses(config: Config) -> list[str]:
    faults = []
    for name, schemes in _SCHEMES.items():
        text = getattr(config, name)
        for address in () if text is None else servers_of(text) if name == "nats_url" else (text,):
            # A server of a bus may go without its scheme.
            full = f"nats://{address}" if name == "nats_url" and "://" not in address else address
            fault = _fault_of_address(full, schemes)
            faults += [] if fault is None else [f"{PREFIX}{name.upper()}: {fault}"]
    return faults


def _fault_of_address(text: str, schemes: Collection[str]) -> str | None:
    """Return what is wrong with an address, without a word of it; None if a library will understand it."""
    try:
        found = urlsplit(text)
    except ValueError:
        return "the host is none"
    is_database = found.scheme in _SCHEMES["database_url"]
    hosts = found.netloc.rpartition("@")[2]
    if found.scheme not in schemes:
        return f"the scheme is not {' or '.join(schemes)}"
    if not (hosts or is_database):
        return "there is no host"
    if not text.isprintable() or found.fragment or ("http" not in found.scheme and "@" in found.path):
        return f"it does not go on as an address does: {_QUOTED}"
    if not all(map(_is_host, hosts.split(",") if is_database else [hosts])):
        return f"a host or a port is none; {_QUOTED}"
    try:
        parse_qsl(found.query, strict_parsing=is_database and bool(found.query))
    except ValueError:
        return f"what follows the ? is no list of settings; {_QUOTED}"
    return None


def _is_host(text: str) -> bool:
    """Report whether a text is a host with or without a port; without any, a database is asked on this machine."""
    host, port = (text, "") if text.endswith("]") else text.partition(":")[::2]
    if text.startswith("[") and not text.endswith("]"):
        host, _, port = text.rpartition(":")
    try:
        host.removeprefix("%2F").encode("ascii" if host.startswith("%2F") else "idna")
    except UnicodeError:
        return False
    return host.isprintable() and (not port or (_PORT.fullmatch(port) is not None and int(port) <= PORT_MAX))


def servers_of(url: str) -> list[str]:
    """Return the servers of a bus that a setting names, separated by commas: one cluster, and any of them will do.

    A comma before anything but a scheme belongs to a password.
    """
    return re.split(r"\s*,\s*(?=[a-z]+://)", url.strip())


def _no_primaries(listed: str) -> list[str]:
    try:
        primaries_of(listed)
    except ValueError as error:
        return [f"{PREFIX}SHARDS: {error}"]
    return []


def _convert(config: Config) -> Config:
    return msgspec.convert(msgspec.to_builtins(config), Config, strict=False)


def _from_file(name: str, path: str, faults: list[str]) -> str | None:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        # Not the path: it may be the secret itself, put where the name of its file belongs.
        why = error.strerror if isinstance(error, OSError) else "that is no text in UTF-8"
        faults.append(f"{PREFIX}{name.upper()} cannot be read: {why}")
        return None


def _from_toml(path: str | None, faults: list[str]) -> dict[str, Any]:
    if path is None:
        return {}
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        faults.append(f"{PREFIX}CONFIG cannot be read: {error}")
        return {}


def data_folder(config: Config, environment: Mapping[str, str]) -> Path:
    """Return the data folder: the one asked for, or the user's own (XDG base directories)."""
    if config.data:
        return Path(config.data).expanduser().resolve()
    home = environment.get("XDG_DATA_HOME") or str(Path(environment.get("HOME", "~")).expanduser() / ".local" / "share")
    return Path(home) / "truecup"

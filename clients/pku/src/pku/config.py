"""Settings of the machine and the person, the program's identity, and the time here and at the platform.

No other module of the kit reads the environment or the clock. ``HURDLE_TOKEN`` and ``HURDLE_URL`` win over the login
stored by ``pku login``; ``HURDLE_HOME`` moves the folder that holds the settings and the journals.

The platform's time is an offset measured from answers that carry it. An answer that took ``r`` seconds was written
somewhere within them, so half of ``r`` bounds the error; the one with the least ``r`` of the latest is believed (the
clock filter of NTP, RFC 5905 §10).
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import deque
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from markup_core.lazy import dataclass
from pku.errors import PkuError, of_system
from pku.messages import tr

if TYPE_CHECKING:  # loaded where they are used
    from importlib.resources.abc import Traversable


FILE: Final = "login.json"
KEYS: Final = "keys.json"
CYCLE: Final = "cycle.json"


@dataclass(frozen=True, slots=True)
class Login:
    """The platform's address and the team's token."""

    url: str
    token: str


def home() -> Path:
    """Return the folder of settings and journals: ``HURDLE_HOME``, or the system's usual place for settings."""
    return Path(os.environ.get("HURDLE_HOME") or click.get_app_dir("hurdle"))


def environment_of_a_program(home: Path) -> dict[str, str]:
    """Return the environment of a program that is run from a folder as its home: this one's without the kit's token,
    and a ``python`` that is the one that runs this, which has numpy."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("HURDLE_")}
    return {**inherited, "HOME": str(home), "PATH": path}


def token_from_environment() -> str | None:
    """Return ``HURDLE_TOKEN``, if it is set."""
    return os.environ.get("HURDLE_TOKEN") or None


def url_from_environment() -> str | None:
    """Return ``HURDLE_URL``, if it is set."""
    return os.environ.get("HURDLE_URL") or None


def wants_no_colour() -> bool:
    """Return whether ``NO_COLOR`` is set (no-color.org)."""
    return "NO_COLOR" in os.environ


def save(login: Login) -> Path:
    """Store the login so that only the owner can read it; returns the file."""
    path = home() / FILE
    write_json(path, {"url": login.url, "token": login.token})
    return path


def load() -> Login:
    """Return the stored login, overridden by the environment; :class:`PkuError` ``no_login`` without one."""
    stored: dict[str, object] = {}
    path = home() / FILE
    try:
        stored = json.loads(path.read_bytes())
    except FileNotFoundError:
        pass
    except OSError as error:
        raise PkuError("not_written", path=path, why=of_system(error)) from None
    except ValueError as error:
        raise PkuError("bad_login_file", path=path, why=error) from None
    if not isinstance(stored, dict):
        raise PkuError("bad_login_file", path=path, why=tr("not an object"))
    url = url_from_environment() or stored.get("url")
    token = token_from_environment() or stored.get("token")
    if not isinstance(url, str) or not isinstance(token, str):
        raise PkuError("no_login")
    return Login(url, token)


def save_keys(keys: object) -> None:
    """Keep the platform's receipt keys, so that receipts can be checked without it."""
    write_json(home() / KEYS, keys)


def load_keys() -> object:
    """Return the stored keys; :class:`PkuError` ``no_keys`` without any."""
    path = home() / KEYS
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        raise PkuError("no_keys", path=path) from None


def save_cycle(cycle: object) -> None:
    """Keep what the platform says of its cycle, so that programs can be tried by its rules without it."""
    write_json(home() / CYCLE, cycle)


def load_cycle() -> dict[str, Any] | None:
    """Return the stored cycle; None if none can be read."""
    try:
        cycle = json.loads((home() / CYCLE).read_bytes())
    except (OSError, ValueError):
        return None
    return cycle if isinstance(cycle, dict) else None


def write_json(path: Path, value: object) -> None:
    """Replace a file of JSON as :func:`write_private` does."""
    write_private(path, json.dumps(value, ensure_ascii=False).encode())


def write_private(path: Path, content: bytes) -> None:
    """Replace a file at once, making its folder; nobody but the owner may read it at any moment, and a crash leaves the
    old one. :class:`PkuError` ``not_written`` where the system refuses."""
    import tempfile

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # created with mode 0600
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
        finally:
            Path(name).unlink(missing_ok=True)
    except OSError as error:
        raise PkuError("not_written", path=path, why=of_system(error)) from None


PACKAGE: Final = "hurdle-pku"


def installed(package: str) -> str:
    """Return the version of an installed package; ``unknown`` when it runs from a copied folder."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def client_version() -> str:
    """Return the version of this kit."""
    return installed(PACKAGE)


def user_agent() -> str:
    """Return the ``User-Agent`` of every request."""
    import platform

    core = installed("markup-core")
    return f"{PACKAGE}/{client_version()} (markup-core {core}; Python {platform.python_version()})"


@cache
def package_sha256() -> str:
    """Hash the kit's files: SHA-256 of the lines ``{sha256 of the file}  {path}``, sorted by path, ``/`` between parts.

    Compiled files are left out, so that the value is the same wherever the same release is installed.
    """
    import hashlib
    from importlib.resources import files

    sources = sorted(_sources(files("pku"), ""), key=itemgetter(0))
    lines = [f"{hashlib.sha256(source.read_bytes()).hexdigest()}  {path}\n" for path, source in sources]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


# Clause: D 6.2.3, R 4.2.3
def client_block() -> dict[str, str]:
    """Return the ``client`` field of the opening request."""
    return {
        "name": PACKAGE,
        "version": client_version(),
        "sha256": package_sha256(),
        "markup_core": installed("markup-core"),
    }


def _sources(folder: Traversable, before: str) -> Iterator[tuple[str, Traversable]]:
    for entry in folder.iterdir():
        if entry.name == "__pycache__" or entry.name.endswith((".pyc", ".pyo")):
            continue
        path = f"{before}{entry.name}"
        if entry.is_dir():
            yield from _sources(entry, f"{path}/")
        else:
            yield path, entry


class Clock:
    """The machine's clock, by which everything here reads the time and waits; tests drive one of their own."""

    def now(self) -> float:
        """Return the seconds since 1970-01-01 UTC by the machine's wall clock."""
        return time.time()

    def sleep(self, seconds: float) -> None:
        """Wait, less than zero not at all; a signal (Ctrl-C) ends it early."""
        time.sleep(max(0.0, seconds))


def parse_moment(text: str) -> float:
    """Return the seconds since 1970 of an ISO 8601 time with its zone; :class:`ValueError` for anything else."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"no time zone: {text}")
    return moment.timestamp()


def show_moment(seconds: float) -> str:
    """Write a moment as ISO 8601 in UTC with milliseconds and Z, as the platform writes times."""
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def parse_retry_after(value: str | None, now: float) -> float | None:
    """Return the seconds to wait by a ``Retry-After`` header, whole seconds or an HTTP date (RFC 9110 §10.2.3).

    None without a header or with one that says nothing; a date in the past is no wait.
    """
    if value is None:
        return None
    text = value.strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    from email.utils import parsedate_to_datetime

    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, moment.timestamp() - now)


KEPT: Final = 16


@dataclass(frozen=True, slots=True)
class Sample:
    """One exchange: sent and received by this machine's clock, ``server_time`` by the platform's, in seconds."""

    sent: float
    server_time: float
    received: float

    @property
    def round_trip(self) -> float:
        """Return how long the answer took."""
        return self.received - self.sent

    @property
    def offset(self) -> float:
        """Return how far the platform's clock is ahead of this machine's; the error is at most half the round trip."""
        return self.server_time - (self.sent + self.received) / 2


class ServerTime:
    """The believed offset; before any sample the clocks are taken for equal."""

    def __init__(self) -> None:
        self._samples: deque[Sample] = deque(maxlen=KEPT)

    def observe(self, sample: Sample) -> None:
        """Take one more exchange into account."""
        self._samples.append(sample)

    @property
    def best(self) -> Sample | None:
        """Return the sample with the shortest round trip."""
        return min(self._samples, key=lambda sample: sample.round_trip, default=None)

    def here(self, moment: float) -> float:
        """Convert a moment of the platform's clock to this machine's clock."""
        return moment if self.best is None else moment - self.best.offset

    def uncertainty(self) -> float:
        """Return the bound of the error of :meth:`here`, in seconds; 0 before any sample."""
        return 0.0 if self.best is None else self.best.round_trip / 2

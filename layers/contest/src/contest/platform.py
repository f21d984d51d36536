"""The platform that every use case is given: ports, memory, retries of lost races, signatures, uploads.

The memory holds values that never change. After a lost race a use case reads and decides again, until a write holds
(decision 0001, part 3). Receipts, commitments, amendments and records are statements with the platform's signature.
Uploads come in parts at signed addresses: the addresses, the missing parts, and the content of the whole.
"""

from __future__ import annotations

import base64
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeVar

from contest import stored_names
from contest.errors import BusyError
from contest.ports import LostRaceError, SharedPorts
from contest.results.ports import ResultPorts
from contest.room_ports import ChannelPorts, CyclePorts, ExpertPorts, MessagePorts, OperationPorts, PeoplePorts
from contest.values import Millis, Upload, canonical, sha256_hex
from markup_core.lazy import dataclass

if TYPE_CHECKING:
    from contest.run.rules.commitment import ValidKey

MEMORY: Final = 64 * 1024 * 1024
"""Bytes of a process's cache of immutable values: some ten thousand essays, or plans of two hundred long sessions."""
SMALL: Final = 1000
"""Bytes that a value of unstated size counts for."""


class Memory:
    """A per-process cache of immutable values, the least recently used forgotten first.

    Data that all teams read in the same second (essays, manifests, parameters) are read from storage once per process.
    Sizes are estimates of a value's memory, so that a long-lived process does not grow without end.
    """

    def __init__(self, capacity: int = MEMORY) -> None:
        self._capacity = capacity
        self._values: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._size = 0

    def keep(self, key: Hashable, make: Callable[[], Any], size: Callable[[Any], int] = lambda _: SMALL) -> Any:
        """Return the value of a key, made at the first request. A failure is not stored."""
        if key in self._values:
            return self.known(key)
        value = make()
        self.put(key, value, size(value))
        return value

    def known(self, key: Hashable) -> Any:
        """Return the value of a key, None without one."""
        if key not in self._values:
            return None
        self._values.move_to_end(key)
        return self._values[key][0]

    def known_all(self, *keys: Hashable) -> tuple[Any, ...]:
        """Return the values of several keys, None for each without one."""
        return tuple(self.known(key) for key in keys)

    def put(self, key: Hashable, value: Any, size: int = SMALL) -> None:
        """Remember a value in the place of the one before."""
        _, freed = self._values.pop(key, (None, 0))
        self._values[key] = (value, size)
        self._size += size - freed
        while self._size > self._capacity and len(self._values) > 1:
            _, (_, freed) = self._values.popitem(last=False)
            self._size -= freed


class Platform(
    SharedPorts,
    ChannelPorts,
    CyclePorts,
    ExpertPorts,
    MessagePorts,
    OperationPorts,
    PeoplePorts,
    ResultPorts,
):
    """All ports, stated by their rooms, and the process's cache; :class:`contest.wiring.Wiring` has the adapters."""

    memory: Memory


Known = TypeVar("Known")
Written = TypeVar("Written")

ATTEMPTS: Final = 8
"""Tries of a decision before the caller is told to retry later."""
PATIENT_ATTEMPTS: Final = 100
"""The same where no caller may be refused: more than there can be competing writes."""


def decide_until_written(
    facts: Known,
    decide: Callable[[Known], Written],
    read_again: Callable[[], Known],
    attempts: Callable[[Known], int] = lambda _: ATTEMPTS,
) -> Written:
    """Decide by the known facts and write the decision; after a lost race read again and decide again.

    ``decide`` raises :class:`LostRaceError` where another process wrote first, and has written nothing then.
    :class:`BusyError` after as many lost races as ``attempts`` allows for the facts, by default :data:`ATTEMPTS`.
    """
    lost_races = 0
    while lost_races < attempts(facts):
        if lost_races:
            facts = read_again()
        try:
            return decide(facts)
        except LostRaceError:
            lost_races += 1
    raise BusyError


def read_and_decide(read: Callable[[], Known], decide: Callable[[Known], Written]) -> Written:
    """Read facts, decide by them and write the decision, as :func:`decide_until_written` does."""
    return decide_until_written(read(), decide, read)


def signed(platform: Platform, name: str, statement: Mapping[str, Any]) -> bytes:
    """Sign a statement: return it under its name with the signature over its canonical bytes, as canonical JSON."""
    content = canonical(statement)  # written once: a part of canonical JSON is canonical, and keys are sorted
    members = (f'"{name}":'.encode() + content, f'"signature":"{signature_of(platform, content)}"'.encode())
    return b"{" + b",".join(sorted(members)) + b"}"


# Clause: platform §4 receipts
def signature_of(platform: Platform, content: bytes) -> str:
    """Return the signature over a statement's canonical bytes, in base64; a key is stored before it signs anything."""
    key = platform.signer.public_key
    if platform.memory.known(("signing key", key.key_id)) is None:
        platform.signing_keys.note(key, platform.clock.now())
        platform.memory.put(("signing key", key.key_id), value=True)
    return base64.b64encode(platform.signer.sign(content)).decode("ascii")


def signing_keys(platform: Platform) -> tuple[ValidKey, ...]:
    """Return every key that has signed and the present one, by their first signatures."""
    from contest.run.rules.commitment import with_validity

    return tuple(with_validity(platform.signing_keys.used(), platform.signer.public_key))


ADDRESS_LIFETIME_MS: Final = 5 * 60 * 1000
"""Lifetime of the address of a part: an upload that begins later needs another address."""


@dataclass(frozen=True, slots=True)
class UploadPlace:
    """Address of one part: a path with a query, the end of its validity, and the bytes that it accepts."""

    address: str
    until: Millis
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class DamagedPart:
    """The uploaded bytes differ from those announced; ``number`` is the part's from 1, 0 for the parts together."""

    number: int


# Clause: TS T12, TS T13
def upload_place(platform: Platform, folder: str, upload: Upload, number: int) -> UploadPlace:
    """Return the address for part ``number``; :class:`LookupError` for one that was not announced.

    A repeated upload replaces the earlier one, and is checked against the same SHA-256 when it is read.
    """
    if not 1 <= number <= len(upload.parts):
        raise LookupError(number)
    until = (platform.clock.now() + ADDRESS_LIFETIME_MS) // 1000 * 1000
    sha256, size = upload.parts[number - 1], upload.size_of(number)
    return UploadPlace(platform.addresses.to_put(_part_name(folder, upload, number), until), until, size, sha256)


def missing_parts(platform: Platform, folder: str, upload: Upload) -> list[int]:
    """List the numbers of the parts that are not there with their size, ascending."""
    there = platform.blobs.sizes(folder)
    numbers = range(1, len(upload.parts) + 1)
    return [number for number in numbers if there.get(_part_name(folder, upload, number)) != upload.size_of(number)]


# Clause: TS T13
def uploaded_content(platform: Platform, folder: str, upload: Upload) -> bytes | DamagedPart:
    """Return the whole content, as it was announced to the byte; :class:`contest.ports.MissingBlobError` where a part
    is gone. O(bytes), all of them in memory."""
    names = [_part_name(folder, upload, number) for number in range(1, len(upload.parts) + 1)]
    stored = platform.blobs.get_all(sorted(set(names)))
    for number, (name, announced) in enumerate(zip(names, upload.parts, strict=True), 1):
        if sha256_hex(stored[name]) != announced:
            return DamagedPart(number)
    whole = b"".join(stored[name] for name in names)
    if sha256_hex(whole) != upload.sha256:
        return DamagedPart(0)
    return whole


def _part_name(folder: str, upload: Upload, number: int) -> str:
    return stored_names.upload_part_name(folder, upload.size_of(number), upload.parts[number - 1])

"""The modules that a program says it runs on, held against those that the organizers have published (R 4.3, D 6.14)."""

from __future__ import annotations

from contest.domain.cycle.cycle import Cycle, Parameters
from contest.domain.session.session import Client
from contest.errors.qualification import UnknownModulesError
from contest.services import reading
from contest.services.platform import Platform


def are_known(cycle: Cycle, client: Client | None) -> bool | None:
    """Whether a program's modules are among the published ones (R 4.3, 11.4); None where either says nothing.

    Clause: R 4.3, R 11.4, D 6.14, D 6.15, D 12.7, platform §2 client
    """
    if client is None or client.sha256 is None or not cycle.known_modules:
        return None
    return client.sha256 in cycle.known_modules


def refuse_unknown(platform: Platform, rules: Parameters, client: Client | None) -> None:
    """Refuse to open a session that counts where these parameters demand the published modules and the program does not
    say that it has them: :class:`UnknownModulesError`. While none are published nobody can, and nothing is refused.

    **Decision**: a program says its hash itself, as every client outside of the organizers' machines does; the demand
    keeps out who has forgotten to bring the modules up to date, and makes a changed one a lie on record.

    Clause: D 6.14
    """
    cycle = reading.recent_cycle(platform)
    if rules.modules_demanded and cycle.known_modules and not are_known(cycle, client):
        raise UnknownModulesError

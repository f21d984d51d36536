"""Conversion of the participants' kit to bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contest.cycle.rules.cycle import Cycle, Kit, statement
from contest.cycle.wire.kits import KitBody, PublishedKitBody, SignedKitBody

if TYPE_CHECKING:
    from contest.cycle.kits import Published


def kit(cycle: Cycle, current: Kit | None) -> KitBody:
    """Return the kit of a cycle, if it has one."""
    return KitBody(kit=None if current is None else _signed(cycle, current))


def published_kit(outcome: Published) -> PublishedKitBody:
    """Return the body of the kit and its warnings."""
    return PublishedKitBody.from_value(outcome, kit=_signed(outcome.cycle, outcome.kit))


def _signed(cycle: Cycle, signed_kit: Kit) -> SignedKitBody:
    signed_statement = statement(cycle.name, signed_kit.listed, signed_kit.published_at, signed_kit.key_id)
    return SignedKitBody.model_validate({"statement": signed_statement, "signature": signed_kit.signature})

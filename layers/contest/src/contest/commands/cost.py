"""``contest cost``: what a final and the days around it will cost, by a price list and counted requests."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from contest.commands.options import as_json
from contest.commands.shell import console
from contest.commands.words import table
from contest.domain.operations import costs
from contest.domain.operations.costs import Line
from markup_core.speaking import number, say
from tracks.command import spoken


@spoken.command()
@click.option("--teams", type=click.IntRange(1, 10_000), required=True, help="Teams that take part in the final.")
@click.option("--files", "count", type=click.IntRange(1, 1_000), required=True, help="Files of the final.")
@click.option("--listening", type=click.IntRange(0, 10_000), help="Of them on the event channel; a fifth without it.")
@click.option("--days", type=click.IntRange(0, 3_660), default=30, show_default=True, help="For which it is deployed.")
@click.option("--prices", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Another price list.")
@as_json
def cost(*, teams: int, count: int, listening: int | None, days: int, prices: Path | None, raw: bool) -> None:
    """Estimate what a final of so many teams and files costs, and the days for which the cycle is deployed."""
    from contest.services.operations import costing

    size = costs.usual(teams, count)
    if listening is not None:
        size = replace(size, listening=listening)
    if size.listening > teams:
        raise click.UsageError(
            say("more teams are on the channel than take part", "команд на канале событий больше, чем участвует")
        )
    told = json.loads(prices.read_text("utf-8")) if prices else costing.price_list()
    try:
        parts = {
            "final": costs.bill(costing.final_counts(size), told["prices"]),
            "days": costs.bill(costing.days_counts(days), told["prices"]),
        }
        currency, region = str(told["currency"]), str(told["region"])
    except (KeyError, TypeError, ValueError) as error:
        raise click.ClickException(
            say(
                f"{prices or 'prices.json'}: {error}; see services/operations/costs/prices.json",
                f"{prices or 'prices.json'}: {error}; образец — services/operations/costs/prices.json",
            )
        ) from None
    if raw:
        click.echo(json.dumps(_as_json(parts, currency, region), indent=2))
        return
    shown = table("", "what", "count", "per million", currency)
    names = {"final": say("final", "финал"), "days": say("days", "дни")}
    for name, lines in parts.items():
        for line in lines:
            price = told["prices"][line.kind]
            what = say(price["what"], price.get("what_ru", price["what"]))
            many = _grouped(f"{line.count:,.0f}" if line.count >= 1 else f"{line.count:.3g}")
            shown.add_row(names[name], what, many, _grouped(f"{line.unit_price * 1e6:,.2f}"), number(line.cost, 4))
    console.print(shown)
    whole = number(sum(line.cost for lines in parts.values() for line in lines), 2)
    click.echo(
        say(
            f"{whole} {currency} in {region}: {teams} teams, {count} files, {days} days",
            f"{whole} {currency}, {region}: команд {teams}, файлов {count}, дней {days}",
        )
    )


def _grouped(written: str) -> str:
    """A number whose thousands are parted, as the language parts them."""
    return say(written, written.replace(",", "\N{NO-BREAK SPACE}").replace(".", ","))


def _as_json(parts: dict[str, tuple[Line, ...]], currency: str, region: str) -> dict[str, Any]:
    lines = {
        name: [{"kind": each.kind, "count": each.count, "cost": each.cost} for each in found]
        for name, found in parts.items()
    }
    whole = sum(each.cost for found in parts.values() for each in found)
    return {"currency": currency, "region": region, "cost": whole, **lines}

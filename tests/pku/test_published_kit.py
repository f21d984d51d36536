"""Check that this installation is the published kit: by the platform's signed list and nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pku import config
from pku.answers import PublishedKit
from pku.doctor import Finding, Verdict, check_kit
from pku.exchange import Exchange
from pku.proof import read_keys
from tests.pku.platform import TOKEN, Platform


@pytest.fixture
def exchange(platform: Platform) -> Iterator[Exchange]:
    with Exchange("http://platform.example", TOKEN, transport=platform.transport, clock=platform.clock) as made:
        yield made


def found(exchange: Exchange) -> Finding:
    return check_kit(exchange, read_keys(exchange.keys()))


def test_a_platform_that_publishes_no_kit_is_no_reason_to_worry(exchange: Exchange) -> None:
    assert (found(exchange).name, found(exchange).verdict) == ("kit_unpublished", Verdict.GOOD)


@pytest.mark.clause("R 4.3")
def test_the_published_kit_is_known_as_such(platform: Platform, exchange: Exchange) -> None:
    platform.publish_kit(config.client_version(), config.package_sha256())
    assert (found(exchange).name, found(exchange).verdict) == ("kit", Verdict.GOOD)


@pytest.mark.clause("R 4.3", "R 4.7")
def test_another_version_is_told_with_what_installs_it(platform: Platform, exchange: Exchange) -> None:
    platform.publish_kit("9.9.9", config.package_sha256())
    said = found(exchange)
    assert (said.name, said.verdict, said.values["version"]) == ("kit_other", Verdict.WARNING, "9.9.9")
    assert said.values["command"] == (
        f'pip install "http://platform.example/kit/hurdle_pku-1-py3-none-any.whl#sha256={"1" * 64}"'
        f' "http://platform.example/kit/markup_core-1-py3-none-any.whl#sha256={"2" * 64}"'
        f' "http://platform.example/kit/hurdle_tracks-1-py3-none-any.whl#sha256={"3" * 64}"'
    )


@pytest.mark.clause("R 4.3", "R 11.4")
def test_changed_files_of_the_published_version_are_told(platform: Platform, exchange: Exchange) -> None:
    platform.publish_kit(config.client_version(), "0" * 64)
    assert (found(exchange).name, found(exchange).verdict) == ("kit_changed", Verdict.WARNING)


def test_a_list_that_the_platforms_key_has_not_signed_is_a_fault(platform: Platform, exchange: Exchange) -> None:
    platform.publish_kit(config.client_version(), config.package_sha256())
    keys, published = read_keys(exchange.keys()), exchange.kit()
    assert published is not None
    assert check_kit(exchange, {}).name == "kit_unsigned"
    raw = {"statement": published.statement, "signature": published.signature}
    changes = (("version", "9.9.9"), ("modules_sha256", "0" * 64), ("kind", "record"), ("format", 2))
    for forged in (
        *({**raw, "statement": {**published.statement, part: value}} for part, value in changes),
        {**raw, "signature": "no base64"},
        {**raw, "signature": ""},
    ):
        exchange.kit = lambda forged=forged: PublishedKit.read(forged)  # type: ignore[method-assign]
        assert (check_kit(exchange, keys).name, check_kit(exchange, keys).verdict) == ("kit_unsigned", Verdict.FAULT)

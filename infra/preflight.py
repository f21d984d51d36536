"""Look for reasons why a deployment would fail, before anything is created: ``make preflight CYCLE=NAME``.

``python -m infra.preflight CYCLE [--json]`` changes nothing. Each finding has a code that stays the same, a state, what
was seen and what to do. Exit code 1 when one is refused. What cannot be seen without trying is said to be unknown.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import boto3  # type: ignore[import-untyped]  # ships no types
from botocore.exceptions import (  # type: ignore[import-untyped]  # ships no types
    BotoCoreError,
    ClientError,
)

from contest.settings import stack_name
from infra import assembly, layers, machine
from infra.account import (
    CACHE_BEHAVIORS,
    CONCURRENCY_LEFT,
    CREDENTIALS,
    HTTP_ROUTES,
    MACHINES,
    OF_AN_ACCOUNT,
    REGION,
    Account,
    Clients,
    Deployed,
    Quota,
    RefusedError,
    cache_behaviors,
    http_routes,
    most_executions,
    new_of,
    remedy_of,
    reserved_executions,
    unless_absent,
)
from infra.assembly import FIREWALL_REGION, StackFile, SynthesisError
from infra.config import ConfigError, CycleConfig, for_cycle

CDK: Final = "aws-cdk@2.1148.1"
"""The CDK command; its version 3 does not read what this CDK library writes."""
BOOTSTRAP: Final = "/cdk-bootstrap/hnb659fds/version"
LEAST_BOOTSTRAP: Final = 6
"""Version of the bootstrap stack that the synthesized stacks require (their ``requiresBootstrapStackVersion``)."""
_RENEWED_BEFORE: Final = timedelta(days=30)
_COGNITO_MAILS: Final = 50
"""Mails a day that Cognito sends for an account by itself (Cognito developer guide, Quotas in Amazon Cognito)."""


class State(StrEnum):
    """Meaning of a finding for the deployment."""

    OK = "ok"
    WARNING = "warning"
    REFUSED = "refused"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of one check."""

    code: str
    state: State
    seen: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Look:
    """Everything that the checks look at. ``there``: the cycle's stacks in the account, by name; None is not there."""

    config: CycleConfig
    account: Account
    stacks: Sequence[StackFile]
    there: Mapping[str, Deployed | None]
    deployed: Mapping[str, StackFile | None]
    now: datetime
    which: Callable[[str], str | None] = shutil.which
    layer_faults: Sequence[str] = field(default_factory=tuple)


def refused(findings: Sequence[Finding]) -> bool:
    """Say whether the deployment must not begin."""
    return any(finding.state is State.REFUSED for finding in findings)


def basics(account: Account) -> list[Finding]:
    """Check credentials and region, without which nothing else can be asked."""
    if not account.region:
        return [Finding("region", State.REFUSED, "no region is chosen", REGION)]
    try:
        caller = account.client("sts").get_caller_identity()
    except (BotoCoreError, ClientError) as error:
        return [Finding("credentials", State.REFUSED, str(error), remedy_of(error) or CREDENTIALS)]
    return [
        Finding("region", State.OK, account.region),
        Finding("credentials", State.OK, f"account {caller['Account']} as {caller['Arn']}"),
    ]


def go_on(findings: Sequence[Finding], say: Callable[[str], None]) -> None:
    """Show the findings that are not good; :class:`infra.account.RefusedError` when one is refused."""
    notable = [finding for finding in findings if finding.state is not State.OK]
    if notable:
        say(show(notable))
    if refused(findings):
        raise RefusedError("nothing was changed; do what stands there and run the same command again")


def examine(look: Look) -> list[Finding]:
    """Run every check; one that may not ask, or is not answered, is a finding of its own."""
    findings: list[Finding] = []
    for code, check in CHECKS.items():
        try:
            findings.extend(check(look))
        except (BotoCoreError, ClientError) as error:
            what = remedy_of(error) or "try again; look at the message"
            findings.append(Finding(code, State.UNKNOWN, str(error), what))
    return findings


def _judged(code: str, is_good: bool, seen: str, remedy: str, bad: State = State.REFUSED) -> Finding:
    """Return a finding that is good, or has another state and a remedy."""
    return Finding(code, State.OK, seen) if is_good else Finding(code, bad, seen, remedy)


def _layers(look: Look) -> Iterator[Finding]:
    for fault in look.layer_faults:
        yield Finding("layers", State.REFUSED, fault, "make layers")
    if not look.layer_faults:
        yield Finding("layers", State.OK, "built of the present sources")


def _bootstrap(look: Look) -> Iterator[Finding]:
    for region in dict.fromkeys((look.account.region, FIREWALL_REGION)):
        remedy = f"npx {CDK} bootstrap aws://ACCOUNT/{region}"
        answer = unless_absent("ParameterNotFound", look.account.client("ssm", region).get_parameter, Name=BOOTSTRAP)
        version = int(answer["Parameter"]["Value"]) if answer else 0
        observation = f"{region} has version {version} of CDK's own stack, {LEAST_BOOTSTRAP} is the least"
        is_new = version >= LEAST_BOOTSTRAP
        yield _judged("bootstrap", is_new, observation if answer else f"{region} is not prepared for CDK", remedy)


def _log_role(look: Look) -> Iterator[Finding]:
    # API Gateway developer guide, Set up CloudWatch API logging: a WebSocket API writes logs with the account's role.
    role = look.account.client("apigateway").get_account().get("cloudwatchRoleArn")
    remedy = "docs/operations.md, Once per account and region: three commands make the role"
    observation = role or "API Gateway has no role in this region with which it may write logs"
    yield _judged("api_log_role", bool(role), observation, remedy)


def _concurrency(look: Look) -> Iterator[Finding]:
    limits = look.account.client("lambda").get_account_settings()["AccountLimit"]
    limit, unreserved = limits["ConcurrentExecutions"], limits["UnreservedConcurrentExecutions"]
    reserved = reserved_executions(look.stacks)
    own = reserved_executions([stack for stack in look.deployed.values() if stack])
    remaining = unreserved + own - reserved
    observation = (
        f"{limit} executions at once, {limit - unreserved - own} reserved by others; the cycle reserves {reserved}, "
        f"and {CONCURRENCY_LEFT} must stay unreserved"
    )
    remedy = (
        "raise Lambda's quota Concurrent executions in Service Quotas; it takes days, and new accounts begin with 10"
    )
    yield _judged("lambda_concurrency", remaining >= CONCURRENCY_LEFT, observation, remedy)
    kept_running, workers = look.config.most_kept, most_executions(look.stacks)
    needed = kept_running + workers + CONCURRENCY_LEFT
    observation = (
        f"a final takes {needed}: {kept_running} kept running, {workers} of workers, {CONCURRENCY_LEFT} to spare"
    )
    remedy = f"before a final raise the quota by {needed - remaining} at least"
    observation = f"{observation}; {remaining} are left"
    yield _judged("lambda_final", remaining >= needed, observation, remedy, State.WARNING)


def _against(look: Look, code: str, quota: Quota, needed: int, observation: str) -> Finding:
    value, own = quota.value(look.account)
    comparison = f"{observation}, {value:g} may be" + (
        "" if own else f" by default ({quota.page}; the account's own is not listed)"
    )
    remedy = f"raise it by a request to AWS: Service Quotas, or a support case ({quota.service}: {quota.name or code})"
    return _judged(code, needed <= value, comparison, remedy, State.REFUSED if own else State.UNKNOWN)


def _routes(look: Look) -> Iterator[Finding]:
    routes = http_routes(look.stacks)
    yield _against(look, "http_routes", HTTP_ROUTES, routes, f"{routes} routes of one API")


def _behaviors(look: Look) -> Iterator[Finding]:
    behaviors, what = cache_behaviors(look.stacks), "behaviors of one distribution"
    yield _against(look, "cache_behaviors", CACHE_BEHAVIORS, behaviors, f"{behaviors} {what}")


def _of_the_account(look: Look) -> Iterator[Finding]:
    client = look.account.client("cloudfront", FIREWALL_REGION)
    for counted in OF_AN_ACCOUNT:
        there, new = counted.count(client), new_of(counted.kind, look.stacks, look.deployed)
        observation = f"{there} are there, the deployment makes {new}"
        yield _against(look, counted.code, counted.quota, there + new if new else 0, observation)


def _machines(look: Look) -> Iterator[Finding]:
    config = look.config
    if config.programs or config.measure_image:
        has_docker = look.which("docker") is not None
        observation = "the image of the programs' jobs, or of the measure, is built with Docker, which is " + (
            "here" if has_docker else "not here"
        )
        yield _judged("docker", has_docker, observation, "install Docker, or deploy where it is")
    if not config.programs:
        return
    needed = config.programs_at_once * config.program_machine_vcpus
    quota = MACHINES.get(config.program_machine[0])
    if quota is None:
        observation = f"which quota {config.program_machine} counts to is not known here"
        yield Finding("machines", State.UNKNOWN, observation, f"see in Service Quotas that {needed} processors may run")
        return
    value, _ = quota.value(look.account)
    observation = (
        f"{needed} processors for {config.programs_at_once} programs at once, {value:g} may run ({quota.name})"
    )
    remedy = "raise it in Service Quotas; until then jobs wait without end"
    yield _judged("machines", value >= needed, observation, remedy, State.WARNING)


def _certificate(look: Look) -> Iterator[Finding]:
    config = look.config
    if config.certificate_arn is None or config.domain_name is None:
        remedy = "choose domain_name and certificate_arn in the cycle's file"
        observation = "no domain: nobody can sign in on the site, and TLS below 1.2 is not refused"
        yield _judged("certificate", not config.retain_data, observation, remedy, State.WARNING)
        return
    client, arn = look.account.client("acm", FIREWALL_REGION), config.certificate_arn
    answer = unless_absent("ResourceNotFoundException", client.describe_certificate, CertificateArn=arn)
    if answer is None:
        remedy = f"request one for {config.domain_name} in {FIREWALL_REGION}, in this account"
        yield Finding("certificate", State.REFUSED, f"{config.certificate_arn} is not there", remedy)
        return
    certificate = answer["Certificate"]
    names = {certificate["DomainName"], *certificate.get("SubjectAlternativeNames", ())}
    observation = f"{', '.join(sorted(names))}: {certificate['Status']}"
    if certificate["Status"] != "ISSUED":
        remedy = "create the DNS record that the certificate asks for, and wait until it is issued"
        yield Finding("certificate", State.REFUSED, observation, remedy)
    elif not any(_covers(name, config.domain_name) for name in names):
        remedy = f"request a certificate that names {config.domain_name}"
        yield Finding("certificate", State.REFUSED, f"{observation}; it does not cover {config.domain_name}", remedy)
    elif certificate["NotAfter"] - look.now < _RENEWED_BEFORE:
        remedy = "see that its DNS record is still there: ACM renews by it"
        yield Finding(
            "certificate", State.WARNING, f"{observation}; it ends on {certificate['NotAfter']:%Y-%m-%d}", remedy
        )
    else:
        yield Finding("certificate", State.OK, observation)


def _covers(name: str, host: str) -> bool:
    """Say whether a certificate's name covers a host; a star stands for one label (RFC 6125, 6.4.3)."""
    return name == host or (name.startswith("*.") and name[2:] == host.partition(".")[2])


def _cloudfront(look: Look) -> Iterator[Finding]:
    there = look.account.client("cloudfront", FIREWALL_REGION).list_distributions(MaxItems="1")["DistributionList"]
    if there["Quantity"]:
        yield Finding("cloudfront_account", State.OK, "the account has a distribution, so AWS has verified it")
        return
    # Seen by nobody here: re:Post, "Your account must be verified before you can add new CloudFront resources".
    observation = "the account has no distribution; AWS refuses the first one of an account that it has not verified"
    remedy = "should it say so (Your account must be verified), open a support case with AWS and deploy again after it"
    yield Finding("cloudfront_account", State.UNKNOWN, observation, remedy)


def _mail(look: Look) -> Iterator[Finding]:
    own = any(
        pool["Properties"].get("EmailConfiguration", {}).get("EmailSendingAccount") == "DEVELOPER"
        for stack in look.stacks
        for _, pool in stack.resources("AWS::Cognito::UserPool")
    )
    address = look.config.mail_from
    if not own and address is None:
        observation = f"Cognito itself sends the mails: {_COGNITO_MAILS} a day for the whole account"
        remedy = "for more invitations a day the pools need a sender of Amazon SES (docs/operations.md)"
        yield Finding("mail", State.WARNING, observation, remedy)
        return
    sender = look.account.client("sesv2").get_account()
    a_day = sender["SendQuota"]["Max24HourSend"]
    sandbox = not sender["ProductionAccessEnabled"]
    observation = f"Amazon SES sends {a_day:g} mails a day" + (
        ", to verified addresses alone (sandbox)" if sandbox else ""
    )
    remedy = "ask AWS for production access of Amazon SES in this region"
    yield _judged("mail", not sandbox, observation, remedy, State.WARNING)
    if address is not None:
        names = (address, address.partition("@")[2])
        pages = look.account.client("sesv2").get_paginator("list_email_identities").paginate()
        listed = [identity for page in pages for identity in page["EmailIdentities"]]
        verified = any(identity["IdentityName"] in names and identity["SendingEnabled"] for identity in listed)
        observation = f"{address} is {'' if verified else 'not '}verified in Amazon SES"
        remedy = f"verify {address}, or its domain, as an identity of Amazon SES in this region"
        yield _judged("mail_sender", verified, observation, remedy)


def _alarms(look: Look) -> Iterator[Finding]:
    config = look.config
    address = config.alarm_email
    if address is None:
        yield Finding("alarm_address", State.OK, "none: the cycle keeps no data")
        return
    name = stack_name(config.cycle)
    if look.there.get(name) is None:
        observation = f"alarms go to {address}"
        yield Finding(
            "alarm_address", State.OK, observation, "confirm the message that AWS sends there after the deployment"
        )
        return
    pages = look.account.client("sns").get_paginator("list_subscriptions").paginate()
    states = {
        subscription["SubscriptionArn"]
        for page in pages
        for subscription in page["Subscriptions"]
        if subscription["Endpoint"] == address and subscription["TopicArn"].rpartition(":")[2].startswith(name)
    }
    if not states:
        yield Finding("alarm_address", State.OK, f"{address} is new here", "confirm the message that AWS sends there")
    elif "PendingConfirmation" in states:
        observation = f"{address} has not confirmed: nobody hears the alarms"
        yield Finding(
            "alarm_address", State.WARNING, observation, "confirm the message of AWS Notifications, or ask for another"
        )
    else:
        yield Finding("alarm_address", State.OK, f"{address} has confirmed")


def _leftovers(look: Look) -> Iterator[Finding]:
    for stack in look.stacks:
        there = look.there.get(stack.name)
        if there is None:
            yield Finding("leftovers", State.OK, f"{stack.name} is not there yet")
            continue
        state, remedy = _state_of(there, look.config.cycle)
        reason = f" ({there.reason})" if there.reason and state is not State.OK else ""
        yield Finding("leftovers", state, f"{stack.name} is {there.status}{reason}", remedy)


def _state_of(there: Deployed, cycle: str) -> tuple[State, str]:
    """Return what a stack's status means for its next deployment (CloudFormation user guide, Stack status codes)."""
    if there.is_complete or there.status == "REVIEW_IN_PROGRESS":
        return State.OK, ""
    if there.status == "ROLLBACK_COMPLETE" and not there.protected:
        return State.WARNING, "nothing: the first deployment failed, and this one deletes what is left of it first"
    of_it = f"--stack-name {there.name} --region {there.region}"
    remedies = {
        "ROLLBACK_COMPLETE": "it failed at first and is protected, so it cannot be replaced: "
        f"aws cloudformation update-termination-protection --no-enable-termination-protection {of_it}",
        "UPDATE_ROLLBACK_FAILED": f"mend what its events name; aws cloudformation continue-update-rollback {of_it}",
        "UPDATE_FAILED": f"aws cloudformation rollback-stack {of_it}",
    }
    if there.status.endswith("IN_PROGRESS"):
        return State.REFUSED, f"another deployment is at it: wait (aws cloudformation describe-stacks {of_it})"
    usual = f"mend what its events name, then make destroy CYCLE={cycle} and deploy again"
    return State.REFUSED, remedies.get(there.status, usual)


def _environment(look: Look) -> Iterator[Finding]:
    name, size = assembly.longest(look.stacks, look.account.region, "0" * 12)
    observation = f"{name or 'no function'} has the largest environment, {size} bytes; Lambda takes {assembly.MOST}"
    remedy = f"tell it less, or choose a shorter name: {assembly.OURS} is our own bound"
    bad = State.REFUSED if size > assembly.MOST else State.WARNING
    yield _judged("environment", size <= assembly.OURS, observation, remedy, bad)


CHECKS: Final[Mapping[str, Callable[[Look], Iterator[Finding]]]] = {
    "layers": _layers,
    "leftovers": _leftovers,
    "bootstrap": _bootstrap,
    "api_log_role": _log_role,
    "environment": _environment,
    "lambda_concurrency": _concurrency,
    "http_routes": _routes,
    "cache_behaviors": _behaviors,
    "key_groups": _of_the_account,
    "machines": _machines,
    "certificate": _certificate,
    "cloudfront_account": _cloudfront,
    "mail": _mail,
    "alarm_address": _alarms,
}
"""Every check, by the code of its first finding."""


def looked(config: CycleConfig, account: Account, stacks: Sequence[StackFile], now: datetime) -> Look:
    """Ask the account for the cycle's stacks as they are."""
    there = {stack.name: account.stack(stack.name, stack.region) for stack in stacks}
    deployed = {stack.name: account.deployed_as(stack) for stack in stacks}
    faults = [fault for layer in layers.LAYERS if (fault := layers.fault(layer))]
    return Look(config, account, stacks, there, deployed, now, layer_faults=faults)


def show(findings: Sequence[Finding]) -> str:
    """Return the findings as lines, each remedy below its observation."""
    lines = []
    for finding in findings:
        lines.append(f"{finding.state:8} {finding.code:20} {finding.seen}")
        if finding.remedy:
            lines.append(f"{'':29} do: {finding.remedy}")
    return "\n".join(lines)


def this_account() -> Account:
    """Return the account of the environment's credentials, in its region.

    AWS_REGION comes first, as for the CDK command; boto3 by itself knows AWS_DEFAULT_REGION alone.
    """
    try:
        session = boto3.Session(region_name=machine.region())
    except BotoCoreError as error:  # a missing profile: every later request reports it
        return Account(_refusing(error), machine.region() or "")
    return Account(lambda service, region: session.client(service, region_name=region), session.region_name or "")


def _refusing(error: Exception) -> Clients:
    def client(_service: str, _region: str) -> Any:
        raise error

    return client


def main(words: Sequence[str]) -> int:
    """Run all checks and print them; exit code 1 when the deployment must not begin."""
    parser = argparse.ArgumentParser(prog="python -m infra.preflight", description="Look before deploying a cycle.")
    parser.add_argument("cycle", metavar="CYCLE")
    parser.add_argument("--json", action="store_true", help="print JSON, for pipelines")
    parser.add_argument("--first", action="store_true", help="look at file and credentials; print what is refused")
    arguments = parser.parse_args(words)
    if arguments.first:
        findings = first(arguments.cycle, this_account())
        if not refused(findings):
            return 0
    else:
        with tempfile.TemporaryDirectory() as folder:
            findings = run(arguments.cycle, this_account(), Path(folder))
    if arguments.json:
        rows: list[dict[str, Any]] = [asdict(finding) for finding in findings]
        print(json.dumps({"cycle": arguments.cycle, "findings": rows}, indent=1))
    else:
        print(show(findings))
    return 1 if refused(findings) else 0


def first(cycle: str, account: Account) -> list[Finding]:
    """Read the cycle's file, and check region and credentials: in a second, before anything is built."""
    try:
        for_cycle(cycle)
    except ConfigError as error:
        return [Finding("cycle_file", State.REFUSED, str(error))]
    return [Finding("cycle_file", State.OK, f"cycles/{cycle}.yaml"), *basics(account)]


def run(cycle: str, account: Account, folder: Path) -> list[Finding]:
    """Look at what takes no time first, then synthesize the cycle into the folder and examine it."""
    findings = first(cycle, account)
    if refused(findings):
        return findings
    try:
        stacks = assembly.synthesize(cycle, folder)
    except SynthesisError as error:
        return [*findings, Finding("template", State.REFUSED, str(error), "mend it: make synth shows the same")]
    return [*findings, *examine(looked(for_cycle(cycle), account, stacks, machine.now()))]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

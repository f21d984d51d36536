"""Preflight against a recorded account in every state: each finding has a stable code, what was seen, what to do."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from contest.routes import ROUTES
from infra import assembly, preflight
from infra.account import OF_AN_ACCOUNT, cache_behaviors, http_routes, most_executions, new_of, reserved_executions
from infra.assembly import StackFile
from infra.config import CycleConfig, for_cycle
from infra.preflight import Finding, Look, State
from tests.infra.conftest import CERTIFICATE, ROOT
from tests.infra.recorded import ACCOUNT, REGION, Answer, Recorded, error, stack, stacks

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)
HOST = "hurdle.example.org"
ADDRESS = "organizers@example.org"
REAL = CycleConfig(
    cycle="spring-2027", alarm_email=ADDRESS, domain_name=HOST, certificate_arn=CERTIFICATE, programs=True
)
NAME = "hurdle-spring-2027"
BEHAVIORS, MACHINES = "Cache behaviors per distribution", "Running On-Demand G and VT instances"


def api(routes: int) -> dict[str, Any]:
    return {
        f"Route{number}": {"Type": "AWS::ApiGatewayV2::Route", "Properties": {"ApiId": {"Ref": "Api"}}}
        for number in range(routes)
    }


def application(**resources: Any) -> StackFile:
    """Return a small application: 3 routes, 2 behaviors, 2 key groups, 20 executions reserved and 60 of workers."""
    usual: dict[str, Any] = {
        **api(3),
        "Public": {"Type": "AWS::Lambda::Function", "Properties": {"ReservedConcurrentExecutions": 20}},
        "Scores": {
            "Type": "AWS::Lambda::EventSourceMapping",
            "Properties": {"ScalingConfig": {"MaximumConcurrency": 60}},
        },
        "Front": {
            "Type": "AWS::CloudFront::Distribution",
            "Properties": {"DistributionConfig": {"CacheBehaviors": [{}, {}]}},
        },
        "Up": {"Type": "AWS::CloudFront::KeyGroup", "Properties": {}},
        "Down": {"Type": "AWS::CloudFront::KeyGroup", "Properties": {}},
        "Pool": {"Type": "AWS::Cognito::UserPool", "Properties": {}},
    }
    return StackFile(NAME, None, {"Resources": usual | resources}, {}, frozenset())


def quota(name: str, value: float) -> dict[str, Any]:
    return {"QuotaName": name, "Value": value}


def listed(*rows: Mapping[str, Any]) -> dict[str, Any]:
    return {"Quotas": list(rows)}


def distributions(number: int) -> dict[str, Answer]:
    page = {"Marker": "", "MaxItems": 1, "IsTruncated": False, "Quantity": number}
    return {"cloudfront:ListDistributions": {"DistributionList": page}}


def certificate(**fields: Any) -> dict[str, Answer]:
    usual = {"DomainName": HOST, "Status": "ISSUED", "NotAfter": NOW + timedelta(days=300)}
    return {"acm:DescribeCertificate": {"Certificate": usual | fields}}


NOTHING = {"MaxItems": 100, "Quantity": 0}
GOOD: dict[str, Answer] = {
    "sts:GetCallerIdentity": {"Account": ACCOUNT, "Arn": f"arn:aws:iam::{ACCOUNT}:user/olga", "UserId": "olga"},
    "cloudformation:DescribeStacks": stacks(),
    "ssm:GetParameter": {"Parameter": {"Value": "21"}},
    "apigateway:GetAccount": {"cloudwatchRoleArn": f"arn:aws:iam::{ACCOUNT}:role/api-gateway-logs"},
    "lambda:GetAccountSettings": {
        "AccountLimit": {"ConcurrentExecutions": 1000, "UnreservedConcurrentExecutions": 1000}
    },
    "service-quotas:ListServiceQuotas": lambda params: {
        "apigateway": listed(quota("Routes per HTTP API", 300)),
        "cloudfront": listed(
            quota(BEHAVIORS, 75),
            quota("Key groups per AWS account", 10),
            quota("Cache policies per AWS account", 20),
            quota("Response headers policies per AWS account", 20),
        ),
        "ec2": listed(quota(MACHINES, 128)),
    }[params["ServiceCode"]],
    "service-quotas:ListAWSDefaultServiceQuotas": listed(),
    "cloudfront:ListKeyGroups": {"KeyGroupList": NOTHING},
    "cloudfront:ListPublicKeys": {"PublicKeyList": NOTHING},
    "cloudfront:ListCachePolicies": {"CachePolicyList": NOTHING},
    "cloudfront:ListResponseHeadersPolicies": {"ResponseHeadersPolicyList": NOTHING},
    **distributions(1),
    **certificate(),
    "sesv2:GetAccount": {"ProductionAccessEnabled": True, "SendQuota": {"Max24HourSend": 50_000}},
    "sns:ListSubscriptions": {"Subscriptions": []},
}
"""An account in which everything is ready for a first deployment."""


def look(answers: Mapping[str, Answer], config: CycleConfig = REAL, *files: StackFile, **more: Any) -> Look:
    recorded = Recorded({**GOOD, **answers})
    files_of_stacks = files or (application(),)
    before = preflight.looked(config, recorded.account(), files_of_stacks, NOW)
    usual = {"which": lambda _: "/usr/bin/docker", "layer_faults": ()}
    fields = {name: getattr(before, name) for name in before.__dataclass_fields__}
    return Look(**(fields | usual | more))


def finding_of(code: str, findings: list[Finding]) -> Finding:
    of_code = [finding for finding in findings if finding.code == code]
    assert len(of_code) == 1, (code, findings)
    return of_code[0]


def limits(all_of_them: int, unreserved: int) -> dict[str, Answer]:
    account_limit = {"ConcurrentExecutions": all_of_them, "UnreservedConcurrentExecutions": unreserved}
    return {"lambda:GetAccountSettings": {"AccountLimit": account_limit}}


def groups(number: int) -> dict[str, Answer]:
    """Answer so many key groups, the last one on a second page."""
    group = {"KeyGroup": {"Id": "K", "LastModifiedTime": NOW, "KeyGroupConfig": {"Name": "k", "Items": []}}}

    def answer(params: Mapping[str, Any]) -> Any:
        rest = params.get("Marker") == "more"
        page = [group] if rest else [group] * (number - 1)
        more = {} if rest else {"NextMarker": "more"}
        return {"KeyGroupList": {"MaxItems": 100, "Quantity": len(page), "Items": page, **more}}

    return {"cloudfront:ListKeyGroups": answer}


def own_quota(service: str = "", name: str = "", value: float = 0) -> dict[str, Answer]:
    """List one quota of the account's own, or none."""
    rows = {service: [quota(name, value)]}
    return {"service-quotas:ListServiceQuotas": lambda params: listed(*rows.get(params["ServiceCode"], ()))}


def subscribed(arn: str, topic: str = NAME) -> dict[str, Answer]:
    topic_arn = f"arn:aws:sns:{REGION}:{ACCOUNT}:{topic}-Alarms-1"
    subscription = {"SubscriptionArn": arn, "Endpoint": ADDRESS, "TopicArn": topic_arn}
    return there("CREATE_COMPLETE") | {"sns:ListSubscriptions": {"Subscriptions": [subscription]}}


def there(status: str, **more: Any) -> dict[str, Answer]:
    return {
        "cloudformation:DescribeStacks": stacks(stack(NAME, status, **more)),
        "cloudformation:GetTemplate": {"TemplateBody": json.dumps(application().template)},
    }


SANDBOX = {"EmailConfiguration": {"EmailSendingAccount": "DEVELOPER"}}
SENDER = {"Pool": {"Type": "AWS::Cognito::UserPool", "Properties": SANDBOX}}
MISSING = error("ParameterNotFound", "GetParameter")
NO_CERTIFICATE = {"acm:DescribeCertificate": error("ResourceNotFoundException")}
PROTECTED = {"EnableTerminationProtection": True}


@pytest.mark.parametrize(
    ("answers", "code", "state", "sight", "remedy"),
    [
        ({}, "lambda_concurrency", "ok", "reserves 20", ""),
        (limits(10, 10), "lambda_concurrency", "refused", "10 executions at once", "new accounts begin with 10"),
        (limits(119, 119), "lambda_concurrency", "refused", "119 executions", "Concurrent executions"),
        (limits(120, 120), "lambda_concurrency", "ok", "120 executions", ""),
        (limits(1000, 119), "lambda_concurrency", "refused", "881 reserved by others", "Concurrent"),
        (limits(324, 324), "lambda_final", "warning", "305: 145 kept running, 60 of workers", "by 1 at least"),
        (limits(325, 325), "lambda_final", "ok", "305 are left", ""),
        ({"apigateway:GetAccount": {}}, "api_log_role", "refused", "no role", "Once per account and region"),
        (own_quota("apigateway", "Routes per HTTP API", 2), "http_routes", "refused", "2 may be", "raise it"),
        (own_quota("cloudfront", BEHAVIORS, 1), "cache_behaviors", "refused", "1 may", "raise"),
        (own_quota(), "cache_behaviors", "ok", "75 may be by default (CloudFront developer guide, Quotas", ""),
        (groups(8), "key_groups", "ok", "8 are there, the deployment makes 2, 10 may be", ""),
        (groups(9), "key_groups", "refused", "9 are there", "raise it"),
        (own_quota() | groups(9), "key_groups", "unknown", "by default", "raise it"),
        ({}, "machines", "ok", "128 processors for 4 programs at once", ""),
        (own_quota("ec2", MACHINES, 0), "machines", "warning", "0 may run", "wait without end"),
        ({}, "certificate", "ok", "ISSUED", ""),
        (certificate(Status="PENDING_VALIDATION"), "certificate", "refused", "PENDING", "DNS record"),
        (certificate(DomainName="*.example.org"), "certificate", "ok", "*.example.org", ""),
        (certificate(DomainName="*.org"), "certificate", "refused", f"does not cover {HOST}", HOST),
        (certificate(DomainName="a.example.org", SubjectAlternativeNames=[HOST]), "certificate", "ok", HOST, ""),
        (certificate(NotAfter=NOW + timedelta(days=29)), "certificate", "warning", "ends on 2026-12-28", "DNS record"),
        (NO_CERTIFICATE, "certificate", "refused", "is not there", "us-east-1"),
        ({}, "cloudfront_account", "ok", "has verified it", ""),
        (distributions(0), "cloudfront_account", "unknown", "not verified", "support case"),
        ({}, "mail", "warning", "50 a day", "Amazon SES"),
        ({}, "alarm_address", "ok", ADDRESS, "confirm the message"),
        (subscribed("PendingConfirmation"), "alarm_address", "warning", "has not confirmed", "confirm"),
        (subscribed("arn:1"), "alarm_address", "ok", "has confirmed", ""),
        (subscribed("arn:1", topic="hurdle-autumn"), "alarm_address", "ok", "is new here", "confirm"),
        ({}, "leftovers", "ok", "not there yet", ""),
        (there("UPDATE_COMPLETE"), "leftovers", "ok", "UPDATE_COMPLETE", ""),
        (there("ROLLBACK_COMPLETE"), "leftovers", "warning", "ROLLBACK_COMPLETE", "deletes what is left"),
        (
            there("ROLLBACK_COMPLETE", **PROTECTED),
            "leftovers",
            "refused",
            "ROLLBACK",
            f"protection --stack-name {NAME}",
        ),
        (there("ROLLBACK_FAILED", StackStatusReason="no"), "leftovers", "refused", "(no)", "make destroy CYCLE=spring"),
        (there("UPDATE_ROLLBACK_FAILED"), "leftovers", "refused", "UPDATE_ROLLBACK_FAILED", "continue-update-rollback"),
        (there("UPDATE_IN_PROGRESS"), "leftovers", "refused", "IN_PROGRESS", "wait"),
    ],
)
def test_each_check_says_what_it_saw_and_what_to_do(
    answers: Mapping[str, Answer], code: str, state: str, sight: str, remedy: str
) -> None:
    finding = finding_of(code, preflight.examine(look(answers)))
    assert (finding.state, sight in finding.seen, remedy in finding.remedy) == (state, True, True), finding
    assert finding.state is State.OK or finding.remedy, "whoever is refused or warned is told what to do"


def test_an_account_that_is_ready_refuses_nothing() -> None:
    findings = preflight.examine(look({}))
    assert not preflight.refused(findings)
    assert {finding.code for finding in findings} >= set(preflight.CHECKS) | {"lambda_final", "public_keys", "docker"}


def test_what_the_cycle_holds_already_is_not_counted_twice() -> None:
    """The deployed cycle reserves 20 of the 120 itself, and its two key groups are among the ten."""
    ready = there("UPDATE_COMPLETE") | limits(120, 100) | groups(10)
    findings = preflight.examine(look(ready))
    assert finding_of("lambda_concurrency", findings).state is State.OK
    assert finding_of("key_groups", findings).state is State.OK
    third = application(Third={"Type": "AWS::CloudFront::KeyGroup", "Properties": {}})
    assert finding_of("key_groups", preflight.examine(look(ready, REAL, third))).state is State.REFUSED


def test_a_region_that_cdk_has_not_prepared_is_refused_by_its_name() -> None:
    for region in (REGION, "us-east-1"):
        findings = preflight.examine(look({f"ssm:GetParameter@{region}": MISSING}))
        (bad,) = [finding for finding in findings if finding.state is State.REFUSED]
        assert (bad.code, region in bad.seen, f"bootstrap aws://ACCOUNT/{region}" in bad.remedy) == (
            "bootstrap",
            True,
            True,
        )
    old = preflight.examine(look({"ssm:GetParameter": {"Parameter": {"Value": "5"}}}))
    assert [finding.state for finding in old if finding.code == "bootstrap"] == [State.REFUSED] * 2


def test_a_question_that_the_credentials_may_not_ask_is_unknown_and_hides_nothing() -> None:
    denied = {"apigateway:GetAccount": error("AccessDeniedException", "GetAccount")}
    findings = preflight.examine(look(denied))
    finding = finding_of("api_log_role", findings)
    assert (finding.state, finding.remedy) == (
        State.UNKNOWN,
        "let these credentials call GetAccount: docs/operations.md names an operator's rights",
    )
    assert finding_of("alarm_address", findings).state is State.OK


def test_mails_of_ses_are_counted_and_its_sandbox_is_told() -> None:
    ready = look({}, REAL, application(**SENDER))
    assert finding_of("mail", preflight.examine(ready)) == Finding(
        "mail", State.OK, "Amazon SES sends 50000 mails a day"
    )
    sandbox = {"sesv2:GetAccount": {"ProductionAccessEnabled": False, "SendQuota": {"Max24HourSend": 200}}}
    finding = finding_of("mail", preflight.examine(look(sandbox, REAL, application(**SENDER))))
    assert (finding.state, "200 mails" in finding.seen, "production access" in finding.remedy) == (
        State.WARNING,
        True,
        True,
    )


@pytest.mark.parametrize("page", ["operations.md", "operations.ru.md"])
def test_every_code_stands_in_the_operators_page(page: str) -> None:
    text = (ROOT / "docs" / page).read_text("utf-8")
    rows = re.findall(r"^   \| (`[a-z_`, ]+) \|", text, re.MULTILINE)
    documented = {code for row in rows for code in re.findall(r"`([a-z_]+)`", row)}
    source = Path(preflight.__file__).read_text("utf-8")
    codes = set(re.findall(r'(?:Finding|_judged|_against)\(\s*(?:look, )?"([a-z_]+)"', source))
    assert documented == codes | {counted.code for counted in OF_AN_ACCOUNT} | set(preflight.CHECKS)


def test_layers_that_are_not_built_and_a_missing_docker_are_refused() -> None:
    findings = preflight.examine(look({}, layer_faults=("the layer contest has not been built",), which=lambda _: None))
    assert {finding.code for finding in findings if finding.state is State.REFUSED} == {"layers", "docker"}


def test_the_demonstration_needs_no_domain_address_or_machines() -> None:
    findings = preflight.examine(look({}, for_cycle("demo")))
    assert finding_of("certificate", findings).state is State.OK
    assert finding_of("alarm_address", findings).state is State.OK
    assert not [finding for finding in findings if finding.code == "machines"]


@pytest.mark.parametrize("region", ["", REGION])
def test_without_credentials_or_region_nothing_else_is_asked(region: str, tmp_path: Path) -> None:
    recorded = Recorded({"sts:GetCallerIdentity": error("ExpiredToken", "GetCallerIdentity")})
    findings = preflight.run("demo", recorded.account(region), tmp_path)
    assert [finding.code for finding in findings if finding.state is State.REFUSED] == [
        "credentials" if region else "region"
    ]
    assert len(recorded.asked) <= 1
    assert not list(tmp_path.iterdir()), "nothing is synthesized"


@pytest.mark.parametrize(
    ("name", "words"), [("paws", "Cognito refuses 'aws' anywhere"), ("autumn-2027", "make cycle CYCLE=autumn-2027")]
)
def test_a_cycle_that_cannot_be_is_a_finding_too(name: str, words: str, tmp_path: Path) -> None:
    (finding,) = preflight.run(name, Recorded({}).account(), tmp_path)
    assert (finding.code, finding.state, words in finding.seen) == ("cycle_file", State.REFUSED, True)


def test_the_command_prints_json_for_pipelines_and_fails_when_something_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(preflight, "this_account", lambda: Recorded({}).account(""))
    assert preflight.main(["demo", "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["findings"][1]["code"] == "region"
    assert set(answer["findings"][1]) == {"code", "state", "seen", "remedy"}
    assert preflight.main(["demo"]) == 1
    assert "do: export AWS_REGION" in capsys.readouterr().out


def function_with(**variables: Any) -> dict[str, Any]:
    return {"Type": "AWS::Lambda::Function", "Properties": {"Environment": {"Variables": variables}}}


def test_a_value_is_as_long_as_cloudformation_makes_it() -> None:
    table = {"Type": "AWS::DynamoDB::Table", "Properties": {}}
    exported = {"T": {"Value": {"Ref": "Table"}, "Export": {"Name": "table"}}}
    storage = StackFile("s", None, {"Resources": {"Table": table}, "Outputs": exported}, {}, frozenset())
    queue = {"Type": "AWS::SQS::Queue", "Properties": {}}
    values = {
        "A": {"Fn::Join": ["/", [{"Ref": "AWS::Region"}, {"Ref": "AWS::AccountId"}, "{{resolve:secretsmanager:x}}"]]},
        "B": {"Fn::ImportValue": "table"},
        "C": {"Ref": "Work"},
    }
    function = StackFile("f", None, {"Resources": {"Work": queue, "F": function_with(**values)}}, {}, frozenset())
    filled = {
        "A": f"{REGION}/{ACCOUNT}/{'s' * 64}",
        "B": f"s-Table-{'x' * 12}",
        "C": f"https://sqs.{REGION}.amazonaws.com/{ACCOUNT}/f-Work-{'x' * 12}",
    }
    size = len(json.dumps(filled, separators=(",", ":")))
    assert assembly.longest((storage, function), REGION, ACCOUNT) == ("F", size)


@pytest.mark.parametrize(
    ("length", "state"), [(2_040, "ok"), (2_041, "warning"), (4_088, "warning"), (4_089, "refused")]
)
def test_an_environment_beyond_half_of_lambdas_room_is_warned_of_and_beyond_all_of_it_refused(
    length: int, state: str
) -> None:
    finding = finding_of("environment", preflight.examine(look({}, REAL, application(F=function_with(A="x" * length)))))
    assert finding.state == state
    assert f"F has the largest environment, {length + 8} bytes" in finding.seen


@pytest.mark.slow
def test_the_real_templates_are_counted(real: Any) -> None:
    files = assembly.read(real.folder)
    assert [file.name for file in files] == [f"{NAME}{end}" for end in ("--storage", "--firewall", "", "--programs")]
    assert (reserved_executions(files), most_executions(files) > 100, cache_behaviors(files) > 20) == (
        20,
        True,
        True,
    )
    routes = {(route.method, route.path) for route in ROUTES if route.function is not None}
    assert http_routes(files) == len(routes) + 1, "and one for everything else"
    assert new_of("AWS::CloudFront::KeyGroup", files, {}) == 2
    manifest = real.json("manifest.json")["artifacts"]
    required = {
        artifact["properties"]["requiresBootstrapStackVersion"]
        for artifact in manifest.values()
        if artifact["type"] == "aws:cloudformation:stack"
    }
    assert required == {preflight.LEAST_BOOTSTRAP}
    name, size = assembly.longest(files, "ap-southeast-1", ACCOUNT)
    assert name.startswith("Functions")
    assert 500 < size <= assembly.OURS

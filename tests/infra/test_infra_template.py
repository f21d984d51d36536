"""The synthesized template has what the exchange needs, leaves nothing open, and starts the local cloud, too."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest
from aws_cdk import aws_sqs as sqs
from aws_cdk.assertions import Match, Template
from openapi_spec_validator import validate

from contest import settings, stored_names
from contest.routes import ROUTES, UNKNOWN_LIMIT
from infra import assembly, layers
from infra.app import refuse_findings
from infra.config import for_cycle
from infra.layers import ROOT
from infra.rights import FUNCTIONS
from infra.template import LOCAL, joined, portable, text, with_alarms
from tests.infra.templates import faults_of_lint, functions_of, of_type, one, references, variables_of

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def template(synthesis: Any) -> Template:
    return Template.from_json(synthesis.template)


def test_the_app_synthesizes_without_credentials_and_without_a_finding_of_cdk_nag(synthesis: Any) -> None:
    assert synthesis.returncode == 0, synthesis.output
    reports = synthesis.json("validation-report.json")["pluginReports"]
    assert [item for report in reports for item in report["violations"]] == []


def test_a_finding_of_cdk_nag_that_nobody_accepted_stops_the_synthesis(tmp_path: Path) -> None:
    app = cdk.App(outdir=str(tmp_path))
    sqs.Queue(cdk.Stack(app, "Open"), "WithoutTls")
    refuse_findings(app)
    with pytest.raises(RuntimeError, match="AwsSolutions-SQS4"):
        app.synth()


def test_every_accepted_finding_says_why(synthesis: Any) -> None:
    stacks = ("hurdle-demo--storage", "hurdle-demo", "hurdle-demo--firewall")
    metadata = [entries for name in stacks for entries in synthesis.json(f"{name}.metadata.json").values()]
    entries = [entry for entries in metadata for entry in entries]
    accepted = [entry["data"] for entry in entries if entry["type"] == "aws:cdk:acknowledged-rules"]
    assert accepted
    for rule, reason in [pair for rules in accepted for pair in rules.items()]:
        assert len(reason.split()) >= 5, rule


@pytest.mark.long
@pytest.mark.parametrize("stack", ["hurdle-demo--storage", "hurdle-demo", "hurdle-demo--firewall"])
def test_the_template_passes_cfn_lint(synthesis: Any, stack: str) -> None:
    # W3005: CDK writes the dependency on a role twice, in DependsOn and in the reference to it. W6001: the application
    # tells the site's bucket, which it imports, beside the address, to what fills it.
    assert not faults_of_lint(synthesis.folder / f"{stack}.template.json", "W3005", "W6001")


def application_of(synthesis: Any) -> assembly.StackFile:
    return next(stack for stack in assembly.read(synthesis.folder) if stack.name == "hurdle-demo")


def test_the_local_clouds_template_is_current(synthesis: Any) -> None:
    parts = (synthesis.storage, with_alarms(application_of(synthesis)), synthesis.firewall)
    assert LOCAL.read_text(encoding="utf-8") == text(*parts), "run make template and commit the result"


def test_the_local_clouds_template_does_not_change_with_the_contents_of_files(synthesis: Any) -> None:
    changed = deepcopy(synthesis.template)
    versions = of_type(changed, "Lambda::Version")
    for function in of_type(changed, "Lambda::Function").values():
        function["Code"]["S3Key"] = "another.zip"
    renamed = json.dumps(changed)
    for name in versions:
        renamed = renamed.replace(name, name[:-40] + "0123ABCD" + "0" * 32)
    assert json.loads(renamed) != synthesis.template
    assert portable(json.loads(renamed)) == portable(synthesis.template)


def test_the_local_clouds_template_names_no_place_on_this_machine() -> None:
    template_text = LOCAL.read_text(encoding="utf-8")
    assert str(ROOT) not in template_text
    assert "asset." not in template_text


def test_every_resource_the_portable_template_refers_to_is_in_it(synthesis: Any) -> None:
    whole = with_alarms(application_of(synthesis))
    stable = portable(joined(synthesis.storage, whole, synthesis.firewall))
    pseudo = {f"AWS::{name}" for name in ("Partition", "Region", "AccountId", "URLSuffix", "StackId")}
    names = set(stable["Resources"]) | pseudo
    assert references(stable) - names == set()


def test_tables_are_on_demand_recoverable_and_forget_by_the_ttl_attribute(template: Template) -> None:
    template.resource_count_is("AWS::DynamoDB::Table", 5)
    template.all_resources_properties(
        "AWS::DynamoDB::Table",
        {
            "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [
                {"AttributeName": settings.PARTITION_KEY, "KeyType": "HASH"},
                {"AttributeName": settings.SORT_KEY, "KeyType": "RANGE"},
            ],
            "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True},
            "TimeToLiveSpecification": {"AttributeName": settings.TTL_ATTRIBUTE, "Enabled": True},
        },
    )


def test_only_the_exchange_table_has_a_stream(synthesis: Any) -> None:
    tables = of_type(synthesis.template, "DynamoDB::Table").items()
    streams = {name[:15]: table["StreamSpecification"] for name, table in tables if "StreamSpecification" in table}
    assert streams == {"StorageExchange": {"StreamViewType": "NEW_IMAGE"}}


def test_buckets_are_private_and_the_objects_are_versioned(template: Template) -> None:
    closed = dict.fromkeys(("BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets"), True)
    template.all_resources_properties(
        "AWS::S3::Bucket",
        {"PublicAccessBlockConfiguration": closed, "BucketEncryption": Match.any_value()},
    )
    template.has_resource_properties(
        "AWS::S3::Bucket",
        {
            "VersioningConfiguration": {"Status": "Enabled"},
            "LoggingConfiguration": Match.any_value(),
            "LifecycleConfiguration": {"Rules": Match.array_with([Match.object_like({"Prefix": stored_names.LOGS})])},
        },
    )


@pytest.mark.parametrize(
    ("kind", "count"), [("AWS::S3::BucketPolicy", 3), ("AWS::SQS::QueuePolicy", 1), ("AWS::SNS::TopicPolicy", 1)]
)
def test_nothing_can_be_reached_without_tls(synthesis: Any, kind: str, count: int) -> None:
    both = synthesis.template["Resources"] | synthesis.watched["Resources"]
    template = Template.from_json({"Resources": {name: item for name, item in both.items() if item["Type"] == kind}})
    refused = {"Effect": "Deny", "Condition": {"Bool": {"aws:SecureTransport": "false"}}}
    template.resource_count_is(kind, count)
    template.all_resources_properties(
        kind, {"PolicyDocument": {"Statement": Match.array_with([Match.object_like(refused)])}}
    )


def test_the_secrets_are_64_letters_and_digits(template: Template) -> None:
    template.resource_count_is("AWS::SecretsManager::Secret", 2)
    template.all_resources_properties(
        "AWS::SecretsManager::Secret",
        {"GenerateSecretString": {"PasswordLength": 64, "ExcludePunctuation": True, "IncludeSpace": False}},
    )


def test_every_function_has_its_handler_the_runtime_of_the_layers_and_its_cycle(synthesis: Any) -> None:
    functions = of_type(synthesis.template, "Lambda::Function").values()
    assert sorted(function["Handler"] for function in functions) == sorted(row.handler for row in FUNCTIONS)
    for function in functions:
        assert function["Runtime"] == f"python{layers.PYTHON_VERSION}"
        assert function["Architectures"] == ["arm64"]
        assert len(function["Layers"]) == len(layers.LAYERS)
        assert function["Environment"]["Variables"][settings.CYCLE] == "demo"


def test_the_rate_and_the_files_times_of_kept_executions_reach_the_platform(synthesis: Any, real: Any) -> None:
    capacity = variables_of(synthesis.template)["organize.api.handler"][settings.CAPACITY]
    assert json.loads(capacity) == {"requests_per_second": 1_000}
    actual = [variables for variables in variables_of(real.template).values() if settings.CAPACITY in variables]
    (capacity,) = {variables[settings.CAPACITY] for variables in actual}
    assert json.loads(capacity)["windows"] == [[1_809_925_200_000, 1_809_946_800_000, 50]]


def test_what_somebody_waits_for_has_a_published_version_under_an_alias(synthesis: Any) -> None:
    functions = of_type(synthesis.template, "Lambda::Function")
    aliases = of_type(synthesis.template, "Lambda::Alias").values()
    behind = {functions[alias["FunctionName"]["Ref"]]["Handler"] for alias in aliases}
    assert behind == {row.handler for row in FUNCTIONS if row.prompt}


def test_gateways_and_the_queue_of_pushes_call_aliases_and_never_a_function_itself(synthesis: Any) -> None:
    components = document(synthesis)["components"]
    uris = [one(synthesis.template, "ApiGatewayV2::Integration")[1]["IntegrationUri"]]
    uris += [item["uri"] for item in components["x-amazon-apigateway-integrations"].values()]
    uris += [item["x-amazon-apigateway-authorizer"]["authorizerUri"] for item in components["securitySchemes"].values()]
    mappings = of_type(synthesis.template, "Lambda::EventSourceMapping").items()
    uris += [mapping["FunctionName"] for source, mapping in mappings if "Pushes" in source]
    targets = {name for name in references(uris) if not name.startswith("AWS::")}
    assert targets == set(of_type(synthesis.template, "Lambda::Alias"))


def test_every_log_is_forgotten_after_the_configured_time(template: Template) -> None:
    template.resource_count_is("AWS::Logs::LogGroup", len(FUNCTIONS) + 2)
    days = for_cycle("demo").log_retention_days
    template.all_resources_properties("AWS::Logs::LogGroup", {"RetentionInDays": days})


def document(synthesis: Any) -> dict[str, Any]:
    """Return the OpenAPI document that the HTTP API is made of."""
    _, api = one(synthesis.template, "ApiGatewayV2::Api", "Exchange")
    assert api["FailOnWarnings"] is True, "an API without the authorizer that could not be made would be open"
    assert set(api) == {"Body", "FailOnWarnings"}, "the document says everything"
    body: dict[str, Any] = api["Body"]
    return body


def operations(synthesis: Any) -> dict[str, dict[str, Any]]:
    """Return the routes of the document by the gateway's keys."""
    paths = document(synthesis)["paths"]
    by_route = {
        f"{method.upper()} {path}": operation
        for path, methods in paths.items()
        for method, operation in methods.items()
        if method != "parameters"
    }
    unknown = by_route.pop("X-AMAZON-APIGATEWAY-ANY-METHOD /$default")
    assert unknown["isDefaultRoute"] is True
    return by_route | {"$default": unknown}


def function_behind(value: Any) -> str:
    """Return the name of the function whose alias a value refers to."""
    (alias,) = (name for name in references(value) if not name.startswith("AWS::"))
    return alias.removeprefix("Functions").partition("Live")[0]


@pytest.mark.clause("platform §1 public")
def test_every_route_is_there_and_exactly_those_that_anybody_may_call_have_no_authorizer(synthesis: Any) -> None:
    """cdk-nag does not look into the document, so nothing else holds this."""
    assert "security" not in document(synthesis), "nothing is guarded or open by a default"
    guarded = {key: operation.get("security") == [{"Caller": []}] for key, operation in operations(synthesis).items()}
    open_to_all = {route.key for route in ROUTES if route.public or route.names_token}
    assert guarded == {route.key: route.key not in open_to_all for route in ROUTES} | {"$default": False}
    assert {key for key, item in operations(synthesis).items() if "security" not in item} == open_to_all | {"$default"}
    assert set(document(synthesis)["components"]["securitySchemes"]) == {"Caller"}


def test_every_route_is_answered_by_its_function_and_may_call_it(synthesis: Any) -> None:
    components = document(synthesis)["components"]["x-amazon-apigateway-integrations"]
    usual = {"type": "aws_proxy", "payloadFormatVersion": "2.0", "httpMethod": "POST"}
    for name, integration in components.items():
        assert integration.items() >= usual.items()
        assert function_behind(integration["uri"]) == name
    start = "#/components/x-amazon-apigateway-integrations/"
    behind = {
        key: item["x-amazon-apigateway-integration"]["$ref"].removeprefix(start)
        for key, item in operations(synthesis).items()
    }
    assert behind == {route.key: route.function.value for route in ROUTES} | {"$default": "Public"}
    assert set(components) == set(behind.values())
    exchange, _ = one(synthesis.template, "ApiGatewayV2::Api", "Exchange")
    granted = {
        (function_behind(right["FunctionName"]), right["SourceArn"]["Fn::Join"][1][-1])
        for right in of_type(synthesis.template, "Lambda::Permission").values()
        if exchange in references(right["SourceArn"])
    }
    assert granted == {*((name, "/*/*") for name in components), ("Authorize", "/authorizers/*")}


def test_the_document_is_valid_so_that_its_import_warns_of_nothing(synthesis: Any) -> None:
    """A warning stops the deployment ("Working with OpenAPI definitions for HTTP APIs": import validation)."""
    validate(as_written(document(synthesis)))


def as_written(value: Any) -> Any:
    """Return a value of a template as CloudFormation writes it: what is put together is a text."""
    if isinstance(value, list):
        return [as_written(element) for element in value]
    if not isinstance(value, dict):
        return value
    if "Fn::Join" in value:
        return "".join(part if isinstance(part, str) else "x" for part in value["Fn::Join"][1])
    return {key: as_written(element) for key, element in value.items()}


def test_the_authorizer_answers_simply_and_is_believed_for_a_minute_at_most(synthesis: Any) -> None:
    scheme = document(synthesis)["components"]["securitySchemes"]["Caller"]
    assert (scheme["type"], scheme["in"]) == ("apiKey", "header")
    authorizer = dict(scheme["x-amazon-apigateway-authorizer"])
    assert function_behind(authorizer.pop("authorizerUri")) == "Authorize"
    assert authorizer == {
        "type": "request",
        "enableSimpleResponses": True,
        "authorizerResultTtlInSeconds": 30,
        "authorizerPayloadFormatVersion": "2.0",
        "identitySource": f"$request.header.Authorization, $request.header.{settings.ORIGIN_HEADER}",
    }


def test_the_stage_is_throttled_and_logs_every_access(template: Template) -> None:
    config = for_cycle("demo")
    template.has_resource_properties(
        "AWS::ApiGatewayV2::Stage",
        {
            "StageName": "$default",
            "AutoDeploy": True,
            "DefaultRouteSettings": {
                "ThrottlingRateLimit": config.requests_per_second,
                "ThrottlingBurstLimit": config.requests_burst,
                "DetailedMetricsEnabled": False,
            },
            "AccessLogSettings": {"DestinationArn": Match.any_value(), "Format": Match.any_value()},
        },
    )


def test_the_gateway_has_the_limits_of_the_table_of_routes(synthesis: Any) -> None:
    name, stage = one(synthesis.template, "ApiGatewayV2::Stage", "Exchange")
    limits = {route.key: route.limit for route in ROUTES if route.limit} | {"$default": UNKNOWN_LIMIT}
    assert stage["RouteSettings"] == {
        key: {
            "ThrottlingRateLimit": limit.per_second,
            "ThrottlingBurstLimit": limit.burst,
            "DetailedMetricsEnabled": False,
        }
        for key, limit in limits.items()
    }
    assert set(limits) <= set(operations(synthesis)), f"{name} names routes that the API does not have"


def test_what_everybody_may_call_takes_no_execution_from_programs(synthesis: Any) -> None:
    functions = functions_of(synthesis.template).items()
    reserved = {handler: function.get("ReservedConcurrentExecutions") for handler, function in functions}
    assert reserved.pop("dispatch.public.handler") == 20
    assert set(reserved.values()) == {None}


def test_no_way_past_the_front_is_told(synthesis: Any) -> None:
    addresses = {"Address", "DistributionHost", "ConnectionsAddress"}
    assert set(synthesis.template["Outputs"]) == {*addresses, "SiteBucket"}


def test_a_failed_scoring_ends_among_the_dead_letters_after_five_tries(template: Template) -> None:
    template.has_resource_properties(
        "AWS::SQS::Queue", {"RedrivePolicy": {"maxReceiveCount": 5, "deadLetterTargetArn": Match.any_value()}}
    )
    template.has_resource_properties(
        "AWS::Lambda::EventSourceMapping",
        {
            "BatchSize": 10,
            "FunctionResponseTypes": ["ReportBatchItemFailures"],
            "ScalingConfig": {"MaximumConcurrency": for_cycle("demo").scoring_max_concurrency},
        },
    )


def test_the_relay_sees_new_outbox_items_only_and_loses_none(template: Template) -> None:
    pattern = Match.serialized_json(
        {"eventName": ["INSERT"], "dynamodb": {"Keys": {"pk": {"S": [{"prefix": settings.OUTBOX_PREFIX}]}}}}
    )
    template.has_resource_properties(
        "AWS::Lambda::EventSourceMapping",
        {
            "BatchSize": 100,
            "BisectBatchOnFunctionError": True,
            "MaximumRetryAttempts": 5,
            "StartingPosition": "TRIM_HORIZON",
            "DestinationConfig": {"OnFailure": {"Destination": Match.any_value()}},
            "FilterCriteria": {"Filters": [{"Pattern": pattern}]},
        },
    )


@pytest.mark.parametrize("expression", ["rate(1 minute)", "rate(4 hours)"])
def test_the_timers_are_exact_and_have_dead_letters(template: Template, expression: str) -> None:
    template.resource_count_is("AWS::Scheduler::Schedule", 3)
    template.has_resource_properties(
        "AWS::Scheduler::Schedule",
        {
            "ScheduleExpression": expression,
            "FlexibleTimeWindow": {"Mode": "OFF"},
            "Target": {"DeadLetterConfig": {"Arn": Match.any_value()}, "Arn": Match.any_value()},
        },
    )


def test_a_timers_run_that_fails_is_not_repeated_and_its_failure_goes_somewhere(synthesis: Any) -> None:
    schedules = of_type(synthesis.template, "Scheduler::Schedule").values()
    invocations = of_type(synthesis.template, "Lambda::EventInvokeConfig").values()
    assert references([invocation["FunctionName"] for invocation in invocations]) == references(
        [schedule["Target"]["Arn"] for schedule in schedules]
    )
    for item in invocations:
        assert item["MaximumRetryAttempts"] == 0
        (queue,) = references(item["DestinationConfig"]["OnFailure"]["Destination"])
        assert queue.startswith("QueuesTimerDeadLetters")


def test_a_file_that_could_not_be_pushed_comes_again_at_once_and_ends_among_the_dead_letters(synthesis: Any) -> None:
    _, pushes = one(synthesis.template, "SQS::Queue", "QueuesPushes")
    assert pushes["RedrivePolicy"]["maxReceiveCount"] == 3
    # A failed one is given back by the function after one time-out (contest.edge.guards), long before this.
    assert pushes["VisibilityTimeout"] == 6 * for_cycle("demo").sizes["Push"].timeout_s
    _, mapping = one(synthesis.template, "Lambda::EventSourceMapping", "FunctionsPush")
    assert (mapping["BatchSize"], mapping["FunctionResponseTypes"]) == (10, ["ReportBatchItemFailures"])


def test_the_stack_composes_constructs_and_defines_no_resource_itself() -> None:
    tree = ast.parse((ROOT / "infra" / "app.py").read_text(encoding="utf-8"))
    imported = {
        f"{node.module}.{name.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("aws_cdk")
        for name in node.names
    }
    assert imported <= {"aws_cdk.CfnOutput", "aws_cdk.Environment", "aws_cdk.Stack"}


def test_everything_is_inside_one_of_the_constructs(synthesis: Any) -> None:
    stack = synthesis.json("tree.json")["tree"]["children"]["hurdle-demo"]
    assert resource_depths(stack, 0) >= {2}
    assert min(resource_depths(stack, 0)) > 1


def resource_depths(node: Mapping[str, Any], depth: int) -> set[int]:
    own = {depth} if "aws:cdk:cloudformation:type" in node.get("attributes", {}) else set()
    return own.union(*(resource_depths(child, depth + 1) for child in node.get("children", {}).values()))

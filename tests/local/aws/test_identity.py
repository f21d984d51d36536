"""A function asks of moto what its role allows and nothing else, whatever its code says (platform §1)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import boto3  # type: ignore[import-untyped]  # ships no types
import pytest
from botocore.config import Config  # type: ignore[import-untyped]  # ships no types
from botocore.exceptions import ClientError  # type: ignore[import-untyped]  # the SDK has no types

from local.aws.emulator import Emulator
from local.aws.identity import missing, rights_of, wanted
from local.aws.template import FUNCTION_TYPE, Deployment, Resource, Template, TemplateError
from local.cloud import DEFAULT_TEMPLATE
from local.environment import ACCOUNT, REGION
from tests.exchange_programs import Exchange

pytestmark = pytest.mark.integration

KEY = {"pk": {"S": "TEAM#nobody"}, "sk": {"S": "META"}}
ORGANIZER = "local"


class Asking:
    """Requests to a cloud's services, signed with a key."""

    def __init__(self, exchange: Exchange, key: str) -> None:
        self._exchange = exchange
        self._key = key

    def client(self, service: str) -> Any:
        return boto3.client(
            service,
            region_name=REGION,
            endpoint_url=self._exchange.cloud.endpoint_url,
            aws_access_key_id=self._key,
            aws_secret_access_key="x",
            config=Config(proxies={}, s3={"addressing_style": "path"}),
        )

    def gets(self, name: str) -> str:
        return self._code(lambda: self.client("s3").get_object(Bucket=self._bucket, Key=name))

    def puts(self, name: str) -> str:
        return self._code(lambda: self.client("s3").put_object(Bucket=self._bucket, Key=name, Body=b"{}"))

    def reads(self, table: str) -> str:
        wish = {self._exchange.cloud.resource(table): {"Keys": [KEY]}}
        return self._code(lambda: self.client("dynamodb").batch_get_item(RequestItems=wish))

    def writes(self, table: str) -> str:
        """Send a write whose condition fails wherever the write is allowed."""
        wish = {"TableName": self._exchange.cloud.resource(table), "Item": KEY}
        put = {**wish, "ConditionExpression": "attribute_exists(pk)"}
        return self._code(lambda: self.client("dynamodb").transact_write_items(TransactItems=[{"Put": put}]))

    def sends(self, queue: str) -> str:
        url = self._exchange.cloud.resource(queue)
        return self._code(lambda: self.client("sqs").send_message_batch(QueueUrl=url, Entries=[]))

    def schedules(self, resource: str) -> str:
        """Schedule an action, as the minute timer does before a final, and take it back."""
        client, service = self.client("application-autoscaling"), "lambda" if resource.endswith(":live") else "ecs"
        dimension = "function:ProvisionedConcurrency" if service == "lambda" else "service:DesiredCount"
        names = {
            "ServiceNamespace": service,
            "ScalableDimension": f"{service}:{dimension}",
            "ResourceId": resource,
            "ScheduledActionName": "hurdle-1",
        }

        def ask() -> None:
            client.put_scheduled_action(**names, Schedule="at(2027-01-01T00:00:00)")
            (action,) = client.describe_scheduled_actions(ServiceNamespace=service)["ScheduledActions"]
            client.delete_scheduled_action(**names)
            assert action["ResourceId"] == resource

        return self._code(ask)

    def signs(self) -> str:
        secret = self._exchange.cloud.resource("StorageSigningSecret")
        return self._code(lambda: self.client("secretsmanager").get_secret_value(SecretId=secret))

    @property
    def _bucket(self) -> str:
        return self._exchange.cloud.resource("StorageObjects")

    @staticmethod
    def _code(ask: Callable[[], Any]) -> str:
        try:
            ask()
        except ClientError as error:
            return str(error.response["Error"]["Code"])
        return "done"


def named(prefix: str) -> str:
    """Return a function's whole name, which is its processes' access key."""
    return Template.read(DEFAULT_TEMPLATE).find(prefix, FUNCTION_TYPE).logical_id


DENIED = {"AccessDenied", "AccessDeniedException"}
RULES = (
    # who, what, about what, whether it may
    ("FunctionsPublic", "gets", "runs/r/commitment.json", True),
    ("FunctionsPublic", "gets", "runs/r/plan-0.json", False),
    ("FunctionsPublic", "gets", "sets/demo/items/a.json", False),
    ("FunctionsPublic", "writes", "StorageExchange", False),
    ("FunctionsDispatch", "gets", "sets/demo/items/a.json", True),
    ("FunctionsDispatch", "gets", "sets/demo/references/a.json", False),
    ("FunctionsScore", "gets", "sets/demo/references/a.json", True),
    ("FunctionsDispatch", "writes", "StorageIdentity", False),
    ("FunctionsSocket", "reads", "StorageIdentity", True),
    ("FunctionsSocket", "writes", "StorageExchange", True),
    ("FunctionsSocket", "writes", "StorageScores", False),
    ("FunctionsChannelTimer", "writes", "StorageExchange", True),
    ("FunctionsChannelTimer", "reads", "StorageCatalogue", False),
    ("FunctionsPush", "puts", "answers/s/1/a.json", False),
    ("FunctionsSubmit", "puts", "answers/s/1/a.json", True),
    ("FunctionsPush", "sends", "QueuesPushes", True),
    ("FunctionsPush", "sends", "QueuesScoring", False),
    ("FunctionsMinuteTimer", "schedules", "function:hurdle-demo-dispatch:live", True),
    ("FunctionsMinuteTimer", "schedules", "service/somebody/elses", False),
    ("FunctionsAdministration", "schedules", "function:hurdle-demo-dispatch:live", False),
    (ORGANIZER, "gets", "sets/demo/references/a.json", True),
    (ORGANIZER, "writes", "StorageIdentity", True),
)


@pytest.mark.clause("platform §1 rights")
@pytest.mark.parametrize(("who", "how", "what", "may"), RULES)
def test_a_function_may_do_what_its_role_allows_and_nothing_else(
    exchange: Exchange, who: str, how: str, what: str, may: bool
) -> None:
    key = who if who == ORGANIZER else named(who)
    code = getattr(Asking(exchange, key), how)(what)
    assert (code not in DENIED) is may, code


@pytest.mark.parametrize(("who", "may"), [("FunctionsSubmit", True), ("FunctionsDispatch", False)])
def test_who_signs_receipts_reads_the_key_and_nobody_else(exchange: Exchange, who: str, may: bool) -> None:
    asking = Asking(exchange, named(who))
    assert (asking.signs() not in DENIED) is may


def template_of(statement: dict[str, Any]) -> Template:
    """Return a template with a function, its role, and a policy of one statement."""
    document: dict[str, dict[str, Any]] = {
        "Made": {"Type": FUNCTION_TYPE, "Properties": {"Role": {"Fn::GetAtt": ["MadeRole", "Arn"]}}},
        "MadeRole": {
            "Type": "AWS::IAM::Role",
            "Properties": {"Policies": [{"PolicyName": "Rights", "PolicyDocument": {"Statement": [statement]}}]},
        },
        "Alone": {"Type": FUNCTION_TYPE, "Properties": {}},
    }
    resources = {
        name: Resource(name, resource["Type"], resource.get("Properties", {})) for name, resource in document.items()
    }
    return Template(resources)


def rights(**statement: Any) -> dict[str, Any]:
    grant = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::b/*", **statement}
    return rights_of(Deployment(template_of(grant), Emulator("http://127.0.0.1:9"), "", ""))


def test_a_function_has_the_rights_of_its_role_and_one_without_a_role_is_not_held() -> None:
    assert rights() == {"Made": [("s3:GetObject", "arn:aws:s3:::b/*")]}
    assert rights(Action=["xray:PutTraceSegments"], Resource={"Fn::GetAtt": ["Nowhere", "Arn"]}) == {"Made": []}


@pytest.mark.parametrize(
    "statement", [{"Effect": "Deny"}, {"Condition": {"Bool": {"aws:SecureTransport": "true"}}}, {"NotResource": "*"}]
)
def test_statements_that_are_not_known_are_refused_rather_than_passed_over(statement: dict[str, Any]) -> None:
    with pytest.raises(TemplateError, match="MadeRole"):
        rights(**statement)


def rights_asked(target: str, **parameters: Any) -> list[tuple[str, str]]:
    return list(wanted({"HTTP_X_AMZ_TARGET": target}, json.dumps(parameters).encode()))


def test_a_transaction_asks_for_each_of_its_parts() -> None:
    parts = [{"ConditionCheck": {"TableName": "a"}}, {"Update": {"TableName": "b"}}]
    table = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table"
    wanted_of_both = rights_asked("DynamoDB_20120810.TransactWriteItems", TransactItems=parts)
    assert wanted_of_both == [("dynamodb:ConditionCheckItem", f"{table}/a"), ("dynamodb:UpdateItem", f"{table}/b")]
    lacking = missing([("dynamodb:ConditionCheckItem", f"{table}/a")], iter(wanted_of_both))
    assert lacking == f"is not authorized to perform: dynamodb:UpdateItem on resource: {table}/b"
    assert missing([("dynamodb:UpdateItem", f"{table}/*"), wanted_of_both[0]], iter(wanted_of_both)) is None


def test_what_names_no_resource_is_about_all_of_them() -> None:
    asked_for = [*rights_asked("DynamoDB_20120810.ListTables"), *rights_asked("AmazonSQS.GetQueueUrl", QueueName="q")]
    queue = f"arn:aws:sqs:{REGION}:{ACCOUNT}:q"
    assert asked_for[1] == ("sqs:GetQueueUrl", queue)
    assert missing([("dynamodb:*", "*"), ("sqs:Get*", queue)], iter(asked_for)) is None
    assert missing([("dynamodb:ListTables", f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/a")], iter(asked_for))


def test_a_star_ends_at_no_slash_and_a_name_is_no_beginning() -> None:
    allowed = [("s3:GetObject", "arn:aws:s3:::b/sets/*/items/*")]
    assert missing(allowed, iter([("s3:GetObject", "arn:aws:s3:::b/sets/demo/items/a.json")])) is None
    assert missing(allowed, iter([("s3:GetObject", "arn:aws:s3:::b/sets/demo/references/a.json")]))
    assert missing(allowed, iter([("s3:PutObject", "arn:aws:s3:::b/sets/demo/items/a.json")]))

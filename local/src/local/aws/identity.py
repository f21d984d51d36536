"""Cognito's accounts and IAM's rights: who may sign in, and what the template's function roles may ask of moto.

Of Cognito's administration there is what inviting people needs. An account's subject is made of its pool and address,
so that a state file's references to it stay valid.

A function signs with an access key that is its own name. A request signed with another key (the organizer's command,
the local cloud itself) may do everything, as an administrator may. Roles have statements that allow actions on
resources; a template with any others is refused rather than half understood.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from local.aws.template import TemplateError, pool_arn
from local.environment import ACCOUNT, REGION
from local.texts import tr

if TYPE_CHECKING:
    from local.aws.template import Deployment, Resource

COGNITO = "AWSCognitoIdentityProviderService"


@dataclass
class Account:
    """One account of a pool."""

    email: str
    name: str
    is_open: bool = True


class Answer(NamedTuple):
    """The answer to a call: an HTTP status and JSON."""

    status: int
    body: dict[str, Any]


class Accounts:
    """All accounts, by pool and address."""

    def __init__(self) -> None:
        self._pools: dict[str, dict[str, Account]] = {}

    def call(self, operation: str, request: Mapping[str, Any]) -> Answer:
        """Answer a call as Cognito does."""
        pool_id, email = str(request["UserPoolId"]), str(request["Username"]).lower()
        pool = self._pools.setdefault(pool_id, {})
        if operation == "AdminCreateUser":
            if email in pool:
                return _refused("UsernameExistsException", "User account already exists")
            attributes = {attribute["Name"]: attribute["Value"] for attribute in request.get("UserAttributes", [])}
            pool[email] = Account(email, attributes.get("name", email))
            return Answer(200, {"User": {"Username": email, "Attributes": _attributes(pool_id, pool[email])}})
        if email not in pool:
            return _refused("UserNotFoundException", "User does not exist.")
        return _of_account(operation, pool_id, pool[email])

    def dump(self) -> dict[str, list[dict[str, Any]]]:
        """Return all accounts as JSON, by pool."""
        return {pool: [asdict(account) for account in accounts.values()] for pool, accounts in self._pools.items()}

    def load(self, accounts: Mapping[str, Any]) -> None:
        """Put these accounts in the place of all that there are."""
        self._pools = {pool: {fields["email"]: Account(**fields) for fields in rows} for pool, rows in accounts.items()}


def subject_of(pool_id: str, email: str) -> str:
    """Return the name by which tokens call an account."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"mailto:{email.lower()}?pool={pool_id}"))


def _of_account(operation: str, pool_id: str, account: Account) -> Answer:
    match operation:
        case "AdminGetUser":
            details = {"UserAttributes": _attributes(pool_id, account), "Enabled": account.is_open}
            return Answer(200, {"Username": account.email, **details})
        case "AdminDisableUser" | "AdminEnableUser":
            account.is_open = operation == "AdminEnableUser"
        case "AdminUserGlobalSignOut":
            pass  # a refresh looks at the account each time
        case _:
            return _refused("InvalidAction", f"the local cloud does not know {operation}")
    return Answer(200, {})


def _attributes(pool_id: str, account: Account) -> list[dict[str, str]]:
    attributes = {"sub": subject_of(pool_id, account.email), "email": account.email, "name": account.name}
    return [{"Name": name, "Value": value} for name, value in attributes.items()]


def _refused(code: str, message: str) -> Answer:
    return Answer(400, {"__type": code, "message": message})


Right = tuple[str, str]
"""An action, and the ARN that it is about; of what is allowed, both are patterns with stars."""

_HELD = ("dynamodb:", "s3:", "sqs:", "secretsmanager:", "events:", "cognito-idp:", "application-autoscaling:")
_STATEMENT = frozenset({"Action", "Condition", "Effect", "Resource", "Sid"})
_OF_LAMBDA = {"StringEquals": {"application-autoscaling:service-namespace": "lambda"}}
"""The one condition that is known here: :func:`wanted` names a target of another service otherwise."""
_KEY = re.compile(r"Credential=([^/,]+)/")
_IN_TRANSACTION = {
    "Get": "GetItem",
    "Put": "PutItem",
    "Update": "UpdateItem",
    "Delete": "DeleteItem",
    "ConditionCheck": "ConditionCheckItem",
}
# Jobs have no rights here: what runs them is a part of the deployments that run any, and no part of the template.
_JOBS = "/batch/aws4_request"
# What names no resource is about all of them.
_ANY = "*"
_OF_OBJECTS = {"GET": "GetObject", "HEAD": "GetObject", "PUT": "PutObject", "DELETE": "DeleteObject"}


def rights_of(deployment: Deployment) -> dict[str, list[Right]]:
    """Return the rights of each function with a role, by the function's logical id.

    TemplateError for statements that do more than allow actions on resources.
    """
    template = deployment.template
    rights = {}
    for function in template.of_type("AWS::Lambda::Function"):
        role = function.properties.get("Role", {}).get("Fn::GetAtt", [None])[0]
        if role is not None:
            rights[function.logical_id] = list(_allowed(deployment, template.resources[role]))
    return rights


def _allowed(deployment: Deployment, role: Resource) -> Iterator[Right]:
    policies = role.properties.get("Policies", ())
    for statement in [statement for policy in policies for statement in policy["PolicyDocument"]["Statement"]]:
        conditions = statement.get("Condition", _OF_LAMBDA)
        if not statement.keys() <= _STATEMENT or statement["Effect"] != "Allow" or conditions != _OF_LAMBDA:
            raise TemplateError(
                tr(
                    "{logical_id}: the local cloud knows statements that allow, without conditions",
                    logical_id=role.logical_id,
                )
            )
        actions = [action for action in _listed(statement["Action"]) if action.startswith(_HELD)]
        if actions:
            where = f"{role.logical_id}.Resource"
            for resource in _listed(statement["Resource"]):
                yield from ((action, deployment.resolver.value(resource, where)) for action in actions)


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else [value]


_SCALING: Final = "AnyScaleFrontendService"
_TARGETS: Final = f"arn:aws:application-autoscaling:{REGION}:{ACCOUNT}:scalable-target/of-the-template"


def signer(environ: Mapping[str, Any]) -> str:
    """Return the access key that a request is signed with; empty without one."""
    match = _KEY.search(environ.get("HTTP_AUTHORIZATION", ""))
    return match[1] if match else ""


def wanted(environ: Mapping[str, Any], body: bytes) -> Iterator[Right]:
    """Yield the rights that a request needs; ``body`` matters where the request has a target."""
    service, _, operation = environ.get("HTTP_X_AMZ_TARGET", "").partition(".")
    if not service:
        if _JOBS not in environ.get("HTTP_AUTHORIZATION", ""):
            bucket, _, key = environ["PATH_INFO"].removeprefix("/").partition("/")
            operation = _OF_OBJECTS.get(environ["REQUEST_METHOD"], "Unknown")
            yield from wanted_of("s3", operation, {"Bucket": bucket, "Key": key})
        return
    yield from wanted_of(service, operation, json.loads(body))


def wanted_of(service: str, operation: str, request: Mapping[str, Any]) -> Iterator[Right]:
    """Yield the rights that a request with a target, or one to a bucket, needs."""
    if service.startswith("DynamoDB"):
        for action, table in _items(operation, request):
            yield f"dynamodb:{action}", f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{table}"
    elif service == "AmazonSQS":
        queue = str(request.get("QueueUrl") or request.get("QueueName", _ANY)).rpartition("/")[2]
        yield f"sqs:{operation.removesuffix('Batch')}", f"arn:aws:sqs:{REGION}:{ACCOUNT}:{queue}"
    elif service == "s3":
        if key := request.get("Key"):
            yield f"s3:{operation}", f"arn:aws:s3:::{request['Bucket']}/{key}"
        else:
            yield "s3:ListBucket", f"arn:aws:s3:::{request['Bucket']}"
    elif service == "AWSEvents":
        yield f"events:{operation}", f"arn:aws:events:{REGION}:{ACCOUNT}:event-bus/default"
    elif service == _SCALING:
        target = _TARGETS if request["ServiceNamespace"] == "lambda" else "a target of another service"
        yield f"application-autoscaling:{operation}", _ANY if operation.startswith("Describe") else target
    elif service == COGNITO:
        yield f"cognito-idp:{operation}", pool_arn(str(request["UserPoolId"]))
    else:
        secret = str(request.get("SecretId", _ANY))
        if secret != _ANY and not secret.startswith("arn:"):  # a name, to whose ARN the service adds six signs
            secret = f"arn:aws:secretsmanager:{REGION}:{ACCOUNT}:secret:{secret}-XXXXXX"
        yield f"{service}:{operation}", secret


def _items(operation: str, request: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if operation.startswith("Transact"):
        for item in request["TransactItems"]:
            yield from ((_IN_TRANSACTION[kind], what["TableName"]) for kind, what in item.items())
    elif operation.startswith("Batch"):
        yield from ((operation, table) for table in request["RequestItems"])
    else:
        yield operation, request.get("TableName", _ANY)


def missing(rights: Sequence[Right], required: Iterator[Right]) -> str | None:
    """Return AWS's message on the first required right that is missing; None if all are there."""
    for action, resource in required:
        if not any(fnmatchcase(action, allowed) and fnmatchcase(resource, pattern) for allowed, pattern in rights):
            return f"is not authorized to perform: {action} on resource: {resource}"
    return None

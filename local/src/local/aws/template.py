"""A CloudFormation template: its resources and functions, its intrinsic functions' values, its deployment in moto.

The template is what `cdk synth` writes, as JSON. Only the properties that are read are evaluated, so that resources
the local cloud does not know (roles, alarms, log groups) may have any properties.

:class:`FunctionSpec` is a function as the template describes it; :mod:`local.lambdas.runtime` runs it.

:class:`Deployment` creates tables, buckets, queues and secrets in moto, and names everything else. A resource is
created when it is first referred to, so the template's dependencies give the order. Names are `local-` and the logical
id, so that a kept state fits a later start.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from local.environment import ACCOUNT, REGION
from local.texts import tr

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from local.aws.emulator import Emulator

PSEUDO_PARAMETERS = {
    "AWS::Region": REGION,
    "AWS::AccountId": ACCOUNT,
    "AWS::Partition": "aws",
    "AWS::URLSuffix": "amazonaws.com",
    "AWS::StackName": "local",
    "AWS::StackId": f"arn:aws:cloudformation:{REGION}:{ACCOUNT}:stack/local/1",
}
_NO_VALUE = {"Ref": "AWS::NoValue"}


class TemplateError(Exception):
    """The template asks for something that the local cloud cannot give; the message says where and what."""


class Resource(NamedTuple):
    """One resource of the template with its properties as written, intrinsic functions unevaluated."""

    logical_id: str
    type: str
    properties: Mapping[str, Any]


@dataclass(frozen=True)
class Template:
    """The resources of a template by logical id, in the template's order."""

    resources: Mapping[str, Resource]

    @classmethod
    def read(cls, path: Path) -> Template:
        """Read a JSON template. TemplateError when the file is no such thing."""
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            resources = {
                logical_id: Resource(logical_id, body["Type"], body.get("Properties", {}))
                for logical_id, body in document["Resources"].items()
            }
        except OSError as error:
            raise TemplateError(
                tr("cannot read the template {path}: {strerror}", path=path, strerror=error.strerror)
            ) from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise TemplateError(
                tr("{path} is not a CloudFormation template in JSON: {error!r}", path=path, error=error)
            ) from error
        return cls(resources)

    def of_type(self, *types: str) -> Iterator[Resource]:
        """Yield the resources of the given types."""
        return (resource for resource in self.resources.values() if resource.type in types)

    def find(self, prefix: str, *types: str) -> Resource:
        """Return the one resource whose logical id is `prefix`, else `prefix` plus CDK's hash, else starts so.

        With `types`, only resources of these types count. TemplateError when none or several fit.
        """
        candidates = [
            resource
            for resource in self.resources.values()
            if resource.logical_id.startswith(prefix) and (not types or resource.type in types)
        ]
        for rest in (r"", r"[0-9A-F]{8}", r".*"):
            pattern = re.compile(re.escape(prefix) + rest)
            chosen = [resource for resource in candidates if pattern.fullmatch(resource.logical_id)]
            if len(chosen) == 1:
                return chosen[0]
            if chosen:
                names = ", ".join(resource.logical_id for resource in chosen)
                raise TemplateError(tr("{prefix!r} fits several resources: {names}", prefix=prefix, names=names))
        raise TemplateError(
            tr("no resource of type {types} begins with {prefix!r}", types=", ".join(types), prefix=prefix)
            if types
            else tr("no resource begins with {prefix!r}", prefix=prefix)
        )


class Resolver:
    """Evaluates properties. `attributes(logical_id)` gives a resource's `Ref` and `Fn::GetAtt` values."""

    def __init__(self, template: Template, attributes: Callable[[str], Mapping[str, str]]) -> None:
        self._template = template
        self._attributes = attributes

    def value(self, raw: Any, where: str) -> Any:
        """Return `raw` with every intrinsic function evaluated; `where` is named in errors.

        Members whose value is `AWS::NoValue` are left out. TemplateError for unknown functions and for
        references to what the local cloud does not create.
        """
        if isinstance(raw, list):
            return [self.value(member, f"{where}[{i}]") for i, member in enumerate(raw) if member != _NO_VALUE]
        if not isinstance(raw, dict):
            return raw
        if len(raw) == 1:
            [(name, argument)] = raw.items()
            if name == "Ref" or name.startswith("Fn::"):
                return self._call(name, argument, where)
        return {key: self.value(member, f"{where}.{key}") for key, member in raw.items() if member != _NO_VALUE}

    def properties(self, resource: Resource, *names: str) -> dict[str, Any]:
        """Return the named properties that the resource has, evaluated."""
        return {
            name: self.value(resource.properties[name], f"{resource.logical_id}.{name}")
            for name in names
            if name in resource.properties
        }

    def _call(self, name: str, argument: Any, where: str) -> Any:
        match name, argument:
            case "Ref", str():
                return PSEUDO_PARAMETERS.get(argument) or self._attribute(argument, "Ref", where)
            case "Fn::GetAtt", [str(logical_id), str(attribute)]:
                return self._attribute(logical_id, attribute, where)
            case "Fn::Join", [str(separator), members]:
                return separator.join(str(part) for part in self.value(members, where))
            case "Fn::Select", [index, members]:
                return self.value(members, where)[int(index)]
            case "Fn::Split", [str(separator), text]:
                return self.value(text, where).split(separator)
        raise TemplateError(
            tr(
                "{where}: the local cloud does not know {name} with {argument}",
                where=where,
                name=name,
                argument=json.dumps(argument),
            )
        )

    def _attribute(self, logical_id: str, attribute: str, where: str) -> str:
        if logical_id not in self._template.resources:
            raise TemplateError(
                tr(
                    "{where} refers to {logical_id}, which the template does not define",
                    where=where,
                    logical_id=logical_id,
                )
            )
        attributes = self._attributes(logical_id)
        if attribute not in attributes:
            kind = self._template.resources[logical_id].type
            raise TemplateError(
                tr(
                    "{where} refers to {attribute} of {logical_id} ({kind}), which the local cloud does not create",
                    where=where,
                    attribute=attribute,
                    logical_id=logical_id,
                    kind=kind,
                )
            )
        return attributes[attribute]


@dataclass(frozen=True)
class FunctionSpec:
    """A function: `name` as in logs and URLs, `handler` as in the template, environment beyond the common one.

    `reserved`: so many events at once, None without a bound. `alias`: the name that callers use, empty without one;
    `provisioned`: so many executions are kept running for it.
    """

    name: str
    handler: str
    environment: Mapping[str, str]
    timeout_s: float = 3.0
    memory_mb: int = 128
    workers: int = 1
    reserved: int | None = None
    alias: str = ""
    provisioned: int = 0


def function_arn(name: str) -> str:
    """Return the ARN of a function of the local cloud."""
    return f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{name}"


def pool_arn(pool_id: str) -> str:
    """Return the ARN of a pool of accounts."""
    return f"arn:aws:cognito-idp:{REGION}:{ACCOUNT}:userpool/{pool_id}"


TABLE_TYPE = "AWS::DynamoDB::Table"
BUCKET_TYPE = "AWS::S3::Bucket"
QUEUE_TYPE = "AWS::SQS::Queue"
SECRET_TYPE = "AWS::SecretsManager::Secret"  # noqa: S105 - a resource type, no secret
FUNCTION_TYPE = "AWS::Lambda::Function"
PARAMETER_TYPE = "AWS::SSM::Parameter"
API_TYPE = "AWS::ApiGatewayV2::Api"
DISTRIBUTION_TYPE = "AWS::CloudFront::Distribution"
FIREWALL_TYPE = "AWS::WAFv2::WebACL"
POOL_TYPE = "AWS::Cognito::UserPool"
POOL_CLIENT_TYPE = "AWS::Cognito::UserPoolClient"
SIGN_IN_PATH = "/_local/sign-in/"
"""Path before a pool's id, at which its people sign in; a part of the issuer that its tokens name."""
PUBLIC_KEY_TYPE = "AWS::CloudFront::PublicKey"
CREATED_TYPES = (TABLE_TYPE, BUCKET_TYPE, QUEUE_TYPE, SECRET_TYPE, PUBLIC_KEY_TYPE)

_API_TYPES = "AWS::ApiGatewayV2::"
# What the local cloud creates, runs or reads, besides _API_TYPES.
_KNOWN_TYPES = (
    *CREATED_TYPES,
    FUNCTION_TYPE,
    PARAMETER_TYPE,
    "AWS::Lambda::Version",
    "AWS::Lambda::Alias",
    "AWS::Lambda::EventSourceMapping",
    "AWS::Lambda::EventInvokeConfig",
    "AWS::Scheduler::Schedule",
    "AWS::IAM::Role",
    DISTRIBUTION_TYPE,
    FIREWALL_TYPE,
    "AWS::CloudWatch::Alarm",
    POOL_TYPE,
    POOL_CLIENT_TYPE,
)
_FUNCTION_IN_ARN = re.compile(r":function:([^:/]+)|^([^:/]+):[^:/]+$")
_SECRET_VALUE = re.compile(r"\{\{resolve:secretsmanager:([^}]+?):SecretString:([^:}]*):*\}\}")
_KEY_BITS = 2048
_QUEUE_ATTRIBUTES = ("MessageRetentionPeriod", "RedrivePolicy", "VisibilityTimeout")
_POOLS_ADDRESS = f"https://cognito-idp.{REGION}.{PSEUDO_PARAMETERS['AWS::URLSuffix']}/"


@cache
def _key_pair(_name: str) -> tuple[str, str]:
    """Return the private and the public key of a name in PEM: one pair in a process, for it takes long to find."""
    from cryptography.hazmat.primitives.asymmetric import rsa
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

    key = rsa.generate_private_key(public_exponent=65_537, key_size=_KEY_BITS)
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    return private, public


class Deployment:
    """The resources of a template as they exist locally.

    `api_url` is what the API's endpoint is said to be, `call_url` the beginning of addresses for calls to an API.
    """

    def __init__(self, template: Template, emulator: Emulator, api_url: str, call_url: str) -> None:
        self.template = template
        self.resolver = Resolver(template, self.attributes)
        self._emulator = emulator
        self._api_url = api_url
        self._call_url = call_url
        self._known: dict[str, Mapping[str, str]] = {}
        self._under_way: list[str] = []
        self._secrets: dict[str, str] = {}

    def create_all(self) -> None:
        """Create all resources that moto keeps; TemplateError names one that cannot be created."""
        for resource in self.template.of_type(*CREATED_TYPES):
            self.attributes(resource.logical_id)

    def ignored(self) -> list[Resource]:
        """Return the resources that mean nothing locally: roles, alarms, log groups and the like."""
        return [
            resource
            for resource in self.template.resources.values()
            if resource.type not in _KNOWN_TYPES and not resource.type.startswith(_API_TYPES)
        ]

    def ref(self, logical_id: str) -> str:
        """Return the value of `Ref`: a table's, bucket's or function's name, a queue's URL, a secret's ARN."""
        return self.attributes(logical_id)["Ref"]

    def attributes(self, logical_id: str) -> Mapping[str, str]:
        """Return `Ref` and the `Fn::GetAtt` values of a resource, creating it if it does not exist yet.

        Empty for types that the local cloud ignores.
        """
        if logical_id not in self._known:
            if logical_id in self._under_way:
                raise TemplateError(
                    tr("resources refer to each other in a circle: {under_way}", under_way=" → ".join(self._under_way))
                )
            self._under_way.append(logical_id)
            self._known[logical_id] = self._create(self.template.resources[logical_id])
            self._under_way.pop()
        return self._known[logical_id]

    def revealed(self, text: str) -> str:
        """Return a text with the values of the secrets that it refers to, as CloudFormation writes them in.

        Each is looked up once, as in one deployment, whose texts all have the same value.
        """

        def value(match: re.Match[str]) -> str:
            if match[1] not in self._secrets:
                answer = self._emulator.client("secretsmanager").get_secret_value(SecretId=match[1])
                self._secrets[match[1]] = answer["SecretString"]
            secret = self._secrets[match[1]]
            return str(json.loads(secret)[match[2]] if match[2] else secret)

        return _SECRET_VALUE.sub(value, text)

    def function_of(self, arn: str, where: str) -> str:
        """Return the function (its logical id) that an ARN, one of a version or alias, `NAME:ALIAS` or a URI means."""
        match = _FUNCTION_IN_ARN.search(arn)
        name = (match[1] or match[2]) if match else ""
        if name not in self.template.resources:
            raise TemplateError(
                tr("{where} is not the ARN of a function of this template: {arn}", where=where, arn=arn)
            )
        return name

    def api_host(self, logical_id: str) -> str:
        """Return the host name that an API would have in the cloud."""
        return f"{self.ref(logical_id)}.execute-api.{REGION}.{PSEUDO_PARAMETERS['AWS::URLSuffix']}"

    def distributions(self) -> Iterator[tuple[Mapping[str, Any], Mapping[str, str]]]:
        """Yield each distribution's configuration, and the domain names of its origins by their ids."""
        for resource in self.template.of_type(DISTRIBUTION_TYPE):
            config = resource.properties["DistributionConfig"]
            where = f"{resource.logical_id}.DistributionConfig.Origins"
            yield config, {one["Id"]: self.resolver.value(one["DomainName"], where) for one in config["Origins"]}

    def buckets(self) -> Mapping[str, str]:
        """Return the names of the template's buckets by the domain names under which distributions know them."""
        names = map(self.attributes, (bucket.logical_id for bucket in self.template.of_type(BUCKET_TYPE)))
        return {bucket["RegionalDomainName"]: bucket["Ref"] for bucket in names}

    def functions(self, common: Mapping[str, str], workers: Callable[[str], int]) -> dict[str, FunctionSpec]:
        """Return every function by its logical id; `common` is added to each environment."""
        return {
            resource.logical_id: self._function(resource, common, workers(resource.logical_id))
            for resource in self.template.of_type(FUNCTION_TYPE)
        }

    def parameter(self, resource: Resource) -> str:
        """Return the value of a parameter of AWS Systems Manager."""
        return self._reachable(str(self.resolver.properties(resource, "Value")["Value"]))

    def _function(self, resource: Resource, common: Mapping[str, str], workers: int) -> FunctionSpec:
        properties = self.resolver.properties(
            resource, "Handler", "Environment", "Timeout", "MemorySize", "Runtime", "ReservedConcurrentExecutions"
        )
        if not str(properties.get("Runtime", "")).startswith("python") or "Handler" not in properties:
            raise TemplateError(
                tr(
                    "{logical_id}: the local cloud runs Python handlers only, from a folder",
                    logical_id=resource.logical_id,
                )
            )
        told_variables = properties.get("Environment", {}).get("Variables", {})
        variables = {name: self._reachable(self.revealed(str(value))) for name, value in told_variables.items()}
        return FunctionSpec(
            resource.logical_id,
            properties["Handler"],
            {**variables, **common},
            float(properties.get("Timeout", 3)),
            int(properties.get("MemorySize", 128)),
            workers,
            properties.get("ReservedConcurrentExecutions"),
            *self._alias(resource.logical_id),
        )

    def _alias(self, function: str) -> tuple[str, int]:
        """Return the alias of a function, empty without one, and how many executions are kept running for it."""
        for alias in self.template.of_type("AWS::Lambda::Alias"):
            properties = self.resolver.properties(alias, "FunctionName", "Name", "ProvisionedConcurrencyConfig")
            if properties["FunctionName"] == function:
                provisioned = properties.get("ProvisionedConcurrencyConfig", {})
                return properties["Name"], int(provisioned.get("ProvisionedConcurrentExecutions", 0))
        return "", 0

    def _reachable(self, value: str) -> str:
        """Return an address of one of the APIs, or of a pool, as an address of the front, anything else as it is."""
        for api in self.template.of_type(API_TYPE):
            value = value.replace(f"https://{self.api_host(api.logical_id)}", self._call_url + self.ref(api.logical_id))
        return value.replace(_POOLS_ADDRESS, self._api_url + SIGN_IN_PATH)

    def _create(self, resource: Resource) -> Mapping[str, str]:  # noqa: C901, PLR0911 - one per type
        name = f"local-{resource.logical_id}"
        match resource.type:
            case "AWS::DynamoDB::Table":
                return self._create_table(resource, name)
            case "AWS::S3::Bucket":
                return self._create_bucket(resource, name.lower())
            case "AWS::SQS::Queue":
                properties = self.resolver.properties(resource, *_QUEUE_ATTRIBUTES)
                attributes = {key: json.dumps(value) for key, value in properties.items()}
                queue = self._emulator.client("sqs").create_queue(QueueName=name, Attributes=attributes)
                return {"Ref": queue["QueueUrl"], "Arn": f"arn:aws:sqs:{REGION}:{ACCOUNT}:{name}", "QueueName": name}
            case "AWS::SecretsManager::Secret":
                wish = self.resolver.properties(resource, "GenerateSecretString").get("GenerateSecretString", {})
                secrets = self._emulator.client("secretsmanager")
                password = secrets.get_random_password(**wish)["RandomPassword"]
                stored = secrets.create_secret(Name=name, SecretString=password)
                return {"Ref": stored["ARN"], "Id": stored["ARN"]}
            case "AWS::Lambda::Function":
                return {"Ref": resource.logical_id, "Arn": function_arn(resource.logical_id)}
            case "AWS::Lambda::Version" | "AWS::Lambda::Alias":
                where = f"{resource.logical_id}.FunctionName"
                function = self.resolver.value(resource.properties["FunctionName"], where)
                arn = function if ":" in function else function_arn(function)
                return {"Ref": f"{arn}:{resource.logical_id}", "FunctionArn": arn, "Version": "1"}
            case "AWS::ApiGatewayV2::Api":
                return {"Ref": name, "ApiEndpoint": self._api_url, "ApiId": name}
            case "AWS::CloudFront::PublicKey":
                return self._create_key_pair(resource, name)
            case "AWS::WAFv2::WebACL":
                return {"Ref": name, "Arn": f"arn:aws:wafv2:us-east-1:{ACCOUNT}:global/webacl/{name}"}
            case "AWS::Cognito::UserPool":
                pool_id = f"{REGION}_{resource.logical_id}"
                return {"Ref": pool_id, "Arn": pool_arn(pool_id)}
        return {"Ref": resource.logical_id} if resource.type.startswith((_API_TYPES, POOL_CLIENT_TYPE)) else {}

    def _create_table(self, resource: Resource, name: str) -> Mapping[str, str]:
        properties = self.resolver.properties(
            resource, "AttributeDefinitions", "KeySchema", "StreamSpecification", "TimeToLiveSpecification"
        )
        ttl = properties.pop("TimeToLiveSpecification", None)
        stream = properties.get("StreamSpecification")
        if stream:
            properties["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": stream["StreamViewType"]}
        tables = self._emulator.client("dynamodb")
        answer = tables.create_table(TableName=name, **properties, BillingMode="PAY_PER_REQUEST")
        description = answer["TableDescription"]
        if ttl:
            tables.update_time_to_live(TableName=name, TimeToLiveSpecification=ttl)
        stream_arn = {"StreamArn": description["LatestStreamArn"]} if stream else {}
        return {"Ref": name, "Arn": description["TableArn"], **stream_arn}

    def _create_bucket(self, resource: Resource, name: str) -> Mapping[str, str]:
        properties = self.resolver.properties(resource, "VersioningConfiguration")
        buckets = self._emulator.client("s3")
        buckets.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": REGION})
        if "VersioningConfiguration" in properties:
            buckets.put_bucket_versioning(Bucket=name, VersioningConfiguration=properties["VersioningConfiguration"])
        domain = f"{name}.s3.{REGION}.amazonaws.com"
        return {
            "Ref": name,
            "Arn": f"arn:aws:s3:::{name}",
            "DomainName": f"{name}.s3.amazonaws.com",
            "RegionalDomainName": domain,
        }

    def _create_key_pair(self, resource: Resource, name: str) -> Mapping[str, str]:
        """Make a deployment's key pair: JSON with ``private`` and the field that the template reads."""
        match = _SECRET_VALUE.fullmatch(resource.properties["PublicKeyConfig"]["EncodedKey"])
        if match is None or not match[2]:
            raise TemplateError(
                tr("{logical_id}: a public key comes from a secret's JSON here", logical_id=resource.logical_id)
            )
        private, public = _key_pair(name)
        pair = json.dumps({"private": private, match[2]: public})
        self._emulator.client("secretsmanager").create_secret(Name=match[1], SecretString=pair)
        return {"Ref": name}

"""An AWS account as an operator's commands see it: its stacks, quotas and keys, and what to do about its refusals.

A quota's own value comes from Service Quotas by its name; where the account's is not listed, the default stands in its
place, with the page of AWS' documentation that gives it.

The RSA keys of signed addresses must exist before a cycle is deployed; ``make deploy`` makes those that are missing. A
pair is made here, for CloudFormation makes no RSA keys; Secrets Manager keeps it, the template takes the public part
from there, and the private part is read by the one function that signs with it. Pairs that are there stay as they are.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from botocore import exceptions  # type: ignore[import-untyped]  # ships no types
from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]  # ships no types

from infra.assembly import FIREWALL_REGION, NESTED, StackFile, SynthesisError, Template
from infra.config import ConfigError, CycleConfig

Clients = Callable[[str, str], Any]
"""A client of boto3 by the name of its service and the region."""
MISSING: Final = "ValidationError"
"""Error code of CloudFormation for a missing stack (API reference, DescribeStacks)."""


def code_of(error: ClientError) -> str:
    """Return the code of an error of AWS."""
    return str(error.response["Error"]["Code"])


def unless_absent(absent: str, call: Callable[..., Any], **parameters: Any) -> Any:
    """Return AWS's answer to a call; None where its error code fits the pattern ``absent`` as a whole."""
    try:
        return call(**parameters)
    except ClientError as error:
        if re.fullmatch(absent, code_of(error)):
            return None
        raise


@dataclass(frozen=True, slots=True)
class Deployed:
    """A stack as it is in the account."""

    name: str
    region: str
    status: str
    protected: bool
    outputs: Mapping[str, str]
    reason: str = ""

    @property
    def is_complete(self) -> bool:
        """Say whether the stack was deployed once and rests in its last good state."""
        return self.status in {"CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE", "IMPORT_COMPLETE"}

    @property
    def serves(self) -> bool:
        """Say whether the stack was complete once, so that its functions answer, whatever an update came to since."""
        return self.status == "CREATE_COMPLETE" or self.status.startswith(("UPDATE_", "IMPORT_"))


class Account:
    """An account in the region that is deployed to; ``region`` "" where none is chosen."""

    def __init__(self, clients: Clients, region: str) -> None:
        self._clients, self.region = clients, region

    def client(self, service: str, region: str | None = None) -> Any:
        """Return a client of a service, in the region that is deployed to or another."""
        return self._clients(service, region or self.region)

    def stack(self, name: str, region: str | None = None) -> Deployed | None:
        """Return a stack of the account; None if it is not there."""
        answer = unless_absent(MISSING, self.client("cloudformation", region).describe_stacks, StackName=name)
        if answer is None:
            return None
        (stack,) = answer["Stacks"]
        outputs = {output["OutputKey"]: output["OutputValue"] for output in stack.get("Outputs", ())}
        return Deployed(
            name,
            region or self.region,
            stack["StackStatus"],
            stack.get("EnableTerminationProtection", False),
            outputs,
            stack.get("StackStatusReason", ""),
        )

    def template(self, name: str, region: str | None = None) -> Template:
        """Return the template that a stack was deployed with last."""
        body = self.client("cloudformation", region).get_template(StackName=name, TemplateStage="Original")
        template: str | Template = body["TemplateBody"]
        parsed: Template = json.loads(template) if isinstance(template, str) else template
        return parsed

    def deployed_as(self, stack: StackFile) -> StackFile | None:
        """Return the deployed version of a synthesized stack, with the stacks within; None if it is not deployed."""
        there = self.stack(stack.name, stack.region)
        if there is None or there.status in {"REVIEW_IN_PROGRESS", "ROLLBACK_COMPLETE", "ROLLBACK_FAILED"}:
            return None
        template = self.template(stack.name, stack.region)
        nested = {}
        for name, resource in template.get("Resources", {}).items():
            if resource["Type"] == NESTED:
                client = self.client("cloudformation", stack.region)
                detail = client.describe_stack_resource(StackName=stack.name, LogicalResourceId=name)
                physical = detail["StackResourceDetail"].get("PhysicalResourceId")
                if physical:
                    nested[name] = self.template(physical, stack.region)
        return StackFile(stack.name, stack.region, template, nested, stack.after)


CREDENTIALS: Final = (
    "this needs an AWS account: let the environment name credentials (AWS_PROFILE, or aws sso login), prepared as "
    "docs/operations.md says; to look at the template without one: make synth"
)
REGION: Final = "export AWS_REGION=REGION, for example eu-central-1"
_NO_CREDENTIALS: Final = (
    exceptions.NoCredentialsError,
    exceptions.PartialCredentialsError,
    exceptions.CredentialRetrievalError,
    exceptions.ProfileNotFound,
    exceptions.TokenRetrievalError,
    exceptions.SSOError,
)
_BAD_CREDENTIALS: Final = frozenset(
    {
        *("ExpiredToken", "ExpiredTokenException", "InvalidClientTokenId", "InvalidAccessKeyId", "RequestExpired"),
        *("UnrecognizedClientException", "SignatureDoesNotMatch", "AuthFailure"),
    }
)
_DENIED: Final = frozenset({"AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "UnauthorizedAccess"})


class RefusedError(RuntimeError):
    """The command does not go on; the message says why and what to do."""


def remedy_of(error: BotoCoreError | ClientError) -> str:
    """Return what to do about an error of AWS or of its client."""
    if isinstance(error, _NO_CREDENTIALS):
        return CREDENTIALS
    if isinstance(error, exceptions.NoRegionError):
        return REGION
    code = code_of(error) if isinstance(error, ClientError) else ""
    if code in _BAD_CREDENTIALS:
        return f"the credentials are wrong or have expired; {CREDENTIALS}"
    if code in _DENIED:
        return f"let these credentials call {error.operation_name}: docs/operations.md names an operator's rights"
    return ""


def guarded(command: str, say: Callable[[str], None], work: Callable[[], int]) -> int:
    """Run a command and return its exit code; 1 if it is refused, after printing the reason and the remedy."""
    try:
        return work()
    except (ConfigError, RefusedError, SynthesisError) as error:
        say(f"{command}: {error}")
    except (BotoCoreError, ClientError) as error:
        what = remedy_of(error) or "mend the reason"
        say(f"{command}: AWS refused or did not answer: {error}\ndo: {what}\nThen run the same command again.")
    return 1


@dataclass(frozen=True, slots=True)
class Quota:
    """One quota: its service's code and its name in Service Quotas, None where it is not there."""

    service: str
    name: str | None
    default: float
    page: str
    region: str | None = None

    def value(self, account: Account) -> tuple[float, bool]:
        """Return the quota, and whether it is the account's own (False: the documented default)."""
        if self.name is not None:
            client = account.client("service-quotas", self.region)
            for operation in ("list_service_quotas", "list_aws_default_service_quotas"):
                for page in client.get_paginator(operation).paginate(ServiceCode=self.service):
                    for quota in page["Quotas"]:
                        if quota.get("QuotaName") == self.name and "Value" in quota:
                            return quota["Value"], True
        return self.default, False


_CLOUDFRONT_PAGE: Final = "CloudFront developer guide, Quotas"
_API_PAGE: Final = "API Gateway developer guide, Quotas for configuring and running an HTTP API"


def _cloudfront(name: str | None, default: float) -> Quota:
    return Quota("cloudfront", name, default, _CLOUDFRONT_PAGE, FIREWALL_REGION)


HTTP_ROUTES: Final = Quota("apigateway", "Routes per HTTP API", 300, _API_PAGE)
CACHE_BEHAVIORS: Final = _cloudfront("Cache behaviors per distribution", 75)
CONCURRENCY_LEFT: Final = 100
"""Executions that Lambda always leaves to functions without a reservation (Lambda developer guide, Configuring reserved
concurrency)."""
MACHINES: Final[Mapping[str, Quota]] = {
    letter: Quota("ec2", name, 0, "EC2 user guide, On-Demand Instance quotas")
    for letter, name in {
        "g": "Running On-Demand G and VT instances",
        "v": "Running On-Demand G and VT instances",
        "p": "Running On-Demand P instances",
    }.items()
}
"""Quotas of processors, by the first letter of a machine's name. New accounts may have 0."""


@dataclass(frozen=True, slots=True)
class Counted:
    """A kind of resource of which an account may have so many: how they are counted there."""

    code: str
    kind: str
    quota: Quota
    count: Callable[[Any], int]


def _listed(operation: str, answer: str, **words: str) -> Callable[[Any], int]:
    """Count everything that a listing operation of CloudFront answers, over all its pages."""

    def count(client: Any) -> int:
        total, marker = 0, ""
        while True:
            more = {"Marker": marker} if marker else {}
            page = getattr(client, operation)(**words, **more)[answer]
            total += len(page.get("Items", ()))
            marker = page.get("NextMarker", "")
            if not marker:
                return total

    return count


OF_AN_ACCOUNT: Final = (
    Counted(
        "key_groups",
        "AWS::CloudFront::KeyGroup",
        _cloudfront("Key groups per AWS account", 10),
        _listed("list_key_groups", "KeyGroupList"),
    ),
    Counted(
        "public_keys", "AWS::CloudFront::PublicKey", _cloudfront(None, 10), _listed("list_public_keys", "PublicKeyList")
    ),
    Counted(
        "cache_policies",
        "AWS::CloudFront::CachePolicy",
        _cloudfront("Cache policies per AWS account", 20),
        _listed("list_cache_policies", "CachePolicyList", Type="custom"),
    ),
    Counted(
        "header_policies",
        "AWS::CloudFront::ResponseHeadersPolicy",
        _cloudfront("Response headers policies per AWS account", 20),
        _listed("list_response_headers_policies", "ResponseHeadersPolicyList", Type="custom"),
    ),
)


def new_of(kind: str, stacks: Sequence[StackFile], deployed: Mapping[str, StackFile | None]) -> int:
    """Count the resources of a kind that a deployment makes: a new one comes before the one that it replaces goes."""
    total = 0
    for stack in stacks:
        before = deployed.get(stack.name)
        there = {name for name, _ in before.resources(kind)} if before else set()
        total += sum(name not in there for name, _ in stack.resources(kind))
    return total


def http_routes(stacks: Sequence[StackFile]) -> int:
    """Count the routes of the HTTP API that has the most."""
    routes = Counter[str]()
    for stack in stacks:
        for _, route in stack.resources("AWS::ApiGatewayV2::Route"):
            routes[json.dumps(route["Properties"]["ApiId"])] += 1
        for name, api in stack.resources("AWS::ApiGatewayV2::Api"):
            paths = api["Properties"].get("Body", {}).get("paths", {})
            routes[json.dumps({"Ref": name})] += sum(len(path.keys() - {"parameters"}) for path in paths.values())
    return max(routes.values(), default=0)


def cache_behaviors(stacks: Sequence[StackFile]) -> int:
    """Count the cache behaviors of the distribution that has the most, the default one apart."""
    distributions = _of(stacks, "AWS::CloudFront::Distribution")
    return max((len(item["DistributionConfig"].get("CacheBehaviors", ())) for item in distributions), default=0)


def reserved_executions(stacks: Sequence[StackFile]) -> int:
    """Sum the executions that the functions reserve for themselves."""
    return sum(function.get("ReservedConcurrentExecutions", 0) for function in _of(stacks, "AWS::Lambda::Function"))


def most_executions(stacks: Sequence[StackFile]) -> int:
    """Sum the executions that the queues' workers may have at once."""
    sources = _of(stacks, "AWS::Lambda::EventSourceMapping")
    return sum(source.get("ScalingConfig", {}).get("MaximumConcurrency", 0) for source in sources)


def _of(stacks: Sequence[StackFile], kind: str) -> Iterator[Mapping[str, Any]]:
    for stack in stacks:
        for _, resource in stack.resources(kind):
            yield resource["Properties"]


Purpose = Literal["uploads", "downloads"]
PURPOSES: Final[tuple[Purpose, ...]] = ("uploads", "downloads")
PUBLIC: Final = "public"
PRIVATE: Final = "private"
_BITS: Final = 2048
"""Length of an RSA key for CloudFront, in bits."""


def secret_name(config: CycleConfig, purpose: Purpose) -> str:
    """Return the name of the secret with a pair; another number, another pair."""
    return f"hurdle-{config.cycle}-{purpose}-{config.address_keys}"


def pair() -> str:
    """Return a new pair as the secret holds it: JSON with two PEM texts."""
    from cryptography.hazmat.primitives.asymmetric import rsa
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

    key = rsa.generate_private_key(public_exponent=65_537, key_size=_BITS)
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return json.dumps({PRIVATE: private.decode(), PUBLIC: public.decode()})


def make_missing(config: CycleConfig, secrets: Any) -> list[str]:
    """Make the missing pairs with a client of Secrets Manager; return the names of their secrets."""
    names = []
    for purpose in PURPOSES:
        name = secret_name(config, purpose)
        description = f"Hurdle {config.cycle}: signs addresses of {purpose}"
        secret = {"Name": name, "Description": description, "SecretString": pair()}
        if unless_absent("ResourceExistsException", secrets.create_secret, **secret) is not None:
            names.append(name)
    return names

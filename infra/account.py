"""An AWS account as an operator's commands see it, and what to do about its refusals."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from botocore import exceptions  # type: ignore[import-untyped]  # ships no types
from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]  # ships no types

from infra.assembly import NESTED, StackFile, SynthesisError, Template
from infra.config import ConfigError

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
        template: Any = body["TemplateBody"]
        return json.loads(template) if isinstance(template, str) else template

    def deployed_as(self, stack: StackFile) -> StackFile | None:
        """Return what is deployed in the place of a synthesized stack, with the stacks within; None if nothing is."""
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
    """Do a command's work and return its exit code; 1 where it is refused, which is said with the remedy."""
    try:
        return work()
    except (ConfigError, RefusedError, SynthesisError) as error:
        say(f"{command}: {error}")
    except (BotoCoreError, ClientError) as error:
        what = remedy_of(error) or "mend the reason"
        say(f"{command}: AWS refused or did not answer: {error}\ndo: {what}\nThen run the same command again.")
    return 1

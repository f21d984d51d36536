"""The synthesized stacks of a cycle, read from the folder that the CDK app writes, and the size of their variables.

The functions' environment variables are measured in bytes, filled as CloudFormation fills them. Lambda measures them as
JSON and takes 4 KB (AWS Lambda developer guide, "Lambda quotas"); we keep to half of it. Names that CloudFormation
makes are taken at their length: of the stack's name, the logical id and twelve signs (AWS CloudFormation user guide,
"Name type").
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from infra import machine
from infra.layers import ROOT

FOLDER: Final = ROOT / "cdk.out"
FIREWALL_REGION: Final = "us-east-1"
"""CloudFront takes web ACLs and certificates of this region alone (CloudFront developer guide, "Use AWS WAF
protections" and "Requirements for using SSL/TLS certificates")."""
NESTED: Final = "AWS::CloudFormation::Stack"
Template = Mapping[str, Any]


class SynthesisError(RuntimeError):
    """The app did not synthesize; the message is what it printed."""


@dataclass(frozen=True, slots=True)
class StackFile:
    """One synthesized stack. ``region`` None: the one that is deployed to."""

    name: str
    region: str | None
    template: Template
    nested: Mapping[str, Template]
    """Templates of the stacks within it, by their logical ids."""
    after: frozenset[str]
    """Names of the stacks that must be deployed before."""

    @property
    def parameters(self) -> list[str]:
        """List the parameters that a deployment must give: those without a default."""
        named: Mapping[str, Any] = self.template.get("Parameters", {})
        return [name for name, parameter in named.items() if "Default" not in parameter]

    def resources(self, *kinds: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield resources of these types, also those of the stacks within, by logical id."""
        for template in (self.template, *self.nested.values()):
            for name, resource in template["Resources"].items():
                if resource["Type"] in kinds:
                    yield name, resource


def synthesize(cycle: str, folder: Path, context: Mapping[str, str] | None = None) -> tuple[StackFile, ...]:
    """Synthesize a cycle into the folder and read it; ``context`` is added. :class:`SynthesisError` when it fails."""
    chosen = json.dumps({"cycle": cycle, **(context or {})})
    environment = machine.environment(CDK_OUTDIR=str(folder), CDK_CONTEXT_JSON=chosen)
    words = [sys.executable, "-m", "infra.app"]
    done = subprocess.run(  # noqa: S603 -- our own module
        words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SynthesisError((done.stderr or done.stdout).strip())
    return read(folder)


def read(folder: Path) -> tuple[StackFile, ...]:
    """Return the folder's stacks in the order of their deployment.

    A stack comes after those that CDK says it depends on, and after the one whose output of the same name is its
    parameter.
    """
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))["artifacts"]
    stacks = {name: artifact for name, artifact in manifest.items() if artifact["type"] == "aws:cloudformation:stack"}
    files = [_file(folder, name, artifact, frozenset(stacks)) for name, artifact in stacks.items()]
    tellers = {name: file.name for file in files for name in file.template.get("Outputs", {})}
    after = {
        file.name: {*file.after, *(tellers[name] for name in file.parameters if name in tellers)} - {file.name}
        for file in files
    }
    return tuple(_ordered(files, after))


def _file(folder: Path, name: str, artifact: Mapping[str, Any], stacks: frozenset[str]) -> StackFile:
    template = json.loads((folder / artifact["properties"]["templateFile"]).read_text("utf-8"))
    assets = json.loads((folder / f"{name}.assets.json").read_text("utf-8"))["files"]
    nested: dict[str, Template] = {}
    for inner, resource in template["Resources"].items():
        if resource["Type"] == NESTED:  # its address holds the hash of its asset
            address = json.dumps(resource["Properties"]["TemplateURL"])
            (path,) = [asset["source"]["path"] for digest, asset in assets.items() if digest in address]
            nested[inner] = json.loads((folder / path).read_text("utf-8"))
    region = artifact["environment"].rpartition("/")[2]
    before = frozenset(artifact.get("dependencies", ())) & stacks
    stack_name = artifact["properties"].get("stackName", name)
    return StackFile(stack_name, None if region == "unknown-region" else region, template, nested, before)


def _ordered(files: Sequence[StackFile], after: Mapping[str, set[str]]) -> Iterator[StackFile]:
    waiting, done = list(files), set[str]()
    while waiting:
        following = next(file for file in waiting if after[file.name] <= done)
        waiting.remove(following)
        done.add(following.name)
        yield following


MOST: Final = 4_096
OURS: Final = 2_048
_MADE: Final = "x" * 12
_SECRET: Final = re.compile(r"\{\{resolve:secretsmanager:[^}]*\}\}")
_SECRET_LENGTH: Final = 64
"""Length of the secrets that the cycle makes (infra/constructs/storage.py)."""
_NAMED: Final = ("FunctionName", "QueueName", "TableName", "BucketName", "Name")
_IDS: Final = {
    "AWS::ApiGatewayV2::Api": 10,
    "AWS::CloudFront::PublicKey": 14,
    "AWS::CloudFront::KeyGroup": 36,
    "AWS::CloudFront::Distribution": 14,
    "AWS::Cognito::UserPool": 24,
    "AWS::Cognito::UserPoolClient": 26,
    "AWS::KMS::Key": 36,
}
"""Lengths of the names that services choose themselves, as their API references show them."""
_LONGEST_BUCKET: Final = 63
_UNNAMED: Final = 64
"""Assumed length of a value whose length is unknown."""


def longest(stacks: Sequence[StackFile], region: str, account: str) -> tuple[str, int]:
    """Return the function whose variables take the most, and how many bytes; ``("", 0)`` without functions."""
    sizes = [("", 0)]
    for stack in stacks:
        filled = Filled(stacks, stack, region, account)
        sizes += [
            (name, size(filled.variables(function))) for name, function in stack.resources("AWS::Lambda::Function")
        ]
    return max(sizes, key=lambda size: size[1])


def size(variables: Mapping[str, str]) -> int:
    """Return the bytes of a function's variables as Lambda counts them."""
    return len(json.dumps(variables, separators=(",", ":")).encode())


class Filled:
    """A stack's values as CloudFormation would fill them in, as long as they can get."""

    def __init__(self, stacks: Sequence[StackFile], stack: StackFile, region: str, account: str) -> None:
        self._stacks, self._stack = stacks, stack
        self._region, self._account = region, account

    def variables(self, function: Mapping[str, Any]) -> dict[str, str]:
        """Return the variables of a function of the template with their values."""
        raw_values = function["Properties"].get("Environment", {}).get("Variables", {})
        return {name: self.value(raw) for name, raw in raw_values.items()}

    def value(self, raw: Any) -> str:
        """Return a value of the template as a text."""
        if not isinstance(raw, Mapping):
            return _SECRET.sub("s" * _SECRET_LENGTH, str(raw))
        ((function, argument),) = raw.items()
        if function == "Fn::Join":
            return self.value(argument[0].join(map(self.value, argument[1])))
        if function == "Fn::ImportValue":
            return self._imported(argument)
        if function == "Ref":
            return self._of(argument, "")
        if function == "Fn::GetAtt":
            return self._of(*argument)
        return "x" * _UNNAMED

    def _imported(self, name: Any) -> str:
        for stack in self._stacks:
            for output in stack.template.get("Outputs", {}).values():
                if output.get("Export", {}).get("Name") == name:
                    return Filled(self._stacks, stack, self._region, self._account).value(output["Value"])
        return "x" * _UNNAMED

    def _of(self, name: str, attribute: str) -> str:
        pseudo = {
            "AWS::Region": self._region,
            "AWS::AccountId": self._account,
            "AWS::Partition": "aws",
            "AWS::URLSuffix": "amazonaws.com",
            "AWS::StackName": self._stack.name,
        }
        if name in pseudo:
            return pseudo[name]
        resource = self._stack.template["Resources"].get(name)
        if resource is None:
            return "x" * _UNNAMED
        properties = resource.get("Properties", {})
        chosen = next((properties[key] for key in _NAMED if isinstance(properties.get(key), str)), None)
        physical = chosen or f"{self._stack.name}-{name}-{_MADE}"
        if resource["Type"] in _IDS:
            physical = "x" * _IDS[resource["Type"]]
        if resource["Type"] == "AWS::S3::Bucket":
            physical = physical[:_LONGEST_BUCKET]
        service = resource["Type"].split("::")[1].lower()
        if service == "sqs" and not attribute:
            return f"https://sqs.{self._region}.amazonaws.com/{self._account}/{physical}"
        if attribute.endswith("Arn") or (service in {"secretsmanager", "sns"} and not attribute):
            kind = {"sqs": "", "sns": "", "dynamodb": "table/", "secretsmanager": "secret:"}.get(service, f"{service}/")
            stream = "/stream/2027-01-01T00:00:00.000" if attribute == "StreamArn" else ""
            return f"arn:aws:{service}:{self._region}:{self._account}:{kind}{physical}{stream}"
        return physical

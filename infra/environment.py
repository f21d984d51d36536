"""Measure the functions' environment variables in bytes, filled as CloudFormation fills them.

Lambda measures them as JSON and takes 4 KB (AWS Lambda developer guide, "Lambda quotas"); we keep to half of it. Names
that CloudFormation makes are taken at their length: of the stack's name, the logical id and twelve signs (AWS
CloudFormation user guide, "Name type").
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from infra.assembly import StackFile

MOST: Final = 4_096
OURS: Final = 2_048
_MADE: Final = "x" * 12
_SECRET: Final = re.compile(r"\{\{resolve:secretsmanager:[^}]*\}\}")
_SECRET_LENGTH: Final = 64
"""Of the secrets that the cycle makes (infra/constructs/storage.py)."""
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
"""Taken for the length of a value of which nothing better is known."""


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

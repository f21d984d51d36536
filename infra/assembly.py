"""The synthesized stacks of a cycle, read from the folder that the CDK app writes."""

from __future__ import annotations

import json
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

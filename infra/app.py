"""The CDK app: the stacks of one cycle, named by the context value ``cycle``; never calls AWS.

The context value ``protected=NAME,NAME`` names the stacks that are protected in the account (:func:`add_stacks`).

``python -m infra.app`` needs node on PATH. The folder it writes is the one that the CDK command names, else
CDK_OUTDIR.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from typing import Final

import aws_cdk as cdk
from cdk_nag import AwsSolutionsChecks

from infra.config import ConfigError, CycleConfig, for_cycle
from infra.stack import CycleStack, FirewallStack, ProgramsStack, StorageStack

DEFAULT_CYCLE: Final = "demo"
FLAGS: Final = {
    "@aws-cdk/aws-iam:minimizePolicies": True,
    "@aws-cdk/aws-lambda:recognizeLayerVersion": True,
    "@aws-cdk/aws-s3:serverAccessLogsUseBucketPolicy": True,
    "@aws-cdk/core:enablePartitionLiterals": True,
}
"""CDK's behaviours that we choose; here and not in cdk.json, so that a synthesis by hand gives the same stack."""


def build(context: Mapping[str, str] | None = None, outdir: str | None = None) -> cdk.App:
    """Build the app with the stacks of one cycle, every finding of cdk-nag fatal; ``context`` overrides the command's.

    :class:`infra.config.ConfigError` when the cycle cannot be deployed as configured.
    """
    app = cdk.App(
        outdir=outdir,
        context=dict(FLAGS),
        # Nothing is bundled while synthesizing: the layers are made beforehand, by make layers.
        post_cli_context={"aws:cdk:bundling-stacks": [], **(context or {})},
    )
    named = app.node.try_get_context("cycle")
    config = for_cycle(DEFAULT_CYCLE if named is None else named)
    protected = app.node.try_get_context("protected") or ""
    add_stacks(app, config, protected=frozenset(protected.split(",")))
    return app


def add_stacks(app: cdk.App, config: CycleConfig, *, protected: Collection[str] = ()) -> None:
    """Add a cycle's stacks in the order of their deployment, every finding of cdk-nag fatal.

    ``protected``: names of stacks. They refuse to be deleted if the cycle is a real one, and what they keep does too.
    """
    storage = StorageStack(app, config, protected=protected)
    FirewallStack(app, config, protected=protected)
    CycleStack(app, config, storage, protected=protected)
    if config.programs:
        ProgramsStack(app, config, storage, protected=protected)
    refuse_findings(app)


def refuse_findings(app: cdk.App) -> None:
    """Let cdk-nag's AwsSolutions rules stop the synthesis at any finding that is not accepted with a reason."""
    cdk.Validations.of(app).add_plugins(AwsSolutionsChecks(app))


def main() -> int:
    """Synthesize; report a bad configuration in one sentence."""
    try:
        build().synth()
    except ConfigError as error:
        print(f"infra: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

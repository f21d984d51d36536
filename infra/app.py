"""The CDK app: the stacks of one cycle, named by the context value ``cycle``; never calls AWS.

A cycle is its storage, its firewall, its application, and the machines of submitted programs. The stacks compose the
constructs and define no resource themselves. The application knows the storage by the names that the storage's stack
exports; the storage knows nothing of the application.

The context value ``protected=NAME,NAME`` names the stacks that are protected in the account (:func:`add_stacks`).

``python -m infra.app`` needs node on PATH. The folder it writes is the one that the CDK command names, else
CDK_OUTDIR.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from typing import Final

import aws_cdk as cdk
from aws_cdk import CfnOutput, Environment, Stack
from cdk_nag import AwsSolutionsChecks
from constructs import Construct

from contest.settings import stack_name
from contest.stored_names import LetterQueue
from infra.config import ConfigError, CycleConfig, for_cycle
from infra.constructs.front import WEB_ACL, Firewall, Front, Site
from infra.constructs.functions import Functions, put_into_roles
from infra.constructs.gateways import EventChannel, ExchangeApi
from infra.constructs.observability import Observability
from infra.constructs.programs import Measures, Programs
from infra.constructs.queues import ProgramEvents, Queues, Timers
from infra.constructs.sign_in import SignIn
from infra.constructs.storage import Keys, Storage, Stored, export_name
from infra.site import SITE_BUCKET


class _Part(Stack):
    """A stack of a cycle, named by the cycle's own and an end; cycles share nothing, so several live side by side.

    ``protected``: names of the stacks that refuse to be deleted, if the cycle is a real one. A stack must not be before
    it is complete: what its failed creation leaves is deleted by the next deployment.
    """

    def __init__(
        self,
        scope: Construct,
        config: CycleConfig,
        meaning: str,
        end: str = "",
        *,
        protected: Collection[str],
        region: str | None = None,
    ) -> None:
        # Two hyphens begin an end: no cycle's name can have them, so no cycle's stack can have this name.
        name = stack_name(config.cycle) + end
        super().__init__(
            scope,
            name,
            stack_name=name,
            env=Environment(region=region) if region else None,
            description=f"Hurdle: {meaning} {config.cycle}",
            termination_protection=name in protected and config.retain_data,
            analytics_reporting=False,
            tags={"hurdle:cycle": config.cycle},
        )


class StorageStack(_Part):
    """Everything that outlives the application; it exports whatever another stack may import, also what none imports
    now: an import can be taken back without touching this stack."""

    def __init__(self, scope: Construct, config: CycleConfig, *, protected: Collection[str] = ()) -> None:
        super().__init__(scope, config, "the storage of the contest cycle", "--storage", protected=protected)
        is_protected = self.stack_name in protected
        storage = Storage(self, "Storage", config, protected=is_protected)
        sign_in = SignIn(self, "SignIn", config, protected=is_protected)
        for name, value in {**storage.values(), **sign_in.values()}.items():
            CfnOutput(self, name, value=value, export_name=export_name(config, name))


class CycleStack(_Part):
    """The application of one cycle."""

    def __init__(
        self, scope: Construct, config: CycleConfig, storage: StorageStack, *, protected: Collection[str] = ()
    ) -> None:
        super().__init__(scope, config, "the contest cycle", protected=protected)
        self.add_stack_dependency(storage, "It imports what the storage exports.")
        stored = Stored(self, "Stored", config)
        keys = Keys(self, "Keys", config)
        queues = Queues(self, "Queues", config)
        channel = EventChannel(self, "Events", config)
        functions = Functions(
            self, "Functions", config=config, stored=stored, keys=keys, queues=queues, channel=channel
        )
        channel.serve(functions.entry("Socket"))
        api = ExchangeApi(self, "Exchange", config=config, functions=functions)
        site = Site(self, "Site", config=config, bucket=stored.site)
        front = Front(self, "Front", config=config, api=api, channel=channel, site=site, stored=stored, keys=keys)
        functions.connect(stored.tables["Exchange"])
        Timers(self, "Timers", config, functions.functions, queues.dead_letters[LetterQueue.TIMERS])
        Observability(
            self,
            "Observability",
            config=config,
            functions=functions,
            queues=queues,
            stored=stored,
            gateways=(api, channel),
        )
        if config.measures:
            Measures(self, "Measures", config=config, code=functions.code, layers=functions.layers)
        if config.programs:
            ProgramEvents(self, "ProgramEvents", config=config, queues=queues)
        self._tell("Address", front.address, "Where programs send requests and clients open the event channel")
        self._tell("DistributionHost", front.host, "What the cycle's own domain name must point to")
        self._tell(SITE_BUCKET, site.bucket.bucket_name, "Where the files of the site are")
        self._tell("ConnectionsAddress", channel.endpoint, "The base of the calls to connections")
        put_into_roles(self)

    def _tell(self, name: str, value: str, meaning: str) -> None:
        CfnOutput(self, name, value=value, description=meaning)


class FirewallStack(_Part):
    """The cycle's firewall, for CloudFront takes one of us-east-1 alone; its output becomes a parameter of the
    application."""

    def __init__(self, scope: Construct, config: CycleConfig, *, protected: Collection[str] = ()) -> None:
        super().__init__(
            scope, config, "the firewall of the contest cycle", "--firewall", protected=protected, region="us-east-1"
        )
        firewall = Firewall(self, "Firewall", config)
        CfnOutput(self, WEB_ACL, value=firewall.arn, description="What the cycle's stack is told as its parameter")


class ProgramsStack(_Part):
    """The machines of the cycle's submitted programs; only of a cycle that runs any. It knows the cycle's storage."""

    def __init__(
        self, scope: Construct, config: CycleConfig, storage: StorageStack, *, protected: Collection[str] = ()
    ) -> None:
        meaning = "the machines for submitted programs of the contest cycle"
        super().__init__(scope, config, meaning, "--programs", protected=protected)
        self.add_stack_dependency(storage, "It imports what the storage exports.")
        Programs(self, "Programs", config=config, bucket=Stored(self, "Stored", config).objects)


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

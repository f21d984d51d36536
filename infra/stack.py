"""One contest cycle as a stack, and its firewall as another, for CloudFront takes one of us-east-1 alone.

They compose the constructs and define no resource themselves.
"""

from __future__ import annotations

from aws_cdk import CfnOutput, Environment, Stack
from constructs import Construct

from contest.settings import COMMAND_FUNCTION, stack_name
from contest.stored_names import LetterQueue
from infra.config import CycleConfig
from infra.constructs.firewall import WEB_ACL, Firewall
from infra.constructs.front import Front
from infra.constructs.functions import Functions
from infra.constructs.gateways import EventChannel, ExchangeApi, PushPipeline
from infra.constructs.observability import Observability, Timers
from infra.constructs.programs import Programs
from infra.constructs.queues import LettersPipeline, ProgramEvents, Queues, ResultsPipeline, ScoringPipeline
from infra.constructs.sign_in import SignIn
from infra.constructs.site import Site
from infra.constructs.storage import Storage
from infra.site import SITE_BUCKET


class CycleStack(Stack):
    """Everything of one cycle; cycles share nothing, so several live side by side in one account."""

    def __init__(self, scope: Construct, config: CycleConfig) -> None:
        name = stack_name(config.cycle)
        super().__init__(
            scope,
            name,
            stack_name=name,
            description=f"Hurdle: the contest cycle {config.cycle}",
            termination_protection=config.retain_data,
            analytics_reporting=False,
            tags={"hurdle:cycle": config.cycle},
        )
        storage = Storage(self, "Storage", config)
        queues = Queues(self, "Queues", config)
        channel = EventChannel(self, "Events", config)
        sign_in = SignIn(self, "SignIn", config)
        functions = Functions(
            self,
            "Functions",
            config=config,
            storage=storage,
            queues=queues,
            channel=channel,
            sign_in=sign_in,
        )
        channel.serve(functions.entry("Socket"))
        api = ExchangeApi(self, "Exchange", config=config, functions=functions)
        site = Site(self, "Site", config=config, sign_in=sign_in)
        front = Front(self, "Front", config=config, api=api, channel=channel, site=site, storage=storage)
        ScoringPipeline(
            self,
            "Pipeline",
            config=config,
            queues=queues,
            exchange=storage.tables["Exchange"],
            relay=functions.functions["Relay"],
            worker=functions.functions["Score"],
        )
        ResultsPipeline(self, "Results", config=config, queues=queues, workers=functions.functions)
        LettersPipeline(self, "DeadLetters", config=config, queues=queues, letters=functions.functions["DeadLetters"])
        PushPipeline(
            self, "Pushes", config=config, pushes=queues.work[LetterQueue.PUSHES], push=functions.entry("Push")
        )
        Timers(
            self,
            "Timers",
            config=config,
            minute=functions.functions["MinuteTimer"],
            tend=functions.functions["ChannelTimer"],
            audit=functions.functions["Audit"],
            dead_letters=queues.dead_letters[LetterQueue.TIMERS],
        )
        Observability(
            self, "Observability", config=config, functions=functions, queues=queues, api=api, channel=channel
        )
        if config.programs:
            ProgramEvents(self, "ProgramEvents", config=config, queues=queues)
        self.storage = storage
        self._outputs(front, site, functions, channel)

    def _outputs(self, front: Front, site: Site, functions: Functions, channel: EventChannel) -> None:
        self._tell("Address", front.address, "Where programs send requests and clients open the event channel")
        self._tell("DistributionHost", front.host, "What the cycle's own domain name must point to")
        self._tell(SITE_BUCKET, site.bucket.bucket_name, "Where the files of the site are")
        command = functions.functions["Administration"].function_name
        self._tell(COMMAND_FUNCTION, command, "A function whose variables are those of `contest --cycle NAME`")
        self._tell("ConnectionsAddress", channel.endpoint, "The base of the calls to connections")

    def _tell(self, name: str, value: str, meaning: str) -> None:
        CfnOutput(self, name, value=value, description=meaning)


class FirewallStack(Stack):
    """The cycle's firewall; its output becomes a parameter of the cycle's stack."""

    def __init__(self, scope: Construct, config: CycleConfig) -> None:
        # Two hyphens: no cycle's name can have them, so no cycle's stack can have this name.
        name = f"hurdle-{config.cycle}--firewall"
        super().__init__(
            scope,
            name,
            stack_name=name,
            env=Environment(region="us-east-1"),
            description=f"Hurdle: the firewall of the contest cycle {config.cycle}",
            termination_protection=config.retain_data,
            analytics_reporting=False,
            tags={"hurdle:cycle": config.cycle},
        )
        firewall = Firewall(self, "Firewall", config)
        CfnOutput(self, WEB_ACL, value=firewall.arn, description="What the cycle's stack is told as its parameter")


class ProgramsStack(Stack):
    """The machines of the cycle's submitted programs; only of a cycle that runs any. It knows the cycle's storage."""

    def __init__(self, scope: Construct, config: CycleConfig, storage: Storage) -> None:
        name = f"hurdle-{config.cycle}--programs"
        super().__init__(
            scope,
            name,
            stack_name=name,
            description=f"Hurdle: the machines for submitted programs of the contest cycle {config.cycle}",
            termination_protection=config.retain_data,
            analytics_reporting=False,
            tags={"hurdle:cycle": config.cycle},
        )
        Programs(self, "Programs", config=config, bucket=storage.bucket)

"""One contest cycle as a stack: composes the constructs and defines no resource itself."""

from __future__ import annotations

from aws_cdk import CfnOutput, Stack
from constructs import Construct

from infra.config import CycleConfig
from infra.constructs.api import ExchangeApi
from infra.constructs.functions import Functions
from infra.constructs.observability import Observability
from infra.constructs.schedule import Timers
from infra.constructs.scoring import ScoringPipeline, ScoringQueues
from infra.constructs.storage import Storage


class CycleStack(Stack):
    """Everything of one cycle; cycles share nothing, so several live side by side in one account."""

    def __init__(self, scope: Construct, config: CycleConfig) -> None:
        name = f"hurdle-{config.cycle}"
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
        queues = ScoringQueues(self, "Queues", config)
        functions = Functions(self, "Functions", config=config, storage=storage, scoring_queue=queues.scoring)
        api = ExchangeApi(self, "Exchange", config=config, functions=functions)
        ScoringPipeline(
            self,
            "Pipeline",
            config=config,
            queues=queues,
            exchange=storage.tables["Exchange"],
            relay=functions.functions["Relay"],
            worker=functions.functions["Score"],
        )
        Timers(
            self,
            "Timers",
            config=config,
            minute=functions.functions["Minute"],
            audit=functions.functions["Audit"],
            dead_letters=queues.timer_dead_letters,
        )
        Observability(self, "Observability", config=config, functions=functions, queues=queues, api=api)
        CfnOutput(self, "Address", value=api.api.api_endpoint, description="Where programs send requests")

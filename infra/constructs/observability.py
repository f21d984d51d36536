"""Alarms and a dashboard: every alarm goes to one topic, and the dashboard shows the same figures.

An alarm is paid for by the metrics that it looks at, also within an expression (0.10 USD a month each, an own metric
0.30: "Amazon CloudWatch pricing"), so none looks at what another one shows as soon (docs/decisions/0045). Each has a
row in docs/operations.md, and a test that makes it ring on the local cloud.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from aws_cdk import Aws, Duration, NestedStack
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from aws_cdk.aws_apigatewayv2 import HttpApi
from constructs import Construct

from contest.routes import SHARES
from contest.stored_names import CYCLE_DIMENSION, NAMESPACE, SERVICE, SERVICE_DIMENSION, Figure, LetterQueue
from infra.config import CycleConfig
from infra.constructs.functions import Functions
from infra.constructs.gateways import EventChannel, ExchangeApi
from infra.constructs.queues import Queues
from infra.constructs.storage import Stored
from infra.rights import Table

_PERIOD = Duration.minutes(5)
_MINUTE = Duration.minutes(1)
_EXCHANGE: Final = ("Authorize", "Dispatch", "Submit", "Public", "Socket", "LegacyClients")
"""Functions that participants' programs wait for."""
_WORKERS: Final = ("Settle", "Rescore", "Shadow", "Import", "SubmissionWorker", "DeadLetters")
"""Workers whose messages return late, and the consumer of dead letters, whose failures leave no dead letter."""
_READS: Final = ("ReadThrottleEvents",)
_READS_AND_WRITES: Final = (*_READS, "WriteThrottleEvents")
_TABLES: Final[tuple[tuple[Table, tuple[str, ...]], ...]] = (
    ("Exchange", _READS_AND_WRITES),
    ("Scores", _READS_AND_WRITES),
    ("Catalogue", _READS),
    ("Identity", _READS),
)
"""Tables that the exchange of files needs, with the throttled requests that it would notice."""
_FRAMES_LOST: Final = ("IntegrationError", "ExecutionError")
_ANSWERS: Final = (Figure.ANSWERS_ACCEPTED, Figure.ANSWERS_LATE, Figure.ANSWERS_REFUSED)
_LATENESS: Final = (Figure.OPENING_LATENESS, Figure.HAND_OUT_LATENESS)
_SILENT_MINUTES: Final = 5
_SILENT_ROUNDS: Final = 2
_DAYS_OF_A_WEEK: Final = 7
"""Days of the exports' interval, and the longest period of a CloudWatch alarm ("Evaluating an alarm")."""


class Observability(NestedStack):
    """Alarms on everything that could lose, delay or falsify a result.

    A stack within the cycle's: a template has room for 500 resources, and every function and queue has its alarms.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        config: CycleConfig,
        functions: Functions,
        queues: Queues,
        stored: Stored,
        gateways: tuple[ExchangeApi, EventChannel],
    ) -> None:
        super().__init__(scope, id, description=f"Hurdle: what watches the contest cycle {config.cycle}")
        self._config = config
        self._action = actions.SnsAction(self._topic(config))
        self._alarms: list[cloudwatch.Alarm] = []
        self._watch_queues(queues)
        self._watch_functions(functions)
        self._watch_tables(stored)
        self._watch_gateways(*gateways)
        self._watch_figures()
        self._watch_silence(functions)
        if config.dashboard:
            self._dashboard(functions, gateways[0].api)

    def _topic(self, config: CycleConfig) -> sns.Topic:
        """Add the topic of the alarms, which carries their names and no contest data: TLS, no key of our own."""
        topic = sns.Topic(self, "Alarms", display_name=f"Hurdle {config.cycle}", enforce_ssl=True)
        topic.add_to_resource_policy(
            iam.PolicyStatement(
                principals=[iam.ServicePrincipal("cloudwatch.amazonaws.com")],
                actions=["sns:Publish"],
                resources=[topic.topic_arn],
                conditions={"StringEquals": {"aws:SourceAccount": Aws.ACCOUNT_ID}},
            )
        )
        if config.alarm_email:
            topic.add_subscription(subscriptions.EmailSubscription(config.alarm_email))
        return topic

    def _watch_queues(self, queues: Queues) -> None:
        """Watch what arrives in the queues of dead letters, where the taker of letters receives it at once; a letter
        that it cannot keep comes again and again. How many letters are open, the minute timer counts.

        SQS's own count of sent messages leaves out those that it moves there itself, hence the received ones
        ("Available CloudWatch metrics for Amazon SQS").
        """
        limits = self._config.alarms
        for name, queue, meaning in (
            ("Scoring", LetterQueue.SCORING, "An answer could not be scored: contest deadletters list"),
            ("Settlement", LetterQueue.SETTLEMENT, "A part of a run's record or board could not be made"),
            ("Rescoring", LetterQueue.RESCORINGS, "A session could not be scored anew: contest rescore resume"),
            ("Shadow", LetterQueue.SHADOWS, "A team's results could not be recomputed: nothing is published"),
            ("Audit", LetterQueue.AUDITS, "A session could not be audited"),
            ("Import", LetterQueue.IMPORTS, "A data set could not be imported; see the function's log"),
            ("Submission", LetterQueue.SUBMISSIONS, "A submission could not be checked, run or scored"),
            ("Push", LetterQueue.PUSHES, "A file could not be pushed: its client must ask for it"),
            ("Relay", LetterQueue.RELAY, "An outbox item did not reach the scoring queue"),
            ("Timer", LetterQueue.TIMERS, "A timer's function did not start, or failed; see its log"),
        ):
            received = queues.dead_letters[queue].metric_number_of_messages_received(period=_PERIOD, statistic="sum")
            self._alarm(f"{name}DeadLetters", received, limits.dead_letters, meaning)
        age = queues.work[LetterQueue.PUSHES].metric_approximate_age_of_oldest_message(period=_MINUTE, statistic="max")
        self._alarm(
            "PushDelay", age, limits.oldest_push_s, "Pushes are late: clients of the event channel get no files"
        )

    def _watch_functions(self, functions: Functions) -> None:
        """Watch what participants' programs wait for, and work whose letters come late or never.

        Other functions' failures come to the organizers by other alarms: of the site's functions by ServerErrors, of
        timers at once by TimerDeadLetters, of Score and Relay by UnscoredAge, of Push, Verify and Audit by their
        letters.
        """
        limits = self._config.alarms
        for name in (*_EXCHANGE, *_WORKERS):
            errors = functions.functions[name].metric_errors(period=_PERIOD, statistic="sum")
            self._alarm(f"{name}Errors", errors, limits.function_errors, f"{name} failed; see its log group")
        meaning = "was refused an execution: raise its concurrency"
        bound = [name for name in _EXCHANGE if self._config.sizes[name].reserved_concurrency is not None]
        others = [name for name in _EXCHANGE if name not in bound]
        for label, some in (("", others), *((name, [name]) for name in bound)):
            throttles = [functions.functions[name].metric_throttles(period=_PERIOD, statistic="sum") for name in some]
            named = ", ".join(some)
            self._alarm(f"{label}Throttles", _sum(throttles), limits.function_throttles, f"One of {named} {meaning}")
        spilled = [
            functions.entry(name).metric("ProvisionedConcurrencySpilloverInvocations", period=_PERIOD, statistic="sum")
            for name in SHARES
        ]
        shared = ", ".join(SHARES)
        self._alarm("SpillOver", _sum(spilled), limits.spill_over, f"More of {shared} at once than are kept running")

    def _watch_tables(self, stored: Stored) -> None:
        """Watch the tables that a participant's request reads or writes; the others' throttles are 5xx answers."""
        throttled = [
            cloudwatch.Metric(
                namespace="AWS/DynamoDB",
                metric_name=name,
                dimensions_map={"TableName": stored.tables[table].table_name},
                period=_PERIOD,
                statistic="sum",
            )
            for table, ways in _TABLES
            for name in ways
        ]
        meaning = "DynamoDB refuses requests: more than a table takes, or one partition of it"
        self._alarm("TableThrottles", _sum(throttled), self._config.alarms.table_throttles, meaning)

    def _watch_gateways(self, api: ExchangeApi, channel: EventChannel) -> None:
        limits = self._config.alarms
        faults = api.api.metric_server_error(period=_PERIOD, statistic="sum")
        self._alarm("ServerErrors", faults, limits.server_errors_5xx, "Programs get 5xx answers")
        refused = api.api.metric_client_error(period=_PERIOD, statistic="sum")
        meaning = "Many 4xx answers, 429 of the gateway's limits among them"
        self._alarm("ClientErrors", refused, limits.client_errors_4xx, meaning)
        lost = [channel.api.metric(name, period=_PERIOD, statistic="sum") for name in _FRAMES_LOST]
        faults_of_events = self._figure(Figure.CHANNEL_FAULTS, _PERIOD, "sum")
        meaning = "Frames of the event channel are lost, or its events fail"
        self._alarm("ChannelFaults", _sum([*lost, faults_of_events]), limits.channel_faults, meaning)

    def _watch_figures(self) -> None:
        """Watch the figures that the functions count themselves."""
        limits = self._config.alarms
        for figure, statistic, limit, meaning in (
            (Figure.AUDIT_DIFFERENCES, "sum", limits.audit_differences, "Stored results do not rebuild"),
            (Figure.MASS_FAILURES, "sum", limits.mass_failures, "All teams missed files: contest run show"),
            (Figure.FILES_OVERDUE, "sum", limits.files_overdue, "The platform owes teams files or receipts"),
            (Figure.SUBMISSIONS_STUCK, "sum", limits.submissions_stuck, "A submission waits too long: contest doctor"),
            (Figure.RUNS_LOST, "sum", limits.runs_lost, "A program's run is lost: contest submission rerun"),
            (Figure.DEAD_LETTERS_OPEN, "max", limits.dead_letters, "Letters wait: contest deadletters list"),
            (Figure.UNSCORED_AGE, "max", limits.unscored_age_s, "Scores are late (platform §4: two minutes)"),
            (Figure.OPENING_LATENESS, "max", limits.opening_lateness_ms, "Files leave after their opening"),
            (Figure.HAND_OUT_LATENESS, "max", limits.hand_out_lateness_ms, "Files are handed out slowly"),
        ):
            self._alarm(figure.value, self._figure(figure, _PERIOD, statistic), limit, meaning)
        unfinished = self._figure(Figure.VISIT_UNFINISHED, _PERIOD, "min")
        meaning = "For ten minutes no visit of the minute timer got through its work"
        self._alarm(Figure.VISIT_UNFINISHED.value, unfinished, limits.visit_unfinished, meaning, lasting=2)
        if self._config.copies is not None:
            uncopied = self._figure(Figure.TABLES_UNCOPIED, Duration.days(1), "min")
            meaning = "For a week no complete export of every table has come into the locked copies"
            self._alarm(Figure.TABLES_UNCOPIED.value, uncopied, 0, meaning, lasting=_DAYS_OF_A_WEEK)

    def _watch_silence(self, functions: Functions) -> None:
        """Add the dead-man alarms: a timer that is dead writes nothing, and nothing else would tell of it.

        The minute timer's and the audit's figures are written by visits that came to their end; the channel's timer
        counts nothing of its own, and its failures are dead letters.
        """
        visits = functions.functions["ChannelTimer"].metric_invocations(period=_MINUTE, statistic="sum")
        hours = Duration.hours(self._config.audit_interval_hours)
        for name, metric, periods, meaning in (
            (
                "MinuteTimerSilent",
                self._figure(Figure.UNSCORED_AGE, _MINUTE, "SampleCount"),
                _SILENT_MINUTES,
                "The minute timer has not come to its end for five minutes",
            ),
            ("ChannelTimerSilent", visits, _SILENT_MINUTES, "The event channel's timer has not run for five minutes"),
            (
                "AuditSilent",
                self._figure(Figure.AUDITS, hours, "SampleCount"),
                _SILENT_ROUNDS,
                "Nothing was audited for two rounds",
            ),
        ):
            self._alarm(name, metric, 1, meaning, lasting=periods, silence=True)

    def _figure(self, figure: Figure, period: Duration, statistic: str) -> cloudwatch.Metric:
        """Return a figure that functions count themselves."""
        return cloudwatch.Metric(
            namespace=NAMESPACE,
            metric_name=figure.value,
            dimensions_map={SERVICE_DIMENSION: SERVICE, CYCLE_DIMENSION: self._config.cycle},
            period=period,
            statistic=statistic,
        )

    def _alarm(
        self,
        name: str,
        metric: cloudwatch.IMetric,
        threshold: int,
        meaning: str,
        *,
        lasting: int = 1,
        silence: bool = False,
    ) -> None:
        """Add an alarm on too much of something in each of so many periods, or, for ``silence``, on too little of it,
        or nothing."""
        comparison, missing = cloudwatch.ComparisonOperator, cloudwatch.TreatMissingData
        alarm = cloudwatch.Alarm(
            self,
            name,
            alarm_name=f"hurdle-{self._config.cycle}-{name}",
            alarm_description=meaning,
            metric=metric,
            threshold=threshold,
            evaluation_periods=lasting,
            comparison_operator=comparison.LESS_THAN_THRESHOLD if silence else comparison.GREATER_THAN_THRESHOLD,
            treat_missing_data=missing.BREACHING if silence else missing.NOT_BREACHING,
        )
        alarm.add_alarm_action(self._action)
        alarm.add_ok_action(self._action)
        self._alarms.append(alarm)

    def _dashboard(self, functions: Functions, api: HttpApi) -> None:
        cloudwatch.Dashboard(
            self,
            "Dashboard",
            dashboard_name=f"hurdle-{self._config.cycle}",
            widgets=[
                [cloudwatch.AlarmStatusWidget(title="Alarms", alarms=list(self._alarms), width=24)],
                [
                    cloudwatch.GraphWidget(
                        title="Requests and faults",
                        left=[api.metric_count(), api.metric_client_error(), api.metric_server_error()],
                        right=[api.metric_latency(statistic="p95")],
                    ),
                    cloudwatch.GraphWidget(
                        title="Answers",
                        left=[self._figure(figure, _PERIOD, "sum") for figure in _ANSWERS],
                        right=[self._figure(Figure.UNSCORED_AGE, _PERIOD, "max")],
                    ),
                    cloudwatch.GraphWidget(
                        title="Lateness, ms", left=[self._figure(figure, _PERIOD, "max") for figure in _LATENESS]
                    ),
                ],
                [
                    cloudwatch.GraphWidget(
                        title="Failed", left=[item.metric_errors() for item in functions.functions.values()]
                    ),
                    cloudwatch.GraphWidget(
                        title="Throttled", left=[item.metric_throttles() for item in functions.functions.values()]
                    ),
                    cloudwatch.GraphWidget(
                        title="Duration, p95",
                        left=[item.metric_duration(statistic="p95") for item in functions.functions.values()],
                    ),
                ],
            ],
        )


def _sum(metrics: Sequence[cloudwatch.IMetric]) -> cloudwatch.IMetric:
    """Return the sum of figures, each 0 where it has none: without FILL one missing figure would make no sum at all.

    An alarm's expression takes ten metrics at most ("Using math expressions with CloudWatch metrics").
    """
    if len(metrics) == 1:
        return metrics[0]
    named = {f"m{index}": metric for index, metric in enumerate(metrics)}
    expression = " + ".join(f"FILL({name}, 0)" for name in named)
    return cloudwatch.MathExpression(expression=expression, using_metrics=named, label="Sum", period=_PERIOD)

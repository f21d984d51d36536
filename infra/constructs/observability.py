"""Alarms, a dashboard and timers: every alarm goes to one topic, and the dashboard shows the same figures.

One timer does all due work once a minute, another proves the stored data every few hours. The event channel has a timer
of its own: its cost depends on the number of connections, which nobody's report or record waits for.

Timers prepare and sweep; the stored schedule and the gateway's time decide (platform §3). So a missed minute is not
repeated, the next one does its work. The scheduler hands a run over to Lambda's own queue, which by itself would run
a failed event twice more, beside its successors: it is told not to, and an event that fails for good goes to the dead
letters. Only handing the audit over is tried again.
"""

from __future__ import annotations

from aws_cdk import Aws, Duration, NestedStack
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_destinations as destinations
from aws_cdk import aws_scheduler as scheduler
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from contest import settings
from contest.stored_names import LetterQueue
from infra.config import CycleConfig
from infra.constructs.functions import Functions
from infra.constructs.gateways import EventChannel, ExchangeApi
from infra.constructs.queues import Queues

_PERIOD = Duration.minutes(5)
_MINUTE = Duration.minutes(1)
_FIGURES = 10
"""Of one alarm at most."""


class Observability(NestedStack):
    """Alarms on everything that could lose, delay or falsify a result.

    A stack within the cycle's: a template has room for 500 resources, and every function and queue has its alarms.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002 -- CDK's own name
        *,
        config: CycleConfig,
        functions: Functions,
        queues: Queues,
        api: ExchangeApi,
        channel: EventChannel,
    ) -> None:
        super().__init__(scope, id, description=f"Hurdle: what watches the contest cycle {config.cycle}")
        self._config = config
        self._action = actions.SnsAction(self._topic(config))
        self._alarms: list[cloudwatch.Alarm] = []
        self._watch_queues(queues)
        self._watch_functions(functions)
        faults = api.api.metric_server_error(period=_PERIOD, statistic="sum")
        limit = self._config.alarms.server_errors_5xx
        self._alarm("ServerErrors", faults, limit, "Programs get 5xx answers")
        self._watch_channel(channel)
        self._watch_figures()
        self._dashboard(functions, api)

    def _topic(self, config: CycleConfig) -> sns.Topic:
        """Carries alarm names only, no contest data: TLS on the way, no key of our own."""
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
            letters = self._letters(queue, queues.dead_letters[queue])
            self._alarm(f"{name}DeadLetters", letters, limits.dead_letters, meaning)
        age = queues.work[LetterQueue.SCORING].metric_approximate_age_of_oldest_message(period=_MINUTE, statistic="max")
        self._alarm("ScoringDelay", age, limits.oldest_message_s, "Scores are late (platform §4: two minutes)")
        age = queues.work[LetterQueue.PUSHES].metric_approximate_age_of_oldest_message(period=_MINUTE, statistic="max")
        self._alarm(
            "PushDelay", age, limits.oldest_push_s, "Pushes are late: clients of the event channel get no files"
        )

    def _watch_functions(self, functions: Functions) -> None:
        limits = self._config.alarms
        for name, function in functions.functions.items():
            errors = function.metric_errors(period=_PERIOD, statistic="sum")
            self._alarm(f"{name}Errors", errors, limits.function_errors, f"{name} failed; see its log group")
        self._watch_throttles(functions)
        lag = functions.functions["Relay"].metric("IteratorAge", period=_MINUTE, statistic="max")
        limit_ms = limits.stream_iterator_age_s * 1_000
        self._alarm("RelayDelay", lag, limit_ms, "The outbox stream is read too slowly")

    def _watch_throttles(self, functions: Functions) -> None:
        """Add one alarm for ten functions, which is as many figures as an alarm takes. Functions with a bound of their
        own have an alarm of their own."""
        limit, meaning = self._config.alarms.function_throttles, "was refused an execution: raise its concurrency"
        figures = {
            name: function.metric_throttles(period=_PERIOD, statistic="sum")
            for name, function in functions.functions.items()
        }
        own = [name for name in figures if self._config.sizes[name].reserved_concurrency is not None]
        for name in own:
            self._alarm(f"{name}Throttles", figures[name], limit, f"{name} {meaning}")
        others = [name for name in figures if name not in own]
        for number, start in enumerate(range(0, len(others), _FIGURES), 1):
            some = others[start : start + _FIGURES]
            named = {f"m{index}": figures[name] for index, name in enumerate(some)}
            together = cloudwatch.MathExpression(
                expression=" + ".join(f"FILL({metric}, 0)" for metric in named),
                using_metrics=named,
                label="Throttles",
                period=_PERIOD,
            )
            self._alarm(f"Throttles{number}", together, limit, f"One of {', '.join(some)} {meaning}")

    def _watch_channel(self, channel: EventChannel) -> None:
        faults = cloudwatch.MathExpression(
            expression="integration + execution",
            using_metrics={
                "integration": channel.api.metric("IntegrationError", period=_PERIOD, statistic="sum"),
                "execution": channel.api.metric("ExecutionError", period=_PERIOD, statistic="sum"),
            },
            label="Faults of the event channel",
            period=_PERIOD,
        )
        limit = self._config.alarms.channel_faults
        self._alarm("ChannelFaults", faults, limit, "Frames of the event channel are lost")

    def _watch_figures(self) -> None:
        """Watch the figures that the functions count themselves."""
        limits = self._config.alarms
        for name, limit, meaning in (
            (settings.AUDIT_DIFFERENCES, limits.audit_differences, "Stored results do not rebuild to the same bytes"),
            (settings.MASS_FAILURES, limits.mass_failures, "All teams missed the same files: contest run show"),
            (settings.FILES_OVERDUE, limits.files_overdue, "The platform owes teams files or receipts"),
            (
                settings.SUBMISSIONS_STUCK,
                limits.submissions_stuck,
                "A submission waits too long: contest doctor; has Batch any machines?",
            ),
            (settings.RUNS_LOST, limits.runs_lost, "The platform lost a program's run: contest submission rerun"),
        ):
            self._alarm(name, self._figure(name, _PERIOD, "sum"), limit, meaning)
        hours = Duration.hours(self._config.audit_interval_hours)
        self._alarm(
            "AuditSilent",
            self._figure(settings.AUDITS, hours, "SampleCount"),
            1,
            "Nothing was audited for two rounds",
            silence=True,
        )

    def _letters(self, name: LetterQueue, queue: sqs.Queue) -> cloudwatch.MathExpression:
        """Return the figures of open letters, and of messages still in the queues for letters."""
        return cloudwatch.MathExpression(
            expression="FILL(open, 0) + FILL(untaken, 0)",
            using_metrics={
                "open": self._figure(settings.dead_letters_metric(name), _MINUTE, "max"),
                "untaken": queue.metric_approximate_number_of_messages_visible(period=_MINUTE, statistic="max"),
            },
            label=f"Dead letters of {name}",
            period=_MINUTE,
        )

    def _figure(self, name: str, period: Duration, statistic: str) -> cloudwatch.Metric:
        """Return a figure that functions count themselves."""
        return cloudwatch.Metric(
            namespace=settings.METRIC_NAMESPACE,
            metric_name=name,
            dimensions_map={settings.SERVICE_DIMENSION: settings.SERVICE, settings.CYCLE_DIMENSION: self._config.cycle},
            period=period,
            statistic=statistic,
        )

    def _alarm(
        self, name: str, metric: cloudwatch.IMetric, threshold: int, meaning: str, *, silence: bool = False
    ) -> None:
        """Add an alarm on too much of something, or, for ``silence``, on too little of it in two periods and on
        nothing."""
        comparison, missing = cloudwatch.ComparisonOperator, cloudwatch.TreatMissingData
        alarm = cloudwatch.Alarm(
            self,
            name,
            alarm_name=f"hurdle-{self._config.cycle}-{name}",
            alarm_description=meaning,
            metric=metric,
            threshold=threshold,
            evaluation_periods=2 if silence else 1,
            comparison_operator=comparison.LESS_THAN_THRESHOLD if silence else comparison.GREATER_THAN_THRESHOLD,
            treat_missing_data=missing.BREACHING if silence else missing.NOT_BREACHING,
        )
        alarm.add_alarm_action(self._action)
        alarm.add_ok_action(self._action)
        self._alarms.append(alarm)

    def _dashboard(self, functions: Functions, api: ExchangeApi) -> None:
        cloudwatch.Dashboard(
            self,
            "Dashboard",
            dashboard_name=f"hurdle-{self._config.cycle}",
            widgets=[
                [cloudwatch.AlarmStatusWidget(title="Alarms", alarms=list(self._alarms), width=24)],
                [
                    cloudwatch.GraphWidget(
                        title="Requests and faults",
                        left=[api.api.metric_count(), api.api.metric_client_error(), api.api.metric_server_error()],
                        right=[api.api.metric_latency(statistic="p95")],
                    ),
                    cloudwatch.GraphWidget(
                        title="Duration, p95",
                        left=[item.metric_duration(statistic="p95") for item in functions.functions.values()],
                    ),
                ],
            ],
        )


_RETRIES = 2
_SHORTEST_EVENT_AGE_S = 60
"""EventBridge Scheduler's least, and Lambda's: an unstarted minute is dropped when the next one comes."""
_LONGEST_EVENT_AGE_S = 6 * 3_600
"""Lambda's most."""


class Timers(Construct):
    """EventBridge Scheduler's schedules, exact to the minute, with dead letters.

    The low-level resource is used because CDK's target class would let the role invoke every version of the function.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002 -- CDK's own name
        *,
        config: CycleConfig,
        minute: lambda_.IFunction,
        tend: lambda_.IFunction,
        audit: lambda_.IFunction,
        dead_letters: sqs.Queue,
    ) -> None:
        super().__init__(scope, id)
        self._dead_letters = dead_letters
        self._role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("scheduler.amazonaws.com"))
        self._allow("lambda:InvokeFunction", minute.function_arn, tend.function_arn, audit.function_arn)
        self._allow("sqs:SendMessage", dead_letters.queue_arn)
        self._schedule("EveryMinute", "rate(1 minute)", minute, retries=0, age_s=_SHORTEST_EVENT_AGE_S)
        self._schedule("EveryMinuteChannel", "rate(1 minute)", tend, retries=0, age_s=_SHORTEST_EVENT_AGE_S)
        hours = config.audit_interval_hours
        every_few_hours = f"rate({hours} hour{'s' if hours > 1 else ''})"
        self._schedule("Audits", every_few_hours, audit, retries=_RETRIES, age_s=hours * 3_600)

    def _allow(self, action: str, *resources: str) -> None:
        self._role.add_to_policy(iam.PolicyStatement(actions=[action], resources=list(resources)))

    def _schedule(self, name: str, expression: str, function: lambda_.IFunction, *, retries: int, age_s: int) -> None:
        lambda_.EventInvokeConfig(
            self,
            f"{name}Runs",
            function=function,
            retry_attempts=0,
            max_event_age=Duration.seconds(min(age_s, _LONGEST_EVENT_AGE_S)),
            on_failure=destinations.SqsDestination(self._dead_letters),
        )
        scheduler.CfnSchedule(
            self,
            name,
            schedule_expression=expression,
            flexible_time_window=scheduler.CfnSchedule.FlexibleTimeWindowProperty(mode="OFF"),
            target=scheduler.CfnSchedule.TargetProperty(
                arn=function.function_arn,
                role_arn=self._role.role_arn,
                dead_letter_config=scheduler.CfnSchedule.DeadLetterConfigProperty(arn=self._dead_letters.queue_arn),
                retry_policy=scheduler.CfnSchedule.RetryPolicyProperty(
                    maximum_retry_attempts=retries, maximum_event_age_in_seconds=age_s
                ),
            ),
        )

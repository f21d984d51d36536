"""The services under a stage, emulated and empty, and the environment of its functions; nothing of it remains."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

from botocore.exceptions import ClientError  # type: ignore[import-untyped]  # the SDK has no types
from joserfc import jws
from joserfc.jwk import RSAKey
from moto import mock_aws
from moto.core.models import MockAWS, botocore_stubber, responses_mock
from moto.core.utils import camelcase_to_underscores
from moto.dynamodb.models import dynamodb_backends
from moto.s3.models import s3_backends
from moto.secretsmanager.models import secretsmanager_backends
from moto.sqs import models as sqs
from moto.sqs.models import sqs_backends

from contest import settings
from contest.adapters import aws
from contest.people import accounts as sign_ins
from contest.people.rules import Pool
from contest.stored_names import LetterQueue
from local.aws.identity import Accounts
from local.aws.moto_corrections import correct_tables
from local.environment import ACCOUNT
from shadow import source as shadow_source
from tests import short_ways, stage_addresses
from tests.limits_kept import hold_to_limits

REGION = "eu-central-1"
BUCKET = "hurdle-tests"
TABLES = {
    settings.EXCHANGE_TABLE: "exchange",
    settings.SCORES_TABLE: "scores",
    settings.CATALOGUE_TABLE: "catalogue",
    settings.IDENTITY_TABLE: "identity",
    settings.EXPERTS_TABLE: "experts",
}
QUEUES = ("scoring", "settlement", "rescorings", "shadows", "audits", "imports", "pushes", "submissions")
_NOTHING_TOLD = ("secret_binary", "description", "tags", "kms_key_id", "client_request_token")
"""A stage's secrets leave these arguments of Secrets Manager out."""
ORIGIN_SECRET = "o" * 64
POOL_ID = f"{REGION}_staff"
CLIENTS = {Pool.PARTICIPANTS: "client-of-participants", Pool.STAFF: "client-of-staff"}
FUNCTIONS = {
    "authorize": "authorize.api.handler",
    "annotate": "annotate.api.handler",
    "dispatch": "dispatch.api.handler",
    "submit": "submit.api.handler",
    "results": "score.api.handler",
    "public": "dispatch.public.handler",
    "legacyclients": "dispatch.legacy_clients.handler",
    "socket": "dispatch.socket.handler",
    "push": "dispatch.push.handler",
    "channeltimer": "dispatch.channel_timer.handler",
    "sets": "dispatch.sets.handler",
    "administration": "organize.api.handler",
    "runcontrol": "organize.run_control.handler",
    "operations": "organize.operations.handler",
    "import": "organize.worker.handler",
    "minutetimer": "dispatch.minute_timer.handler",
    "relay": "score.relay.handler",
    "worker": "score.worker.handler",
    "settle": "score.background.settle",
    "rescore": "score.background.rescore",
    "shadow": "shadow.job.handler",
    "deadletters": "score.background.collect_letters",
    "audit": "score.background.plan_audits",
    "verify": "score.background.audit",
    "submissions": "submit.submissions.handler",
    "submissionworker": "score.submission_worker.handler",
}
"""The entry point of each of the platform's functions, by the name by which a stage calls it."""


def handler_of(function: str) -> Any:
    """Return the entry point of a function, imported at its first call."""
    module, _, name = FUNCTIONS[function].rpartition(".")
    return getattr(import_module(module), name)


def issuer(pool: Pool) -> str:
    """Return the issuer of a pool's tokens."""
    return f"https://sign-in.example/{pool.value}"


@cache
def _key_of(pool: Pool) -> RSAKey:
    return RSAKey.generate_key(2048, {"kid": f"key-of-{pool.value}", "use": "sig", "alg": "RS256"})


def signed(claims: Mapping[str, Any], pool: Pool, **header: str) -> str:
    """Return a token with these claims, signed by a pool's key."""
    content = json.dumps(claims).encode()
    return jws.serialize_compact({"alg": "RS256", "kid": _key_of(pool).kid, **header}, content, _key_of(pool))


def queue_url(name: str) -> str:
    """Return the address of a queue of work, as the environment tells it."""
    return f"https://sqs.{REGION}.amazonaws.com/123456789012/{name}"


def letters_arn(queue: LetterQueue) -> str:
    """Return the ARN of the queue for dead letters: messages of a queue that fail for good."""
    return f"arn:aws:sqs:{REGION}:123456789012:{_letters(queue)}"


def _letters(queue: LetterQueue) -> str:
    return f"{queue.value}-dead-letters"


@contextmanager
def services(folder: Path, cycle: str) -> Iterator[Accounts]:
    """Set up empty services and the environment of a process deployed for a cycle; yield the pools' accounts."""
    accounts = Accounts()
    with ExitStack() as stack:
        stack.enter_context(patch.dict("os.environ", _environment(folder, cycle)))
        correct_once()
        stack.enter_context(_emulated())
        stack.enter_context(short_ways.taken())
        stack.enter_context(patch.object(aws, "client", _client_of(accounts)))
        stack.enter_context(patch.object(shadow_source, "client", aws.client))
        stack.enter_context(patch.object(sign_ins.urllib.request, "urlopen", _opened))
        stack.enter_context(patch.object(sqs, "camelcase_to_underscores", _underscored))
        _create_resources()
        yield accounts


@contextmanager
def _emulated() -> Iterator[None]:
    """Emulate AWS for the SDK alone: plain moto also makes 1 300 rules for `requests`, which no function uses."""
    with patch.object(MockAWS, "_enable_patching", _heard_by_the_sdk), mock_aws():
        yield


def _heard_by_the_sdk(emulation: MockAWS, reset: bool = True) -> None:
    botocore_stubber.enabled = True
    if reset:
        emulation.reset()
    responses_mock.start()  # it is stopped with the emulation


def _environment(folder: Path, cycle: str) -> dict[str, str]:
    return {
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_DEFAULT_REGION": REGION,
        "AWS_REGION": REGION,
        "AWS_REQUEST_CHECKSUM_CALCULATION": "when_required",
        "POWERTOOLS_LOG_LEVEL": "CRITICAL",
        settings.CYCLE: cycle,
        settings.BUCKET: BUCKET,
        settings.SCORING_QUEUE_URL: queue_url("scoring"),
        settings.SETTLEMENT_QUEUE_URL: queue_url("settlement"),
        settings.RESCORING_QUEUE_URL: queue_url("rescorings"),
        settings.SHADOW_QUEUE_URL: queue_url("shadows"),
        settings.AUDIT_QUEUE_URL: queue_url("audits"),
        settings.IMPORT_QUEUE_URL: queue_url("imports"),
        settings.SUBMISSION_QUEUE_URL: queue_url("submissions"),
        settings.PUSH_QUEUE_URL: queue_url("pushes"),
        settings.DEAD_LETTER_QUEUES: ",".join(f"{queue.value}={_letters(queue)}" for queue in LetterQueue),
        settings.SOCKET_ENDPOINT: f"https://socket.execute-api.{REGION}.amazonaws.com/live",
        settings.SIGNING_SECRET_ARN: "signing",
        **stage_addresses.ENVIRONMENT,
        settings.ORIGIN_SECRET: ORIGIN_SECRET,
        settings.PARTICIPANTS_ISSUER: issuer(Pool.PARTICIPANTS),
        settings.PARTICIPANTS_CLIENT: CLIENTS[Pool.PARTICIPANTS],
        settings.STAFF_ISSUER: issuer(Pool.STAFF),
        settings.STAFF_CLIENT: CLIENTS[Pool.STAFF],
        settings.STAFF_POOL_ID: POOL_ID,
        settings.MEASURES: settings.HERE,
        settings.CAPACITY: json.dumps({"requests_per_second": 1_000}),
        settings.TIMEOUT_S: "29",
        settings.CLOCK_FILE: str(folder / "clock.json"),
        **TABLES,
    }


correct_once = cache(correct_tables)
"""The tables of a stage are the local cloud's: plain moto copies whole ones in each transaction, and loses writes."""


_made_client = aws.client.__wrapped__


@cache
def _kept_client(service: str) -> Any:
    """Return a client that outlives its stage: making one costs more than a test."""
    return hold_to_limits(_made_client(service))


class _Pools:
    """The local cloud's accounts of pools, called as the SDK does."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        name = "".join(part.title() for part in operation.split("_"))

        def call(**parameters: Any) -> Any:
            answered = self._accounts.call(name, parameters)
            if answered.status != 200:
                problem = {"Code": answered.body["__type"], "Message": answered.body["message"]}
                raise ClientError({"Error": problem}, name)
            return answered.body

        return call


def _client_of(accounts: Accounts) -> Callable[..., Any]:
    return lambda service, *endpoint: _Pools(accounts) if service == "cognito-idp" else _kept_client(service, *endpoint)


_underscored = cache(camelcase_to_underscores)
"""moto spells the name of each of a queue's attributes anew whenever it makes a queue."""


def _create_resources() -> None:
    """Create tables, bucket, queues and secrets in moto's models: by requests they took half of a stage's time."""
    dynamo = dynamodb_backends[ACCOUNT][REGION]
    keys = ((settings.PARTITION_KEY, "HASH"), (settings.SORT_KEY, "RANGE"))
    for name in TABLES.values():
        dynamo.create_table(
            name,
            schema=[{"AttributeName": key, "KeyType": kind} for key, kind in keys],
            attr=[{"AttributeName": key, "AttributeType": "S"} for key, _ in keys],
            billing_mode="PAY_PER_REQUEST",
            **dict.fromkeys(("throughput", "streams", "sse_specification", "warm_throughput")),
            **{name: [] for name in ("global_indexes", "indexes", "tags")},
            deletion_protection_enabled=False,
        )
    s3_backends[ACCOUNT]["aws"].create_bucket(BUCKET, REGION)
    queues = sqs_backends[ACCOUNT][REGION]
    for name in QUEUES:
        queues.create_queue(name)
    secrets = secretsmanager_backends[ACCOUNT][REGION]
    for name, text in {"signing": "f" * 64, **stage_addresses.secrets()}.items():
        secrets.create_secret(name, text, **dict.fromkeys(_NOTHING_TOLD), replica_regions=[], force_overwrite=False)


def _opened(address: str, timeout: float) -> io.BytesIO:
    """Return a pool's answer to a request for its keys."""
    assert timeout > 0
    pool = next(candidate for candidate in Pool if address == f"{issuer(candidate)}/.well-known/jwks.json")
    return io.BytesIO(json.dumps({"keys": [_key_of(pool).as_dict(private=False)]}).encode())

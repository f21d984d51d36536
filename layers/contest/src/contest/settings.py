"""The settings of a deployment: the only reader of the environment, and the only place of deployed things' names.

Standard library only: the infrastructure code imports this module to name variables, keys and metrics, so that a name
exists once and the template cannot drift from the code that reads it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

CYCLE: Final = "HURDLE_CYCLE"
HOME: Final = "HURDLE_HOME"
"""Folder of the command's own files."""
AWS_ENDPOINT: Final = "AWS_ENDPOINT_URL"
_OF_AN_ACCOUNT: Final = ("AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_SESSION_TOKEN")
CYCLE_NAME_FORM: Final = "[a-z][a-z0-9]*(-[a-z0-9]+)*"
"""Regular expression for the name of a deployed cycle."""
LONGEST_CYCLE_NAME: Final = 20
RESERVED_IN_NAMES: Final = ("aws", "amazon", "cognito")
"""Words that may stand nowhere in the name of a deployed cycle: it is part of the domain prefix of the sign-in, where
Cognito refuses them (Amazon Cognito developer guide, "Using the Amazon Cognito domain")."""
EXCHANGE_TABLE: Final = "HURDLE_EXCHANGE_TABLE"
SCORES_TABLE: Final = "HURDLE_SCORES_TABLE"
CATALOGUE_TABLE: Final = "HURDLE_CATALOGUE_TABLE"
IDENTITY_TABLE: Final = "HURDLE_IDENTITY_TABLE"
EXPERTS_TABLE: Final = "HURDLE_EXPERTS_TABLE"
BUCKET: Final = "HURDLE_BUCKET"
SCORING_QUEUE_URL: Final = "HURDLE_SCORING_QUEUE_URL"
SETTLEMENT_QUEUE_URL: Final = "HURDLE_SETTLEMENT_QUEUE_URL"
RESCORING_QUEUE_URL: Final = "HURDLE_RESCORING_QUEUE_URL"
SHADOW_QUEUE_URL: Final = "HURDLE_SHADOW_QUEUE_URL"
AUDIT_QUEUE_URL: Final = "HURDLE_AUDIT_QUEUE_URL"
IMPORT_QUEUE_URL: Final = "HURDLE_IMPORT_QUEUE_URL"
PUSH_QUEUE_URL: Final = "HURDLE_PUSH_QUEUE_URL"
SUBMISSION_QUEUE_URL: Final = "HURDLE_SUBMISSION_QUEUE_URL"
BATCH_QUEUE: Final = "HURDLE_BATCH_QUEUE"
"""Queue of jobs of submitted programs; absent if the deployment runs none."""
BATCH_DEFINITION: Final = "HURDLE_BATCH_DEFINITION"
BATCH_COPY_QUEUE: Final = "HURDLE_BATCH_COPY_QUEUE"
"""Queue of jobs that copy the programs' images into the deployment's registry; absent if images are not copied."""
BATCH_COPY_DEFINITION: Final = "HURDLE_BATCH_COPY_DEFINITION"
DEAD_LETTER_QUEUES: Final = "HURDLE_DEAD_LETTER_QUEUES"
"""``scoring=NAME,settlement=NAME,…``: origin of a dead letter, by the queue from which a message is received."""
SOCKET_ENDPOINT: Final = "HURDLE_SOCKET_ENDPOINT"
"""Base address of the event channel's ``@connections`` calls, with the stage: https://HOST/STAGE."""
SIGNING_SECRET_ARN: Final = "HURDLE_SIGNING_SECRET_ARN"  # noqa: S105 -- the variable's name, not a secret
"""ARN of the secret from which the signing key is derived, or of the key in AWS KMS."""
UPLOADS_KEY: Final = "HURDLE_UPLOADS_KEY"
"""Id at the distribution of the key that signs upload addresses; the next variable names its secret."""
UPLOADS_SECRET: Final = "HURDLE_UPLOADS_SECRET"  # noqa: S105 -- the variable's name, not a secret
DOWNLOADS_KEY: Final = "HURDLE_DOWNLOADS_KEY"
"""The same for download addresses."""
DOWNLOADS_SECRET: Final = "HURDLE_DOWNLOADS_SECRET"  # noqa: S105 -- the variable's name, not a secret
ORIGIN_SECRET: Final = "HURDLE_ORIGIN_SECRET"  # noqa: S105 -- the variable's name, not a secret
"""Secret that CloudFront sends with every request; a request that bypasses it does not have it."""
PARTICIPANTS_ISSUER: Final = "HURDLE_PARTICIPANTS_ISSUER"
"""Issuer of participants' sign-ins: the base address of OpenID Connect's discovery and keys."""
PARTICIPANTS_CLIENT: Final = "HURDLE_PARTICIPANTS_CLIENT"
"""The one client, without a secret, to which the participants' pool gives tokens: the site and the command."""
STAFF_ISSUER: Final = "HURDLE_STAFF_ISSUER"
STAFF_CLIENT: Final = "HURDLE_STAFF_CLIENT"
STAFF_POOL_ID: Final = "HURDLE_STAFF_POOL_ID"
"""The pool in which accounts of the staff are made and closed."""
CAPACITY: Final = "HURDLE_CAPACITY"
"""Load that the deployment was made for, to be checked before a run: JSON ``{"requests_per_second": int,
"windows": [[SINCE, UNTIL, TEAMS], …]}``; without a window functions are kept running for finals alone."""
COPIES_BUCKET: Final = "HURDLE_COPIES_BUCKET"
"""The bucket of the locked copies; absent where the cycle has none."""
TIMEOUT_S: Final = "HURDLE_TIMEOUT_S"
"""Time-out of the function in seconds, by which its requests and the redelivery of a failed message are timed."""
MAIL_FROM: Final = "HURDLE_MAIL_FROM"
"""Sender's address of mails; absent if the deployment sends none."""
SITE: Final = "HURDLE_SITE"
"""Address of the site in mails and webhooks, without a slash at its end; absent where the deployment has no name."""
MEASURES: Final = "HURDLE_MEASURES"
"""The function in which programs of declared measures run; :data:`HERE`: the local cloud's own, and absent where the
cycle has no measure."""
HERE: Final = "here"
MEASURE_IMAGE: Final = "HURDLE_MEASURE_IMAGE"
"""The beginning of the digest of the container image of which the deployment has made the second function of measures;
absent without one."""
OF_DIGEST: Final = 32
"""Number of hexadecimal digits of that digest: variables have little room."""
MAIL_FOLDER: Final = "HURDLE_MAIL_FOLDER"
"""Folder into which mails are written instead of being sent; set only by the local cloud."""
HOOK_LOOPBACK: Final = "HURDLE_HOOK_LOOPBACK"
"""Flag that webhooks are sent to this machine; set only by the local cloud, if its operator says so."""
CLOCK_FILE: Final = "HURDLE_CLOCK_FILE"
"""JSON file ``{"held_ms": int | null, "offset_ms": int}`` of the clock; set only by the local cloud."""

OF_COMMAND: Final = (
    CYCLE,
    EXCHANGE_TABLE,
    SCORES_TABLE,
    CATALOGUE_TABLE,
    IDENTITY_TABLE,
    EXPERTS_TABLE,
    BUCKET,
    SCORING_QUEUE_URL,
    SETTLEMENT_QUEUE_URL,
    RESCORING_QUEUE_URL,
    SHADOW_QUEUE_URL,
    AUDIT_QUEUE_URL,
    IMPORT_QUEUE_URL,
    PUSH_QUEUE_URL,
    SUBMISSION_QUEUE_URL,
    SOCKET_ENDPOINT,
    SIGNING_SECRET_ARN,
    UPLOADS_KEY,
    UPLOADS_SECRET,
    DOWNLOADS_KEY,
    DOWNLOADS_SECRET,
    PARTICIPANTS_ISSUER,
    PARTICIPANTS_CLIENT,
    STAFF_ISSUER,
    STAFF_CLIENT,
    STAFF_POOL_ID,
    CAPACITY,
)
"""Variables of the organizer's command, none of which is a secret's value. A function gets those that its rights
require (infra.rights)."""

ORIGIN_HEADER: Final = "x-hurdle-origin"
"""Name, in small letters, of the header in which the distribution sends the origin's secret."""

HOST_HEADER: Final = "x-hurdle-host"
"""Name of the header with the host name of the request at the distribution, for answers that name an address."""

LOOPBACK_REDIRECTS: Final = [f"http://localhost:{port}/signed-in" for port in (8931, 8932, 8933)]
"""Addresses at which ``contest login`` waits for the end of a sign-in: pools redirect only to registered ones."""
SITE_CALLBACK_PATH: Final = "/signin/callback"
"""Path at which the site waits for the same."""

PARTITION_KEY: Final = "pk"
SORT_KEY: Final = "sk"
TTL_ATTRIBUTE: Final = "expires_at"
"""Attribute with the expiry in epoch seconds; only on items that may vanish (docs/decisions/0001)."""
OUTBOX_PREFIX: Final = "OUTBOX#"
"""The exchange table's stream is filtered to inserts under this partition-key prefix."""


_INITIALIZATION: Final = "AWS_LAMBDA_INITIALIZATION_TYPE"
_FUNCTION: Final = "AWS_LAMBDA_FUNCTION_NAME"
_PREFIX: Final = "HURDLE_"


class SettingsError(RuntimeError):
    """A needed setting is missing or malformed; ``names`` lists the missing variables."""

    def __init__(self, message: str, names: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.names = ", ".join(names)


@dataclass(frozen=True, slots=True)
class PoolSettings:
    """A pool of accounts: the issuer of its tokens, and their client."""

    issuer: str
    client_id: str


class Settings:
    """Settings of a deployment for its code: the field ``exchange_table`` is the variable ``HURDLE_EXCHANGE_TABLE``.

    A process has those of its environment, a function those of its row of infra.rights; reading another one raises
    :class:`SettingsError`.
    """

    cycle: str
    exchange_table: str
    scores_table: str
    catalogue_table: str
    identity_table: str
    experts_table: str
    bucket: str
    scoring_queue_url: str
    settlement_queue_url: str
    rescoring_queue_url: str
    shadow_queue_url: str
    audit_queue_url: str
    import_queue_url: str
    push_queue_url: str
    submission_queue_url: str
    dead_letter_queues: str
    """Names of the queues of dead letters, in the form that :func:`queues_by_name` reads."""
    socket_endpoint: str
    signing_secret_arn: str
    uploads_key: str
    uploads_secret: str
    downloads_key: str
    downloads_secret: str
    origin_secret: str
    participants_issuer: str
    participants_client: str
    staff_issuer: str
    staff_client: str
    staff_pool_id: str
    batch_queue: str
    batch_definition: str
    batch_copy_queue: str = ""
    batch_copy_definition: str = ""
    copies_bucket: str = ""
    mail_from: str = ""
    mail_folder: str = ""
    hook_loopback: str = ""
    site: str = ""
    measures: str = ""
    measure_image: str = ""
    clock_file: str = ""
    timeout_s: str = ""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._function = variables.get(_FUNCTION, "")
        variable_values = {name.removeprefix(_PREFIX).lower(): value for name, value in variables.items() if value}
        vars(self).update(
            {
                field: variable_values[field]
                for field in (*Settings.__annotations__, "capacity")
                if field in variable_values
            }
        )

    def __getattr__(self, field: str) -> str:
        if field not in Settings.__annotations__:
            raise AttributeError(field)
        raise _missing([_PREFIX + field.upper()], self._function)

    @property
    def participants(self) -> PoolSettings:
        """Return the participants' pool."""
        return PoolSettings(self.participants_issuer, self.participants_client)

    @property
    def staff(self) -> PoolSettings:
        """Return the staff's pool."""
        return PoolSettings(self.staff_issuer, self.staff_client)

    @property
    def capacity(self) -> Mapping[str, Any]:
        """Return the limits that the deployment was made with (:data:`CAPACITY`)."""
        if "capacity" not in vars(self):
            raise _missing([CAPACITY], self._function)
        limits: Mapping[str, Any] = json.loads(vars(self)["capacity"])
        return limits


def _missing(names: Iterable[str], function: str) -> SettingsError:
    names = list(names)
    of_whom = f"the function {function} was not given: " if function else "missing environment variables: "
    return SettingsError(of_whom + ", ".join(names), names)


def command_home() -> Path:
    """Return the folder of the command's own files: ``HURDLE_HOME``, or the system's place for users' settings."""
    folder = os.environ.get(HOME) or os.environ.get("XDG_CONFIG_HOME")
    return Path(folder) / "hurdle" if folder else Path.home() / ".config" / "hurdle"


def stack_name(cycle: str) -> str:
    """Return the name of a cycle's stack."""
    return f"hurdle-{cycle}"


ALIAS: Final = "live"
"""Alias through which a function is called whose caller waits for its answer."""


def function_name(cycle: str, function: str) -> str:
    """Return the name of a cycle's function: ``hurdle-spring-2027-run-control`` of RunControl."""
    words = "".join(f"-{sign.lower()}" if sign.isupper() else sign for sign in function)
    return f"hurdle-{cycle}{words}"


def take_on(variables: Mapping[str, str]) -> None:
    """Set a deployment's variables in this process's environment; variables that name another account are removed."""
    if AWS_ENDPOINT in variables:
        for name in _OF_AN_ACCOUNT:
            os.environ.pop(name, None)
    os.environ.update(variables)


def deployment_variables() -> dict[str, str]:
    """Return this process's environment variables of a deployment and of its connection."""
    return {
        name: value for name, value in sorted(os.environ.items()) if name.startswith((_PREFIX, "AWS_")) and name != HOME
    }


def is_given(name: str) -> bool:
    """Return whether this process was given the variable."""
    return bool(os.environ.get(name))


def is_deployment_named() -> bool:
    """Return whether the environment names a deployment, for a command that works on it with AWS credentials."""
    return is_given(CYCLE)


def is_deployed() -> bool:
    """Return whether this process is a function's, and no command's."""
    return is_given(_FUNCTION)


def starts_ahead(environment: Mapping[str, str] | None = None) -> bool:
    """Return whether this process starts before any request: for a snapshot, or to be kept running."""
    values = os.environ if environment is None else environment
    return values.get(_INITIALIZATION) in {"snap-start", "provisioned-concurrency"}


def makes_snapshot(environment: Mapping[str, str] | None = None) -> bool:
    """Return whether this process is started for a snapshot from which later ones are restored (Lambda SnapStart)."""
    values = os.environ if environment is None else environment
    return values.get(_INITIALIZATION) == "snap-start"


@cache
def origin_secret() -> str:
    """Return the origin's secret; :class:`SettingsError` if it is missing."""
    if not is_given(ORIGIN_SECRET):
        raise _missing([ORIGIN_SECRET], os.environ.get(_FUNCTION, ""))
    return os.environ[ORIGIN_SECRET]


def read(environment: Mapping[str, str] | None = None, needed: Iterable[str] = ()) -> Settings:
    """Return the settings; :class:`SettingsError` names every needed variable that is missing or empty."""
    values = os.environ if environment is None else environment
    if missing := [name for name in needed if not values.get(name)]:
        raise _missing(missing, values.get(_FUNCTION, ""))
    return Settings(values)


def queues_by_name(names: str) -> Mapping[str, str]:
    """Return the kind of letters of each queue by its name, from ``letters=name`` with commas between;
    :class:`SettingsError` for anything else."""
    pairs = [part.partition("=") for part in names.split(",")]
    if not all(letters and name for letters, _, name in pairs):
        raise SettingsError(f"{DEAD_LETTER_QUEUES} is not of the form letters=name,letters=name")
    return {name: letters for letters, _, name in pairs}


def command_parameter(cycle: str) -> str:
    """Return the name of the parameter of AWS Systems Manager that has the command's variables, as a JSON object."""
    return f"/hurdle/{cycle}/command"

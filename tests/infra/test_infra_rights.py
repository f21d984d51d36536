"""Every policy grants what infra/rights.py says and nothing else (platform §1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from contest import stored_names
from contest.routes import ROUTES, Function
from infra.constructs.functions import READ_ITEMS, WRITE_ITEMS
from infra.rights import FUNCTIONS, REFERENCES, FunctionRow
from tests.infra.templates import listed, of_type, one

pytestmark = pytest.mark.slow

Grant = tuple[str, str]
"""An action and a resource, written as the logical id without its hash, and the rest of the ARN."""
PLACE = "AWS::Region:AWS::AccountId"
STORED = (
    f"arn:AWS::Partition:dynamodb:{PLACE}:table/",
    "arn:AWS::Partition:s3:::",
    f"arn:AWS::Partition:cognito-idp:{PLACE}:userpool/",
)
"""The application knows the storage by names, of which it makes ARNs; here a name alone stands for one."""

STREAM = {
    ("dynamodb:ListStreams", "*"),
    *(
        (f"dynamodb:{action}", "StorageExchange.StreamArn")
        for action in ("DescribeStream", "GetRecords", "GetShardIterator")
    ),
    *((f"sqs:{action}", "QueuesRelayDeadLetters") for action in ("SendMessage", "GetQueueAttributes", "GetQueueUrl")),
}
ACCOUNTS = {
    (f"cognito-idp:Admin{action}", "SignInStaff")
    for action in ("CreateUser", "GetUser", "DisableUser", "EnableUser", "UserGlobalSignOut")
}
FAILED_RUNS = {
    (f"sqs:{action}", "QueuesTimerDeadLetters") for action in ("SendMessage", "GetQueueAttributes", "GetQueueUrl")
}
ARMING_READS = {(f"application-autoscaling:Describe{what}", "*") for what in ("ScalableTargets", "ScheduledActions")}
TARGETS = "arn:AWS::Partition:application-autoscaling:AWS::Region:AWS::AccountId:scalable-target/*"
ARMING_CHANGES = {(f"application-autoscaling:{action}ScheduledAction", TARGETS) for action in ("Put", "Delete")}
ONLY_LAMBDA = {"StringEquals": {"application-autoscaling:service-namespace": "lambda"}}
BUS = "arn:AWS::Partition:events:AWS::Region:AWS::AccountId:event-bus/default"
SECRETS = "arn:AWS::Partition:secretsmanager:AWS::Region:AWS::AccountId:secret:"
KEYS = {purpose: f"{SECRETS}hurdle-demo-{purpose}-1-??????" for purpose in ("uploads", "downloads")}
QUEUES = {
    "Scoring": "Score",
    "Settlement": "Settle",
    "Pushes": "Push",
    "Audits": "Verify",
    "Imports": "Import",
    "Submissions": "SubmissionWorker",
    "Shadows": "Shadow",
    "Rescorings": "Rescore",
}
"""The queues with the functions that work for them."""
DEAD_LETTERS = "Scoring Settlement Rescoring Shadow Audit Import Push Relay Timer Submission".split()
CONNECTIONS = "arn:AWS::Partition:execute-api:AWS::Region:AWS::AccountId:EventsApi/live/*/@connections/*"


def consumes(queue: str) -> set[Grant]:
    actions = ("ReceiveMessage", "ChangeMessageVisibility", "DeleteMessage", "GetQueueUrl", "GetQueueAttributes")
    return {(f"sqs:{action}", queue) for action in actions}


def expected(row: FunctionRow) -> set[Grant]:
    grants = {(f"logs:{action}", f"Functions{row.name}Logs") for action in ("CreateLogStream", "PutLogEvents")}
    grants |= {(action, f"Storage{table}") for table in row.reads for action in READ_ITEMS}
    grants |= {(action, f"Storage{table}") for table in row.writes for action in READ_ITEMS + WRITE_ITEMS}
    grants |= {(action, f"Storage{table}") for table in row.appends for action in (*READ_ITEMS, "dynamodb:PutItem")}
    grants |= {("s3:GetObject", f"StorageObjects/{prefix}*") for prefix in row.reads_objects}
    grants |= {("s3:PutObject", f"StorageObjects/{prefix}*") for prefix in row.writes_objects}
    grants |= {("s3:DeleteObject", f"StorageObjects/{prefix}*") for prefix in row.deletes_objects}
    grants |= {("s3:ListBucket", "StorageObjects")} if row.reads_objects else set()
    grants |= {("secretsmanager:GetSecretValue", "StorageSigningSecret")} if row.signs or row.shows_key else set()
    grants |= {("secretsmanager:GetSecretValue", KEYS["uploads"])} if row.signs_uploads else set()
    grants |= {("secretsmanager:GetSecretValue", KEYS["downloads"])} if row.signs_downloads else set()
    grants |= {("sqs:SendMessage", f"Queues{name}") for name in QUEUES if name.lower() in row.sends}
    grants |= {("execute-api:ManageConnections", CONNECTIONS)} if row.posts else set()
    grants |= {("events:PutEvents", BUS)} if row.announces else set()
    grants |= ARMING_READS if row.arms or row.reads_arming else set()
    grants |= ARMING_CHANGES if row.arms else set()
    grants |= ACCOUNTS if row.manages_accounts else set()
    dead = set().union(*(consumes(f"Queues{name}DeadLetters") for name in DEAD_LETTERS))
    workers = {worker: consumes(f"Queues{queue}") for queue, worker in QUEUES.items()}
    triggers = {"DeadLetters": dead, "Relay": STREAM, **workers}
    triggers |= dict.fromkeys(("MinuteTimer", "ChannelTimer", "Audit"), FAILED_RUNS)
    return grants | triggers.get(row.name, set())


def granted(template: Mapping[str, Any], role: str, but: str = "") -> set[Grant]:
    """Return a role's grants, each without a condition; ``but`` is an action that has one and is left out."""
    roles = of_type(template, "IAM::Role").items()
    (policy,) = (policy for name, item in roles if plain(name) == role for policy in item["Policies"])
    statements = policy["PolicyDocument"]["Statement"]
    return {grant for statement in statements if statement["Action"] != but for grant in flat(statement)}


def able(template: Mapping[str, Any], resource: str, *actions: str) -> set[str]:
    """Return the functions that may do one of some actions, or anything without them, with a resource."""
    grants = ((row.name, grant) for row in FUNCTIONS for grant in granted(template, f"Functions{row.name}Role"))
    return {name for name, (action, target) in grants if target == resource and (not actions or action in actions)}


def flat(statement: Mapping[str, Any]) -> Iterator[Grant]:
    assert statement["Effect"] == "Allow"
    assert not {"NotAction", "NotResource"} & set(statement)
    assert statement.get("Condition", ONLY_LAMBDA) == ONLY_LAMBDA
    assert ("Condition" in statement) == ("scalable-target/" in str(statement["Resource"]))
    for action in listed(statement["Action"]):
        for resource in listed(statement["Resource"]):
            yield action, arn(resource)


def plain(logical_id: str) -> str:
    """Return a logical id without the eight hexadecimal digits with which CDK ends it."""
    return logical_id[:-8]


def arn(value: Any) -> str:
    if isinstance(value, str):
        return value
    if "Ref" in value:
        return str(value["Ref"]) if value["Ref"].startswith("AWS::") else plain(value["Ref"])
    if "Fn::GetAtt" in value:
        name, attribute = value["Fn::GetAtt"]
        return plain(name) if attribute == "Arn" else f"{plain(name)}.{attribute}"
    joined = "".join(map(arn, value["Fn::Join"][1]))
    start = next((prefix for prefix in STORED if joined.startswith(prefix)), "")
    return joined.removeprefix(start)


@pytest.mark.parametrize("row", FUNCTIONS, ids=lambda row: row.name)
def test_a_function_may_do_what_its_row_says_and_nothing_else(synthesis: Any, row: FunctionRow) -> None:
    assert granted(synthesis.template, f"Functions{row.name}Role") == expected(row)


def test_expert_markups_are_out_of_reach_of_what_serves_programs_and_timers(synthesis: Any) -> None:
    programs = ("Authorize", "Dispatch", "Submit", "Socket", "LegacyClients", "Push", "Public")
    organizers = ("Administration", "RunControl", "Operations")
    timers = ("MinuteTimer", "ChannelTimer", "Relay", "Audit", "DeadLetters")
    for name in (*programs, *organizers, *timers):
        grants = granted(synthesis.template, f"Functions{name}Role")
        objects = [resource for action, resource in grants if action == "s3:GetObject"]
        assert not [resource for resource in objects if REFERENCES in resource or resource.endswith("/sets/*")], name


def test_a_runs_plan_is_out_of_reach_of_whoever_hands_nothing_out(synthesis: Any) -> None:
    reading = able(synthesis.template, f"StorageObjects/{stored_names.RUNS}*", "s3:GetObject")
    assert {row.name for row in FUNCTIONS} - reading == {
        *("Authorize", "Administration", "Sets", "Import", "Public", "ChannelTimer", "Relay", "DeadLetters", "Audit"),
        *("Submissions", "SubmissionWorker"),
    }


def test_what_needs_no_token_can_open_no_file_before_its_time(synthesis: Any) -> None:
    """Even by wrong code it reads no plans or items: of runs it reads only commitments, of sets only pages."""
    assert {route.function for route in ROUTES if route.public} == {Function.PUBLIC}
    objects = {
        resource
        for action, resource in granted(synthesis.template, "FunctionsPublicRole")
        if action.startswith("s3:") and action != "s3:ListBucket"
    }
    public = ("reports/final/", "reports/boards/", "runs/*/commitment", "sets/*/pages/", "shared/")
    assert objects == {f"StorageObjects/{prefix}*" for prefix in public}


def test_only_timer_and_organizers_plan_runs_and_only_workers_record_and_mark_them(synthesis: Any) -> None:
    writing = able(synthesis.template, f"StorageObjects/{stored_names.RUNS}*", "s3:PutObject")
    assert writing == {"MinuteTimer", "RunControl", "Settle", "Rescore"}


@pytest.mark.clause("TS T12", "TS T13")
def test_the_distribution_may_do_one_thing_with_each_of_three_prefixes_and_read_the_site(synthesis: Any) -> None:
    allowed = [
        statement
        for policy in of_type(synthesis.template, "S3::BucketPolicy").values()
        for statement in policy["PolicyDocument"]["Statement"]
        if statement["Effect"] == "Allow" and "cloudfront.amazonaws.com" in str(statement["Principal"])
    ]
    assert {(grant["Action"], arn(resource)) for grant in allowed for resource in listed(grant["Resource"])} == {
        ("s3:GetObject", "StorageSite/*"),
        ("s3:GetObject", "StorageObjects/published/*"),
        ("s3:GetObject", "StorageObjects/packs/*"),
        ("s3:PutObject", "StorageObjects/uploads/*"),
    }
    for grant in allowed:
        assert set(grant["Condition"]) == {"StringEquals"}
        assert "AWS:SourceArn" in grant["Condition"]["StringEquals"]


@pytest.mark.clause("TS T13", "platform §1 secrets")
def test_what_is_uploaded_is_written_by_no_function_and_read_by_its_workers_alone(synthesis: Any) -> None:
    rights = {
        (row.name, action)
        for row in FUNCTIONS
        for action, resource in granted(synthesis.template, f"Functions{row.name}Role")
        if resource.startswith("StorageObjects/uploads/")
    }
    assert rights == {("Import", "s3:GetObject"), ("SubmissionWorker", "s3:GetObject")}


@pytest.mark.clause("platform §1 secrets")
def test_those_who_sign_addresses_of_uploads_sign_none_of_downloads(synthesis: Any) -> None:
    assert able(synthesis.template, KEYS["uploads"]) == {"Administration", "Submissions"}
    assert able(synthesis.template, KEYS["downloads"]) == {"Sets"}
    assert able(synthesis.template, "StorageObjects/packs/*", "s3:PutObject") == {"Sets"}


def test_whoever_finds_out_who_somebody_is_cannot_change_it(synthesis: Any) -> None:
    changing = [action for action, _ in granted(synthesis.template, "FunctionsAuthorizeRole") if action in WRITE_ITEMS]
    assert changing == []
    assert able(synthesis.template, "StorageIdentity", "dynamodb:PutItem") == {"Administration"}


@pytest.mark.clause("platform §1 audit")
def test_platform_1_no_function_can_change_or_delete_what_the_log_tells(synthesis: Any) -> None:
    """The log is in the Catalogue, into which functions may only put new items."""
    assert able(synthesis.template, "StorageCatalogue", "dynamodb:PutItem") == {
        *("Administration", "Annotate", "Operations", "RunControl", "Settle", "Import", "MinuteTimer", "Submissions")
    }
    assert not able(synthesis.template, "StorageCatalogue", *set(WRITE_ITEMS) - {"dynamodb:PutItem"})


def test_the_audit_can_change_nothing_but_what_it_remembers(synthesis: Any) -> None:
    writing = {*WRITE_ITEMS, "s3:PutObject", "s3:DeleteObject", "sqs:SendMessage"}
    for name, may in (
        ("Audit", {("sqs:SendMessage", "QueuesAudits")}),
        (
            "Verify",
            {
                ("s3:PutObject", f"StorageObjects/{prefix}*")
                for prefix in (stored_names.AUDITS, stored_names.ERRANDS_DONE)
            },
        ),
    ):
        grants = granted(synthesis.template, f"Functions{name}Role") - FAILED_RUNS
        assert {grant for grant in grants if grant[0] in writing} == may


def test_only_receipts_keys_commitments_and_records_need_the_signing_secret(synthesis: Any) -> None:
    assert able(synthesis.template, "StorageSigningSecret", "secretsmanager:GetSecretValue") == {
        *("Public", "Submit", "Submissions", "RunControl", "Socket", "LegacyClients", "MinuteTimer", "Settle")
    }


def test_in_kms_only_signing_functions_may_sign_and_the_public_one_reads_the_public_key_alone(real: Any) -> None:
    for row in FUNCTIONS:
        grants = granted(real.template, f"Functions{row.name}Role", but="batch:TerminateJob")
        actions = ("kms:GetPublicKey", "kms:Sign") if row.signs else ("kms:GetPublicKey",) if row.shows_key else ()
        of_kms = {grant for grant in grants if grant[0].startswith("kms:")}
        assert of_kms == {(action, "StorageSigningKey") for action in actions}, row.name
        assert ("secretsmanager:GetSecretValue", "StorageSigningSecret") not in grants
    name, key = one(real.storage, "KMS::Key")
    assert (key["KeySpec"], key["KeyUsage"]) == ("ECC_NIST_P256", "SIGN_VERIFY")
    assert real.storage["Resources"][name]["DeletionPolicy"] == "RetainExceptOnCreate"
    assert "Public" not in {row.name for row in FUNCTIONS if row.signs}


def test_the_cabinet_knows_no_plan_signs_nothing_and_sends_for_nobody(synthesis: Any) -> None:
    """Organizers' decisions about runs have a function of their own, so that this one gets no rights for them."""
    cabinet = granted(synthesis.template, "FunctionsAdministrationRole")
    assert {grant for grant in cabinet if grant[0].startswith(("s3:", "sqs:", "secretsmanager:"))} == {
        ("secretsmanager:GetSecretValue", KEYS["uploads"]),
        ("s3:GetObject", "StorageObjects/imports/*/outcome*"),
        (
            "s3:GetObject",
            "StorageObjects/sets/*/manifests/*",
        ),  # which items a set has, for comparing; not what is in them
        ("s3:PutObject", "StorageObjects/sets/*/pages/*"),  # a page's version that organizers publish
        ("s3:ListBucket", "StorageObjects"),
        ("sqs:SendMessage", "QueuesImports"),
    }, "it takes in what organizers bring, and does not open it"


def test_timers_start_their_functions_and_nothing_else(synthesis: Any) -> None:
    assert granted(synthesis.template, "TimersRole") == {
        ("lambda:InvokeFunction", "FunctionsMinuteTimer"),
        ("lambda:InvokeFunction", "FunctionsChannelTimer"),
        ("lambda:InvokeFunction", "FunctionsAudit"),
        ("sqs:SendMessage", "QueuesTimerDeadLetters"),
    }


def test_no_role_takes_a_policy_of_aws(synthesis: Any) -> None:
    roles = of_type(synthesis.template, "IAM::Role").values()
    assert len(roles) == len(FUNCTIONS) + 1
    assert [role for role in roles if role.get("ManagedPolicyArns")] == []


def test_every_function_of_the_table_of_routes_is_deployed_and_reached_without_a_start() -> None:
    prompt = {row.name: row.handler for row in FUNCTIONS if row.prompt}
    assert {function: prompt[function] for function in Function} == {
        "Dispatch": "dispatch.api.handler",
        "Submit": "submit.api.handler",
        "Results": "score.api.handler",
        "Administration": "organize.api.handler",
        "RunControl": "organize.run_control.handler",
        "Annotate": "annotate.api.handler",
        "Operations": "organize.operations.handler",
        "Submissions": "submit.submissions.handler",
        "Sets": "dispatch.sets.handler",
        "LegacyClients": "dispatch.legacy_clients.handler",
        "Public": "dispatch.public.handler",
    }

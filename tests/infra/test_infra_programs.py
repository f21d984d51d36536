"""Test the place where submitted programs and measures run: no network, no true answers; no resources without any."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from contest import settings, stored_names
from infra.config import for_cycle
from infra.constructs import programs
from infra.rights import FUNCTIONS, INPUTS, ITEMS, MANIFESTS, REFERENCES
from tests.infra.templates import faults_of_lint, functions_of, listed, of_type, reference, references
from tracks.custom.running import IN_IMAGE

pytestmark = pytest.mark.slow
BATCH_VARIABLES = {
    settings.BATCH_QUEUE,
    settings.BATCH_DEFINITION,
    settings.BATCH_COPY_QUEUE,
    settings.BATCH_COPY_DEFINITION,
}


def only(template: dict[str, Any], kind: str, part: str) -> dict[str, Any]:
    """Return the properties of the only resource of a type with a part in its logical id."""
    [properties] = [resource for name, resource in of_type(template, kind).items() if part in name]
    return properties


@pytest.fixture
def template(real: Any) -> dict[str, Any]:
    programs: dict[str, Any] = real.programs
    return programs


def closed(template: dict[str, Any]) -> tuple[str, set[str], set[str]]:
    """Return the network of the machines: its id, its subnets, their tables of routes."""
    machines = only(template, "Batch::ComputeEnvironment", "Machines")["ComputeResources"]
    subnets = references(machines["Subnets"])
    [network] = {reference(of_type(template, "EC2::Subnet")[subnet]["VpcId"]) for subnet in subnets}
    associations = of_type(template, "EC2::SubnetRouteTableAssociation").values()
    tables = {reference(item["RouteTableId"]) for item in associations if references(item["SubnetId"]) <= subnets}
    return network, subnets, tables


def test_a_cycle_that_runs_no_programs_has_nothing_of_it(synthesis: Any) -> None:
    assert not (synthesis.folder / "hurdle-demo--programs.template.json").exists()
    text = json.dumps(synthesis.template)
    for word in ("batch:", "AWS::Batch", "AWS::ECR", "AWS::EC2", "aws.batch", *BATCH_VARIABLES):
        assert word not in text, word


@pytest.mark.clause("TS F-2", "F limits network")
def test_no_route_leads_out_of_the_machines_network(template: dict[str, Any]) -> None:
    network, _, tables = closed(template)
    assert tables
    for route in of_type(template, "EC2::Route").values():
        assert not references(route["RouteTableId"]) & tables, route
    for attached in of_type(template, "EC2::VPCGatewayAttachment").values():
        assert references(attached["VpcId"]) != {network}, attached
    kinds = {resource["Type"] for resource in template["Resources"].values()}
    assert not kinds & {
        "AWS::EC2::NatGateway",
        "AWS::EC2::EgressOnlyInternetGateway",
        "AWS::EC2::TransitGatewayAttachment",
        "AWS::EC2::VPCPeeringConnection",
        "AWS::EC2::VPNGateway",
        "AWS::EC2::EIP",
    }


@pytest.mark.clause("TS F-2", "F limits network")
def test_the_machines_have_no_public_address_and_nobody_may_connect_to_them(template: dict[str, Any]) -> None:
    _, subnets, _ = closed(template)
    for subnet in subnets:
        assert of_type(template, "EC2::Subnet")[subnet]["MapPublicIpOnLaunch"] is False
    data = only(template, "EC2::LaunchTemplate", "Machine")["LaunchTemplateData"]
    assert "NetworkInterfaces" not in data
    group = only(template, "EC2::SecurityGroup", "Machines")
    assert "SecurityGroupIngress" not in group
    assert [(rule["IpProtocol"], rule["FromPort"], rule["ToPort"]) for rule in group["SecurityGroupEgress"]] == [
        ("tcp", 443, 443)
    ]
    [entry] = of_type(template, "EC2::SecurityGroupIngress").values()
    assert "Machines" in reference(entry["SourceSecurityGroupId"])
    assert (entry["FromPort"], entry["ToPort"]) == (443, 443)


@pytest.mark.clause("TS F-2")
def test_its_doors_are_the_registry_the_bucket_and_what_batchs_agent_needs(template: dict[str, Any]) -> None:
    network, _, _ = closed(template)
    endpoints = of_type(template, "EC2::VPCEndpoint").values()
    assert all(references(endpoint["VpcId"]) == {network} for endpoint in endpoints)
    services = {_service(endpoint["ServiceName"]) for endpoint in endpoints}
    assert services == {"s3", "ecr.api", "ecr.dkr", "ecs", "ecs-agent", "ecs-telemetry"}
    bucket = next(endpoint for endpoint in endpoints if endpoint.get("VpcEndpointType") == "Gateway")
    statements = bucket["PolicyDocument"]["Statement"]
    assert {action for statement in statements for action in listed(statement["Action"])} == {
        "s3:GetObject",
        "s3:PutObject",
        "s3:ListBucket",
    }
    for statement in statements:
        assert all(resource != "*" for resource in listed(statement["Resource"]))


def _service(name: Any) -> str:
    text = name if isinstance(name, str) else "".join(str(part) for part in name["Fn::Join"][1])
    return text.rpartition("}.")[2].lstrip(".")


@pytest.mark.clause("TS F-2", "F limits container")
def test_a_job_asks_for_the_contests_machine_and_is_tried_once(template: dict[str, Any]) -> None:
    job = only(template, "Batch::JobDefinition", "ProgramDefinition")
    container = job["ContainerProperties"]
    assert {requirement["Type"]: requirement["Value"] for requirement in container["ResourceRequirements"]} == {
        "VCPU": "3",
        "MEMORY": str(100 * 1024),
        "GPU": "1",
    }
    assert not container.get("Privileged")
    assert job["RetryStrategy"] == {"Attempts": 1}
    assert job["Timeout"]["AttemptDurationSeconds"] > 30 * 60
    environment = {variable["Name"]: variable["Value"] for variable in container["Environment"]}
    assert (environment["HURDLE_MACHINE"], environment["HURDLE_GPUS"]) == ("g5.8xlarge", "1")
    machines = only(template, "Batch::ComputeEnvironment", "Machines")["ComputeResources"]
    assert (machines["InstanceTypes"], machines["MinvCpus"], machines["MaxvCpus"]) == (["g5.8xlarge"], 0, 128)


def test_a_machine_keeps_its_own_credentials_to_itself_and_its_disk_encrypted(template: dict[str, Any]) -> None:
    data = only(template, "EC2::LaunchTemplate", "Machine")["LaunchTemplateData"]
    assert data["MetadataOptions"] == {"HttpTokens": "required", "HttpPutResponseHopLimit": 1}
    assert all(device["Ebs"]["Encrypted"] for device in data["BlockDeviceMappings"])


def grants(template: dict[str, Any], role: str) -> Iterator[tuple[str, str]]:
    """Yield the actions of a role with keys below the bucket, or with the resource's id; ``*`` where it has none."""
    for name, policy in of_type(template, "IAM::Policy").items():
        if role in name:
            yield from flat(policy)


def flat(policy: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each action of a policy with each of its resources."""
    for statement in policy["PolicyDocument"]["Statement"]:
        for action in listed(statement["Action"]):
            for resource in listed(statement["Resource"]):
                yield action, _key(resource)


def _key(resource: Any) -> str:
    if isinstance(resource, str):
        return resource
    if "Fn::Join" in resource:
        return str(resource["Fn::Join"][1][-1]).lstrip("/")
    if "Fn::ImportValue" in resource:
        return "bucket"
    return reference(resource)


@pytest.mark.clause("TS F-2", "TS F-3")
@pytest.mark.parametrize("role", ["ProgramsProgramRole", "ProgramsCopyRole"])
def test_a_job_reads_its_order_and_what_it_names_and_never_the_true_answers(
    template: dict[str, Any], role: str
) -> None:
    rights = set(grants(template, role))
    orders = {f"{stored_names.RUNS_OF_SUBMISSIONS}*/{name}" for name in ("order.json", "image.json", "ending.json")}
    reads = {key for action, key in rights if action == "s3:GetObject"}
    if role == "ProgramsProgramRole":
        assert reads == orders | {f"{stored_names.BROUGHT}*", f"{INPUTS}*"}
    else:
        assert reads == orders
    for forbidden in (REFERENCES, ITEMS, MANIFESTS):
        assert not any(key.startswith(forbidden) for key in reads)
    assert {key for action, key in rights if action == "s3:PutObject"} == {f"{stored_names.RUNS_OF_SUBMISSIONS}*"}
    assert {action for action, key in rights if key == "*"} == {"ecr:GetAuthorizationToken"}
    actions = {action.partition(":")[0] for action, _ in rights}
    assert actions == {"s3", "ecr"}
    pushes = {action for action, _ in rights if action in {"ecr:PutImage", "ecr:UploadLayerPart"}}
    assert bool(pushes) is (role == "ProgramsCopyRole")


@pytest.mark.clause("TS F-1")
def test_images_are_copied_where_there_is_a_network_and_no_program(template: dict[str, Any]) -> None:
    copiers = only(template, "Batch::ComputeEnvironment", "Copiers")["ComputeResources"]
    _, subnets, _ = closed(template)
    assert copiers["Type"] == "FARGATE"
    assert not references(copiers["Subnets"]) & subnets
    job = only(template, "Batch::JobDefinition", "CopyDefinition")
    assert job["ContainerProperties"]["Command"] == ["local.submissions.work", "copy"]
    repository = only(template, "ECR::Repository", "Images")
    assert repository["ImageTagMutability"] == "IMMUTABLE"


@pytest.mark.clause("TS F-2", "TS F-4")
def test_the_end_of_a_job_goes_to_the_worker_and_what_is_lost_to_dead_letters(real: Any) -> None:
    cycle = real.template
    rule = only(cycle, "Events::Rule", "ProgramEvents")
    assert rule["EventPattern"]["source"] == ["aws.batch"]
    assert rule["EventPattern"]["detail"]["status"] == ["RUNNING", "SUCCEEDED", "FAILED"]
    [lane] = rule["EventPattern"]["detail"]["jobQueue"]
    assert str(lane["Fn::Join"][1][-1]).endswith(":job-queue/hurdle-spring-2027-programs")
    [target] = rule["Targets"]
    assert "QueuesSubmissions" in reference(target["Arn"])
    assert "QueuesSubmissionDeadLetters" in reference(target["DeadLetterConfig"]["Arn"])
    transformer = target["InputTransformer"]
    assert transformer == {"InputPathsMap": {"run": "$.detail.jobName"}, "InputTemplate": '{"run": "<run>"}'}
    [policy] = of_type(cycle, "SQS::QueuePolicy").values()
    allowed = [statement for statement in policy["PolicyDocument"]["Statement"] if statement["Effect"] == "Allow"]
    assert [statement["Action"] for statement in allowed] == ["sqs:SendMessage"]
    [source] = [statement["Condition"]["ArnEquals"]["aws:SourceArn"] for statement in allowed]
    assert str(source["Fn::Join"][1][-1]).endswith(":rule/hurdle-spring-2027-programs")
    assert any("QueuesSubmissions" in queue for queue in references(policy["Queues"]))
    assert any("Submission" in alarm["AlarmName"] for alarm in of_type(real.watched, "CloudWatch::Alarm").values())


@pytest.mark.clause("TS F-2")
def test_one_function_alone_starts_jobs_and_ends_those_of_its_queues(real: Any, template: Any) -> None:
    cycle = real.template
    with_rights = {
        name: list(flat(role["Policies"][0]))
        for name, role in of_type(cycle, "IAM::Role").items()
        if "batch:" in json.dumps(role)
    }
    [(name, rights)] = with_rights.items()
    assert name.startswith("FunctionsSubmissionWorkerRole")
    batch = {(action, key) for action, key in rights if action.startswith("batch:")}
    assert {action for action, _ in batch} == {
        "batch:SubmitJob",
        "batch:TagResource",
        "batch:ListJobs",
        "batch:TerminateJob",
    }
    assert {action for action, key in batch if key == "*"} == {"batch:ListJobs"}
    statements = of_type(cycle, "IAM::Role")[name]["Policies"][0]["PolicyDocument"]["Statement"]
    [ending] = [statement for statement in statements if statement["Action"] == "batch:TerminateJob"]
    lanes = ["hurdle-spring-2027-programs", "hurdle-spring-2027-images"]
    assert ending["Condition"] == {"StringEquals": {"aws:ResourceTag/hurdle:queue": lanes}}
    environment = only(cycle, "Lambda::Function", "FunctionsSubmissionWorker")["Environment"]["Variables"]
    assert {environment[variable] for variable in BATCH_VARIABLES} == set(lanes)
    queues = {queue["JobQueueName"] for queue in of_type(template, "Batch::JobQueue").values()}
    definitions = {job["JobDefinitionName"] for job in of_type(template, "Batch::JobDefinition").values()}
    assert queues == definitions == set(lanes)


@pytest.mark.long
def test_the_programs_template_passes_cfn_lint(real: Any) -> None:
    assert not faults_of_lint(real.folder / "hurdle-spring-2027--programs.template.json")


@pytest.mark.parametrize("field", ["program_machine_vcpus", "programs_at_once", "program_disk_gib"])
def test_figures_that_no_machine_has_are_refused(field: str) -> None:
    with pytest.raises(ValueError, match=field):
        for_cycle("demo").changed(**{field: 0})


def test_the_image_of_jobs_holds_what_they_import_and_nothing_of_the_contest(tmp_path: Path) -> None:
    folder = tmp_path / "runner"
    programs.put_together(folder)
    assert sorted(path.name for path in (folder / "code").iterdir()) == ["local", "markup_core", "tracks"]
    assert sorted(path.name for path in (folder / "code/local").iterdir()) == [
        "__init__.py",
        "clock.py",
        "ru.mo",
        "submissions",
        "texts.py",
    ]
    program = "import local.submissions.work, local.submissions.keeper"
    done = subprocess.run(
        [sys.executable, "-S", "-c", program],
        env={"PYTHONPATH": str(folder / "code"), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert list(folder.rglob("*.pyc")) == []


def test_the_image_brings_the_sdk_with_all_that_it_needs(tmp_path: Path) -> None:
    from importlib import metadata

    programs.put_together(tmp_path / "runner")
    requirements = (tmp_path / "runner/requirements.txt").read_text("utf-8")
    for name in programs.SDK:
        assert f"\n{name}==" in f"\n{requirements}"
        for needed in map(Requirement, metadata.requires(name) or []):
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                assert needed.name.lower() in programs.SDK
    assert requirements.count("==") == len(programs.SDK)
    assert "--hash=sha256:" in requirements


OF_MEASURES = "tracks.custom.running.handler"


@pytest.fixture
def functions(real: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the properties of the function that runs measures' programs, and of the one made of a measure's image."""
    all_functions = of_type(real.template, "Lambda::Function").values()
    [of_files] = [function for function in all_functions if function.get("Handler") == OF_MEASURES]
    [of_image] = [function for function in all_functions if function.get("PackageType") == "Image"]
    return of_files, of_image


def test_a_cycle_without_a_measure_has_nothing_of_it(synthesis: Any) -> None:
    text = json.dumps(synthesis.template)
    assert [word for word in (OF_MEASURES, "AWS::EC2", "HURDLE_MEASURES") if word in text] == []


def test_no_route_leads_out_of_the_measures_network(real: Any, functions: Any) -> None:
    template = real.template
    assert len(functions[0]["VpcConfig"]["SubnetIds"]) == 2
    kinds = {resource["Type"] for resource in template["Resources"].values()}
    assert {"AWS::EC2::VPC", "AWS::EC2::RouteTable"} <= kinds
    assert not kinds & {
        "AWS::EC2::Route",
        "AWS::EC2::InternetGateway",
        "AWS::EC2::VPCGatewayAttachment",
        "AWS::EC2::NatGateway",
        "AWS::EC2::VPCEndpoint",
        "AWS::EC2::SecurityGroupIngress",
        "AWS::EC2::SecurityGroupEgress",
    }
    for subnet in of_type(template, "EC2::Subnet").values():
        assert subnet["MapPublicIpOnLaunch"] is False
    [group] = of_type(template, "EC2::SecurityGroup").values()
    assert "SecurityGroupIngress" not in group
    assert [rule["CidrIp"] for rule in group["SecurityGroupEgress"]] == ["255.255.255.255/32"], "nothing may go out"


def test_the_role_of_measures_may_write_its_log_and_be_put_into_its_network(real: Any, functions: Any) -> None:
    role = of_type(real.template, "IAM::Role")[reference(functions[0]["Role"])]
    assert {action.partition(":")[0] for policy in role["Policies"] for action, _ in flat(policy)} == {"logs", "ec2"}
    assert not any("Environment" in function for function in functions), "they are told nothing"


def test_a_measures_image_has_a_function_in_the_same_place_with_the_same_bounds(functions: Any) -> None:
    beside, function = functions
    for name in ("VpcConfig", "Role", "MemorySize", "Timeout"):
        assert function[name] == beside[name]
    assert function["FunctionName"] == f"{beside['FunctionName']}{IN_IMAGE}", "by which tracks.custom calls it"
    assert function["Architectures"] == ["x86_64"]


def test_the_rows_that_compute_results_may_invoke_it_and_no_others(real: Any) -> None:
    roles, may = of_type(real.template, "IAM::Role"), set()
    for handler, function in functions_of(real.template).items():
        policies = roles[reference(function["Role"])].get("Policies", ())
        invoked = [key for policy in policies for action, key in flat(policy) if action == "lambda:InvokeFunction"]
        assert len(invoked) in {0, 2}
        assert "*" not in invoked
        may |= {handler} if invoked else set()
    assert may == {row.handler for row in FUNCTIONS if row.measures}

"""Signed addresses in the template: which behaviours trust which keys, what passes them, how the keys come to be."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import boto3  # type: ignore[import-untyped]  # ships no types
import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key
from moto import mock_aws

from infra.address_keys import PRIVATE, PUBLIC, PURPOSES, make_missing, secret_name
from infra.config import CycleConfig
from infra.constructs.front import PACKS_PATH, UPLOADS_PATH
from infra.constructs.site import AS_ANNOUNCED
from infra.rights import FUNCTIONS
from local.gateways.gateway import HttpRequest
from local.gateways.objects import _as_announced
from tests.infra.test_infra_front import UNCACHED, behaviours, one

pytestmark = pytest.mark.slow

SHA = "0a" * 32


@pytest.fixture(scope="module")
def distribution(synthesis: Any) -> Any:
    return one(synthesis.template, "AWS::CloudFront::Distribution")[1]["DistributionConfig"]


@pytest.mark.long
@pytest.mark.clause("TS T12", "TS T13")
def test_two_prefixes_are_reached_with_an_address_that_is_signed_by_a_key_of_their_own(
    synthesis: Any, distribution: Any
) -> None:
    assert (UPLOADS_PATH, PACKS_PATH) == ("/uploads/*", "/packs/*")
    for path, purpose in ((UPLOADS_PATH, "Uploads"), (PACKS_PATH, "Downloads")):
        group, key_group = one(synthesis.template, "AWS::CloudFront::KeyGroup", f"Keys{purpose}")
        key, public = one(synthesis.template, "AWS::CloudFront::PublicKey", f"Keys{purpose}")
        behaviour = behaviours(distribution)[path]
        assert behaviour["TrustedKeyGroups"] == [{"Ref": group}]
        assert key_group["KeyGroupConfig"]["Items"] == [{"Ref": key}]
        encoded = public["PublicKeyConfig"]["EncodedKey"]
        assert encoded == f"{{{{resolve:secretsmanager:hurdle-demo-{purpose.lower()}-1:SecretString:public::}}}}"
        assert (behaviour["CachePolicyId"], behaviour["ViewerProtocolPolicy"]) == (UNCACHED, "https-only")
        assert "OriginRequestPolicyId" not in behaviour, "no header and no query goes on to the bucket"
    trusting = [path for path, behaviour in behaviours(distribution).items() if "TrustedKeyGroups" in behaviour]
    assert sorted(trusting) == [PACKS_PATH, UPLOADS_PATH]
    assert "TrustedKeyGroups" not in distribution["DefaultCacheBehavior"]
    assert set(behaviours(distribution)[PACKS_PATH]["AllowedMethods"]) == {"GET", "HEAD"}


def test_the_functions_are_told_the_keys_that_the_distribution_trusts(synthesis: Any) -> None:
    for purpose in PURPOSES:
        key, _ = one(synthesis.template, "AWS::CloudFront::PublicKey", f"Keys{purpose.title()}")
        functions = [
            resource for resource in synthesis.template["Resources"].values() if resource["Type"].endswith("::Function")
        ]
        environments = [function["Properties"].get("Environment", {}).get("Variables", {}) for function in functions]
        of_signers = [environment for environment in environments if f"HURDLE_{purpose.upper()}_KEY" in environment]
        assert len(of_signers) == sum(getattr(row, f"signs_{purpose}") for row in FUNCTIONS) > 0
        for environment in of_signers:
            assert environment[f"HURDLE_{purpose.upper()}_KEY"] == {"Ref": key}
            assert environment[f"HURDLE_{purpose.upper()}_SECRET"] == f"hurdle-demo-{purpose}-1"


CASES: list[tuple[str, str, Mapping[str, str], int]] = [
    ("PUT", f"/uploads/imports/abc/52-{SHA}", {"content-length": "52"}, 200),
    ("PUT", f"/uploads/imports/abc/52-{SHA}", {"content-length": "53"}, 413),
    ("PUT", f"/uploads/imports/abc/52-{SHA}", {"content-length": "052"}, 413),
    ("PUT", f"/uploads/imports/abc/52-{SHA}", {"transfer-encoding": "chunked"}, 413),
    ("PUT", f"/uploads/imports/abc/{SHA}", {"content-length": "52"}, 413),
    ("PUT", f"/uploads/imports/abc/52-{SHA}.html", {"content-length": "52"}, 413),
    ("PUT", f"/uploads/imports/abc/52-{SHA[:-1]}", {"content-length": "52"}, 413),
    ("PUT", "/uploads/imports/abc/52-", {"content-length": "52"}, 413),
    *(
        (method, f"/uploads/imports/abc/52-{SHA}", {"content-length": "52"}, 405)
        for method in ("GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS")
    ),
]


@pytest.mark.clause("TS T13")
def test_a_part_is_put_with_the_bytes_that_its_name_says_in_the_cloud_and_locally(
    synthesis: Any, distribution: Any
) -> None:
    name, function = one(synthesis.template, "AWS::CloudFront::Function", "FrontAsAnnounced")
    assert function["FunctionCode"] == AS_ANNOUNCED.code
    (association,) = behaviours(distribution)[UPLOADS_PATH]["FunctionAssociations"]
    assert association == {"EventType": "viewer-request", "FunctionARN": {"Fn::GetAtt": [name, "FunctionARN"]}}
    events = [
        {
            "request": {
                "method": method,
                "uri": uri,
                "querystring": {},
                "headers": {key: {"value": value} for key, value in headers.items()},
            }
        }
        for method, uri, headers, _ in CASES
    ]
    program = f"{AS_ANNOUNCED.code}\nconsole.log(JSON.stringify({json.dumps(events)}.map(handler)))"
    node = str(Path(sys.executable).parent / "node")
    finished = subprocess.run([node, "-e", program], capture_output=True, text=True, check=True)
    for event, answered, (method, uri, headers, status) in zip(events, json.loads(finished.stdout), CASES, strict=True):
        assert (method, uri, answered.get("statusCode", 200)) == (method, uri, status)
        assert status != 200 or answered == event["request"]
        local = _as_announced(HttpRequest(method, uri, "", tuple(headers.items()), "", 0, ""))
        assert (method, uri, local.status if local else 200) == (method, uri, status)


def test_what_is_uploaded_vanishes_after_a_week_completed_or_not(synthesis: Any) -> None:
    _, bucket = one(synthesis.template, "AWS::S3::Bucket", "StorageObjects")
    (rule,) = [
        candidate for candidate in bucket["LifecycleConfiguration"]["Rules"] if candidate.get("Prefix") == "uploads/"
    ]
    assert (rule["ExpirationInDays"], rule["NoncurrentVersionExpiration"]) == (7, {"NoncurrentDays": 1})
    assert rule["Status"] == "Enabled"


def test_keys_are_made_once_and_another_number_makes_others() -> None:
    config = CycleConfig(cycle="spring-2027", alarm_email="a@example.org")
    with mock_aws():
        secrets = boto3.client("secretsmanager", region_name="eu-central-1")
        names = [secret_name(config, key_purpose) for key_purpose in PURPOSES]
        assert names == ["hurdle-spring-2027-uploads-1", "hurdle-spring-2027-downloads-1"]
        assert make_missing(config, secrets) == names
        secret_texts = [secrets.get_secret_value(SecretId=name)["SecretString"] for name in names]
        assert len(set(secret_texts)) == 2
        for secret_text in secret_texts:
            pair = json.loads(secret_text)
            key = load_pem_private_key(pair[PRIVATE].encode(), None)
            assert isinstance(key, RSAPrivateKey)
            public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
            assert (key.key_size, public.decode()) == (2048, pair[PUBLIC])
        assert make_missing(config, secrets) == []
        assert [secrets.get_secret_value(SecretId=name)["SecretString"] for name in names] == secret_texts
        assert make_missing(config.changed(address_keys=2), secrets) == [
            "hurdle-spring-2027-uploads-2",
            "hurdle-spring-2027-downloads-2",
        ]


def test_a_number_of_keys_is_from_one_on() -> None:
    with pytest.raises(ValueError, match="address_keys"):
        CycleConfig(cycle="demo", retain_data=False, address_keys=0)

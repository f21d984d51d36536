"""The template's resources and intrinsic functions."""

from __future__ import annotations

import json

import pytest

from local.aws.template import Resolver, Resource, Template, TemplateError
from local.environment import REGION
from tests.local.local_toys import TEMPLATE

pytestmark = pytest.mark.integration

ATTRIBUTES = {"Table": {"Ref": "local-Table", "Arn": "arn:table"}, "Role": {}}


@pytest.fixture
def resolver() -> Resolver:
    resources = {name: Resource(name, "AWS::IAM::Role", {}) for name in ATTRIBUTES}
    return Resolver(Template(resources), ATTRIBUTES.__getitem__)


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("plain", "plain"),
        ({"Ref": "Table"}, "local-Table"),
        ({"Ref": "AWS::Region"}, REGION),
        ({"Fn::GetAtt": ["Table", "Arn"]}, "arn:table"),
        ({"Fn::Join": ["-", ["a", {"Ref": "Table"}]]}, "a-local-Table"),
        ({"Fn::Select": [1, {"Fn::Split": [":", {"Fn::GetAtt": ["Table", "Arn"]}]}]}, "table"),
        ({"a": [{"Ref": "Table"}, {"Ref": "AWS::NoValue"}], "b": {"Ref": "AWS::NoValue"}}, {"a": ["local-Table"]}),
        ({"Ref": "Table", "Other": 1}, {"Ref": "Table", "Other": 1}),
    ],
)
def test_an_intrinsic_function_gives_its_value(resolver: Resolver, raw: object, value: object) -> None:
    assert resolver.value(raw, "X.Y") == value


@pytest.mark.parametrize(
    ("raw", "complaint"),
    [
        ({"Fn::ImportValue": "other"}, r"X\.Y\.Z: the local cloud does not know Fn::ImportValue"),
        ({"Ref": "Nobody"}, r"X\.Y\.Z refers to Nobody, which the template does not define"),
        ({"Fn::GetAtt": ["Role", "Arn"]}, r"X\.Y\.Z refers to Arn of Role \(AWS::IAM::Role\), which the local cloud"),
    ],
)
def test_what_cannot_be_evaluated_is_named_with_its_place(resolver: Resolver, raw: object, complaint: str) -> None:
    with pytest.raises(TemplateError, match=complaint):
        resolver.value({"Z": raw}, "X.Y")


def test_a_resource_is_found_by_its_name_without_the_hash() -> None:
    names = ("Api", "ApiKeys0A1B2C3D", "Queue0A1B2C3D", "QueueDead0A1B2C3D", "Longer0A1B2C3D")
    template = Template({name: Resource(name, "T", {}) for name in names})
    assert template.find("Api").logical_id == "Api"
    assert template.find("Queue").logical_id == "Queue0A1B2C3D"
    assert template.find("Long").logical_id == "Longer0A1B2C3D"


def test_a_name_that_fits_no_or_several_resources_is_refused() -> None:
    template = Template({name: Resource(name, "T", {}) for name in ("Queue1", "Queue2")})
    with pytest.raises(TemplateError, match="fits several resources: Queue1, Queue2"):
        template.find("Queue")
    with pytest.raises(TemplateError, match="no resource of type U begins with 'Queue'"):
        template.find("Queue", "U")


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", json.dumps({"Resources": {"A": {}}}), json.dumps({"Resources": 1})]
)
def test_a_file_that_is_no_template_is_refused(tmp_path, content: str) -> None:
    path = tmp_path / "template.json"
    path.write_text(content)
    with pytest.raises(TemplateError, match="is not a CloudFormation template"):
        Template.read(path)


def test_a_missing_file_is_refused(tmp_path) -> None:
    with pytest.raises(TemplateError, match="cannot read the template"):
        Template.read(tmp_path / "none.json")


def test_the_toy_template_is_read() -> None:
    assert Template.read(TEMPLATE).find("ToyApi").type == "AWS::Lambda::Function"

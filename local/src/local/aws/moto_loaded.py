"""Loads moto, its routes and the models of its services: what every moto process needs before it can answer.

A fork server imports this module, so nothing here starts a thread, opens anything, or depends on the environment.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from importlib import import_module
from types import SimpleNamespace
from typing import TYPE_CHECKING, Final

from moto.core.utils import get_service_model
from moto.events import models  # noqa: F401 - moto_server takes its patterns
from moto.moto_server import werkzeug_app  # and its application

if TYPE_CHECKING:
    from moto.backends import SERVICE_NAMES

_SERVICES: Final[tuple[SERVICE_NAMES, ...]] = ("dynamodb", "events", "s3", "secretsmanager", "sqs")

# Targets of scaling are functions here. For services of ECS moto would load that and EC2, a second's work.
assert "moto.ecs" not in sys.modules  # noqa: S101 - nobody has loaded it before
sys.modules["moto.ecs"] = SimpleNamespace(  # type: ignore[assignment]  # it has all that is asked of the module
    ecs_backends=defaultdict(lambda: defaultdict(type(None)))
)
import_module("moto.applicationautoscaling.models")
del sys.modules["moto.ecs"]  # jobs need the real one

for _name in _SERVICES:
    import_module(f"moto.{_name}.urls")
    get_service_model(_name)
    werkzeug_app.create_backend_app(_name)  # for what it loads: each process makes its own

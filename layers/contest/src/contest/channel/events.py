"""Requests and events of the earlier clients, in the form in which the functions receive them.

An event of the WebSocket gateway, or a message of a queue, is passed to a service. Requests over HTTP have the token in
the query or in the body, which is JSON or a form.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from contest import settings
from contest.channel import connections, frames, pushing, tasks
from contest.channel.connections import Dialect, hashed
from contest.channel.doctor import DoctorDialect
from contest.channel.errors import EarlierRequestError, UnknownTokenError
from contest.channel.frames import Closing, Connect, Disconnect, Event, FrameError, Ping
from contest.channel.readable import ReadableDialect
from contest.channel.rules import Emitted
from contest.channel.tasks import Asked, Document
from contest.edge import guards
from contest.edge.logs import about, logger
from contest.edge.messages import push_from
from contest.edge.queues import consume
from contest.edge.web import Reply, answer, arrival, body_length, raw_body
from contest.errors import UnknownRouteError
from contest.people.tokens import believed

"""Direct access of the command to the deployment, with AWS credentials.

It replaces the platform's interface in a disaster in which nobody can log in. It is loaded only then, for it imports
the whole platform.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from contest import routes
from contest.commands.connection import chosen_deployment
from contest.commands.shell import refusals, who
from contest.cycle import presenting as present_cycle
from contest.cycle import publications
from contest.cycle.wire.sets import KitRequest
from contest.edge import conducting
from contest.errors import InvalidRequestError
from contest.people import teams
from contest.people.rules import Role
from contest.people.wire import (
    DoneBody,
    MemberBody,
    NewTokenBody,
    StaffRequest,
    TeamBody,
    TeamRequest,
    TokenRequest,
    TokensBody,
)
from contest.platform import Platform
from contest.results import boards, publishing
from contest.results import presenting as present_boards
from contest.results import wire as results_wire
from contest.results.rules.jobs import Errand, ErrandKind, Outcome, Verification
from contest.results.wire import HistoryBody
from contest.routes import Route
from contest.run import recording
from contest.run import wire as run_wire
from contest.submissions import wire as submissions_wire
from contest.submissions import worker
from contest.submissions.wire import ErrandBody
from contest.wire import ProtocolRequest, details_of

Named = Mapping[str, Any]
Body = TypeVar("Body", bound=BaseModel)


class Deployment:
    """Deployment in the place of its interface; the author of all changes is the operating system's user."""

    def get(self, route: Route, query: Mapping[str, str | None] | None = None, **names: str) -> Any:
        """See :class:`contest.people.commands.Asked`."""
        with refusals():
            return _value(_READ[route.key](chosen_deployment(), {**(query or {}), **names}))

    def post(self, route: Route, body: Mapping[str, Any] | None = None, **names: str) -> Any:
        """See :class:`contest.people.commands.Asked`."""
        fields = {name: value for name, value in (body or {}).items() if value is not None}
        with refusals():
            return _value(_DO[route.key](chosen_deployment(), names, json.dumps(fields)))

    def published(self, route: Route, **names: str) -> bytes:
        """See :class:`contest.people.commands.Asked`."""
        if route is not routes.RUN_RECORD:
            raise LookupError(route.key)
        with refusals():
            return recording.published_record(chosen_deployment(), names["run_id"], chosen_deployment().clock.now())


def _value(body: BaseModel) -> Any:
    return json.loads(body.model_dump_json(by_alias=True))


def _read(model: type[Body], body: str) -> Body:
    """Return a request's body, refused as the interface refuses it."""
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        raise InvalidRequestError(details_of(error.errors())) from None


def _marked(platform: Platform, named: Named, _: str) -> ErrandBody:
    publishing.mark(platform, who(), named["run_id"])
    return _done(platform, ErrandKind.MARK, named["run_id"])


def _verified(platform: Platform, named: Named, _: str) -> ErrandBody:
    verified = worker.verify(platform, named["session_id"])
    compared = Verification(
        verified.scores, verified.reports, verified.differences, verified.missing, verified.off_board
    )
    return _done(platform, ErrandKind.VERIFY, named["session_id"], compared)


def _done(platform: Platform, kind: ErrandKind, subject: str, verification: Verification | None = None) -> ErrandBody:
    """Return the result of work done here and now, in the form of an errand that a worker has done."""
    errand = Errand("0" * 20, kind, subject, who(), platform.clock.now())
    return conducting.errand(errand, Outcome(verification=verification))


def _decided(decide: Callable[..., BaseModel], model: type[BaseModel]) -> Callable[[Platform, Named, str], BaseModel]:
    """Return a decision about the named run."""
    return lambda platform, named, body: decide(platform, who(), named["run_id"], _read(model, body))


def _previewed(show: Callable[..., BaseModel], model: type[BaseModel]) -> Callable[[Platform, Named, str], BaseModel]:
    return lambda platform, named, body: show(platform, named["run_id"], _read(model, body))


def _team_added(platform: Platform, _: Named, body: str) -> TeamBody:
    request = _read(TeamRequest, body)
    return TeamBody.of(teams.add_team(platform, who(), request.team_id, request.name), [])


def _token_issued(platform: Platform, named: Named, body: str) -> NewTokenBody:
    request = _read(TokenRequest, body)
    secret, token = teams.issue_token(platform, who(), named["team_id"], request.name, request.ends())
    return NewTokenBody.from_value(token, used_at=None, token=secret)


def _token_revoked(platform: Platform, named: Named, _: str) -> DoneBody:
    teams.revoke_token(platform, who(), named["team_id"], named["token_id"])
    return DoneBody()


def _staff_invited(platform: Platform, _: Named, body: str) -> MemberBody:
    request = _read(StaffRequest, body)
    return MemberBody.of(teams.invite(platform, who(), "", request.email, request.name, Role(request.role)))


_READ: Final[Mapping[str, Callable[[Platform, Named], BaseModel]]] = {
    routes.CONDUCTED_CYCLE.key: lambda platform, _: conducting.cycle(platform),
    routes.CONDUCTED_RUNS.key: lambda platform, named: conducting.runs(platform, named["mode"], int(named["limit"])),
    routes.CONDUCTED_RUN.key: lambda platform, named: conducting.run(platform, named["run_id"]),
    routes.PROTOCOLS.key: lambda platform, named: conducting.protocols(platform, named["run_id"]),
    routes.WATCH_RUN.key: lambda platform, named: conducting.watch(platform, named["run_id"]),
    routes.ANNULMENTS.key: lambda platform, _: conducting.annulments(platform),
    routes.TEAM_TOKENS.key: lambda platform, named: TokensBody.from_value(
        tokens=teams.tokens_of(platform, named["team_id"])
    ),
    routes.UNSCORED.key: lambda platform, _: conducting.unscored(platform),
    routes.QUALIFICATION_BOARD.key: lambda platform, named: present_boards.leaderboard(
        boards.qualification_board(platform, named["language"]), platform.clock.now()
    ),
    routes.FINAL_BOARD.key: lambda platform, named: present_boards.leaderboard(
        boards.final_board(platform, named.get("run"), present_boards.scope(named["language"], named["nomination"])),
        platform.clock.now(),
    ),
    routes.BOARD_PREVIEW.key: lambda platform, named: conducting.board(
        platform, named["board"], named.get("key"), present_boards.scope(named["language"], named["nomination"])
    ),
    routes.QUALIFICATION_HISTORY.key: lambda platform, named: HistoryBody.from_value(
        points=publishing.qualification_history(platform, named["language"], int(named["limit"])),
        server_time=platform.clock.now(),
    ),
    routes.FINAL_HISTORY.key: lambda platform, named: HistoryBody.from_value(
        points=publishing.final_history(
            platform, named["run"], present_boards.scope(named["language"], named["nomination"]), int(named["limit"])
        ),
        server_time=platform.clock.now(),
    ),
}
_DO: Final[Mapping[str, Callable[[Platform, Named, str], BaseModel]]] = {
    routes.PLAN_RUN.key: lambda platform, _, body: conducting.plan(platform, who(), _read(run_wire.PlanRequest, body)),
    routes.PREVIEW_PLAN.key: lambda platform, _, body: conducting.preview_plan(
        platform, _read(run_wire.PlanRequest, body)
    ),
    routes.DECIDE.key: _decided(conducting.decide, run_wire.RunDecisionRequest),
    routes.PREVIEW_DECISION.key: _previewed(conducting.preview, run_wire.RunDecisionRequest),
    routes.RESTART.key: _decided(conducting.restart, run_wire.RestartRequest),
    routes.PREVIEW_RESTART.key: _previewed(conducting.preview_restart, run_wire.RestartRequest),
    routes.DISMISS_PROPOSAL.key: _decided(conducting.dismiss, run_wire.DismissalRequest),
    routes.PREVIEW_DISMISSAL.key: lambda platform, named, _: conducting.preview_dismissal(platform, named["run_id"]),
    routes.MARK_RUN.key: _marked,
    routes.JUDGES_PROTOCOL.key: _decided(conducting.state_for_judges, ProtocolRequest),
    routes.COMMISSIONS_PROTOCOL.key: _decided(conducting.state_for_commission, ProtocolRequest),
    routes.DECIDE_BOARD.key: lambda platform, named, body: conducting.decide_board(
        platform, who(), named["board"], _read(results_wire.BoardDecisionRequest, body)
    ),
    routes.ANNUL.key: lambda platform, _, body: conducting.annul(
        platform, who(), _read(results_wire.AnnulmentRequest, body)
    ),
    routes.REDRIVE.key: lambda platform, _, body: conducting.redrive(
        platform, _read(submissions_wire.ScoringRedriveRequest, body)
    ),
    routes.VERIFY_SESSION.key: _verified,
    routes.ADD_TEAM.key: _team_added,
    routes.ISSUE_TOKEN.key: _token_issued,
    routes.REVOKE_TOKEN.key: _token_revoked,
    routes.INVITE_STAFF.key: _staff_invited,
    routes.PUBLISH_KIT.key: lambda platform, _, body: present_cycle.published_kit(
        publications.publish_kit(platform, who(), _read(KitRequest, body).listed())
    ),
}
"""Use cases that the interface's handlers call, by the key of the route."""

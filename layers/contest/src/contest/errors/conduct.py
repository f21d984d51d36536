"""What can go wrong with what people ask workers for: named members of :mod:`contest.refusals`' family."""

from __future__ import annotations

from http import HTTPStatus

from contest.refusals import ContestError


class UnknownErrandError(ContestError):
    """Nobody asked for this."""

    code = "unknown_errand"
    status = HTTPStatus.NOT_FOUND
    en = "There is no such errand; ask for the work anew."
    ru = "Такого поручения нет; запросите работу заново."


class BoardHiddenError(ContestError):
    """The organizers have hidden the board."""

    code = "board_hidden"
    status = HTTPStatus.FORBIDDEN
    en = "The organizers have hidden this board."
    ru = "Организаторы скрыли этот лидерборд."


class UnknownBoardError(ContestError):
    """There is no such board, or the board has no such part."""

    code = "unknown_board"
    status = HTTPStatus.NOT_FOUND
    en = "There is no such board: neither a language of the cycle nor a nomination of this final."
    ru = "Такого лидерборда нет: это не язык цикла и не номинация этого финала."


class SetAnnulledError(ContestError):
    """The organizers have annulled the data set: no session and no run begins on it."""

    code = "set_annulled"
    status = HTTPStatus.CONFLICT
    en = "The organizers have annulled this data set; choose another one."
    ru = "Организаторы аннулировали эту выборку; выберите другую."


class SameSignatoryError(ContestError):
    """Whoever signs for the judges does not sign for the commission."""

    code = "same_signatory"
    status = HTTPStatus.CONFLICT
    en = "Whoever signs for one side does not sign for the other: ask another member."
    ru = "За судейскую коллегию и за техническую комиссию подписывают разные люди: обратитесь к другому члену."

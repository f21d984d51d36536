"""AWS's limits of requests, kept in this process: what moto takes and AWS refuses is refused here, too.

The local cloud refuses the same (local.aws.moto_http); one function, :func:`local.aws.request_limits.refusal`, decides.
"""

from __future__ import annotations

from typing import Any

from local.aws.moto_corrections import key_names
from local.aws.request_limits import refusal


def hold_to_limits(client: Any) -> Any:
    """Return a client of the SDK whose calls beyond AWS's limits are refused before moto hears of them."""

    def hold(params: dict[str, Any], model: Any, **_: Any) -> None:
        refused = refusal(model.service_model.service_name, model.name, params, key_names)
        if refused is not None:
            answer = {
                "Error": {"Code": refused.code, "Message": refused.message},
                "ResponseMetadata": {"HTTPStatusCode": 400},
            }
            raise client.exceptions.from_code(refused.code)(answer, model.name)

    client.meta.events.register("provide-client-params", hold, unique_id="limits")
    return client

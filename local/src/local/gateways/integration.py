"""How long a gateway waits for a function."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from local.lambdas.runtime import InvocationResult, Runtime

INTEGRATION_LIMIT_S = 30


async def integrate(runtime: Runtime, function: str, event: bytes) -> InvocationResult | None:
    """Run a function; None when it takes longer than an integration may (it runs on, as in the cloud)."""
    work = asyncio.ensure_future(runtime.invoke(function, event))
    done, _ = await asyncio.wait([work], timeout=INTEGRATION_LIMIT_S)
    return work.result() if done else None

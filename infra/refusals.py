"""The end of an operator's command that does not go on, for all commands alike: what stopped it, and what to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from botocore import exceptions  # type: ignore[import-untyped]  # ships no types
from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]  # ships no types

from infra.account import code_of
from infra.assembly import SynthesisError
from infra.config import ConfigError

CREDENTIALS: Final = (
    "this needs an AWS account: let the environment name credentials (AWS_PROFILE, or aws sso login), prepared as "
    "docs/operations.md says; to look at the template without one: make synth"
)
REGION: Final = "export AWS_REGION=REGION, for example eu-central-1"
_NO_CREDENTIALS: Final = (
    exceptions.NoCredentialsError,
    exceptions.PartialCredentialsError,
    exceptions.CredentialRetrievalError,
    exceptions.ProfileNotFound,
    exceptions.TokenRetrievalError,
    exceptions.SSOError,
)
_BAD_CREDENTIALS: Final = frozenset(
    {
        *("ExpiredToken", "ExpiredTokenException", "InvalidClientTokenId", "InvalidAccessKeyId", "RequestExpired"),
        *("UnrecognizedClientException", "SignatureDoesNotMatch", "AuthFailure"),
    }
)
_DENIED: Final = frozenset({"AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "UnauthorizedAccess"})


class RefusedError(RuntimeError):
    """The command does not go on; the message says why and what to do."""


def remedy_of(error: BotoCoreError | ClientError) -> str:
    """Return what to do about an error of AWS or of its client."""
    if isinstance(error, _NO_CREDENTIALS):
        return CREDENTIALS
    if isinstance(error, exceptions.NoRegionError):
        return REGION
    code = code_of(error) if isinstance(error, ClientError) else ""
    if code in _BAD_CREDENTIALS:
        return f"the credentials are wrong or have expired; {CREDENTIALS}"
    if code in _DENIED:
        return f"let these credentials call {error.operation_name}: docs/operations.md names an operator's rights"
    return ""


def guarded(command: str, say: Callable[[str], None], work: Callable[[], int]) -> int:
    """Do a command's work and return its exit code; 1 where it is refused, which is said with the remedy."""
    try:
        return work()
    except (ConfigError, RefusedError, SynthesisError) as error:
        say(f"{command}: {error}")
    except (BotoCoreError, ClientError) as error:
        what = remedy_of(error) or "mend the reason"
        say(f"{command}: AWS refused or did not answer: {error}\ndo: {what}\nThen run the same command again.")
    return 1

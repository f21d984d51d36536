"""Sign-in of people: one pool of accounts for participants, one for the staff, each with one client.

Participants sign up by themselves. The staff is invited and has a second factor. A client has no secret, since the site
and the command could not keep one: it takes the code flow with PKCE alone, and sends people to registered addresses.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from aws_cdk import Aws, Duration, RemovalPolicy
from aws_cdk import aws_cognito as cognito
from constructs import Construct

from contest import settings
from infra.config import CycleConfig
from infra.constructs import accept

ACCESS_MINUTES: Final = 15
"""Lifetime of an access token, in minutes; its rights are looked up at each use."""
REFRESH_HOURS: Final = 12
"""Longest sign-in, in hours: a day at a desk."""
INVITATION_DAYS: Final = 7
_SHORTEST_PASSWORD: Final = 12
PARTICIPANTS_POOL: Final = "ParticipantsPool"
PARTICIPANTS_CLIENT: Final = "ParticipantsClient"
STAFF_POOL: Final = "StaffPool"
STAFF_CLIENT: Final = "StaffClient"
"""Outputs of the storage's stack."""


class SignIn(Construct):
    """The two pools of a cycle with their clients.

    ``protected``: a pool refuses to be deleted. Not before the stack is complete, whose failed creation deletes it.
    """

    def __init__(self, scope: Construct, id: str, config: CycleConfig, *, protected: bool) -> None:
        super().__init__(scope, id)
        self._config = config
        self._protected = protected and config.retain_data
        self._participants = self._pool("Participants", is_staff=False)
        self._staff = self._pool("Staff", is_staff=True)
        self._participants_client = self._client("Participants", self._participants)
        self._staff_client = self._client("Staff", self._staff)

    def values(self) -> Mapping[str, str]:
        """Return the values that another stack may use, by the names of the outputs."""
        return {
            PARTICIPANTS_POOL: self._participants.user_pool_id,
            PARTICIPANTS_CLIENT: self._participants_client.user_pool_client_id,
            STAFF_POOL: self._staff.user_pool_id,
            STAFF_CLIENT: self._staff_client.user_pool_client_id,
        }

    def _pool(self, name: str, *, is_staff: bool) -> cognito.UserPool:
        config = self._config
        pool = cognito.UserPool(
            self,
            name,
            user_pool_name=f"hurdle-{config.cycle}-{name.lower()}",
            sign_in_aliases=cognito.SignInAliases(email=True),
            sign_in_case_sensitive=False,
            auto_verify=cognito.AutoVerifiedAttrs(email=True),
            self_sign_up_enabled=not is_staff,
            mfa=cognito.Mfa.REQUIRED if is_staff else cognito.Mfa.OPTIONAL,
            mfa_second_factor=cognito.MfaSecondFactor(otp=True, sms=False),
            password_policy=cognito.PasswordPolicy(
                min_length=_SHORTEST_PASSWORD,
                require_lowercase=True,
                require_uppercase=True,
                require_digits=True,
                require_symbols=True,
                temp_password_validity=Duration.days(INVITATION_DAYS),
            ),
            account_recovery=cognito.AccountRecovery.EMAIL_ONLY,
            deletion_protection=self._protected,
            removal_policy=RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE if config.retain_data else RemovalPolicy.DESTROY,
        )
        accept(
            pool,
            "AwsSolutions-COG8",
            "Threat protection is a paid plan and judges by addresses; the staff has a second factor, and a "
            "participant's account opens nothing but its team's own things.",
        )
        if not is_staff:
            accept(pool, "AwsSolutions-COG2", "A participant may have a second factor; demanding it keeps teams away.")
        # The account's number makes the name free: names of these hosts are shared by everybody in a region.
        pool.add_domain(
            "Domain", cognito_domain=cognito.CognitoDomainOptions(domain_prefix=_domain(config.cycle, name))
        )
        return pool

    def _client(self, name: str, pool: cognito.UserPool) -> cognito.UserPoolClient:
        return cognito.UserPoolClient(
            self,
            f"{name}Client",
            user_pool=pool,
            generate_secret=False,
            o_auth=cognito.OAuthSettings(
                flows=cognito.OAuthFlows(authorization_code_grant=True),
                scopes=[cognito.OAuthScope.OPENID],
                callback_urls=[*settings.LOOPBACK_REDIRECTS, *self._of_site(settings.SITE_CALLBACK_PATH)],
                logout_urls=[*settings.LOOPBACK_REDIRECTS, *self._of_site("/")],
            ),
            supported_identity_providers=[cognito.UserPoolClientIdentityProvider.COGNITO],
            prevent_user_existence_errors=True,
            enable_token_revocation=True,
            access_token_validity=Duration.minutes(ACCESS_MINUTES),
            id_token_validity=Duration.minutes(ACCESS_MINUTES),
            refresh_token_validity=Duration.hours(REFRESH_HOURS),
        )

    def _of_site(self, path: str) -> list[str]:
        """Return the site's own addresses. CloudFront's cannot be one: it is known after the functions, which know the
        clients."""
        return [f"https://{self._config.domain_name}{path}"] if self._config.domain_name else []


def _domain(cycle: str, name: str) -> str:
    return f"hurdle-{cycle}-{Aws.ACCOUNT_ID}-{name.lower()}"


def issuer_of(pool_id: str) -> str:
    """Return the issuer that a pool's tokens name."""
    return f"https://cognito-idp.{Aws.REGION}.{Aws.URL_SUFFIX}/{pool_id}"


def hosts(cycle: str) -> tuple[str, ...]:
    """Return the hosts that a page asks during sign-in: for discovery, keys, and tokens of each pool."""
    of_pools = (
        f"https://{_domain(cycle, name)}.auth.{Aws.REGION}.amazoncognito.com" for name in ("Participants", "Staff")
    )
    return (f"https://cognito-idp.{Aws.REGION}.{Aws.URL_SUFFIX}", *of_pools)

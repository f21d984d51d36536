"""The firewall in front of everything: how often one address, and one token, may ask, before any function runs."""

from __future__ import annotations

from typing import Final

from aws_cdk import aws_wafv2 as waf
from constructs import Construct

from contest.routes import SIGN_IN_FORM, TOKEN_FORM
from infra.config import CycleConfig
from infra.site import ASSETS

WEB_ACL: Final = "WebAclArn"
"""Name of the output that tells the firewall's ARN, and of the parameter that is told it."""
CHANNEL: Final = "/socket.io/"
_WINDOW_S: Final = 60
_NOTHING: Final = waf.CfnWebACL.TextTransformationProperty(priority=0, type="NONE")
_IN_HEADER: Final = waf.CfnWebACL.FieldToMatchProperty(single_header={"Name": "authorization"})
_IN_QUERY: Final = waf.CfnWebACL.FieldToMatchProperty(single_query_argument={"Name": "token"})


class Firewall(Construct):
    """The web ACL of a cycle's distribution; CloudFront takes one of us-east-1 alone.

    A rule counts over a minute and refuses with 429 what goes beyond. The numbers are far above what programs need:
    the platform's own limits tell a program what it does wrong, these keep one place from using up what all share.
    """

    def __init__(self, scope: Construct, id: str, config: CycleConfig) -> None:  # noqa: A002 -- CDK's own name
        super().__init__(scope, id)
        self._cycle = config.cycle
        by_header = waf.CfnWebACL.RateLimitHeaderProperty(name="authorization", text_transformations=[_NOTHING])
        by_query = waf.CfnWebACL.RateLimitQueryArgumentProperty(name="token", text_transformations=[_NOTHING])
        in_header = waf.CfnWebACL.RateBasedStatementCustomKeyProperty(header=by_header)
        in_query = waf.CfnWebACL.RateBasedStatementCustomKeyProperty(query_argument=by_query)
        rules = [
            self._rule(0, "Address", config.requests_per_address),
            self._rule(1, "WithoutToken", config.requests_without_token, only=_without_token()),
            self._rule(2, "Connections", config.connections_per_address, only=_path_below(CHANNEL)),
            self._rule(3, "Token", config.requests_per_token, key=in_header),
            self._rule(4, "TokenInQuery", config.connections_per_address, key=in_query),
        ]
        self.arn = waf.CfnWebACL(
            self,
            "Acl",
            name=f"hurdle-{config.cycle}",
            scope="CLOUDFRONT",
            default_action=waf.CfnWebACL.DefaultActionProperty(allow={}),
            visibility_config=self._measured("Firewall"),
            rules=rules,
        ).attr_arn

    def _rule(
        self,
        number: int,
        name: str,
        limit: int,
        *,
        key: waf.CfnWebACL.RateBasedStatementCustomKeyProperty | None = None,
        only: waf.CfnWebACL.StatementProperty | None = None,
    ) -> waf.CfnWebACL.RuleProperty:
        """Count by address, or by the value of a key: requests that lack it are not counted."""
        return waf.CfnWebACL.RuleProperty(
            name=name,
            priority=number,
            action=waf.CfnWebACL.RuleActionProperty(
                block=waf.CfnWebACL.BlockActionProperty(
                    custom_response=waf.CfnWebACL.CustomResponseProperty(
                        response_code=429,
                        response_headers=[
                            waf.CfnWebACL.CustomHTTPHeaderProperty(name="retry-after", value=str(_WINDOW_S))
                        ],
                    )
                )
            ),
            statement=waf.CfnWebACL.StatementProperty(
                rate_based_statement=waf.CfnWebACL.RateBasedStatementProperty(
                    aggregate_key_type="CUSTOM_KEYS" if key else "IP",
                    custom_keys=[key] if key else None,
                    evaluation_window_sec=_WINDOW_S,
                    limit=limit,
                    scope_down_statement=only,
                )
            ),
            visibility_config=self._measured(name),
        )

    def _measured(self, name: str) -> waf.CfnWebACL.VisibilityConfigProperty:
        """Count matching requests; store no samples, for requests carry tokens."""
        return waf.CfnWebACL.VisibilityConfigProperty(
            cloud_watch_metrics_enabled=True,
            metric_name=f"hurdle-{self._cycle}-{name}",
            sampled_requests_enabled=False,
        )


def _without_token() -> waf.CfnWebACL.StatementProperty:
    """Match requests with a token by its form neither in header nor query, but for the site's own files.

    A page takes dozens of files, which the distribution keeps; a hall of people has one address.
    """
    anywhere = [
        waf.CfnWebACL.StatementProperty(
            regex_match_statement=waf.CfnWebACL.RegexMatchStatementProperty(
                field_to_match=field, regex_string=f"{TOKEN_FORM}|{SIGN_IN_FORM}", text_transformations=[_NOTHING]
            )
        )
        for field in (_IN_HEADER, _IN_QUERY)
    ]
    file = _path_below(f"/{ASSETS}")
    some = waf.CfnWebACL.StatementProperty(or_statement=waf.CfnWebACL.OrStatementProperty(statements=[*anywhere, file]))
    return waf.CfnWebACL.StatementProperty(not_statement=waf.CfnWebACL.NotStatementProperty(statement=some))


def _path_below(start: str) -> waf.CfnWebACL.StatementProperty:
    """Match requests whose path starts so."""
    return waf.CfnWebACL.StatementProperty(
        byte_match_statement=waf.CfnWebACL.ByteMatchStatementProperty(
            field_to_match=waf.CfnWebACL.FieldToMatchProperty(uri_path={}),
            positional_constraint="STARTS_WITH",
            search_string=start,
            text_transformations=[_NOTHING],
        )
    )

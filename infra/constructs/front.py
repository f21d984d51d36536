"""One address for everything: CloudFront in front of the HTTP interface and the event channel.

The earlier contests' clients ask for ``/socket.io/`` on the host that also serves their files; so both interfaces
share a host. Nothing is cached here: what a participant reads depends on who asks and when.
"""

from __future__ import annotations

from typing import Final

from aws_cdk import Aws
from aws_cdk import aws_certificatemanager as certificates
from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_cloudfront_origins as origins
from constructs import Construct

from infra.acceptance import accept
from infra.config import CycleConfig
from infra.constructs.api import ExchangeApi
from infra.constructs.events import STAGE, EventChannel

EVENTS_PATH: Final = "/socket.io/*"

TO_THE_STAGE: Final = f"""\
function handler(event) {{
  var request = event.request;
  request.uri = '/{STAGE}';
  return request;
}}
"""
"""A WebSocket API listens at its stage's root alone; the query, which carries token and version, stays."""


class Front(Construct):
    """The distribution; ``address`` is where programs and clients go, ``host`` its own name."""

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002 -- CDK's own name
        *,
        config: CycleConfig,
        api: ExchangeApi,
        channel: EventChannel,
    ) -> None:
        super().__init__(scope, id)
        certificate = (
            certificates.Certificate.from_certificate_arn(self, "Certificate", config.certificate_arn)
            if config.certificate_arn
            else None
        )
        self._distribution = cloudfront.Distribution(
            self,
            "Distribution",
            comment=f"Hurdle {config.cycle}",
            domain_names=[config.domain_name] if config.domain_name else None,
            certificate=certificate,
            minimum_protocol_version=cloudfront.SecurityPolicyProtocol.TLS_V1_2_2021 if certificate else None,
            default_behavior=_uncached(
                f"{api.api.api_id}.execute-api.{Aws.REGION}.{Aws.URL_SUFFIX}",
                headers=cloudfront.ResponseHeadersPolicy.SECURITY_HEADERS,
            ),
            additional_behaviors={EVENTS_PATH: _uncached(channel.host, rewrite=self._rewrite(config))},
        )
        self.host = self._distribution.distribution_domain_name
        self.address = f"https://{config.domain_name or self.host}"
        self._explain(config)

    def _rewrite(self, config: CycleConfig) -> cloudfront.Function:
        return cloudfront.Function(
            self,
            "ToTheStage",
            function_name=f"hurdle-{config.cycle}-to-the-stage",
            comment="Sends what asks for the event channel to the root of its stage",
            code=cloudfront.FunctionCode.from_inline(TO_THE_STAGE),
            runtime=cloudfront.FunctionRuntime.JS_2_0,
        )

    def _explain(self, config: CycleConfig) -> None:
        """Why cdk-nag's findings are right here."""
        for rule, reason in (
            ("CFR1", "Teams compete from wherever they are; a token decides who may, not a country."),
            (
                "CFR2",
                "Both gateways throttle, a team has its own limit, and no page takes input that a rule could read.",
            ),
            (
                "CFR3",
                "The gateways log every request; this log would also hold the tokens of the event channel's query.",
            ),
        ):
            accept(self._distribution, f"AwsSolutions-{rule}", reason)
        if not config.certificate_arn:
            accept(
                self._distribution,
                "AwsSolutions-CFR4",
                "CloudFront's own certificate lets nobody choose the TLS version; a domain's has 1.2 and up.",
            )


def _uncached(
    host: str,
    *,
    headers: cloudfront.IResponseHeadersPolicy | None = None,
    rewrite: cloudfront.Function | None = None,
) -> cloudfront.BehaviorOptions:
    """Everything to the host as it came, but for the Host header, by which the gateway finds its API."""
    return cloudfront.BehaviorOptions(
        origin=origins.HttpOrigin(
            host,
            protocol_policy=cloudfront.OriginProtocolPolicy.HTTPS_ONLY,
            origin_ssl_protocols=[cloudfront.OriginSslPolicy.TLS_V1_2],
        ),
        allowed_methods=cloudfront.AllowedMethods.ALLOW_ALL,
        cache_policy=cloudfront.CachePolicy.CACHING_DISABLED,
        origin_request_policy=cloudfront.OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
        viewer_protocol_policy=cloudfront.ViewerProtocolPolicy.HTTPS_ONLY,
        compress=False,
        response_headers_policy=headers,
        function_associations=(
            [cloudfront.FunctionAssociation(function=rewrite, event_type=cloudfront.FunctionEventType.VIEWER_REQUEST)]
            if rewrite
            else None
        ),
    )

"""One address for everything: CloudFront, behind its firewall, before site, HTTP interface and event channel.

The earlier contests' clients ask for ``/socket.io/`` on the host that also serves their files; so both interfaces
share a host, and the site, which is everything that is neither of them, asks its own host alone. A participant's answer
depends on who asks and when, and is not cached; a public answer is, for the seconds that its route says. A request that
comes this way carries the origin's secret to the gateways, and passes the firewall.

The site is files in a bucket of their own, which is private and holds nothing but public files. `infra/site.py` fills
it when a cycle is deployed. The small programs that CloudFront runs are a few lines each; they see viewers' requests
before the cache and the origin do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Final

from aws_cdk import Aws, CfnParameter, Duration
from aws_cdk import aws_certificatemanager as certificates
from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_cloudfront_origins as origins
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_wafv2 as waf
from constructs import Construct

from contest import settings, stored_names
from contest.routes import INTERFACE_PATHS, LEGACY_BASE, ROUTES, SIGN_IN_FORM, TOKEN_FORM
from infra.config import CycleConfig
from infra.constructs import accept
from infra.constructs.gateways import STAGE, EventChannel, ExchangeApi
from infra.constructs.sign_in import hosts
from infra.constructs.storage import Keys, Stored, let_distribution
from infra.site import ASSETS


@dataclass(frozen=True, slots=True)
class EdgeProgram:
    """A program in CloudFront's dialect of JavaScript.

    Attributes:
        id: The construct's.
        name: What follows the cycle in the function's name.
        comment: What the console says of it.
        code: Defines `handler(event)`, which returns the request to go on with, or an answer.
    """

    id: str
    name: str
    comment: str
    code: str

    def on_request(self, scope: Construct, config: CycleConfig) -> cloudfront.FunctionAssociation:
        """Run this program on viewers' requests, as a function of `config`'s cycle in `scope`."""
        function = cloudfront.Function(
            scope,
            self.id,
            function_name=f"hurdle-{config.cycle}-{self.name}",
            comment=self.comment,
            code=cloudfront.FunctionCode.from_inline(self.code),
            runtime=cloudfront.FunctionRuntime.JS_2_0,
        )
        return cloudfront.FunctionAssociation(function=function, event_type=cloudfront.FunctionEventType.VIEWER_REQUEST)


AS_ANNOUNCED: Final = EdgeProgram(
    "AsAnnounced",
    "as-announced",
    "Lets nothing into the uploads but a PUT of as many bytes as were announced",
    """\
function handler(event) {
  var request = event.request;
  var name = /\\/(\\d+)-[0-9a-f]{64}$/.exec(request.uri);
  var length = request.headers['content-length'];
  if (request.method !== 'PUT') {
    return { statusCode: 405, statusDescription: 'Method Not Allowed', headers: { allow: { value: 'PUT' } } };
  }
  if (!name || !length || length.value !== name[1]) {
    return { statusCode: 413, statusDescription: 'Content Too Large' };
  }
  return request;
}
""",
)
"""A part is put, not read, and has the bytes that its name says: a distribution allows PUT only together with every
other method, and a signature says nothing of a body."""

TO_THE_STAGE: Final = EdgeProgram(
    "ToTheStage",
    "to-the-stage",
    "Sends what asks for the event channel to the root of its stage",
    f"""\
function handler(event) {{
  var request = event.request;
  request.uri = '/{STAGE}';
  return request;
}}
""",
)
"""A WebSocket API listens at its stage's root alone; the query, which carries token and version, stays."""

HOST_SAID: Final = EdgeProgram(
    "HostSaid",
    "host-said",
    "Tells the interface by which name it was asked",
    f"""\
function handler(event) {{
  var request = event.request;
  request.headers['{settings.HOST_HEADER}'] = {{ value: request.headers.host.value }};
  return request;
}}
""",
)
"""The gateway finds its API by the Host header and never learns the one that a client asked for; earlier clients are
told addresses under it."""

TO_THE_PAGE: Final = EdgeProgram(
    "ToThePage",
    "to-the-page",
    "Sends what names no file to the site's page",
    """\
function handler(event) {
  var request = event.request;
  var last = request.uri.split('/').pop();
  if (last.indexOf('.') === -1) request.uri = '/index.html';
  return request;
}
""",
)
"""Function that serves the site's one page for every path without a file name; never gets the interfaces' paths."""

REACT_ARIA_STYLE: Final = "'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o='"
"""The one style element that React Aria writes into the page, a fixed rule; the site's tests fail when it changes."""
_DENIED: Final = (
    *("accelerometer", "autoplay", "browsing-topics", "camera", "display-capture", "encrypted-media", "fullscreen"),
    *("geolocation", "gyroscope", "magnetometer", "microphone", "midi", "payment", "publickey-credentials-get"),
    *("screen-wake-lock", "serial", "usb", "xr-spatial-tracking"),
)
_YEAR: Final = Duration.days(365)


class Site(Construct):
    """Make the distribution's behaviour for the site's bucket."""

    def __init__(self, scope: Construct, id: str, *, config: CycleConfig, bucket: s3.IBucket) -> None:
        super().__init__(scope, id)
        self._config = config
        self.bucket = bucket

    def behaviour(self) -> cloudfront.BehaviorOptions:
        """Return how the distribution serves the site: files as they are stored, one page for every address of it."""
        return cloudfront.BehaviorOptions(
            origin=origins.S3BucketOrigin.with_origin_access_control(self.bucket, origin_access_levels=[]),
            allowed_methods=cloudfront.AllowedMethods.ALLOW_GET_HEAD,
            cache_policy=cloudfront.CachePolicy.CACHING_OPTIMIZED,
            viewer_protocol_policy=cloudfront.ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
            compress=True,
            response_headers_policy=self._headers(),
            function_associations=[TO_THE_PAGE.on_request(self, self._config)],
        )

    def _headers(self) -> cloudfront.ResponseHeadersPolicy:
        headers = {
            "Permissions-Policy": ", ".join(f"{feature}=()" for feature in _DENIED),
            "Cross-Origin-Opener-Policy": "same-origin",
        }
        return cloudfront.ResponseHeadersPolicy(
            self,
            "Headers",
            response_headers_policy_name=f"hurdle-{self._config.cycle}-site",
            security_headers_behavior=cloudfront.ResponseSecurityHeadersBehavior(
                content_security_policy=cloudfront.ResponseHeadersContentSecurityPolicy(
                    content_security_policy=self._policy(), override=True
                ),
                content_type_options=cloudfront.ResponseHeadersContentTypeOptions(override=True),
                frame_options=cloudfront.ResponseHeadersFrameOptions(
                    frame_option=cloudfront.HeadersFrameOption.DENY, override=True
                ),
                referrer_policy=cloudfront.ResponseHeadersReferrerPolicy(
                    referrer_policy=cloudfront.HeadersReferrerPolicy.NO_REFERRER, override=True
                ),
                strict_transport_security=cloudfront.ResponseHeadersStrictTransportSecurity(
                    access_control_max_age=_YEAR, include_subdomains=True, override=True
                ),
            ),
            custom_headers_behavior=cloudfront.ResponseCustomHeadersBehavior(
                custom_headers=[
                    cloudfront.ResponseCustomHeader(header=name, value=value, override=True)
                    for name, value in headers.items()
                ]
            ),
        )

    def _policy(self) -> str:
        """Return the page's rights: run and style itself by its own files, ask this host and the issuers of tokens."""
        directives = {
            "default-src": "'none'",
            "script-src": "'self'",
            "worker-src": "'self'",
            "style-src": f"'self' {REACT_ARIA_STYLE}",
            "img-src": "'self' data:",
            "font-src": "'self'",
            "connect-src": " ".join(("'self'", *hosts(self._config.cycle))),
            "base-uri": "'none'",
            "form-action": "'self'",
            "frame-ancestors": "'none'",
            "require-trusted-types-for": "'script'",
            "trusted-types": "hurdle",
        }
        return "; ".join(f"{name} {value}" for name, value in directives.items())


WEB_ACL: Final = "WebAclArn"
"""Name of the output with the firewall's ARN, and of the parameter that receives it."""
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

    def __init__(self, scope: Construct, id: str, config: CycleConfig) -> None:
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
            cloud_watch_metrics_enabled=True, metric_name=f"hurdle-{self._cycle}-{name}", sampled_requests_enabled=False
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


EVENTS_PATH: Final = "/socket.io/*"
PUBLISHED_PATH: Final = f"/{stored_names.PUBLISHED}*"
"""Public files too large for a function's answer (records and charts): from the bucket, where they lie compressed and
never change."""

UPLOADS_PATH: Final = f"/{stored_names.UPLOADS}*"
"""Parts of uploads, put at addresses that the platform signs, and read by nobody."""
PACKS_PATH: Final = f"/{stored_names.PACKS}*"
"""Sets as one file, read at addresses that the platform signs; none is cached: a set is secret."""

_QUERIES: Final = {
    "Boards": ("key", "lang", "language", "limit", "nomination", "of", "run"),
    "Public": ("after", "kind", "limit", "mode", "since", "version"),
}
"""Query parameters of public routes by cache policy; others are neither passed on nor make an answer of their own.

CloudFront's quota is ten names a policy, and all routes together have more.
"""
_BUT_HOST: Final = cloudfront.OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER
"""Policy that passes everything on but the Host header, by which the gateway finds its API."""
_OF_BOARDS: Final = frozenset({"boards", "leaderboards"})
"""Parts of the paths whose answers are boards."""
_ERRORS: Final = (400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504)
"""Error statuses that CloudFront would cache for ten seconds and answer to all clients alike."""


def cached_paths() -> list[str]:
    """Return CloudFront's patterns of the paths with cached answers; no pattern covers another."""
    patterns = {re.sub(r"{\w+}", "*", route.path) for route in ROUTES if route.cached_s}
    wider = [pattern for pattern in patterns if "*" in pattern]
    return sorted(
        pattern for pattern in patterns if not any(pattern != one and fnmatchcase(pattern, one) for one in wider)
    )


class Front(Construct):
    """The distribution; ``address`` is where programs and clients go, ``host`` its own name."""

    def __init__(  # noqa: PLR0913 -- it stands in front of everything
        self,
        scope: Construct,
        id: str,
        *,
        config: CycleConfig,
        api: ExchangeApi,
        channel: EventChannel,
        site: Site,
        stored: Stored,
        keys: Keys,
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
            default_behavior=site.behaviour(),
            additional_behaviors=self._behaviours(config, api, channel, stored, keys),
            error_responses=[
                cloudfront.ErrorResponse(http_status=status, ttl=Duration.seconds(0)) for status in _ERRORS
            ],
            web_acl_id=self._web_acl(),
        )
        distribution = self._distribution.distribution_id
        may = {"s3:GetObject": (stored_names.PUBLISHED, stored_names.PACKS), "s3:PutObject": (stored_names.UPLOADS,)}
        let_distribution(self, "ObjectsPolicy", stored.objects, distribution, may)  # each prefix one thing
        let_distribution(self, "SitePolicy", stored.site, distribution, {"s3:GetObject": ("",)})
        self.host = self._distribution.distribution_domain_name
        self.address = f"https://{config.domain_name or self.host}"
        self._explain(config)

    def _behaviours(
        self, config: CycleConfig, api: ExchangeApi, channel: EventChannel, stored: Stored, keys: Keys
    ) -> dict[str, cloudfront.BehaviorOptions]:
        """Return the behaviours by path pattern; the first pattern that matches decides."""
        secret = keys.origin_secret
        # Else CDK would let the distribution read all of it.
        objects = origins.S3BucketOrigin.with_origin_access_control(stored.objects, origin_access_levels=[])
        exchange = _origin(f"{api.api.api_id}.execute-api.{Aws.REGION}.{Aws.URL_SUFFIX}", secret)
        return {
            EVENTS_PATH: _uncompressed(
                _origin(channel.host, secret),
                headers=None,
                origin_request_policy=_BUT_HOST,
                function_associations=[TO_THE_STAGE.on_request(self, config)],
            ),
            PUBLISHED_PATH: _uncompressed(
                objects,
                methods=cloudfront.AllowedMethods.ALLOW_GET_HEAD,
                cache=cloudfront.CachePolicy.CACHING_OPTIMIZED,
                headers=cloudfront.ResponseHeadersPolicy.CORS_ALLOW_ALL_ORIGINS_AND_SECURITY_HEADERS,
            ),
            # No header and no query reaches the bucket, so only PUT works.
            UPLOADS_PATH: _uncompressed(
                objects,
                trusted_key_groups=[keys.of_addresses["uploads"].group],
                function_associations=[AS_ANNOUNCED.on_request(self, config)],
            ),
            PACKS_PATH: _uncompressed(
                objects,
                methods=cloudfront.AllowedMethods.ALLOW_GET_HEAD,
                trusted_key_groups=[keys.of_addresses["downloads"].group],
            ),
            f"{LEGACY_BASE}*": _uncompressed(
                exchange,
                origin_request_policy=_BUT_HOST,
                function_associations=[HOST_SAID.on_request(self, config)],
            ),
            **self._cached(exchange, config),
            **dict.fromkeys(INTERFACE_PATHS, _uncompressed(exchange, origin_request_policy=_BUT_HOST)),
        }

    def _web_acl(self) -> str:
        """Return the firewall's ARN, which the stack in us-east-1 outputs at its deployment."""
        parameter = CfnParameter(
            self,
            "WebAcl",
            description="ARN of the cycle's web ACL, an output of its stack in us-east-1",
            allowed_pattern=r"arn:aws[a-z-]*:wafv2:us-east-1:\d{12}:global/webacl/.+",
        )
        parameter.override_logical_id(WEB_ACL)
        return str(parameter.value_as_string)

    def _cached(self, origin: cloudfront.IOrigin, config: CycleConfig) -> dict[str, cloudfront.BehaviorOptions]:
        """Return the behaviours of public answers by path, cached as long as the answer says, for every site."""
        name = f"hurdle-{config.cycle}-public"
        headers = self._for_every_site(name, config)
        behaviours = {
            group: cloudfront.BehaviorOptions(
                origin=origin,
                allowed_methods=cloudfront.AllowedMethods.ALLOW_GET_HEAD_OPTIONS,
                cache_policy=cloudfront.CachePolicy(
                    self,
                    group,
                    cache_policy_name=name if group == "Public" else f"hurdle-{config.cycle}-boards",
                    min_ttl=Duration.seconds(0),
                    default_ttl=Duration.seconds(0),
                    max_ttl=Duration.seconds(max(route.cached_s for route in ROUTES)),
                    query_string_behavior=cloudfront.CacheQueryStringBehavior.allow_list(*query),
                    enable_accept_encoding_gzip=True,
                    enable_accept_encoding_brotli=True,
                ),
                # A preflight's own headers, which the gateway answers, and nothing else.
                origin_request_policy=cloudfront.OriginRequestPolicy.CORS_S3_ORIGIN,
                response_headers_policy=headers,
                viewer_protocol_policy=cloudfront.ViewerProtocolPolicy.HTTPS_ONLY,
                compress=True,
            )
            for group, query in _QUERIES.items()
        }
        groups = {path: "Boards" if _OF_BOARDS & set(re.split(r"[/.]", path)) else "Public" for path in cached_paths()}
        return {path: behaviours[group] for path, group in groups.items()}

    def _for_every_site(self, name: str, config: CycleConfig) -> cloudfront.ResponseHeadersPolicy:
        """Allow cross-origin reading here: the gateway allows one site, but a cached answer goes to others."""
        return cloudfront.ResponseHeadersPolicy(
            self,
            "PublicHeaders",
            response_headers_policy_name=name,
            cors_behavior=cloudfront.ResponseHeadersCorsBehavior(
                access_control_allow_credentials=False,
                access_control_allow_headers=["*"],
                access_control_allow_methods=["GET", "HEAD", "OPTIONS"],
                access_control_allow_origins=list(config.allowed_origins),
                origin_override=True,
            ),
            security_headers_behavior=cloudfront.ResponseSecurityHeadersBehavior(
                content_type_options=cloudfront.ResponseHeadersContentTypeOptions(override=True),
                strict_transport_security=cloudfront.ResponseHeadersStrictTransportSecurity(
                    access_control_max_age=Duration.days(365), override=False
                ),
            ),
        )

    def _explain(self, config: CycleConfig) -> None:
        """Give the reasons why cdk-nag's findings are right here."""
        for rule, reason in (
            ("CFR1", "Teams compete from wherever they are; a token decides who may, not a country."),
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


def _origin(host: str, secret: str) -> origins.HttpOrigin:
    return origins.HttpOrigin(
        host,
        custom_headers={settings.ORIGIN_HEADER: secret},
        protocol_policy=cloudfront.OriginProtocolPolicy.HTTPS_ONLY,
        origin_ssl_protocols=[cloudfront.OriginSslPolicy.TLS_V1_2],
    )


def _uncompressed(
    origin: cloudfront.IOrigin,
    *,
    methods: cloudfront.AllowedMethods = cloudfront.AllowedMethods.ALLOW_ALL,
    cache: cloudfront.ICachePolicy = cloudfront.CachePolicy.CACHING_DISABLED,
    headers: cloudfront.IResponseHeadersPolicy | None = cloudfront.ResponseHeadersPolicy.SECURITY_HEADERS,
    **more: Any,
) -> cloudfront.BehaviorOptions:
    """Return a behaviour that gives answers as the origin sends them; without further words none is kept."""
    return cloudfront.BehaviorOptions(
        origin=origin,
        allowed_methods=methods,
        cache_policy=cache,
        viewer_protocol_policy=cloudfront.ViewerProtocolPolicy.HTTPS_ONLY,
        compress=False,
        response_headers_policy=headers,
        **more,
    )

"""The site, and the small programs that CloudFront runs on requests.

The programs are a few lines each; CloudFront runs them on viewers' requests, before the cache and the origin see them.

The site is files in a bucket of their own, which the distribution in front serves wherever no interface is. The bucket
is private and holds nothing but public files. `infra/site.py` fills it when a cycle is deployed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_cloudfront_origins as origins
from aws_cdk import aws_s3 as s3
from constructs import Construct

from contest import settings
from infra.config import CycleConfig
from infra.constructs.gateways import STAGE
from infra.constructs.sign_in import hosts


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
"""What names no file is the one page, which knows what its addresses mean. The interfaces' paths never come here."""

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

"""The site: files in a bucket of their own, which the distribution in front serves wherever no interface is.

The bucket is private and holds nothing but what everybody may read. `infra/site.py` fills it when a cycle is deployed.
"""

from __future__ import annotations

from typing import Final

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_cloudfront_origins as origins
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.acceptance import accept
from infra.config import CycleConfig
from infra.constructs.at_the_edge import TO_THE_PAGE
from infra.constructs.sign_in import SignIn

REACT_ARIA_STYLE: Final = "'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o='"
"""The one style element that React Aria writes into the page, a fixed rule; the site's tests fail when it changes."""
_DENIED: Final = (
    *("accelerometer", "autoplay", "browsing-topics", "camera", "display-capture", "encrypted-media", "fullscreen"),
    *("geolocation", "gyroscope", "magnetometer", "microphone", "midi", "payment", "publickey-credentials-get"),
    *("screen-wake-lock", "serial", "usb", "xr-spatial-tracking"),
)
_YEAR: Final = Duration.days(365)


class Site(Construct):
    """The bucket, with how the distribution is to serve it."""

    def __init__(self, scope: Construct, id: str, *, config: CycleConfig, sign_in: SignIn) -> None:  # noqa: A002 -- CDK's own name
        super().__init__(scope, id)
        self._config = config
        self._issuers = sign_in.hosts()
        self.bucket = s3.Bucket(
            self,
            "Files",
            enforce_ssl=True,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            encryption=s3.BucketEncryption.S3_MANAGED,
            removal_policy=RemovalPolicy.RETAIN if config.retain_data else RemovalPolicy.DESTROY,
        )
        accept(self.bucket, "AwsSolutions-S1", "Everybody may read what is in it, and everybody does, by CloudFront.")

    def behaviour(self) -> cloudfront.BehaviorOptions:
        """How the distribution serves the site: files as they are stored, one page for every address of it."""
        return cloudfront.BehaviorOptions(
            origin=origins.S3BucketOrigin.with_origin_access_control(self.bucket),
            allowed_methods=cloudfront.AllowedMethods.ALLOW_GET_HEAD,
            cache_policy=cloudfront.CachePolicy.CACHING_OPTIMIZED,
            viewer_protocol_policy=cloudfront.ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
            compress=True,
            response_headers_policy=self._headers(),
            function_associations=[TO_THE_PAGE.on_request(self, self._config)],
        )

    def _headers(self) -> cloudfront.ResponseHeadersPolicy:
        told = {
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
                    for name, value in told.items()
                ]
            ),
        )

    def _policy(self) -> str:
        """What the page may do: run and style itself from its own files, ask this host and the issuers of tokens."""
        told = {
            "default-src": "'none'",
            "script-src": "'self'",
            "worker-src": "'self'",
            "style-src": f"'self' {REACT_ARIA_STYLE}",
            "img-src": "'self' data:",
            "font-src": "'self'",
            "connect-src": " ".join(("'self'", *self._issuers)),
            "base-uri": "'none'",
            "form-action": "'self'",
            "frame-ancestors": "'none'",
            "require-trusted-types-for": "'script'",
            "trusted-types": "hurdle",
        }
        return "; ".join(f"{name} {value}" for name, value in told.items())

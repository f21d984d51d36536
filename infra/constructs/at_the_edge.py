"""Programs of a few lines that CloudFront runs on what viewers ask, before the cache and the origin see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from aws_cdk import aws_cloudfront as cloudfront
from constructs import Construct

from contest import settings
from infra.config import CycleConfig
from infra.constructs.events import STAGE


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
        """Run this program on what viewers ask, as a function of `config`'s cycle in `scope`."""
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

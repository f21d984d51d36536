"""Bodies of the participants' kit (R 4.2, 4.3), a list as it is built, and as the platform signs it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from contest.cycle.rules.cycle import Bundle, KitList, Package
from contest.cycle.wire.parts import WarningBody
from contest.run.wire.statements import Format, KeyId, Signature
from contest.wire import Moment, ReplyBody, RequestBody, Sha256

KitVersion = TypeAliasType(
    "KitVersion", Annotated[str, Field(pattern=r"^[0-9][0-9A-Za-z.+!-]{0,39}$", examples=["0.1.0"])]
)


Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,59}$", examples=["hurdle-pku"])]


Wheel = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,120}\.whl$", description="Under `/kit/`")]


Archive = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,120}\.zip$", description="Under `/kit/`")]


Size = Annotated[int, Field(ge=1, le=2**31, description="Bytes")]


Python = Annotated[str, Field(pattern=r"^3\.[0-9]{1,2}$", examples=["3.13"])]


Modules = Annotated[Sha256, Field(description="What the kit says of its own files when it opens a session")]


class PackagePart(RequestBody):
    """A wheel of the kit."""

    name: Name
    version: KitVersion
    file: Wheel
    bytes: Size
    sha256: Sha256


class BundlePart(RequestBody):
    """All wheels that machines of one sort need, in one archive, for installing without a network."""

    platform: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$", examples=["linux-x86_64"])]
    pythons: list[Python] = Field(min_length=1, max_length=20)
    file: Archive
    bytes: Size
    sha256: Sha256


class KitRequest(RequestBody):
    """A built kit: `kit.json` of the build, as it is."""

    format: Literal[1]
    version: KitVersion
    modules_sha256: Modules
    packages: list[PackagePart] = Field(min_length=1, max_length=20)
    bundles: list[BundlePart] = Field(default=[], max_length=20)

    def listed(self) -> KitList:
        """Convert the request into a kit list."""
        return KitList(
            self.version,
            self.modules_sha256,
            tuple(
                Package(package.file, package.bytes, package.sha256, package.name, package.version)
                for package in self.packages
            ),
            tuple(
                Bundle(bundle.file, bundle.bytes, bundle.sha256, bundle.platform, tuple(bundle.pythons))
                for bundle in self.bundles
            ),
        )


class PackageBody(ReplyBody):
    """A wheel of the kit, at `/kit/` and its file's name."""

    name: Name
    version: KitVersion
    file: Wheel
    bytes: Size
    sha256: Sha256


class BundleBody(ReplyBody):
    """An archive of the kit for machines without a network, at `/kit/` and its file's name."""

    platform: str
    pythons: list[Python]
    file: Archive
    bytes: Size
    sha256: Sha256


class KitStatement(ReplyBody):
    """State a kit's files, and since when they are the common modules (R 4.3); this is signed."""

    format: Format
    kind: Literal["kit"]
    cycle: str
    version: KitVersion
    modules_sha256: Modules
    packages: list[PackageBody] = Field(description="All wheels to install together, the command first")
    bundles: list[BundleBody]
    published_at: Moment
    key_id: KeyId


class SignedKitBody(ReplyBody):
    """A published kit; `signature` is 64 bytes, base64, over the canonical JSON of `statement`."""

    statement: KitStatement
    signature: Signature


class KitBody(ReplyBody):
    """The kit that was published last; null where the organizers have published none."""

    kit: SignedKitBody | None


class PublishedKitBody(ReplyBody):
    """The kit as it is published now. `changed` is false where it was published before as it is."""

    kit: SignedKitBody
    changed: bool
    warnings: list[WarningBody]

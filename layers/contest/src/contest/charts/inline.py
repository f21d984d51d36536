"""A chart that stands alone as a part of a page: its style is left to the page, its ids are its own."""

from __future__ import annotations

from xml.etree import ElementTree as ET

_SVG = "http://www.w3.org/2000/svg"


def inlined(svg: bytes, key: str, shown_as: str) -> str:
    """A chart of ours as an element. ``key`` stands before its ids, ``shown_as`` is its class. O(size)."""
    root = ET.fromstring(svg)  # noqa: S314 -- made by this package, of what its element tree has escaped
    for parent in list(root.iter()):
        for each in list(parent):
            if each.tag == f"{{{_SVG}}}style":
                parent.remove(each)
    for each in root.iter():
        each.tag = each.tag.removeprefix(f"{{{_SVG}}}")
        if "id" in each.attrib:
            each.set("id", f"{key}-{each.attrib['id']}")
        if "aria-labelledby" in each.attrib:
            each.set("aria-labelledby", " ".join(f"{key}-{one}" for one in each.attrib["aria-labelledby"].split()))
    root.set("class", shown_as)
    return ET.tostring(root, encoding="unicode", short_empty_elements=False)

"""The one style of all pages, and the policy by which a browser takes it and nothing else."""

from __future__ import annotations

from typing import Final

from contest.charts import bars, timeline
from contest.edge.policy import policy_of

_PAGE: Final = """
:root{color-scheme:light dark}
body{font:1rem/1.45 system-ui,sans-serif;color:#1c1f24;background:#fff;max-width:70rem;margin:0 auto;padding:1rem}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin:2rem 0 .5rem;border-top:1px solid #d5d9e0;padding-top:.75rem}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:.5rem 1.5rem;margin:.5rem 0}
dt{font-size:.85rem;color:#5b6470}dd{margin:0;overflow-wrap:anywhere}
figure{margin:.75rem 0;overflow-x:auto}svg{max-width:100%;height:auto}
.wide{position:relative;overflow-x:auto;margin:.75rem 0}.wide:focus-visible{outline:2px solid #1a66b8}
table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums}
caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
figcaption{font-size:.9rem;font-weight:600}
th,td{border:1px solid #d5d9e0;padding:.2rem .45rem;text-align:left;vertical-align:top}
td{overflow-wrap:break-word;max-width:26rem}thead th{vertical-align:bottom;background:#f4f6f9}tbody th{font-weight:400}
.number{text-align:right}
@media (prefers-color-scheme:dark){body{color:#e8eaee;background:#15181d}h2,th,td{border-color:#3a414c}dt{color:#aab3bf}
thead th{background:#1d2127}.bars text{fill:#e8eaee}.bars .grid{stroke:#3a414c}.bars .zero,.bars .reach{stroke:#e8eaee}
.bars .bar{fill:#2f7fd1}.bars .mark{stroke:#ff8a80}}
@media print{@page{size:A4 landscape;margin:12mm}:root{color-scheme:light}
body{max-width:none;padding:0;font-size:10pt;color:#000;background:#fff}.wide,figure{overflow:visible}
table{font-size:7pt}th,td{padding:1pt 2pt}thead{display:table-header-group}tr,figure{break-inside:avoid}
h2{break-after:avoid}td,th{overflow-wrap:anywhere}}
"""

STYLE: Final = f"{timeline.STYLE}{bars.STYLE}{_PAGE}"
POLICY: Final = policy_of(f"<style>{STYLE}</style>")
"""Content-Security-Policy: this style, and nothing else whatever a page may hold."""

#!/usr/bin/env bash
# The site's tests, from the cheapest to the paths in a real browser; says plainly what was skipped. Arguments choose among
# the paths: --grep @gate.
set -euo pipefail
cd "$(dirname "$0")/../web"

npm run --silent lint
npm run --silent types
before="$(mktemp -d)"
trap 'rm -rf "$before"' EXIT
cp -r src/i18n "$before"
npm run --silent messages >/dev/null
diff -rq src/i18n "$before/i18n" || { echo "web-test: the catalogues did not know every sentence; translate what is new"; exit 1; }
npm run --silent unit

chromium="${HURDLE_CHROMIUM:-/usr/bin/chromium}"
if [[ -x "$chromium" ]]; then
    HURDLE_CHROMIUM="$chromium" npm run --silent browser -- "$@"
else
    echo "web-test: SKIPPED the paths in a browser: there is no $chromium (apt-get install chromium, or HURDLE_CHROMIUM=PATH)"
fi

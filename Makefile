# Every task of the project; CI calls nothing else.
SHELL := /bin/bash
PYTHON ?= python3
BIN := .venv/bin
CYCLE ?= demo
TRACK ?= essay
SEED ?= 1
COUNT ?= 100
OF ?= layers/markup_core/src layers/tracks/src layers/contest/src layers/shadow/src
BY ?=
AT ?=
ROOM ?= contest/session
SLOW ?=
HEARD := tools/heard.sh
RESOLVE = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header
# Where `make demo` and `make up` look for the release's wheel with the built site: a folder or an address.
SITE_WHEELS ?= build/site
fetched = $(foreach room,$(1),tests/$(room)/node_modules/.package-lock.json build/$(room)/.ready)
export UV_SYSTEM_CERTS := 1
# Node.js comes with the packages: the site, CDK and their tests run with the version of requirements.lock.
export PATH := $(CURDIR)/.venv/bin:$(PATH)
# Commands and functions start by the hundred: where nothing compiled is kept, each compiles anew whatever it loads.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup lock site site-wheel kit web-test web-check reading-out fuzz properties proofs rehearsals bench-web pictures long demo demo-cycle intervals up trial rehearse endurance bugs metered lint format packages check test clauses bench mutants promises layers synth template cycle preflight deploy restore destroy acceptance clean

help:  ## show the tasks
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: .venv/.ready  ## create .venv with everything the other tasks need

# What runs the platform on this machine: demo, up, trial and rehearsals need no more.
.venv/.run: requirements-run.lock $(wildcard layers/*/pyproject.toml clients/*/pyproject.toml local/pyproject.toml rehearsal/pyproject.toml)
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Hurdle needs Python 3.11 or newer: make PYTHON=python3.12")'
	$(PYTHON) -m venv .venv
	$(HEARD) "setup: uv" $(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$$(sed -nE 's/^uv==([0-9.]+).*/\1/p' $<)
	$(HEARD) "setup: packages" $(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r $<
	$(HEARD) "setup: our packages" $(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation \
		-e layers/markup_core -e layers/tracks -e layers/contest -e layers/shadow -e clients/pku -e local -e rehearsal
	$(HEARD) "setup: compiled" $(BIN)/python -c 'import importlib, local.cli, local.aws.moto_loaded, local.lambdas.runtime as runtime; list(map(importlib.import_module, runtime.platform_libraries()))'
	touch $@

.venv/.ready: requirements.lock .venv/.run
	$(HEARD) "setup: developers' packages" $(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r $<
	$(HEARD) "setup: compiled" $(BIN)/python -c 'import rehearsal.command'
	touch $@

lock:  ## resolve the dependencies anew into requirements.lock, those of running alone into requirements-run.lock
	$(RESOLVE) --group dev pyproject.toml -o requirements.lock
	$(RESOLVE) --group build --constraint requirements.lock pyproject.toml -o requirements-run.lock

site: web/dist/index.html  ## build the site into web/dist

web/dist/index.html: .venv/.ready $(shell find web/src web/public web/index.html web/package-lock.json web/*.ts -type f 2>/dev/null) layers/contest/src/contest/openapi.json
	@[ web/node_modules/.package-lock.json -nt web/package-lock.json ] || \
		$(HEARD) "site: npm fetches its packages" npm ci --loglevel=error --no-fund --no-audit --prefix web
	@$(HEARD) "site: Vite builds it" npm run --silent --prefix web build && touch $@

site-wheel: site  ## the built site as a wheel in build/site, which make demo and make up serve where nobody has built one
	@rm -rf build/site && cd web && ../$(BIN)/python -m hatchling build -t wheel -d ../build/site

# Nobody waits for the site: without one, and without a wheel of this version, the platform says how it comes.
.PHONY: site-if-there
site-if-there: .venv/.run
	@[ -e web/dist/index.html ] || $(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-index \
		--find-links $(SITE_WHEELS) "hurdle-site==$$(sed -nE 's/^version = "(.*)"/\1/p' web/pyproject.toml)" 2> /dev/null || true

kit: setup  ## build the participants' kit into build/kit, with bundles for machines without a network
	$(BIN)/python -m infra.kit --bundle all

build/kit/kit.json: $(shell find layers/markup_core layers/tracks clients/pku -type f \( -name '*.py' -o -name '*.toml' -o -name '*.json' \) 2>/dev/null) | .venv/.run
	$(BIN)/python -m infra.kit

web-test: setup site build/kit/kit.json  ## the site's own tests: style, types, units, and every path in a real browser
	tools/web_test.sh

web-check: setup site build/kit/kit.json  ## the part of web-test that make test runs: a path or two of most rooms, all on one cloud
	tools/web_test.sh --grep @gate

reading-out: setup  ## the reading-out attack on hidden sets with a day's sessions, twenty
	READING_OUT_SESSIONS=20 $(BIN)/pytest -q -m "long or not long" tests/contest/contests/test_reading_out.py

# In one process: its last tests look at what all requests before them were answered.
fuzz: setup  ## thirty requests of each route by the interface's own document, and those at each field's bounds; make test makes one of every sixth
	FUZZ_EXAMPLES=30 $(BIN)/pytest -q tests/contest/edge/test_fuzz.py

properties: setup  ## twenty times as many examples of each property as make test makes
	HYPOTHESIS_PROFILE=proofs $(BIN)/pytest -q -n 2 -m property --deselect tests/contest/edge/test_fuzz.py

long: packages $(call fetched,socket_clients generated_clients annotation_exports) build/researchers/.ready build/gamma/.ready  ## the longest tests: a whole cycle, the README's and the organizer's pages typed, rehearsals, demonstrations of contests, generated clients, settling 20 × 500
	$(BIN)/pytest -n 2 -m long

proofs: rehearsals demo-cycle long fuzz properties web-test  ## what takes longer than make test: the rehearsals and a whole cycle, every path of the site

rehearsals: .venv/.run  ## rehearse each contest at its usual size: long runs reach states that short ones never do
	for stage in "essay" "exam" "gec" "diagnosis --stage semifinal" "diagnosis --stage final" "custom" "fusion"; do \
		$(BIN)/hurdle rehearse --track $$stage || exit 1; \
	done

pictures: setup site build/kit/kit.json  ## take the README's pictures anew, from the local cloud
	cd web && npx playwright test --config playwright.pictures.config.ts

bench-web: setup site  ## sizes of the site's bundles against their budgets, and its first paint
	npm run --silent --prefix web bench

demo: site-if-there build/kit/kit.json  ## play a whole qualification on this machine and leave the API running: make demo TRACK=gec ARGS="--port 0"
	$(BIN)/hurdle demo --track $(TRACK) $(ARGS)

demo-cycle: .venv/.run  ## play a whole cycle, from the application form to the published archive: make demo-cycle ARGS="--files 20"
	$(BIN)/hurdle demo-cycle $(ARGS)

intervals: .venv/.run  ## do 95 % intervals cover the truth? twenty simulated finals against 20 000 essays
	$(BIN)/hurdle intervals $(ARGS)

up: site-if-there build/kit/kit.json  ## run the local cloud alone until Ctrl-C
	$(BIN)/hurdle up $(ARGS)

trial: .venv/.run  ## play the exchange on a corpus of real texts: make trial DATA=folder
	$(BIN)/hurdle trial $(DATA)

rehearse: .venv/.run  ## play a whole final with faults and prove what came of it: make rehearse ARGS="--teams 50 --files 60"; another contest: ARGS="--track exam"
	$(BIN)/hurdle rehearse $(ARGS)

endurance: setup  ## a week of sessions and runs of each contest with 20 teams, a final of 200 × 100, a hundred kills: hours, with figures
	HURDLE_ENDURANCE=1 $(BIN)/pytest -s -m "long or not long" tests/rehearsal/test_endurance.py
	$(BIN)/pytest -m "long or not long" tests/local/test_lifecycle.py -k killed_at_random
	$(BIN)/hurdle rehearse --faults twins

bugs: setup  ## plant every bug in a rehearsal and see its check turn red; make test plants one
	HURDLE_EVERY_BUG=1 $(BIN)/pytest -n 2 -m "long or not long" tests/rehearsal/test_bugs.py tests/rehearsal/test_contests.py

lint: setup  ## style, types, import rules, sentences in both languages
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	PYTHONPATH=functions:. $(BIN)/lint-imports
	$(BIN)/python -m tools.texts --check

format: setup  ## write the code in the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

tests/%/node_modules/.package-lock.json: tests/%/package-lock.json
	@$(HEARD) "test: npm fetches $*" npm ci --silent --no-fund --no-audit --prefix tests/$* && touch $@ || echo "test: what $* needs of npm is not installed"

build/%/.ready: tests/%/python.lock
	@{ $(BIN)/uv venv --quiet --clear --python $(BIN)/python build/$* && $(BIN)/uv pip install --quiet --no-deps --python build/$*/bin/python --require-hashes -r $< && touch $@; } || echo "test: what $* needs of PyPI is not installed"

# Otherwise each worker of the first run compiles every test for itself.
build/tests.compiled: .venv/.ready
	@mkdir -p build && $(HEARD) "test: compiled" $(BIN)/pytest --collect-only -q > /dev/null; touch $@

packages: setup build/tests.compiled build/socket_clients/.ready build/brat_reader/.ready  ## what tests need beside .venv: clients in other languages, the reader of brat

# One process: each of several would load the libraries and start a cloud for itself. Exit code 5: every test is slow.
check: setup  ## one room in half a minute, style, types and tests but slow ones: make check ROOM=contest/run; SLOW=yes adds these
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -q -m "not long$(if $(SLOW),, and not slow)" tests/$(ROOM) || [ $$? = 5 ]

# Tests that load libraries of their own, CDK's first: one process does it instead of every worker.
APART := tests/infra tests/tools tests/docs/test_outside.py tests/markup_core/test_significance.py

test: packages site build/kit/kit.json  ## all tests but those of make proofs
	@# The paths in a browser and CDK wait more than they work: beside the tests they cost no time of their own.
	@$(MAKE) --no-print-directory web-check > build/web-check.log 2>&1 & site=$$!; \
		$(BIN)/pytest $(APART) > build/apart.log 2>&1 & apart=$$!; \
		$(BIN)/pytest -n 3 --dist loadfile --no-loadscope-reorder $(addprefix --ignore=,$(APART)); tests=$$?; \
		wait $$apart; apart=$$?; cat build/apart.log; \
		wait $$site; site=$$?; cat build/web-check.log; exit $$((tests || apart || site))

clauses: setup  ## write docs/clauses.md; ARGS=--marks prints every mark with its function and tests
	$(BIN)/python -m tools.clauses $(ARGS)

promises: setup  ## write the table of what a rehearsal proves into docs/rehearsal.md
	$(BIN)/python -m tools.promises

bench: setup  ## speed, in ratios to peers; or against a commit: make bench AGAINST=c72123f5 SCRIPTS="run gec"
	@npm ci --silent --no-fund --no-audit --prefix bench || echo "bench: the peer from npm is not installed"
	@[ -x build/peers/bin/errant_compare ] || { $(BIN)/uv venv --quiet --clear --python $(BIN)/python build/peers && $(BIN)/uv pip install --quiet --python build/peers/bin/python --require-hashes -r bench/peers.lock; } || echo "bench: the peers from PyPI are not installed"
	@$(BIN)/python bench/whole.py $(if $(AGAINST),--against $(AGAINST)) $(SCRIPTS)

metered: setup  ## count what finals of several sizes ask of the cloud, and write the cost estimate's coefficients
	$(BIN)/python bench/final.py fit

mutants: setup  ## change COUNT places of OF, drawn by SEED, and see which changes its tests, or the command BY, miss
	$(BIN)/python -m tools.mutants $(OF) --seed $(SEED) --count $(COUNT) $(if $(BY),--by "$(BY)")

layers: setup  ## build the Lambda layers into build/layers
	$(BIN)/python -m infra.layers

synth: setup  ## synthesize CYCLE into cdk.out and refresh the local cloud's template
	CDK_OUTDIR=cdk.out CDK_CONTEXT_JSON='{"cycle":"$(CYCLE)"}' $(BIN)/python -m infra.app
	$(BIN)/python -m infra.template

template: setup  ## refresh the local cloud's template alone
	$(BIN)/python -m infra.template
	$(BIN)/python -m infra.config --schema

cycle: setup  ## write cycles/CYCLE.yaml, which says how the cycle is deployed: make cycle CYCLE=spring-2027 ARGS="--alarm-email organizers@example.org"
	$(BIN)/python -m infra.config $(CYCLE) $(ARGS)

preflight: setup  ## look before deploying the cycle named CYCLE: quotas, certificate, leftovers; changes nothing; ARGS=--json
	@$(BIN)/python -m infra.preflight $(CYCLE) --first $(ARGS)
	@$(BIN)/python -m infra.layers >&2
	@$(BIN)/python -m infra.preflight $(CYCLE) $(ARGS)

deploy: setup  ## deploy the cycle named CYCLE as cycles/CYCLE.yaml says; ARGS=--yes for pipelines, ARGS='--anyway "REASON"' under a run
	@$(BIN)/python -m infra.preflight $(CYCLE) --first
	@$(MAKE) --no-print-directory layers site
	$(BIN)/python -m infra.deploy $(CYCLE) $(ARGS)

restore: setup  ## make the storage of CYCLE anew as it was AT a moment: make restore CYCLE=spring-2027 AT=2027-04-01T12:00:00Z
	@[ -n "$(AT)" ] || { echo "restore: name the moment: make restore CYCLE=$(CYCLE) AT=2027-04-01T12:00:00Z"; exit 2; }
	$(BIN)/python -m infra.restore $(CYCLE) $(AT) $(ARGS)

destroy: setup  ## take down the cycle named CYCLE; a real one's storage stays; ARGS=--programs: its machines alone, ARGS=--with-data: everything
	$(BIN)/python -m infra.destroy $(CYCLE) $(ARGS)

acceptance: setup  ## deploy CYCLE, let five teams play, deploy again, restore, destroy, all on a real account; ARGS=--local: what needs none
	$(BIN)/python -m infra.trial_run $(CYCLE) $(ARGS)

clean:  ## remove what the other tasks made
	rm -rf .venv build cdk.out web/dist web/node_modules bench/node_modules tests/socket_clients/node_modules tests/generated_clients/node_modules

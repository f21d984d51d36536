# Every task of the project; CI calls nothing else.
SHELL := /bin/bash
PYTHON ?= python3
BIN := .venv/bin
export JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION := 20

.DEFAULT_GOAL := help
.PHONY: help setup lock lint test clean

help:  ## show the tasks
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: .venv/.ready  ## create .venv with everything the other tasks need

.venv/.ready: requirements.lock $(wildcard layers/*/pyproject.toml clients/*/pyproject.toml local/pyproject.toml)
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$$(sed -nE 's/^uv==([0-9.]+).*/\1/p' requirements.lock)
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation \
		-e layers/markup_core -e layers/tracks -e layers/contest -e clients/pku -e local
	touch $@

lock:  ## resolve the dependencies anew into requirements.lock
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
		--group dev pyproject.toml -o requirements.lock

lint: setup  ## style, types, import rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

test: setup  ## all tests
	$(BIN)/pytest -n 2

clean:  ## remove what the other tasks made
	rm -rf .venv build cdk.out

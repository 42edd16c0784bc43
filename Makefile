# Everything runs in a virtual environment of its own, made on first use:
#   make demo          load iCub, verify it, time it, draw it (results in demo/)
#   make test          run the tests
# Another interpreter: make test PYTHON=python3.12. Another environment: make test VENV=/some/where.

PYTHON ?= python3
VENV ?= .venv
WORKERS ?= 2
PYTEST_ARGS ?=
QUICK ?= --set draws=10 --set systems=3 --set flows=1 --set lengths=5
QUICK_CONTROL ?= --set guesses=1 --set iterations=100

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
WHEEL_VENV ?= build/wheel-venv
CODE := $(wildcard src tests benchmarks examples docs/hooks)

.PHONY: help demo experiments test lint format types docs docs-serve bench wheel wheel-test examples clean

help:
	@sed -n 's/^#   //p' Makefile
	@echo "also: experiments lint format types docs docs-serve bench wheel wheel-test examples clean"

# One stamp per set of optional dependencies; a change of pyproject.toml installs again.

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "floatbase needs Python 3.11 or later; choose one with: make PYTHON=python3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV) || \
		{ rm -rf $(VENV); echo "python -m venv failed; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }

$(VENV)/.installed-demo: pyproject.toml | $(BIN)/python
	$(PIP) install --quiet --editable ".[robots,plot]"
	@touch $@

$(VENV)/.installed-experiments: pyproject.toml | $(BIN)/python
	$(PIP) install --quiet --editable ".[robots,plot,simulation,logs,mujoco]"
	@touch $@

$(VENV)/.installed-test: pyproject.toml | $(BIN)/python
	$(PIP) install --quiet --editable ".[test]"
	@touch $@

$(VENV)/.installed-bench: pyproject.toml | $(BIN)/python
	$(PIP) install --quiet --editable ".[bench]"
	@touch $@

$(VENV)/.installed-docs: pyproject.toml | $(BIN)/python
	$(PIP) install --quiet --editable ".[docs]"
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	$(PIP) install --quiet --editable ".[dev]"
	@touch $@

experiments: $(VENV)/.installed-experiments
	$(BIN)/floatbase run geometric-linearization $(QUICK)
	$(BIN)/floatbase run optimal-control $(QUICK_CONTROL)
	$(BIN)/floatbase run soft-contact
	$(BIN)/floatbase run conservation
	$(BIN)/floatbase run suspended-models
	$(BIN)/floatbase run drop-test
	$(BIN)/floatbase run squat

demo: $(VENV)/.installed-demo
	$(BIN)/python -m floatbase.demo

test: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(PYTEST_ARGS)

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)

format: $(VENV)/.installed-dev
	$(BIN)/ruff check --fix $(CODE)
	$(BIN)/ruff format $(CODE)

types: $(VENV)/.installed-dev
	$(BIN)/mypy

docs: $(VENV)/.installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --site-dir build/site

docs-serve: $(VENV)/.installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs serve

bench: $(VENV)/.installed-bench
	$(BIN)/python -m benchmarks --docs
	$(BIN)/python -m benchmarks.cold
	$(BIN)/python -m benchmarks.differentiation

examples: $(VENV)/.installed-demo
	@set -e; for example in examples/*.py; do echo "== $$example"; $(BIN)/python $$example; done

wheel: | $(BIN)/python
	rm -rf build/wheel
	$(PIP) wheel --quiet --no-deps --wheel-dir build/wheel .

# The tests, and the benchmarks that some of them use, are copied away from the checkout, so that the installed wheel is
# what is imported; those of the checkout itself stay behind.
wheel-test: wheel
	rm -rf $(WHEEL_VENV) build/wheel-tests
	$(PYTHON) -m venv $(WHEEL_VENV)
	$(WHEEL_VENV)/bin/python -m pip --disable-pip-version-check install --quiet "$$(echo build/wheel/floatbase-*.whl)[test]"
	mkdir -p build/wheel-tests
	cp -r tests benchmarks pyproject.toml build/wheel-tests/
	rm build/wheel-tests/tests/test_project.py $$(find build/wheel-tests/tests -name test_documents.py)
	cd build/wheel-tests && $(abspath $(WHEEL_VENV))/bin/python -c \
		"import floatbase, sys; sys.exit('site-packages' not in floatbase.__file__)"
	cd build/wheel-tests && $(abspath $(WHEEL_VENV))/bin/python -m pytest -n $(WORKERS) --dist worksteal $(PYTEST_ARGS)

clean:
	rm -rf .venv build dist demo .pytest_cache .ruff_cache .mypy_cache .hypothesis
	find src tests examples -name __pycache__ -type d -prune -exec rm -rf {} +

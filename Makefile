# Every target creates the environment it needs; nothing but Python 3.11+ and make must be there.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready

.PHONY: env demo test test-all messages accepted lint stubs bench coverage docs clean

env: $(STAMP)

# torch first and pinned: any other way of asking for it may pull gigabytes of CUDA.
$(STAMP): pyproject.toml requirements-dev.txt requirements-alone.txt requirements-peers.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=24"
	$(BIN)/python -m pip install --quiet torch==2.13.0
	$(BIN)/python -m pip install --quiet -r requirements-dev.txt
	$(BIN)/python -m pip install --quiet --no-deps -r requirements-alone.txt
	$(BIN)/python -m pip install --quiet --no-deps --target $(VENV)/peers -r requirements-peers.txt
	$(BIN)/python -m pip install --quiet --editable .
	touch $(STAMP)

demo: env
	$(BIN)/assay demo

test: env
	$(BIN)/python -m pytest -n auto -m "not slow" tests

test-all: env
	ASSAY_OPTIMISE=1 $(BIN)/python -m pytest -n auto tests

# Writes the texts of errors to tests/messages.txt; ONLY="tests/cli tests/io" for some of the tests.
ONLY ?= tests
messages: env
	$(BIN)/python -m pytest -n auto --update-messages $(ONLY) || true
	git diff --stat -- tests/messages.txt

# Writes which forms of data metrics accept and which laws apply to tests/accepted.txt.
accepted: env
	PYTHONPATH=tests $(BIN)/python tests/accepted.py
	git diff --stat -- tests/accepted.txt

lint: env
	$(BIN)/ruff check --no-cache .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/mypy
	$(BIN)/python tools/generate.py --check
	$(BIN)/python tools/loss_stubs.py --check
	$(BIN)/python tools/layers.py
	$(BIN)/python tools/prose.py --check
	$(BIN)/python tools/count_any.py --check

stubs: env
	$(BIN)/python tools/generate.py
	$(BIN)/python tools/loss_stubs.py

bench: env
	$(BIN)/python -m pip install --quiet -r requirements-bench.txt
	$(BIN)/python -m benchmarks --write

# The peer pins an old setuptools, for which pip would exchange torch: its other needs are there already.
coverage: env
	$(BIN)/python -m pip install --quiet --no-deps confidenceinterval==1.0.5
	$(BIN)/python -m benchmarks.coverage --write

docs: env
	$(BIN)/python tools/docs.py

clean:
	rm -rf $(VENV) site

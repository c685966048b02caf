# Everything a person does here, by name. `make` alone shows the list.
SHELL := /bin/sh
PYTHON ?= python3
export PYTHON

PY := .venv/bin/python
PYTEST := $(PY) -m pytest
CODE := core accounts providers knowledge wiki sandbox agents integrations weknora_site tests benchmarks manage.py
# Two processes pay off for the whole suite; the last line of the last run tells how it went.
WORKERS ?= 2

.DEFAULT_GOAL := help
.PHONY: help setup run static quick check test fix snapshots words query-counts bench

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' Makefile

setup:  ## make .venv with the pinned packages (the others begin with it)
	@sh scripts/setup.sh dev
	@sh scripts/sandbox_python.sh
	@$(PY) scripts/translations.py compile

run:  ## start everything: database, broker, models, workers, web (Ctrl-C ends it)
	@sh scripts/setup.sh run
	@sh scripts/sandbox_python.sh
	@$(PY) scripts/translations.py compile
	@exec $(PY) manage.py start

static: setup
	.venv/bin/ruff format --check $(CODE)
	.venv/bin/ruff check $(CODE)
	.venv/bin/lint-imports
	.venv/bin/mypy $(filter-out benchmarks,$(CODE))
	$(PY) manage.py check
	$(PY) -W ignore::RuntimeWarning manage.py makemigrations --check --dry-run

check: static  ## static checks and the quick tests
	$(PYTEST) -q -m "not browser and not serial and not slow"

test: static  ## everything: static checks, browser tests, the whole suite
	@sh scripts/test_packages.sh
	$(PYTEST) -q -m browser || [ $$? -eq 5 ]
	$(PYTEST) -q -m "serial and not browser" || [ $$? -eq 5 ]
	$(PYTEST) -q -n $(WORKERS) --dist worksteal -m "not browser and not serial"

fix: setup  ## format, and mend what lint can mend by itself
	.venv/bin/ruff check --fix $(CODE)
	.venv/bin/ruff format $(CODE)

snapshots: setup  ## renew the snapshots that tests compare with
	$(PYTEST) -q -m "not browser" --inline-snapshot=fix,create

words: setup  ## bring the catalogues of the languages up to the code
	$(PY) scripts/translations.py update

query-counts: setup  ## record anew how many queries each page makes
	WEKNORA_RECORD_QUERY_COUNTS=1 $(PYTEST) -q -m "not browser" tests

bench: setup  ## run all benchmarks; each prints a table and its target
	@failed=0; \
	for script in benchmarks/[a-z]*.py; do \
	    [ -e "$$script" ] || continue; \
	    echo "== $$script"; \
	    $(PY) "$$script"; code=$$?; \
	    if [ $$code -eq 2 ]; then echo "skipped: it needs data that is not here"; \
	    elif [ $$code -ne 0 ]; then failed=1; fi; \
	done; exit $$failed

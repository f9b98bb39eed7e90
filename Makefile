# Two commands do all the set-up: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

BASE ?= HEAD

.PHONY: demo test test-busy bench bench-compare same-bytes torture clean

demo: $(VENV)/installed
	$(BIN)/chatham demo

test: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -n auto

# What wavers shows on a machine that has no time: every core kept busy, more workers than cores,
# three times over. The load ends with the runs, however they end.
test-busy: $(VENV)/installed-dev
	@load=; trap 'kill $$load 2>/dev/null' EXIT; trap 'exit 130' INT TERM; \
	for core in $$($(BIN)/python -c 'import os; print(*range(os.cpu_count()))'); do \
	  (while :; do :; done) & load="$$load $$!"; \
	done; \
	for run in 1 2 3; do $(BIN)/python -m pytest -n 8 || exit 1; done

# Side by side with peers; DATA=folder has the corpora, the bundled sample otherwise.
bench: $(VENV)/installed-dev
	$(BIN)/python -m benchmarks $(if $(DATA),--data "$(DATA)")
	$(BIN)/python -m benchmarks.online $(if $(DATA),--data "$(DATA)")
	$(BIN)/python -m benchmarks.ensembles $(if $(DATA),--data "$(DATA)")
	$(BIN)/python -m benchmarks.explorer $(if $(DATA),--data "$(DATA)")

# Is anything slower than at the revision BASE? Needs a machine that does nothing else.
bench-compare: $(VENV)/installed-dev
	$(BIN)/python benchmarks/before_after.py --base "$(BASE)" $(if $(DATA),--data "$(DATA)")

torture: $(VENV)/installed-dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[fuzz]'
	CHATHAM_TORTURE=1 $(BIN)/python -m pytest tests/cli/test_together.py -k nine
	CHATHAM_TORTURE=1 $(BIN)/python -m pytest -s tests/attacks
	$(BIN)/python -m tests.torture.run

# make same-bytes BASE=<revision> [EXCEPT='pattern pattern']: does anything that users see differ?
same-bytes: $(VENV)/installed-dev
	set -f; $(BIN)/python -m tests.same_bytes $(BASE) $(foreach row,$(EXCEPT),--except '$(row)')

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[explore,federation]'
	touch $@

$(VENV)/installed-dev: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@ $(VENV)/installed

clean:
	rm -rf $(VENV) build dist *.egg-info

# The chores of the project. `make demo` and `make test` need Python 3.11 or later and
# nothing else: the first target to need it creates .venv.

PYTHON ?= python3
BIN := .venv/bin
UV := $(BIN)/uv pip install --quiet --python $(BIN)/python --editable
PIP := $(BIN)/pip install --quiet --no-compile --editable
ORDERS ?= 1
PROCESSES ?= 1

# tests run side by side, and many of them start a Python of their own
check quick: export OPENBLAS_NUM_THREADS = 1
lint quick test: export MYPY_NUM_WORKERS = 2
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test quick lint check format bench scale papers accuracy docs docs-serve thorough clean

demo: .venv/installed
	$(BIN)/python examples/demo.py

test: .venv/developing lint check

lint: .venv/developing
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

check: .venv/developing
	$(BIN)/pytest -n auto --dist worksteal --durations 20

quick: .venv/developing lint  ## after an edit: what needs no other program, on few examples
	HYPOTHESIS_PROFILE=quick $(BIN)/pytest -q -n auto --dist worksteal -m "not heavy"

thorough: .venv/developing  ## the laws on many more examples
	HYPOTHESIS_PROFILE=thorough $(BIN)/pytest tests/laws

format: .venv/developing
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: .venv/developing
	$(BIN)/python -m benchmarks.fit
	$(BIN)/python -m benchmarks.many
	$(BIN)/python -m benchmarks.threads
	$(BIN)/python -m benchmarks.dictionaries
	$(BIN)/python -m benchmarks.kernel
	$(BIN)/python -m benchmarks.read
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.separate
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.widest
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.fixed_effects
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.sequences

scale: .venv/developing  ## learning on shards: accuracy, speed and cost of docs/scale.md
	$(BIN)/python -m benchmarks.cluster accuracy
	$(BIN)/python -m benchmarks.cluster speed
	$(BIN)/python -m benchmarks.cluster cost

papers: .venv/developing  ## make a paper's table again, and write docs/papers.md
	$(BIN)/python -m benchmarks.papers --orders $(ORDERS)

docs: .venv/developing  ## the site, in docs/build
	MPLBACKEND=Agg $(BIN)/python -m sphinx -q -W --keep-going -j auto docs docs/build

docs-serve: docs  ## the same, at http://localhost:8000
	$(BIN)/python -m http.server --bind localhost --directory docs/build 8000

accuracy: .venv/developing  ## test errors beside scikit-learn's, and write docs/accuracy.md; PROCESSES=16 for so many learners at a time
	$(BIN)/python -m benchmarks.accuracy --processes $(PROCESSES)

.venv/created:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "novikoff needs Python 3.11 or later")'
	$(PYTHON) -m venv .venv
	-$(BIN)/pip install --quiet --disable-pip-version-check uv
	touch $@

# uv takes seconds where pip takes minutes; pip knows registries that only its own settings name
.venv/installed: .venv/created pyproject.toml
	$(UV) . || $(PIP) .
	touch $@

.venv/developing: .venv/created pyproject.toml
	$(UV) '.[dev]' || $(PIP) '.[dev]'
	touch .venv/installed $@

clean:
	rm -rf docs/build docs/gallery docs/reference/command docs/reference/python .venv .cache .hypothesis .pytest_cache .mypy_cache .ruff_cache dist

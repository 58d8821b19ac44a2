# docpeek: two commands do everything on a fresh machine.
#
#   make run    set up, prepare the engine, show a sample document
#   make test   set up, prepare the engine, run the tests
#
# `make help` lists the rest.

SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do command -v $$p >/dev/null 2>&1 \
	&& $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
SAMPLE ?= assets/samples/welcome.docx
OUT ?= out

# What Qt and fonts need of the system, with and without a display.
APT_PACKAGES := fontconfig libdbus-1-3 libegl1 libfontconfig1 libgl1 libglib2.0-0 libxkbcommon0 \
	libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0 libxkbcommon-x11-0 \
	libwayland-cursor0 libwayland-egl1

LAB := preview_app/jupyter/labextension
CLEAN := build/clean
LAB_SHORT := 'type_opens or never_fetched or find_as_you or same_place or engine_that_dies or restarts or help_menu'

PIP := $(BIN)/python -m pip install -q --disable-pip-version-check
NO_PACKAGES := echo "The packages could not be fetched: check the network, or the index and proxy that pip is set to."; exit 1

# Hashes, never addresses: which index serves the packages is the machine's own setting.
LOCK_FLAGS := --universal --generate-hashes --no-emit-index-url --no-header

# Nothing is needed of npm once the engine lies in the cache.
NPM_CHECK := from engines.wasm import manifest, npm, prepared; \
	prepared.find() or npm.find_node_tools(manifest.load_manifest().needs)

MUTATION_GROUP := import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]["mutation"])

BENCHMARK_GROUP := import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]["benchmark"])

.PHONY: help run test test-corpus test-prepare test-x11 lint format setup system extras engine bench bench-engines stress fuzz soak soak-ui mutants lock wheel clean
.PHONY: lab lab-build lab-check lab-test lab-wheel-test lab-bench chromium

help: ## list the commands
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## /\1\t/' | expand -t 16

run: engine ## show a sample document: in a window, or rendered to PNG where there is no display
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ]; then \
		$(BIN)/docpeek open $(SAMPLE); \
	else \
		echo "There is no display: rendering $(SAMPLE) to pictures instead."; \
		$(BIN)/docpeek render $(SAMPLE) -o $(OUT); \
	fi

test: engine extras ## run the tests (offscreen)
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest -m "not slow and not lab" $(PYTEST_ARGS)

test-x11: engine extras ## run the tests of the window on a virtual X server (needs xvfb)
	QT_QPA_PLATFORM=xcb xvfb-run -a -s "-screen 0 1400x900x24" $(BIN)/python -m pytest tests/preview_app/desktop $(PYTEST_ARGS)

stress: setup extras ## ten thousand readers on the converter (minutes)
	$(BIN)/python -m pytest -m slow tests/stress/test_stress_converter.py $(PYTEST_ARGS)

soak: engine extras ## a thousand documents into each engine, then kills, cancels and deadlines at all moments (minutes)
	$(BIN)/python -m pytest -s -m slow tests/stress/test_soak.py tests/real/test_kills.py tests/real/test_given_up.py \
		tests/real/test_compare_engines.py $(PYTEST_ARGS)

# Nothing is left out for its length: the longest documents, two hundred readers on the real engine, and the inspection.
test-corpus: engine extras ## the whole corpus through both engines and the inspection (minutes)
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest tests/real/test_corpus.py tests/real/test_native_corpus.py \
		tests/real/test_inspection_corpus.py tests/real/test_converter_race.py $(PYTEST_ARGS)

test-prepare: setup ## prepare the WASM engine from nothing, in a cache of its own (minutes, 5 GB of memory, a network)
	$(BIN)/python -m pytest -m slow tests/real/test_prepare_real.py $(PYTEST_ARGS)

# `python -m tests.stress.soak_viewer --hours 1 --seed 7` repeats one.
soak-ui: setup extras ## two hours in the window with the pauses left out: flat memory, nothing left (minutes)
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest -s -m slow tests/stress/test_soak_viewer.py $(PYTEST_ARGS)

# DOCPEEK_FUZZ_SEED, DOCPEEK_FUZZ_COUNT and DOCPEEK_FUZZ_MINUTES bound it; `python -m tests.fuzz.fuzz_engines` has options.
fuzz: engine extras ## damaged documents into every engine that is there (a quarter of an hour at most)
	$(BIN)/python -m pytest -s -m slow tests/fuzz $(PYTEST_ARGS)

# By the fast tests of the core alone: the long random machine, the scenarios and the stress program are left out (see
# tool.mutmut in pyproject.toml). `make mutants MUTANTS='converter.cache*'` runs some. What may survive, and why, stands
# in tests/converter/MUTANTS.md.
mutants: setup extras ## mutation testing of the converter's core: the score of each file, and who survived (a quarter of an hour)
	@$(BIN)/python -c 'import mutmut' 2>/dev/null || $(BIN)/python -m pip install -q --disable-pip-version-check \
		$$($(BIN)/python -c '$(MUTATION_GROUP)')
	rm -rf mutants
	QT_QPA_PLATFORM=offscreen nice -n 19 $(BIN)/python -m mutmut run --max-children 1 $(MUTANTS)
	@$(BIN)/python -m tests.mutation_score

lint: setup extras ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: setup ## put the code into shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench-engines: engine ## the engines beside soffice and unoserver: time and memory (ten minutes)
	@$(BIN)/python -c 'import unoserver' 2>/dev/null || $(PIP) --no-deps $$($(BIN)/python -c '$(BENCHMARK_GROUP)') \
		|| echo "Going on without unoserver."
	$(BIN)/docpeek benchmark engines

bench: engine ## how fast documents become PDFs, side by side with soffice where it is installed
	$(BIN)/docpeek benchmark convert

setup: $(VENV)/.installed ## system packages (where apt may), virtual environment, dependencies

extras: $(VENV)/.extras-installed ## what the JupyterLab plugin, the inspection and their tests need as well

engine: setup ## prepare the WASM engine: once a machine, two minutes; kept in the user's cache
	@$(BIN)/python -c '$(NPM_CHECK)' 2>/dev/null || { echo "There is no usable npm: installing one into $(VENV) ..."; \
		$(PIP) --require-hashes -r requirements-node.lock || { $(NO_PACKAGES); }; }
	@$(BIN)/docpeek engines prepare

system:
	@missing=$$(command -v dpkg-query >/dev/null && for p in $(APT_PACKAGES); do \
		dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || echo $$p; done); \
	if [ -z "$$(echo $$missing)" ]; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ]; then sudo=; elif sudo -n true 2>/dev/null; then sudo=sudo; else \
		echo "These system packages are missing, and only root may install them:"; \
		echo "    sudo apt-get install --no-install-recommends" $$missing; \
		echo "Going on without them: the window may not open."; exit 0; fi; \
	echo "Installing system packages:" $$missing; \
	{ $$sudo apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
		$$sudo apt-get install -y -qq --no-install-recommends $$missing >/dev/null; } || \
		echo "They could not be installed; going on without them: the window may not open."

# Debian's Python may lack the module that puts pip into a virtual environment; its own pip can do that as well.
$(VENV)/.installed: pyproject.toml requirements.lock
	@if [ -z "$(PYTHON)" ]; then echo "Python 3.11 or newer is needed; none was found on PATH."; exit 1; fi
	@$(MAKE) --no-print-directory system
	@if ! $(BIN)/python -c 'import pip, sys; sys.exit(sys.prefix == sys.base_prefix)' 2>/dev/null; then \
		echo "Making $(VENV) ..."; rm -rf $(VENV); \
		if $(PYTHON) -c 'import ensurepip' 2>/dev/null; then $(PYTHON) -m venv $(VENV); \
		else $(PYTHON) -m venv --without-pip $(VENV) && $(PYTHON) -m pip -q --python $(BIN)/python install pip; fi || { \
			rm -rf $(VENV); echo "Could not make a virtual environment with $(PYTHON): install python3-venv."; exit 1; }; \
	fi
	@echo "Installing the dependencies (once, about half a minute) ..."
	@$(PIP) --require-hashes -r requirements.lock || { $(NO_PACKAGES); }
	@$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.extras-installed: $(VENV)/.installed requirements-extras.lock
	@echo "Installing what the JupyterLab plugin and the inspection need (once, about half a minute) ..."
	@$(PIP) --require-hashes -r requirements-extras.lock || { $(NO_PACKAGES); }
	@touch $@

lock: ## write the lock files anew (needs uv)
	uv pip compile -q pyproject.toml --extra desktop --extra crypto --group dev --group build $(LOCK_FLAGS) \
		-o requirements.lock
	uv pip compile -q pyproject.toml --extra jupyter --extra inspect --extra dask --group extras -c requirements.lock \
		$(LOCK_FLAGS) -o requirements-extras.lock
	uv pip compile -q --group node $(LOCK_FLAGS) -o requirements-node.lock

lab: engine lab-build ## JupyterLab with the extension, in a folder of samples
	$(BIN)/python -m tests.lab.show

lab-build: extras $(LAB)/build/.built ## build the JupyterLab extension from source (fetches an npm client where there is none)

lab-check: lab-build ## types, style and tests of the extension's parts
	cd $(LAB) && export PATH=$(CURDIR)/$(BIN):$$PATH && npm run -s check && npm run -s lint && npm run -s test

lab-test: engine lab-check chromium ## test the extension in a real JupyterLab with Chromium (minutes)
	$(BIN)/python -m pytest -m lab tests/lab $(PYTEST_ARGS)

# As a user gets it: the wheel with its declared dependencies, at the tested versions, in an environment without Node.
lab-wheel-test: engine wheel lab-check chromium ## install the wheel into a clean environment, and look at documents in its JupyterLab
	rm -rf $(CLEAN) && $(BIN)/python -m venv --without-pip $(CLEAN)
	sed -nE 's/^([A-Za-z0-9._-]+==.*) \\$$/\1/p' requirements.lock requirements-extras.lock | sort -u > $(CLEAN)/constraints.txt
	$(BIN)/python -m pip -q --disable-pip-version-check --python $(CLEAN)/bin/python install -c $(CLEAN)/constraints.txt jupyterlab \
		"$$(ls -t dist/docpeek-*.whl | head -1)[jupyter]" || { $(NO_PACKAGES); }
	DOCPEEK_LAB_PYTHON=$(CURDIR)/$(CLEAN)/bin/python $(BIN)/python -m pytest -m lab tests/lab -k $(LAB_SHORT) $(PYTEST_ARGS)

lab-bench: engine lab-build chromium ## from the click to the first page in JupyterLab: cold, converted ahead, again
	$(BIN)/python -m tests.lab.benchmark

chromium:
	@command -v chromium chromium-browser google-chrome >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
		echo "Installing chromium ..." && apt-get update -qq && \
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; } || \
		echo "There is no Chromium (apt-get install chromium): the tests that need it are skipped."

$(LAB)/build/.built: $(LAB)/package-lock.json $(LAB)/tsconfig.json $(LAB)/schema/plugin.json \
		$(wildcard $(LAB)/src/* $(LAB)/style/*)
	@command -v npm >/dev/null || test -x $(BIN)/npm || { echo "There is no npm: installing one into $(VENV) ..."; \
		$(PIP) --require-hashes -r requirements-node.lock || { $(NO_PACKAGES); }; }
	@$(BIN)/python $(LAB)/hatch_build.py && touch $@

wheel: lab-build ## build the wheel into dist/
	$(BIN)/python -m hatchling build -t wheel

clean: ## remove what was built here (the prepared engine stays: `docpeek engines remove`)
	rm -rf build $(LAB)/build $(LAB)/lib $(LAB)/node_modules
	rm -rf $(VENV) $(OUT) dist mutants .mypy_cache .ruff_cache .pytest_cache .hypothesis

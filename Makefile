# Every goal sets the machine up first; a second run with nothing changed does no network access.
#   PYTHONS="3.8 3.10"  narrows the interpreters      JOBS=2  limits the compile jobs
SHELL := /bin/bash
TOOLS := tests/tools
# The first interpreter that the set-up for this goal chose.
PYTHON = build/venv/$$(cut -d' ' -f1 build/stamps/versions-$@)/bin/python
ARGS ?=

export PYTHONS JOBS

.PHONY: run test test-gpu bench-gpu gpu-bundle python3.14 test-oracle zoo zoo-speed soak build bench bench-peers docs wheel lint format clean
build:
	@$(TOOLS)/setup.sh build

run:
	@$(TOOLS)/setup.sh run
	@$(PYTHON) -m msjit examples/train_digits.py $(ARGS)

test:
	@$(TOOLS)/setup.sh test
	@$(PYTHON) $(TOOLS)/run_tests.py $(ARGS)

# On this machine's GPU. gpu-bundle packs what another machine needs for both: see tests/tools/gpu_bundle.py.
test-gpu:
	@$(TOOLS)/setup.sh test
	@build/venv/$$(cut -d' ' -f1 build/stamps/versions-test)/bin/python -m pytest -q -p no:cacheprovider tests/gpu $(ARGS)

bench-gpu:
	@$(TOOLS)/setup.sh test
	@build/venv/$$(cut -d' ' -f1 build/stamps/versions-test)/bin/python tests/gpu/bench_gpu.py $(ARGS)

gpu-bundle:
	@$(TOOLS)/setup.sh test
	@build/venv/$$(cut -d' ' -f1 build/stamps/versions-test)/bin/python $(TOOLS)/gpu_bundle.py $(ARGS)

# CPython 3.14 in build/python, for machines that have none.
python3.14:
	@$(TOOLS)/build_python.sh

test-oracle:
	@$(TOOLS)/setup.sh test-oracle
	@$(PYTHON) tests/oracle/run.py $(ARGS)

zoo:
	@$(TOOLS)/setup.sh zoo
	@$(PYTHON) tests/zoo/run.py $(ARGS)

zoo-speed:
	@$(TOOLS)/setup.sh zoo
	@MSJIT_SYNC_COMPILE=1 PYTHONPATH=build/zoo/packages build/venv/$$(cut -d' ' -f1 build/stamps/versions-zoo)/bin/python -m msjit --mode eager --alias mindspore tests/zoo/speed.py $(ARGS)

soak:
	@$(TOOLS)/setup.sh test
	@build/venv/$$(cut -d' ' -f1 build/stamps/versions-test)/bin/python $(TOOLS)/soak.py $(ARGS)

bench:
	@$(TOOLS)/setup.sh bench
	@$(PYTHON) tests/bench/run.py $(ARGS)

bench-peers:
	@$(TOOLS)/setup.sh bench-peers

docs:
	@$(TOOLS)/setup.sh docs
	@$(PYTHON) $(TOOLS)/gen_api.py build/docs
	@NO_MKDOCS_2_WARNING=1 build/venv/docs/bin/python -m mkdocs build --strict
	@echo "msjit: open build/site/index.html"

# A wheel for one interpreter, tried in a clean environment: PYTHONS=3.11 names it.
wheel:
	@$(TOOLS)/setup.sh wheel
	@$(TOOLS)/check_wheel.sh "$$(cut -d' ' -f1 build/stamps/versions-wheel)"

lint:
	@$(TOOLS)/setup.sh lint
	@build/venv/tools/bin/python $(TOOLS)/lint.py $(ARGS)

format:
	@$(TOOLS)/setup.sh lint
	@build/venv/tools/bin/python $(TOOLS)/lint.py --format

clean:
	@rm -rf build

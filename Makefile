# The commands one needs (CONTRIBUTING.md says how long each takes):
#
#   make demo     installs what is missing, builds, runs the main job under a short budget, checks the result
#   make test     installs what is missing, builds, runs the units and the whole programs
#   make check    what continuous integration runs: besides, lint, documentation, sanitizers, mutants, examples, fuzz corpora
#   make full     everything in its long form: hours
#   make bench    the numbers and their gates, on a machine that does nothing else
.PHONY: demo test check full build setup bench install clean coverage mutants tables fuzz soak simulate acceptance

export PATH := $(PATH):/opt/swift/usr/bin
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 30
# Start-up time matters: people prefix every command with `stint exec`. So all libraries are inside `stint` where there are archives of them; the
# other programs load the C library and what they are about, such as libvips.
STATIC := $(CURDIR)/.build/static
RELEASE := STINT_RELEASE=$$(scripts/static-libraries $(STATIC)) swift build -c release --static-swift-stdlib --pkg-config-path $(STATIC)/pkgconfig -Xlinker -L$(STATIC) \
  --disable-local-rpath

build: setup
	$(RELEASE) --product stint
	$(RELEASE) --product stint-images
	$(RELEASE) --product stint-bench

demo: build
	scripts/demo

test: setup
	scripts/check test

check: setup
	scripts/check check

full: setup
	scripts/check full

setup:
	@scripts/setup

# What of StintCore and the store the tests reach; fails for a line that is neither reached nor listed with its reason.
coverage: setup
	scripts/coverage

# The tables of the machines in docs/machines, from the rows that the tests run.
tables: setup
	scripts/tables

mutants: setup
	python3 Tests/Mutants/runner_test.py
	scripts/mutants

# The planted faults, then all targets in FUZZ_SECONDS together; scripts/fuzz TARGET SECONDS is for longer.
fuzz: setup
	FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/fuzz

# On a machine that does nothing else; it says so and judges nothing if that is not so.
bench: build
	$$($(RELEASE) --show-bin-path)/stint-bench micro --check
	$$($(RELEASE) --show-bin-path)/stint-bench hard-stop --check

# The main job in full size: short budgets, kills, the shell's loop, the hard stop. Then images, commands and batches.
acceptance: build
	scripts/acceptance
	scripts/acceptance-images
	scripts/acceptance-fibonacci

# A million lives of a worker, each step against every invariant.
simulate: build
	$(RELEASE) --product stint-simulate
	$$($(RELEASE) --show-bin-path)/stint-simulate --runs 1000000

# The end-to-end tests in their long form: a thousand kills.
soak: setup
	STINT_FULL=1 swift test --disable-xctest --filter EndToEndTests

# Where the programs are that are installed; the tests install those of their own build.
BIN = $$($(RELEASE) --show-bin-path)

# Stripped, with the symbols in a folder .debug beside each program, where debuggers look for them.
install: build
	bin="$(BIN)"; root="$(DESTDIR)$(PREFIX)"; \
	for place in bin/stint libexec/stint/stint-images; do \
	  folder="$$root/$$(dirname $$place)" name=$$(basename $$place) && install -d "$$folder/.debug" && \
	  objcopy --only-keep-debug "$$bin/$$name" "$$folder/.debug/$$name.debug" && chmod 644 "$$folder/.debug/$$name.debug" && \
	  objcopy --strip-all --add-gnu-debuglink="$$folder/.debug/$$name.debug" "$$bin/$$name" "$$folder/$$name" && \
	  chmod 755 "$$folder/$$name" || exit 1; \
	done

clean:
	rm -rf .build Fuzz/.build

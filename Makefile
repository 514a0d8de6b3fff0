# The commands (CONTRIBUTING.md says how long each takes):
#
#   make demo     installs what is missing, builds stint, runs the main job under a short budget, checks the result
#   make test     installs what is missing, builds, runs the units and the whole programs
#   make slurm    chains of slices on a real Slurm of two nodes, which it starts and stops; as root
#   make check    what continuous integration runs: besides, lint, documentation, sanitizers, mutants, examples
#   make full     everything in its long form: about two and a half hours
#   make bench    the numbers and their gates, on a machine that does nothing else
.PHONY: demo test slurm check full build stint setup bench install clean coverage mutants tables fuzz soak simulate acceptance

export PATH := $(PATH):/opt/swift/usr/bin
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 30
# Start-up time matters: people prefix every command with `stint exec`. So `stint` is linked statically with every library that has an archive;
# the other programs load the C library and what they work with, such as libvips.
STATIC := $(CURDIR)/.build/static
RELEASE := STINT_RELEASE=$$(scripts/static-libraries $(STATIC)) swift build -c release --static-swift-stdlib --pkg-config-path $(STATIC)/pkgconfig -Xlinker -L$(STATIC) \
  --disable-local-rpath

# All programs.
build: stint
	$(RELEASE) --product stint-images
	$(RELEASE) --package-path Benchmarks --scratch-path .build/benchmarks --product stint-bench
	ln -f .build/benchmarks/release/stint-bench .build/release/stint-bench

stint: setup
	$(RELEASE) --product stint

demo: stint
	scripts/demo

slurm: setup
	scripts/check slurm

test: setup
	scripts/check test

check: setup
	scripts/check check

full: setup
	scripts/check full

setup:
	@scripts/setup

# Which lines of StintCore and the store the tests run; fails for one that is neither run nor listed with a reason.
coverage: setup
	scripts/coverage

# Writes the state machines' tables in docs/machines, from the rows that the tests run.
tables: setup
	scripts/tables

mutants: setup
	python3 Tests/Mutants/runner_test.py
	scripts/mutants

# The planted faults, then all targets, FUZZ_SECONDS in all; for longer: scripts/fuzz TARGET SECONDS.
fuzz: setup
	FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/fuzz

# On a machine that does nothing else: on a busy one it ends with 69 and judges nothing.
bench: build
	$$($(RELEASE) --show-bin-path)/stint-bench micro --check
	$$($(RELEASE) --show-bin-path)/stint-bench hard-stop --check
	$$($(RELEASE) --show-bin-path)/stint-bench exec --check
	$$($(RELEASE) --show-bin-path)/stint-bench queue --check

# The main job in full size: short budgets, kills, the shell's loop, the hard stop. Then images, commands and batches.
acceptance: build
	scripts/acceptance
	scripts/acceptance-images
	scripts/acceptance-fibonacci

# A million simulated lives of a worker; every invariant is checked after every step.
simulate: build
	$(RELEASE) --product stint-simulate
	$$($(RELEASE) --show-bin-path)/stint-simulate --runs 1000000

# The end-to-end tests in their long form: a thousand kills.
soak: setup
	STINT_FULL=1 swift test --disable-xctest --filter EndToEndTests

# The folder of the programs to install; the tests name that of their own build.
BIN = $$($(RELEASE) --show-bin-path)

# Stripped, with the symbols in a folder .debug beside each program, where debuggers look for them.
install: build
	bin="$(BIN)"; root="$(DESTDIR)$(PREFIX)"; \
	for place in bin/stint libexec/stint/stint-images; do \
	  folder="$$root/$$(dirname $$place)" name=$$(basename $$place) && install -d "$$folder/.debug" && \
	  objcopy --only-keep-debug "$$bin/$$name" "$$folder/.debug/$$name.debug" && chmod 644 "$$folder/.debug/$$name.debug" && \
	  objcopy --strip-all --add-gnu-debuglink="$$folder/.debug/$$name.debug" "$$bin/$$name" "$$folder/$$name" && \
	  chmod 755 "$$folder/$$name" || exit 1; \
	done; \
	install -d "$$root/share/doc/stint/LICENSES" && install -m 644 LICENSE NOTICE "$$root/share/doc/stint" && \
	install -m 644 LICENSES/* "$$root/share/doc/stint/LICENSES" && install -d "$$root/lib/systemd/user" && \
	for unit in packaging/systemd/*; do \
	  sed "s#^ExecStart=stint#ExecStart=$(PREFIX)/bin/stint#" "$$unit" > "$$root/lib/systemd/user/$$(basename $$unit)" && \
	  chmod 644 "$$root/lib/systemd/user/$$(basename $$unit)" || exit 1; \
	done

clean:
	rm -rf .build Benchmarks/.build Fuzz/.build

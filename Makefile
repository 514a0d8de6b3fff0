# make demo    installs what is missing, builds, runs the main job under a short budget, checks the result
# make test    installs what is missing, builds, runs all tests and the mutants
# make check   what CI runs: lint, documentation, sanitizers, fuzz targets, then make test
.PHONY: demo test check build setup lint docs coverage mutants tables tsan asan fuzz bench install clean unit examples acceptance soak simulate

export PATH := $(PATH):/opt/swift/usr/bin
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 30
# Statically linked, so that starting costs a few milliseconds and the program runs where no Swift is: `stint` as a whole where that can be, the others with GMP,
# xxHash and the C++ library inside and nothing to look for beside the program. Those count it who put `stint exec` before each of their commands.
STATIC := $(CURDIR)/.build/static
RELEASE := STINT_RELEASE=$$(scripts/static-libraries $(STATIC)) swift build -c release --static-swift-stdlib --pkg-config-path $(STATIC)/pkgconfig -Xlinker -L$(STATIC) \
  --disable-local-rpath
# End-to-end tests spawn the programs and measure time; simulated lives, scenarios, lockstep, tables and numbers in full size are pure and
# long: neither means much under a sanitizer.
SANITIZED_TESTS := --skip EndToEndTests --skip TidyTests --skip SimulationTests --skip StintLockstepTests --skip MachineTable \
  --skip FullSizeTests --skip StintScenariosTests

build: setup
	$(RELEASE) --product stint
	$(RELEASE) --product stint-images
	$(RELEASE) --product stint-bench

demo: build
	scripts/demo

test: setup mutants
	$(MAKE) --no-print-directory unit

check: setup
	scripts/lint
	scripts/docs
	scripts/example
	$(MAKE) --no-print-directory tsan
	$(MAKE) --no-print-directory asan
	$(MAKE) --no-print-directory fuzz
	$(MAKE) --no-print-directory test

# Last in every chain: its closing lines are the ones to look at.
unit: examples
	scripts/unit

# Packages of their own: they see what an embedder sees, and are tested as an embedder would where they have tests. Tests/Clients is code as
# it was written for iOS, in both language modes, and a program that takes Stint without the trait Images and so without libvips.
examples:
	@for package in $(dir $(wildcard Examples/*/Package.swift)) Tests/Clients/; do \
	  if [ -d $$package/Tests ]; then command="swift test --disable-xctest"; else command="swift build"; fi; \
	  echo "$$command --package-path $$package"; $$command --package-path $$package || exit 1; \
	done
	@clients=$$(swift build --package-path Tests/Clients --show-bin-path) && \
	for client in OlderClient NewerClient WithoutImages; do \
	  timeout 60 "$$clients/$$client" 2>/dev/null || { echo "$$client failed."; exit 1; }; \
	  if ldd "$$clients/$$client" | grep -q libvips; then echo "$$client needs libvips."; exit 1; fi; \
	done

setup:
	@scripts/setup

lint:
	scripts/lint

docs: setup
	scripts/docs

# What of StintCore and the store the tests reach; fails for a line that is neither reached nor listed with its reason.
coverage: setup
	scripts/coverage

# The tables of the machines in docs/machines, from the rows that the tests run.
tables: setup
	scripts/tables

mutants: setup
	python3 Tests/Mutants/runner_test.py
	scripts/mutants

# Not the images: libvips hands pixels from thread to thread under GLib's own locks, which are bare futexes that the sanitizer
# does not see. Nor the starting of commands: its runtime does not survive the fork inside.
tsan: setup
	swift build --build-tests --sanitize thread --scratch-path .build/tsan
	TSAN_OPTIONS=halt_on_error=1 scripts/tests --sanitize thread \
	  --scratch-path .build/tsan $(SANITIZED_TESTS) --skip StintImagesTests --skip CommandProcessTests

asan: setup
	swift build --build-tests --sanitize address --scratch-path .build/asan
	ASAN_OPTIONS=detect_leaks=1 LSAN_OPTIONS=suppressions=$(CURDIR)/Tests/leaks.supp scripts/tests --sanitize address \
	  --scratch-path .build/asan $(SANITIZED_TESTS)

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
	STINT_LONG_TESTS=1 swift test --disable-xctest --filter EndToEndTests

# Where the programs are that are installed; the tests install those of their own build.
BIN = $$($(RELEASE) --show-bin-path)

install: build
	bin="$(BIN)" && install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/libexec/stint" && \
	install -m 755 "$$bin/stint" "$(DESTDIR)$(PREFIX)/bin/stint" && \
	install -m 755 "$$bin/stint-images" "$(DESTDIR)$(PREFIX)/libexec/stint/stint-images"

clean:
	rm -rf .build Fuzz/.build

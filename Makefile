# The kit needs no Makefile: copy a header. This one builds what stands around it: the lessons, the tests, and the systems in
# examples/, each of which says in a rules.mk of its own what it consists of.
# Settings: make CC=clang CFLAGS='-O3' BUILD=build/other V=1 PREFIX=/usr DESTDIR=/tmp/package
# It uses every core; make -j1 does one thing after another.

CFLAGS  ?= -std=c99 -O2 -Wall -Wextra
BUILD   ?= build
PREFIX  ?= /usr/local

# Several goals (make clean demo) come one after another: they are not made for running side by side.
ifeq ($(filter -j% --jobs%,$(MAKEFLAGS))$(word 2,$(MAKECMDGOALS)),)
MAKEFLAGS += -j$(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
endif

#: make demo     predict an LU factorization on the paper's cluster and on this machine
#: make test     run every test and lesson; one of them: make test ONLY=test_simkit_clock, or several: ONLY='star guide.md'
#: make bench    measure the kit, beside its rivals: an hour; QUICK=1 for less, INSTALL=1 to get the rivals; ONLY=server for one part
#: make validate predict runs on a testbed of slow nodes, then run them there: as root, four hours, and it should be quiet;
#:               ONLY=messages for one family; QUICK=1 for half an hour; RANDOM=100 SEED=7 for so many drawn testbeds
#: make live     compare with this machine's own scheduler and caches: five minutes, and it should be quiet
#: make check    the headers in every compiler, standard and order; the tests under sanitizers; PART='headers fuzz' for parts
#: make coverage which lines, branches and conditions of the headers the tests run; MISSED=1 lists the others
#: make mutate   makes COUNT=1000 small mistakes in the headers, one at a time: do the tests notice? Hours
#: make fuzz     random bytes into every reader and through every writer, an hour each; FUZZ_SECONDS=60 for a minute; ONLY=machines
#: make soak     random programs for the engine, and what else is worth hours: SOAK_HOURS of it, 4 if not set
#: make page     the page for teaching, into build/page/index.html: one file, which needs a browser and nothing else
#: make docs     the reference, into build/docs/html
#: make install  the headers into /usr/local/include (PREFIX, DESTDIR), for pkg-config and CMake as well; make uninstall
#: make amalgam  all headers as one file that needs no stb_ds.h: build/simkit_amalgam.h
#: make format   clang-format, in place
#: make clean    remove build
#:
#: Also make build/NAME: server, sweep, goal, factor, simrun, simcc, simthreads, tests/test_simkit_clock, examples/star ...
.PHONY: help demo test tests programs bench live testbed validate check coverage mutate fuzz soak page docs install uninstall amalgam format clean FORCE
.DELETE_ON_ERROR:
help:
	@sed -n 's/^#: \{0,1\}//p' Makefile

export CC BUILD ONLY
say      = $(if $(V),,@echo '$@';)
flags    = $(CPPFLAGS) $(CFLAGS) -I. -Iexamples/flowgraph
depends  = -MMD -MP -MT $@ -MF $@.d
# The bodies of the headers take gcc ten seconds. They are compiled once, into kit.o; all else sees the declarations alone. Tests
# that look inside have a body of their own, at the level OWN: optimizing it takes longer than they run.
KIT     := $(BUILD)/kit.o
declare := -include tests/declare.h -Werror=implicit-function-declaration
# BODIES: flags for kit.o alone; where all else is not optimized (tests/check/run), the bodies may be.
OWN     ?= $(if $(filter file,$(origin CFLAGS)),-O0)

# What a rules.mk may change for its own files, all private: the compiler, the bodies, further flags, the libraries.
compiler  = $(CC)
body      = $(declare)
local     =
libraries = -lm -pthread
sources   =

HEADERS  := simkit.h netmodel.h contention.h $(wildcard util/*.h)
# Programs of which somebody says what they consist of; the first prerequisite that is a source is compiled and linked at once.
linked   :=
objects   = $(patsubst %.c,$(BUILD)/%.o,$(filter-out $(2:%=$1/%.c),$(wildcard $1/*.c)))
tests_of  = $(patsubst %.c,$(BUILD)/tests/%,$(notdir $(wildcard tests/$1/test_*.c tests/$1/paper_*.c)))
SOURCES  := $(wildcard tests/test_*.c tests/paper_*.c tests/*/test_*.c tests/*/paper_*.c)
TESTS    := $(patsubst %.c,$(BUILD)/tests/%,$(notdir $(SOURCES)))
INSIDE   := $(call tests_of,inside)
LESSONS  := $(patsubst %.c,$(BUILD)/examples/%,$(notdir $(wildcard examples/*.c examples/studies/*.c examples/tools/*.c)))
# What tests and lessons run beside themselves; each names below what it needs of it.
RUN      :=

include $(sort $(wildcard examples/*/rules.mk tests/*/rules.mk packages/rules.mk))

demo: $(BUILD)/demo
	@mkdir -p $(BUILD)/demo-out
	@$(BUILD)/demo --out $(BUILD)/demo-out

test: tests
	@JOBS=$(patsubst -j%,%,$(filter -j%,$(MAKEFLAGS))) tests/run

# With ONLY, what is named and nothing else; of a page, the programs that it runs.
page_runs = $(shell grep -hoE '^<!-- \$$ .*' $(wildcard $1 docs/$1) /dev/null | grep -oE 'build/[A-Za-z0-9_/]+' | sed 's|^build|$(BUILD)|')
ifdef ONLY
tests: $(filter $(ONLY:%=$(BUILD)/tests/%),$(TESTS)) $(filter $(ONLY:%=$(BUILD)/examples/%),$(LESSONS)) \
    $(foreach page,$(filter %.md,$(ONLY)),$(KIT) $(filter $(call page_runs,$(page)),$(LESSONS) $(RUN)))
else
tests: $(TESTS) $(LESSONS) $(RUN)
endif
programs: $(RUN)

check:
	@tests/need cc stb_ds cmocka gcc g++ clang clang++ gcc-sanitizers clang-sanitizers lld
	@tests/check/run $(PART)

coverage:
	@tests/need cc stb_ds cmocka clang-19
	@tests/trust/coverage $(if $(MISSED),--missed)

mutate:
	@tests/need gcc stb_ds cmocka clang-19 tcc
	@tests/trust/mutate $(if $(COUNT),--count $(COUNT)) $(if $(SEED),--seed $(SEED))

fuzz: # FUZZ_SECONDS for each target, two at a time
	@tests/fuzz/run $(or $(FUZZ_SECONDS),3600) $(ONLY)

soak:
	@tests/need cc stb_ds clang gcc-sanitizers
	@tests/soak

docs:
	@tests/need doxygen python3 nodejs
	@rm -rf $(BUILD)/docs
	@mkdir -p $(BUILD)/docs
	@BUILD=$(BUILD) doxygen docs/Doxyfile
	@cp -r examples LICENSE docs/*.csv $(BUILD)/docs/html
	@docs/html/index.py $(BUILD)/docs/html
	@nodejs docs/html/check.js $(abspath $(BUILD)/docs/html)
	@echo '$(BUILD)/docs/html/index.html'

format:
	@tests/need clang-format
	clang-format -i $(HEADERS) $(wildcard examples/*.c examples/*/*.[ch] tests/*.[ch] tests/*/*.[ch])

clean:
	rm -rf $(BUILD)

# What is missing on this machine is named or installed before the first compilation, once for each compiler and its flags.
things_demo := cc stb_ds
things_test := cc stb_ds cmocka
things_zlib := zlib
things_page := cc stb_ds emscripten esbuild
$(BUILD)/have/%: $(BUILD)/flags
	@mkdir -p $(@D)
	@tests/need $(things_$*) && touch $@

# Another compiler or other flags rebuild everything: the file changes only when the words in it do.
words = $(CC) $(flags) $(BODIES) $(OWN) $(LDFLAGS)
$(BUILD)/flags: FORCE
	@mkdir -p $(BUILD)
	@echo '$(words)' | cmp -s - $@ || echo '$(words)' > $@

$(KIT): tests/kit.c $(BUILD)/flags | $(BUILD)/have/demo
	$(say) $(CC) $(flags) $(BODIES) $(depends) -c $< -o $@

$(BUILD)/%.o: %.c $(BUILD)/flags | $(BUILD)/have/demo
	@mkdir -p $(@D)
	$(say) $(compiler) $(flags) $(body) $(local) $(depends) -c $< -o $@

$(linked):
	$(say) $(compiler) $(CFLAGS) $(LDFLAGS) $(filter %.o,$^) -o $@ $(libraries)

# Tests and lessons: a source (or `sources`; the others among the prerequisites are included by it), perhaps objects of a system,
# and the bodies. The second line of a lesson is the command that builds it; `make check` runs that command.
at_once = $(say) mkdir -p $(@D) && $(compiler) $(flags) $(body) $(local) $(depends) $(LDFLAGS) $(or $(sources),$(firstword $(filter %.c,$^))) $(filter %.o,$^) -o $@ $(libraries)
$(foreach file,$(SOURCES),$(eval $(BUILD)/tests/$(basename $(notdir $(file))): $(file)))
$(foreach file,$(wildcard examples/*.c examples/studies/*.c examples/tools/*.c),$(eval $(BUILD)/examples/$(basename $(notdir $(file))): $(file)))
$(INSIDE): private body = $(OWN)
$(INSIDE): $(BUILD)/flags
$(filter-out $(INSIDE),$(TESTS)) $(LESSONS): $(KIT)
$(TESTS): private libraries += -lcmocka
$(TESTS): | $(BUILD)/have/test
$(BENCHES): $(BUILD)/flags | $(BUILD)/have/demo
$(TESTS) $(LESSONS) $(BENCHES):
	$(at_once)

-include $(wildcard $(addprefix $(BUILD)/,*.d tests/*.d tests/*/*.d examples/*.d examples/*/*.d threads/*.d bench/*.d page/objects/*.d page/objects/examples/*/*.d))

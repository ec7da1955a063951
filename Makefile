# The kit needs no Makefile: copy a header. This one runs what stands around it.
# Settings: make CC=clang CFLAGS='-O3' BUILD=build/other V=1 PREFIX=/usr DESTDIR=/tmp/package
# It uses every core; make -j1 does one thing after another. make test ONLY='test_simkit_clock star' runs these.

CFLAGS  ?= -std=c99 -O2 -Wall -Wextra
BUILD   ?= build
PREFIX  ?= /usr/local

# Several goals (make clean demo) come one after another: they are not made for running side by side.
ifeq ($(filter -j% --jobs%,$(MAKEFLAGS))$(word 2,$(MAKECMDGOALS)),)
MAKEFLAGS += -j$(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
endif

HEADERS := simkit.h netmodel.h contention.h
# Lessons, studies and tools are built as $(BUILD)/examples/NAME, tests as $(BUILD)/tests/NAME, from whatever folder.
LESSONS := $(patsubst %.c,$(BUILD)/examples/%,$(notdir $(wildcard examples/*.c examples/studies/*.c examples/tools/*.c)))
TESTED  := $(wildcard tests/test_*.c tests/paper_*.c tests/*/test_*.c tests/*/paper_*.c)
TESTS   := $(patsubst %.c,$(BUILD)/tests/%,$(notdir $(TESTED)))
vpath test_%.c tests tests/flowgraph tests/messages tests/threads tests/page tests/schedulers tests/server tests/sweep tests/tools tests/goal
vpath paper_%.c tests tests/flowgraph
vpath %.c examples examples/studies examples/tools
LIVES   := $(patsubst tests/live/%.c,$(BUILD)/live/%,$(wildcard tests/live/*.c))
BENCHES := $(patsubst tests/bench/%.c,$(BUILD)/bench/%,$(wildcard tests/bench/*.c))
# Of examples/flowgraph: what its programs share, and the programs.
GRAPH   := $(patsubst %,$(BUILD)/flowgraph/%.o,flowgraph flowgraph_net record options forecast kernels lu points stencil farm)

# Of examples/server: everything but its program.
SERVER  := $(patsubst examples/server/%.c,$(BUILD)/serving/%.o,$(filter-out $(patsubst %,examples/server/%.c,main alone largest giving_back),$(wildcard examples/server/*.c)))
SERVED  := $(patsubst %.c,$(BUILD)/tests/%,$(notdir $(wildcard tests/server/test_*.c)))

# Of examples/sweep: the library, and the program with its models. Its kernels are never run, so it takes no BLAS along.
SWEEPER := $(patsubst examples/sweep/%.c,$(BUILD)/sweeping/%.o,$(filter-out $(patsubst %,examples/sweep/%.c,main),$(wildcard examples/sweep/*.c)))
MODELS  := $(SERVER) $(filter-out %/kernels.o,$(GRAPH)) $(BUILD)/sweeping/kernels.o
SWEPT   := $(patsubst %.c,$(BUILD)/tests/%,$(notdir $(wildcard tests/sweep/test_*.c)))

# Of examples/goal: everything but its program.
GOAL    := $(patsubst examples/goal/%.c,$(BUILD)/recorded/%.o,$(filter-out examples/goal/main.c,$(wildcard examples/goal/*.c)))
GOALS   := $(patsubst %.c,$(BUILD)/tests/%,$(notdir $(wildcard tests/goal/test_*.c)))

# Of examples/page: everything but the two programs, for the command line and for the browser; and what it takes along, without
# real runs and without BLAS.
PAGE    := $(patsubst examples/page/%.c,$(BUILD)/paging/%.o,$(filter-out $(patsubst %,examples/page/%.c,main browser),$(wildcard examples/page/*.c)))
TAUGHT  := $(patsubst %,examples/server/%.c,simulate server policies malleable particular work programs report) \
    $(patsubst %,examples/flowgraph/%.c,flowgraph flowgraph_simulated record lu points stencil farm paper kernels)
TAKEN   := $(patsubst examples/server/%.c,$(BUILD)/serving/%.o,$(filter examples/server/%,$(TAUGHT))) \
    $(patsubst examples/flowgraph/%.c,$(BUILD)/flowgraph/%.o,$(filter-out %/kernels.c,$(filter examples/flowgraph/%,$(TAUGHT)))) \
    $(BUILD)/sweeping/kernels.o
PAGED   := $(patsubst %.c,$(BUILD)/tests/%,$(notdir $(wildcard tests/page/test_*.c)))

# Of examples/messages: the library that stands behind mpi.h and pvm3.h; everything but its launcher.
MESSAGES := $(patsubst examples/messages/%.c,$(BUILD)/messages/%.o,$(filter-out %/simrun.c,$(wildcard examples/messages/*.c)))

PROGRAMS := $(addprefix $(BUILD)/messages/bin/,conform pvm_conform faults mismatch mismatch_waited mistakes patterns ports windows segments costs nonblocking launched loads pvm_ends pvm_loads sort multigrid streams integrals integrals_pvm)

# The bodies of the headers take gcc four seconds. They are compiled once, and tests and lessons see the declarations
# alone; except tests that need a body of their own: they name a private function, look into a world or set an option.
KIT     := $(BUILD)/kit.o
DECLARE := -DSIMKIT_IMPLEMENTED -DNETMODEL_IMPLEMENTED -DCONTENTION_IMPLEMENTED -Werror=implicit-function-declaration
# These are optimized less where nobody asks for flags, since that takes half the time. OWN is the level: OWN=-O0.
OWN     ?= $(if $(filter file,$(origin CFLAGS)),-O1)
WHOLE   := $(patsubst %.c,$(BUILD)/tests/%,$(notdir $(shell grep -liE '(simkit|netmodel|contention)__|\<(w|world)->|^.define (SIMKIT|NETMODEL|CONTENTION)_([^I]|I[^M])' $(TESTED))))

# Of examples/threads: the library that is loaded before a program, and the program that runs others.
THREADING := $(patsubst %,$(BUILD)/threading/%.o,world turn objects times locks threads c11 trap report)
openmp    = $(if $(shell echo 'int omp_get_num_procs(void); int main(void) { return omp_get_num_procs(); }' | $(CC) -fopenmp -x c - -o /dev/null 2>&1 || echo no),,conform_omp)
THREADED  = $(addprefix $(BUILD)/threads/,conform conform_c11 $(if $(shell command -v $(CXX)),conform_cxx) $(openmp) deadlock amdahl)

ifdef ONLY
TESTS    := $(filter $(ONLY:%=$(BUILD)/tests/%),$(TESTS))
LESSONS  := $(filter $(ONLY:%=$(BUILD)/examples/%),$(LESSONS))
PROGRAMS := $(if $(filter test_messages test_launcher messages.md,$(ONLY)),$(PROGRAMS))
THREADED := $(if $(filter test_threads threads.md,$(ONLY)),$(THREADED))
endif

export CC BUILD ONLY
flags    = $(CPPFLAGS) $(CFLAGS) -I. -Iexamples/flowgraph
compile  = $(CC) $(flags)
depends  = -MMD -MP -MT $@ -MF $@.d
# What is there of MPI and SQLite, and the compiler that knows of it.
with     = $$(cat $(BUILD)/with)
with_cc  = OMPI_CC='$(CC)' MPICH_CC='$(CC)' $$(grep -q MPI $(BUILD)/with && echo mpicc || echo $(CC))
with_libraries = $$(grep -q SQLITE $(BUILD)/with && echo -lsqlite3) -ldl -lm -pthread
link_blas = $$(sed 's/-DKERNELS_BLAS/-lopenblas/' $(BUILD)/blas)
say      = $(if $(V),,@echo '$@';)

.PHONY: help demo test bench live testbed validate check soak fuzz coverage mutate page docs install uninstall amalgam format clean tests programs FORCE
.DELETE_ON_ERROR:

help:
	@echo 'make demo     predict an LU factorization on the paper'\''s cluster and on this machine'
	@echo 'make test     run every test and lesson'
	@echo 'make bench    measure the kit, beside its rivals: an hour; QUICK=1 for less, INSTALL=1 to get the rivals'
	@echo 'make validate predict runs on a testbed of slow nodes, then run them there: as root, over three hours, and it'
	@echo '              should be quiet; QUICK=1 for fifteen minutes; RANDOM=100 SEED=7 for so many drawn testbeds'
	@echo 'make live     compare with this machine'\''s own scheduler and caches: five minutes, and it should be quiet'
	@echo 'make check    the headers in every compiler, standard and order; the tests under sanitizers'
	@echo 'make coverage which lines, branches and conditions of the headers the tests run; MISSED=1 lists the others'
	@echo 'make mutate   makes COUNT=1000 small mistakes in the headers, one at a time: do the tests notice? Hours'
	@echo 'make fuzz     random bytes into every reader and through every writer, an hour each; FUZZ_SECONDS=60 for a minute'
	@echo 'make soak     random programs for the engine, and what else is worth hours: SOAK_HOURS of it, 4 if not set'
	@echo 'make page     the page for teaching, into $(BUILD)/page/index.html: one file, which needs a browser and nothing else'
	@echo 'make docs     the reference, into $(BUILD)/docs/html'
	@echo 'make install  the three headers into $(DESTDIR)$(PREFIX)/include, for pkg-config and CMake too; make uninstall'
	@echo 'make amalgam  the three headers as one file that needs no stb_ds.h: $(BUILD)/simkit_amalgam.h'
	@echo 'make format   clang-format, in place'
	@echo 'make clean    remove $(BUILD)'

demo: $(BUILD)/demo
	@mkdir -p $(BUILD)/demo-out
	@$(BUILD)/demo --out $(BUILD)/demo-out

test: tests
	@JOBS=$(patsubst -j%,%,$(filter -j%,$(MAKEFLAGS))) tests/run

tests: $(TESTS) $(LESSONS) $(BUILD)/factor $(BUILD)/server $(BUILD)/alone $(BUILD)/giving_back $(BUILD)/sweep $(BUILD)/goal $(BUILD)/module $(PROGRAMS) $(THREADED) $(if $(THREADED),$(BUILD)/simthreads $(BUILD)/simthreadcc)

programs: $(PROGRAMS)

bench: $(BENCHES) $(BUILD)/messages/bin/costs $(BUILD)/sweep
	@tests/bench/run $(if $(INSTALL),--install) $(if $(QUICK),--quick)
	@set -e; for program in $(filter-out %/engine,$(sort $(BENCHES))); do echo "== $$program"; $$program; done
	@echo '== tests/bench/nodes'; if tests/testbed/testbed can && command -v mpirun >$(BUILD)/bench/mpirun; \
	    then tests/bench/nodes $(if $(QUICK),10000); else echo 'left out: a sweep on the nodes of a testbed takes root and Open MPI'; fi
	@echo '== tests/page/check --time'; if [ "$(INSTALL)" ] || { command -v emcc && command -v esbuild && command -v chromium; } >$(BUILD)/bench/page; \
	    then tests/page/check --time; else echo 'left out: the page takes Emscripten, esbuild and Chromium (make bench INSTALL=1 gets them)'; fi

testbed: $(BUILD)/factor $(BUILD)/calibrate $(BUILD)/server $(BUILD)/alone $(BUILD)/simcc $(BUILD)/contend $(BUILD)/transfers

validate: testbed
	@tests/need testbed
	@tests/testbed/validate $(if $(QUICK),--quick)
	@tests/testbed/random --draws $(or $(RANDOM),$(if $(QUICK),1,20)) $(SEED)
	@tests/testbed/jobs $(if $(QUICK),--quick)
	@tests/testbed/messages --outside $(if $(QUICK),--quick)
	@tests/testbed/clusters $(if $(QUICK),--quick)
	@tests/testbed/slowdown $(if $(QUICK),--quick)

live: $(LIVES)
	@set -e; for program in $(sort $(LIVES)); do echo "== $$program"; $$program; done

check:
	@tests/need cc stb_ds cmocka gcc g++ clang clang++ gcc-sanitizers clang-sanitizers aarch64 valgrind
	@tests/check/run

coverage:
	@tests/need cc stb_ds cmocka clang-19
	@tests/trust/coverage $(if $(MISSED),--missed)

mutate:
	@tests/need gcc stb_ds cmocka clang-19 tcc
	@tests/trust/mutate $(if $(COUNT),--count $(COUNT)) $(if $(SEED),--seed $(SEED))

# FUZZ_SECONDS for each target, two at a time.
FUZZ_SECONDS ?= 3600
fuzz:
	@tests/fuzz/run $(FUZZ_SECONDS)

soak:
	@tests/need cc stb_ds clang gcc-sanitizers
	@tests/soak

page: $(BUILD)/page/index.html

docs:
	@tests/need doxygen python3 nodejs
	@rm -rf $(BUILD)/docs
	@mkdir -p $(BUILD)/docs
	@BUILD=$(BUILD) doxygen docs/Doxyfile
	@cp -r examples LICENSE docs/*.csv $(BUILD)/docs/html
	@docs/html/index.py $(BUILD)/docs/html
	@nodejs docs/html/check.js $(abspath $(BUILD)/docs/html)
	@echo '$(BUILD)/docs/html/index.html'

# What is installed depends on no machine, so it goes to share: pkg-config and CMake look there too.
VERSION = $(shell sed -n 's/^.define SIMKIT_VERSION "\(.*\)"/\1/p' simkit.h)
PLACE   = $(DESTDIR)$(PREFIX)
install:
	install -d $(PLACE)/include $(PLACE)/share/pkgconfig $(PLACE)/share/cmake/simkit
	install -m 644 $(HEADERS) $(PLACE)/include
	sed 's|@prefix@|$(PREFIX)|; s|@version@|$(VERSION)|' packages/simkit.pc.in > $(PLACE)/share/pkgconfig/simkit.pc
	sed 's|@version@|$(VERSION)|' packages/simkit-config-version.cmake.in > $(PLACE)/share/cmake/simkit/simkit-config-version.cmake
	install -m 644 packages/simkit-config.cmake $(PLACE)/share/cmake/simkit
	chmod 644 $(PLACE)/share/pkgconfig/simkit.pc $(PLACE)/share/cmake/simkit/simkit-config-version.cmake

uninstall:
	rm -f $(HEADERS:%=$(PLACE)/include/%) $(PLACE)/share/pkgconfig/simkit.pc
	rm -f $(PLACE)/share/cmake/simkit/simkit-config.cmake $(PLACE)/share/cmake/simkit/simkit-config-version.cmake
	rmdir $(PLACE)/share/cmake/simkit

amalgam: $(BUILD)/simkit_amalgam.h

$(BUILD)/simkit_amalgam.h: packages/amalgam $(HEADERS)
	@mkdir -p $(@D)
	@packages/amalgam > $@
	@echo '$@'

format:
	@tests/need clang-format
	clang-format -i $(HEADERS) $(wildcard examples/*.c examples/*/*.[ch] tests/*.[ch] tests/*/*.[ch])

clean:
	rm -rf $(BUILD)

# What is missing is named or installed before the first compilation; order-only, so it rebuilds nothing.
.PHONY: need-demo need-test need-page
need-demo:
	@tests/need cc stb_ds
need-test: need-demo
	@tests/need cmocka
need-page: need-demo
	@tests/need emscripten esbuild

# Another compiler or other flags rebuild everything: the file changes only when the words in it do.
$(BUILD)/flags: FORCE
	@mkdir -p $(BUILD)
	@echo '$(compile) $(OWN) $(LDFLAGS)' | cmp -s - $@ || echo '$(compile) $(OWN) $(LDFLAGS)' > $@

# The demo measures OpenBLAS where it is installed, else the kernels of the example itself.
$(BUILD)/blas: FORCE | need-demo
	@mkdir -p $(BUILD)
	@if echo 'void dgetrf_(void); int main(void) { dgetrf_(); return 0; }' \
	    | $(CC) -x c - -o $@.try -lopenblas 2>/dev/null; then echo -DKERNELS_BLAS; else echo; fi > $@.new; \
	rm -f $@.try; cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(KIT): simkit.h $(BUILD)/flags | need-demo
	$(say) $(compile) $(depends) -DSIMKIT_IMPLEMENTATION -include simkit.h -x c -c /dev/null -o $@

$(BUILD)/flowgraph/%.o: examples/flowgraph/%.c $(BUILD)/flags $(BUILD)/blas | need-demo
	@mkdir -p $(@D)
	$(say) $(compile) $(DECLARE) $(depends) $$(cat $(BUILD)/blas) -c $< -o $@

$(BUILD)/flowgraph/calibrate.o: tests/testbed/calibrate.c $(BUILD)/flags | need-demo
	@mkdir -p $(@D)
	$(say) $(compile) $(DECLARE) $(depends) -c $< -o $@

$(BUILD)/demo: $(BUILD)/flowgraph/demo.o $(BUILD)/flowgraph/paper.o $(GRAPH) $(KIT)
$(BUILD)/factor: $(BUILD)/flowgraph/factor.o $(GRAPH) $(KIT)
$(BUILD)/calibrate: $(BUILD)/flowgraph/calibrate.o $(GRAPH) $(KIT)
$(BUILD)/demo $(BUILD)/factor $(BUILD)/calibrate:
	$(say) $(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@ $(link_blas) -lm -pthread

$(BUILD)/testbed/%.o: tests/testbed/%.c $(BUILD)/flags | need-demo
	@mkdir -p $(@D)
	$(say) $(compile) $(depends) -c $< -o $@

$(BUILD)/contend: $(BUILD)/testbed/contend.o $(BUILD)/testbed/targets.o
	$(say) $(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@ -lm

$(BUILD)/transfers: $(BUILD)/testbed/transfers.o
	$(say) $(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@ -lm

# Position-independent, because programs may be shared libraries. Without the other flag, calls within a file are slower.
$(BUILD)/messages/%.o: examples/messages/%.c $(BUILD)/flags | need-demo
	@mkdir -p $(@D)
	$(say) $(compile) -fPIC -fno-semantic-interposition -Iexamples/messages $(depends) -c $< -o $@

$(BUILD)/libmessages.a: $(MESSAGES)
	@rm -f $@
	$(say) $(AR) rcs $@ $^

# NAME, what it is like, its compiler, the variables for another one, the end of a source file, the folder for -I
wrapper = sed 's|@include@|$(or $7,$(abspath examples/messages))|; s|@library@|$(abspath $(BUILD)/libmessages.a)|; \
    s|@name@|$1|g; s|@like@|$2|; s|@cc@|$3|g; s|@variable@|$4|g; s|@make@|$5|; s|@suffix@|$6|' $< > $@ && chmod +x $@
$(BUILD)/simcc: examples/messages/simcc.in $(BUILD)/libmessages.a | $(BUILD)/simrun
	@$(call wrapper,simcc,mpicc,$(CC),SIMKIT_CC,CC,.c)

$(BUILD)/simc++: examples/messages/simcc.in $(BUILD)/libmessages.a | $(BUILD)/simrun
	@$(call wrapper,simc++,mpic++,$(CXX),SIMKIT_CXX,CXX,.cc)

# The module mpi is a file of the compiler that reads it.
FORTRAN ?= gfortran
$(BUILD)/fortran/mpi.mod: examples/messages/mpi.f90 examples/messages/mpif.h $(BUILD)/flags
	@mkdir -p $(@D)
	@cp examples/messages/mpif.h $(@D)
	$(say) $(FORTRAN) -J$(@D) -I$(@D) -c $< -o $(@D)/mpi.o

$(BUILD)/fortran/mpi_f08.mod: $(addprefix examples/messages/,mpi_f08.awk mpif.h mpi_f08.list) $(BUILD)/flags
	@mkdir -p $(@D)
	@awk -f $(filter-out %/flags,$^) > $(@D)/mpi_f08.f90
	$(say) $(FORTRAN) -J$(@D) -c $(@D)/mpi_f08.f90 -o $(@D)/mpi_f08.o

$(BUILD)/simf90: examples/messages/simcc.in $(BUILD)/libmessages.a $(BUILD)/fortran/mpi.mod $(BUILD)/fortran/mpi_f08.mod | $(BUILD)/simrun
	@$(call wrapper,simf90,mpif90,$(FORTRAN),SIMKIT_FC,FC,.f90,$(abspath $(BUILD)/fortran))

$(BUILD)/simrun: examples/messages/simrun.c $(BUILD)/flags
	$(say) $(compile) $(depends) $(LDFLAGS) $< -o $@

# Programs for it, made as its users make theirs.
BAG := examples/messages/programs
$(BUILD)/messages/bin/conform: $(wildcard tests/messages/conform*.c)
$(BUILD)/messages/bin/pvm_conform: $(wildcard tests/messages/pvm_conform*.c)
$(addprefix $(BUILD)/messages/bin/,faults mismatch mismatch_waited mistakes patterns ports windows segments costs nonblocking launched loads pvm_ends pvm_loads): \
    $(BUILD)/messages/bin/%: tests/messages/%.c
$(addprefix $(BUILD)/messages/bin/,sort multigrid streams): $(BUILD)/messages/bin/%: $(BAG)/%.c
$(BUILD)/messages/bin/integrals $(BUILD)/messages/bin/integrals_pvm: $(BUILD)/messages/bin/%: $(BAG)/%.c $(BAG)/quadrature.c
$(BUILD)/messages/bin/mismatch_waited: $(BUILD)/messages/bin/mismatch
$(PROGRAMS): $(BUILD)/simcc $(wildcard examples/messages/*.h tests/messages/*.h $(BAG)/*.h)
	@mkdir -p $(@D)
	$(say) $(BUILD)/simcc $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(filter %.c,$^) -o $@

$(BUILD)/tests/test_launcher: $(BUILD)/simcc $(BUILD)/simc++ $(if $(shell command -v $(FORTRAN)),$(BUILD)/simf90) $(BUILD)/simrun $(BUILD)/goal $(BUILD)/messages/bin/launched $(BUILD)/messages/bin/ports

# A program beside them that is none of theirs: it runs one of them.
$(BUILD)/messages/bin/six_steps: $(BAG)/six_steps.c $(BUILD)/messages/bin/multigrid
	$(say) $(compile) $(LDFLAGS) $< -o $@ -lm

# Threads: programs and the library are never compiled with sanitizers, which know threads by the calls that it intercepts.
plain    = $(CPPFLAGS) $(filter-out -fsanitize% -std=% -fno-sanitize%,$(CFLAGS)) -I.
$(BUILD)/threading/%.o: examples/threads/%.c $(BUILD)/flags | need-demo
	@mkdir -p $(@D)
	$(say) $(CC) -std=gnu11 $(plain) -fPIC -fexceptions -fvisibility=hidden $(depends) -c $< -o $@

$(BUILD)/libsimthreads.so: $(THREADING)
	$(say) $(CC) -shared $^ -o $@ -Wl,-z,now -ldl -lm -pthread

$(BUILD)/simthreads: examples/threads/simthreads.c $(BUILD)/libsimthreads.so $(BUILD)/flags
	$(say) $(CC) -std=gnu11 $(plain) $(depends) $< -o $@ -lm -pthread

$(BUILD)/simthreadcc: examples/threads/simthreadcc.in $(BUILD)/libsimthreads.so
	@sed 's|@include@|$(abspath examples/threads)|; s|@library@|$(abspath $(BUILD))|; s|@cc@|$(CC)|' $< > $@
	@chmod +x $@

$(BUILD)/threads/%: tests/threads/%.c $(BUILD)/flags | need-demo
	@mkdir -p $(@D)
	$(say) $(CC) -std=gnu11 -g -Iexamples/threads $(plain) $(special) $(depends) $< -o $@ -lm -pthread

$(BUILD)/threads/conform_omp: special = -fopenmp

$(BUILD)/threads/%: tests/threads/%.cpp $(BUILD)/flags | need-demo
	@mkdir -p $(@D)
	$(say) $(CXX) -std=c++20 -g $(plain) $(depends) $< -o $@ -pthread

# The second line of a lesson is the command that builds it; `make check` runs that command.
$(LESSONS): $(BUILD)/examples/%: %.c $(KIT) | need-demo
	@mkdir -p $(@D)
	$(say) $(compile) $(DECLARE) $(depends) $(LDFLAGS) $< $(KIT) -o $@ -lm

$(filter-out $(SERVED) $(SWEPT) $(PAGED) $(GOALS),$(WHOLE)): $(BUILD)/tests/%: %.c $(BUILD)/flags | need-test
	@mkdir -p $(@D)
	$(say) $(compile) $(OWN) $(depends) $(LDFLAGS) $< -o $@ -lcmocka -lm -pthread

$(BUILD)/serving/%.o: examples/server/%.c $(BUILD)/flags | need-demo
	@mkdir -p $(@D)
	$(say) $(compile) $(DECLARE) -Iexamples/server $(depends) -c $< -o $@

$(BUILD)/server: $(BUILD)/serving/main.o $(SERVER) $(GRAPH) $(KIT)
	$(say) $(CC) $(CFLAGS) $(LDFLAGS) -rdynamic $^ -o $@ $(link_blas) -ldl -lm -pthread

$(BUILD)/alone: $(BUILD)/serving/alone.o $(SERVER) $(GRAPH) $(KIT)
$(BUILD)/giving_back: $(BUILD)/serving/giving_back.o $(SERVER) $(GRAPH) $(KIT)
$(BUILD)/alone $(BUILD)/giving_back:
	$(say) $(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@ $(link_blas) -ldl -lm -pthread

# build/sweep runs under mpirun where MPI is installed, and writes databases where SQLite is.
$(BUILD)/with: FORCE | need-demo
	@mkdir -p $(BUILD)
	@{ echo 'int MPI_Finalize(void); int main(void) { return MPI_Finalize(); }' \
	    | OMPI_CC='$(CC)' MPICH_CC='$(CC)' mpicc -x c - -o $@.try 2>/dev/null && echo -DSWEEP_MPI; \
	echo '#include <sqlite3.h>' | $(CC) -x c - -shared -fPIC -o $@.try -lsqlite3 2>/dev/null && echo -DSWEEP_SQLITE; } > $@.new; \
	rm -f $@.try; cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(BUILD)/sweeping/%.o: examples/sweep/%.c $(BUILD)/flags $(BUILD)/with | need-demo
	@mkdir -p $(@D)
	$(say) $(with_cc) $(flags) $(DECLARE) $(with) -Iexamples/server $(depends) -c $< -o $@

$(BUILD)/sweeping/kernels.o: examples/flowgraph/kernels.c $(BUILD)/flags | need-demo
	@mkdir -p $(@D)
	$(say) $(compile) $(DECLARE) $(depends) -c $< -o $@

$(BUILD)/sweep: $(BUILD)/sweeping/main.o $(SWEEPER) $(MODELS) $(KIT)
	$(say) $(with_cc) $(CFLAGS) $(LDFLAGS) -rdynamic $^ -o $@ $(with_libraries)

$(BUILD)/recorded/%.o: examples/goal/%.c $(BUILD)/flags | need-demo
	@mkdir -p $(@D)
	$(say) $(compile) $(DECLARE) $(depends) -c $< -o $@

$(BUILD)/goal: $(BUILD)/recorded/main.o $(GOAL) $(KIT)
	$(say) $(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@ -lm

$(BUILD)/paging/%.o: examples/page/%.c $(BUILD)/flags | need-demo
	@mkdir -p $(@D)
	$(say) $(compile) $(DECLARE) $(depends) -c $< -o $@

$(BUILD)/module: $(BUILD)/paging/main.o $(PAGE) $(TAKEN) $(KIT)
	$(say) $(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@ -lm -pthread

# The page: the modules and all that they take along, as WebAssembly, within one HTML file.
WEB     := examples/page/browser.c $(patsubst $(BUILD)/paging/%.o,examples/page/%.c,$(PAGE)) $(TAUGHT)
EMBED   := examples/machines/dps.machine tests/published/dps_lu_runs.csv tests/published/dps_efficiency.csv
# Emscripten of Debian looks for its modules of node where Debian's own node has them.
emcc     = NODE_PATH=/usr/share/nodejs emcc

# Emscripten does not look into /usr/include.
$(BUILD)/page/include/stb/stb_ds.h: | need-page
	@mkdir -p $(@D)
	@cp $$(echo '#include <stb/stb_ds.h>' | $(CC) -M -x c - | tr ' ' '\n' | grep 'stb_ds\.h$$') $@

$(BUILD)/page/objects/%.o: %.c $(BUILD)/page/include/stb/stb_ds.h $(BUILD)/flags | need-page
	@mkdir -p $(@D)
	$(say) $(emcc) -std=gnu99 -O2 -Wall -Wextra -Wno-gnu-variable-sized-type-not-at-end -I. -Iexamples/flowgraph -I$(BUILD)/page/include $(DECLARE) $(depends) -c $< -o $@

$(BUILD)/page/objects/simkit.o: simkit.h $(BUILD)/page/include/stb/stb_ds.h $(BUILD)/flags | need-page
	@mkdir -p $(@D)
	$(say) $(emcc) -std=gnu99 -O2 -I. -I$(BUILD)/page/include $(depends) -DSIMKIT_IMPLEMENTATION -include simkit.h -x c -c /dev/null -o $@

$(BUILD)/page/compiled.js: $(BUILD)/page/objects/simkit.o $(WEB:%.c=$(BUILD)/page/objects/%.o) $(EMBED)
	$(say) $(emcc) -O2 -sASYNCIFY -sALLOW_MEMORY_GROWTH -sMODULARIZE -sENVIRONMENT=worker -sFILESYSTEM \
	    -sEXPORTED_RUNTIME_METHODS=ccall,FS $(EMBED:%=--embed-file %) $(filter %.o,$^) -o $@

$(BUILD)/page/index.html: $(BUILD)/page/compiled.js $(wildcard examples/page/*.js examples/page/*.mjs examples/page/*.css examples/page/*.html)
	@node examples/page/bundle.mjs $(abspath $(BUILD))/page

# A model of its own, as its second line says.
$(BUILD)/waiting.so: examples/sweep/own/waiting.c examples/sweep/sweep.h $(BUILD)/flags | need-demo
	@mkdir -p $(@D)
	$(say) $(compile) -shared -fPIC -Iexamples/sweep $< -o $@ -lm

# A policy of its own, as its second line says.
$(BUILD)/largest.so: examples/server/largest.c examples/server/server.h $(BUILD)/flags | need-demo
	@mkdir -p $(@D)
	$(say) $(compile) -shared -fPIC -Iexamples/server $< -o $@

# A wrong one.
$(BUILD)/incomplete.so: tests/server/incomplete.c examples/server/server.h $(BUILD)/flags | need-test
	@mkdir -p $(@D)
	$(say) $(compile) -shared -fPIC -Iexamples/server $< -o $@

$(BUILD)/tests/test_server: $(BUILD)/largest.so $(BUILD)/incomplete.so
$(BUILD)/tests/test_messages $(BUILD)/tests/test_goal_program: $(BUILD)/goal
$(BUILD)/tests/test_commands: $(BUILD)/server
$(SERVED): LDFLAGS += -rdynamic
$(SERVED): $(BUILD)/tests/%: %.c $(SERVER) $(GRAPH) $(KIT) | need-test
	@mkdir -p $(@D)
	$(say) $(compile) $(DECLARE) -Iexamples/server $(depends) $(LDFLAGS) $< $(SERVER) $(GRAPH) $(KIT) -o $@ $(link_blas) -ldl -lcmocka -lm -pthread

$(BUILD)/tests/test_sweep_program: $(BUILD)/sweep $(BUILD)/waiting.so
$(SWEPT): LDFLAGS += -rdynamic
$(SWEPT): $(BUILD)/tests/%: %.c $(SWEEPER) $(MODELS) $(KIT) | need-test
	@mkdir -p $(@D)
	$(say) $(with_cc) $(flags) $(DECLARE) -Iexamples/sweep -Iexamples/server $(depends) $(LDFLAGS) $< $(SWEEPER) $(MODELS) $(KIT) -o $@ -lcmocka $(with_libraries)

$(PAGED): $(BUILD)/tests/%: %.c $(PAGE) $(TAKEN) $(KIT) | need-test
	@mkdir -p $(@D)
	$(say) $(compile) $(DECLARE) $(depends) $(LDFLAGS) $< $(PAGE) $(TAKEN) $(KIT) -o $@ -lcmocka -lm -pthread

$(filter-out $(WHOLE) $(SERVED) $(SWEPT) $(PAGED) $(GOALS),$(TESTS)): $(BUILD)/tests/%: %.c $(KIT) | need-test
	@mkdir -p $(@D)
	$(say) $(compile) $(DECLARE) $(depends) $(LDFLAGS) $< $(KIT) -o $@ -lcmocka -lm -pthread

$(GOALS): $(BUILD)/tests/%: %.c $(GOAL) $(KIT) | need-test
	@mkdir -p $(@D)
	$(say) $(compile) $(DECLARE) $(depends) $(LDFLAGS) $< $(GOAL) $(KIT) -o $@ -lcmocka -lm

$(BUILD)/live/measured: tests/live/measured.c $(BUILD)/flags $(BUILD)/blas | need-demo
	@mkdir -p $(@D)
	$(say) $(compile) $(depends) $(LDFLAGS) $$(cat $(BUILD)/blas) $< -o $@ $(link_blas) -lm

$(BUILD)/live/%: tests/live/%.c $(BUILD)/flags | need-demo
	@mkdir -p $(@D)
	$(say) $(compile) $(depends) $(LDFLAGS) $< -o $@ -lm -pthread

$(BUILD)/bench/direct: tests/bench/direct.c $(BUILD)/flags $(BUILD)/blas | need-demo
	@mkdir -p $(@D)
	$(say) $(compile) $(depends) $(LDFLAGS) $$(cat $(BUILD)/blas) $< -o $@ $(link_blas) -lm -pthread

$(BUILD)/bench/server: tests/bench/server.c $(wildcard examples/server/*.[ch]) $(GRAPH) $(BUILD)/flags | need-demo
	@mkdir -p $(@D)
	$(say) $(compile) -DNDEBUG -Iexamples/server $(depends) $(LDFLAGS) $< $(patsubst %,examples/server/%.c,server simulate work policies malleable particular programs) $(GRAPH) -o $@ $(link_blas) -lm -pthread

$(BUILD)/bench/sweep: tests/bench/sweep.c $(SWEEPER) $(MODELS) $(KIT) | need-demo
	@mkdir -p $(@D)
	$(say) $(with_cc) $(flags) $(DECLARE) -rdynamic $(depends) $(LDFLAGS) $< $(SWEEPER) $(MODELS) $(KIT) -o $@ $(with_libraries)

$(BUILD)/bench/goal: tests/bench/goal.c $(GOAL) $(KIT) | need-demo
	@mkdir -p $(@D)
	$(say) $(compile) $(DECLARE) $(depends) $(LDFLAGS) $< $(GOAL) $(KIT) -o $@ -lm

$(BUILD)/bench/%: tests/bench/%.c $(BUILD)/flags | need-demo
	@mkdir -p $(@D)
	$(say) $(compile) $(depends) $(LDFLAGS) $< -o $@ -lm -pthread

-include $(wildcard $(BUILD)/*.d $(BUILD)/testbed/*.d $(BUILD)/flowgraph/*.d $(BUILD)/messages/*.d $(BUILD)/threading/*.d $(BUILD)/threads/*.d $(BUILD)/*.so.d $(BUILD)/serving/*.d $(BUILD)/sweeping/*.d $(BUILD)/recorded/*.d $(BUILD)/paging/*.d $(BUILD)/page/objects/*.d $(BUILD)/page/objects/examples/*/*.d $(BUILD)/examples/*.d $(BUILD)/tests/*.d $(BUILD)/bench/*.d $(BUILD)/live/*.d)

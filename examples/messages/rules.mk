# MPI and PVM on the virtual clock: the library behind mpi.h and pvm3.h, the launcher, and compilers that link with it.
# Position-independent, because programs may be shared libraries. Without the second flag, calls within a file are slower; with the third
# one, calls of the C library pass through no code that is not of this library: threads.c has the bounds of its code.
$(BUILD)/examples/messages/%.o $(BUILD)/examples/direct/%.o: private body =
$(BUILD)/examples/messages/%.o $(BUILD)/examples/direct/%.o: private local = -fPIC -fno-semantic-interposition -fno-plt -Iexamples/messages
$(BUILD)/libmessages.a: $(call objects,examples/messages,simrun simrun_base splits) $(call objects,examples/direct,)
	@rm -f $@
	$(say) $(AR) rcs $@ $^
	@$(OBJCOPY) --rename-section .text=messages_text --rename-section .text.unlikely=messages_text $@

OBJCOPY ?= objcopy
$(BUILD)/simrun: $(addprefix examples/messages/,simrun.c simrun_base.c simrun_base.h splits.c splits.h) $(addprefix examples/,svg.h interval.h residuals.h) $(BUILD)/flags | $(BUILD)/have/demo
	$(say) $(CC) $(flags) $(LDFLAGS) $(filter %.c,$^) -o $@ -lm

# NAME, what it is like, its compiler, the variables for another one, the end of a source file, the folder for -I
wrapper = sed 's|@include@|$(or $6,$(abspath examples/messages))|; s|@library@|$(abspath $(BUILD)/libmessages.a)|; \
    s|@threads@|$(abspath $(BUILD)/libsimthreads.so)|; \
    s|@name@|$(@F)|g; s|@like@|$1|; s|@cc@|$2|g; s|@variable@|$3|g; s|@make@|$4|; s|@suffix@|$5|' $< > $@ && chmod +x $@
$(BUILD)/simcc: examples/messages/simcc.in $(BUILD)/libmessages.a $(BUILD)/libsimthreads.so | $(BUILD)/simrun
	@$(call wrapper,mpicc,$(CC),SIMKIT_CC,CC,.c)
$(BUILD)/simc++: examples/messages/simcc.in $(BUILD)/libmessages.a $(BUILD)/libsimthreads.so | $(BUILD)/simrun
	@$(call wrapper,mpic++,$(CXX),SIMKIT_CXX,CXX,.cc)

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
$(BUILD)/simf90: examples/messages/simcc.in $(BUILD)/libmessages.a $(BUILD)/libsimthreads.so $(BUILD)/fortran/mpi.mod $(BUILD)/fortran/mpi_f08.mod | $(BUILD)/simrun
	@$(call wrapper,mpif90,$(FORTRAN),SIMKIT_FC,FC,.f90,$(abspath $(BUILD)/fortran))

# Programs for it, made as its users make theirs.
BAG := examples/messages/programs
RANKED := $(addprefix $(BUILD)/messages/bin/,conform pvm_conform corners faults mismatch mismatch_waited mistakes patterns ports \
    windows segments costs nonblocking launched threaded multiple leaves children objects clocks piped sees why loads ends pvm_ends pvm_loads \
    sort multigrid streams calibrate integrals integrals_pvm)
$(BUILD)/messages/bin/conform: $(wildcard tests/messages/conform*.c)
$(BUILD)/messages/bin/pvm_conform: $(wildcard tests/messages/pvm_conform*.c)
$(addprefix $(BUILD)/messages/bin/,corners faults mismatch mismatch_waited mistakes patterns ports windows segments costs nonblocking \
    launched threaded multiple leaves children objects clocks piped why loads ends pvm_ends pvm_loads): $(BUILD)/messages/bin/%: tests/messages/%.c
# With OpenMP, if the compiler has it; a sanitizer would need a library of its own for it.
WITH_OPENMP := $(addprefix $(BUILD)/messages/bin/,hybrid hybrids stencil cg zones)
$(BUILD)/messages/bin/hybrids: $(wildcard tests/messages/hybrids*.[ch] tests/messages/conform*.h) tests/messages/conform_frame.c
$(addprefix $(BUILD)/messages/bin/,hybrid stencil cg zones): $(BUILD)/messages/bin/%: tests/messages/%.c
$(WITH_OPENMP): $(BUILD)/simcc
	@mkdir -p $(@D)
	@if test -z '$(sanitized)' && \
	    echo 'int omp_get_num_procs(void); int main(void) { return omp_get_num_procs(); }' | $(CC) -fopenmp -x c - -o $@ 2>/dev/null; \
	then echo '$@' && $(BUILD)/simcc -O1 -fopenmp $(filter %.c,$^) -o $@; else echo '$@: left out, $(CC) has no OpenMP, or there is a sanitizer'; fi
RUN += $(WITH_OPENMP)
# With a sanitizer of its own, where the compiler has it, and the library has none.
$(BUILD)/messages/bin/races: tests/messages/races.c $(BUILD)/simcc
	@mkdir -p $(@D)
	@if test -z '$(sanitized)' && \
	    echo 'int main(void) { return 0; }' | $(CC) -fsanitize=thread -x c - -o $@ 2>/dev/null && $@ 2>/dev/null; \
	then echo '$@' && $(BUILD)/simcc -O1 -g -fsanitize=thread -pthread $< -o $@; \
	else rm -f $@; echo '$@: left out, $(CC) has no ThreadSanitizer, or there is another sanitizer'; fi
RUN += $(BUILD)/messages/bin/races
$(BUILD)/messages/bin/blas: tests/messages/blas.c $(BUILD)/simcc $(BUILD)/blas
	@mkdir -p $(@D)
	@if test -z '$(sanitized)' && grep -q KERNELS_BLAS $(BUILD)/blas; \
	then echo '$@' && $(BUILD)/simcc -O1 $< -o $@ -lopenblas; else echo '$@: left out, OpenBLAS is not here, or there is a sanitizer'; fi
RUN += $(BUILD)/messages/bin/blas
$(BUILD)/messages/bin/sees: tests/threads/sees.c
$(BUILD)/messages/bin/sees: private local = -DSEES_RANK
$(BUILD)/messages/bin/calibrate: private local = -I.
$(addprefix $(BUILD)/messages/bin/,sort multigrid streams calibrate): $(BUILD)/messages/bin/%: $(BAG)/%.c
$(BUILD)/messages/bin/integrals $(BUILD)/messages/bin/integrals_pvm: $(BUILD)/messages/bin/%: $(BAG)/%.c $(BAG)/quadrature.c
$(BUILD)/messages/bin/mismatch_waited: $(BUILD)/messages/bin/mismatch
$(BUILD)/messages/bin/why: private local = -g
$(RANKED): $(BUILD)/simcc $(filter-out %/programs.h,$(wildcard examples/messages/*.h tests/messages/*.h $(BAG)/*.h))
	@mkdir -p $(@D)
	$(say) $(BUILD)/simcc $(CPPFLAGS) $(CFLAGS) $(local) $(LDFLAGS) $(filter %.c,$^) -o $@
# A program beside them that is none of theirs: it runs one of them.
$(BUILD)/messages/bin/six_steps: $(BAG)/six_steps.c $(BUILD)/messages/bin/multigrid
	$(say) $(CC) $(flags) $(LDFLAGS) $< -o $@ -lm
RUN += $(RANKED) $(BUILD)/simrun

$(BUILD)/tests/test_launcher: | $(BUILD)/simcc $(BUILD)/simc++ $(if $(shell command -v $(FORTRAN)),$(BUILD)/simf90) $(BUILD)/goal
$(BUILD)/tests/test_launcher: | $(addprefix $(BUILD)/messages/bin/,launched ports)
# Each test of programs, and those that it runs.
runs = $(BUILD)/tests/test_messages_$1: | $(addprefix $(BUILD)/messages/bin/,$2)
$(call runs,calibrate,calibrate)
$(call runs,bind,threaded hybrid loads segments)
$(call runs,collectives,conform mismatch mismatch_waited nonblocking)
$(call runs,conform,conform pvm_conform patterns segments faults costs)
$(call runs,corners,corners)
$(call runs,cores,conform faults patterns segments nonblocking)
$(call runs,hybrids,hybrids stencil cg zones)
$(call runs,mistakes,mismatch mistakes patterns ends)
$(call runs,programs,segments pvm_ends patterns sort multigrid integrals integrals_pvm streams)
$(call runs,repeat,threaded patterns)
$(call runs,threads,threaded hybrid races blas multiple leaves children objects clocks piped mistakes sees)
$(call runs,times,conform patterns ports windows)
$(call runs,why,why patterns conform)
$(call runs,users,loads pvm_loads pvm_ends faults patterns)
$(BUILD)/tests/test_messages_programs: | $(BUILD)/goal

# The calls of docs/modelled.md, in threaded programs and in ranks.
MODELLED := $(BUILD)/threads/calls $(BUILD)/messages/bin/calls $(foreach f,threads messages/bin,$(BUILD)/$f/languages_cpp $(BUILD)/$f/languages_f90)
$(BUILD)/threads/calls: tests/modelled/calls.c $(BUILD)/flags | $(BUILD)/have/demo
	@mkdir -p $(@D)
	$(say) $(CC) -std=gnu11 -g $(threads_flags) $(depends) $< -o $@ -lm -lrt -pthread
$(BUILD)/messages/bin/calls: tests/modelled/calls.c $(BUILD)/simcc
	@mkdir -p $(@D)
	$(say) $(BUILD)/simcc -DRANKS $(CPPFLAGS) $(CFLAGS) -std=gnu11 $(LDFLAGS) $< -o $@ -lrt
# With a compiler, if there is one. Ranks with a sanitizer are not on the virtual clock, and C++ and Fortran would need its libraries.
sanitized = $(findstring -fsanitize,$(CFLAGS))
has = if command -v $1 >/dev/null; then echo '$@' && $2 $< -o $@ -pthread; else echo '$@: left out, there is no $1'; fi
$(BUILD)/threads/languages_cpp: tests/modelled/languages.cpp $(BUILD)/flags | $(BUILD)/have/demo
	@mkdir -p $(@D)
	@$(call has,$(CXX),$(CXX) -std=c++20)
$(BUILD)/messages/bin/languages_cpp: tests/modelled/languages.cpp $(BUILD)/simc++
	@mkdir -p $(@D)
	@$(if $(sanitized),echo '$@: left out with a sanitizer',$(call has,$(CXX),$(BUILD)/simc++ -std=c++20 -DRANKS))
$(BUILD)/threads/languages_f90: tests/modelled/languages.f90 $(BUILD)/flags | $(BUILD)/have/demo
	@mkdir -p $(@D)
	@$(call has,$(FORTRAN),$(FORTRAN) -cpp)
$(BUILD)/messages/bin/languages_f90: tests/modelled/languages.f90 $(if $(shell command -v $(FORTRAN)),$(BUILD)/simf90)
	@mkdir -p $(@D)
	@$(if $(sanitized),echo '$@: left out with a sanitizer',$(call has,$(FORTRAN),$(BUILD)/simf90 -cpp -DRANKS))
$(BUILD)/tests/test_modelled: | $(MODELLED) $(BUILD)/simrun
RUN += $(MODELLED)

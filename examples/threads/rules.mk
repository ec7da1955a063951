# Threads on the virtual clock: the library that is loaded before a program, and the program that runs others. Neither they nor the
# programs are compiled with sanitizers, which know threads by the calls that the library intercepts.
threads_flags = $(CPPFLAGS) $(filter-out -fsanitize% -std=% -fno-sanitize%,$(CFLAGS)) -I.
THREADING := $(call objects,examples/threads,simthreads demand)
DEMAND := $(BUILD)/examples/threads/demand.o # of simthreads itself
$(THREADING) $(DEMAND): $(BUILD)/examples/threads/%.o: examples/threads/%.c $(BUILD)/flags | $(BUILD)/have/demo
	@mkdir -p $(@D)
	$(say) $(CC) -std=gnu11 $(threads_flags) -fPIC -fexceptions -fvisibility=hidden $(depends) -c $< -o $@
# Direct execution, which examples/messages has with other flags.
THREADING_DIRECT := $(patsubst examples/direct/%.c,$(BUILD)/examples/threads_direct/%.o,$(wildcard examples/direct/*.c))
$(THREADING_DIRECT): $(BUILD)/examples/threads_direct/%.o: examples/direct/%.c $(BUILD)/flags | $(BUILD)/have/demo
	@mkdir -p $(@D)
	$(say) $(CC) -std=gnu11 $(threads_flags) -DSIMKIT_NO_PROCESSES -fPIC -fexceptions -fvisibility=hidden $(depends) -c $< -o $@
$(BUILD)/libsimthreads.so: $(THREADING) $(THREADING_DIRECT)
	$(say) $(CC) -shared $^ -o $@ -Wl,-z,now -ldl -lm -pthread
$(BUILD)/simthreads: examples/threads/simthreads.c $(DEMAND) $(BUILD)/libsimthreads.so $(BUILD)/flags
	$(say) $(CC) -std=gnu11 $(threads_flags) $(depends) $< $(DEMAND) -o $@ -lm -pthread
$(BUILD)/simthreadcc: examples/threads/simthreadcc.in $(BUILD)/libsimthreads.so
	@sed 's|@include@|$(abspath examples/threads)|; s|@library@|$(abspath $(BUILD))|; s|@cc@|$(CC)|' $< > $@
	@chmod +x $@

# Programs for it. Tests of those in C++ and with OpenMP are skipped where the compilers do not have them.
THREADED := $(addprefix $(BUILD)/threads/,conform conform_c11 conform_cxx conform_omp conform_tasks shares spins deadlock amdahl processors files pipes disks endings old \
            sees bare timers clocks kernels)
$(BUILD)/threads/%: tests/threads/%.c $(BUILD)/flags | $(BUILD)/have/demo
	@mkdir -p $(@D)
	$(say) $(CC) -std=gnu11 -g -Iexamples/threads $(threads_flags) $(depends) $< -o $@ -lm -pthread
$(BUILD)/threads/kernels: tests/threads/memory/kernels.c $(BUILD)/flags | $(BUILD)/have/demo
	@mkdir -p $(@D)
	$(say) $(CC) -std=gnu11 -g $(threads_flags) $(depends) $< -o $@ -pthread
$(BUILD)/threads/bare: tests/threads/bare.c $(BUILD)/threads/bare.so
	$(say) $(CC) -std=gnu11 -g $(threads_flags) $(depends) $< -o $@ -Wl,--enable-new-dtags,-rpath,'$$ORIGIN' -ldl -lm -pthread
$(BUILD)/threads/bare.so: tests/threads/bare.c $(BUILD)/flags | $(BUILD)/have/demo
	@mkdir -p $(@D)
	$(say) $(CC) -std=gnu11 -g $(threads_flags) -DBARE_LIBRARY -fPIC -shared $< -o $@
$(BUILD)/threads/conform_omp $(BUILD)/threads/shares $(BUILD)/threads/spins: $(BUILD)/threads/%: tests/threads/%.c $(BUILD)/flags | $(BUILD)/have/demo
	@mkdir -p $(@D)
	@if echo 'int omp_get_num_procs(void); int main(void) { return omp_get_num_procs(); }' | $(CC) -fopenmp -x c - -o $@ 2>/dev/null; \
	then echo '$@' && $(CC) -std=gnu11 -g -Iexamples/threads $(threads_flags) -fopenmp $(depends) $< -o $@ -lm -pthread; \
	else echo '$@: left out, $(CC) has no OpenMP'; fi
$(BUILD)/threads/conform_cxx: tests/threads/conform_cxx.cpp $(BUILD)/flags | $(BUILD)/have/demo
	@mkdir -p $(@D)
	@if command -v $(CXX) >/dev/null; then echo '$@' && $(CXX) -std=c++20 -g $(threads_flags) $(depends) $< -o $@ -pthread; \
	else echo '$@: left out, there is no $(CXX)'; fi
$(BUILD)/threads/conform_tasks: tests/threads/conform_tasks.cpp $(BUILD)/flags | $(BUILD)/have/demo
	@mkdir -p $(@D)
	@if echo 'int main() {}' | $(CXX) -fopenmp -x c++ - -o $@ 2>/dev/null; \
	then echo '$@' && $(CXX) -std=c++20 -g $(threads_flags) -fopenmp $(depends) $< -o $@; else echo '$@: left out, $(CXX) has no OpenMP'; fi
# Programs of OpenMP, for gcc alone: those of clang are predicted slowly. tests/threads/openmp/validate compiles them by both.
OPENMP := $(addprefix $(BUILD)/threads/openmp_,loops tasks waits objects)
not_clang = echo '\#ifdef __clang__'; echo '\#error'; echo '\#endif'; echo '\#include <omp.h>'; echo 'int main(void) { return omp_get_num_procs(); }'
openmp = if { $(not_clang); } | $1 -fopenmp -x $2 - -o $@ 2>/dev/null; \
	then echo '$@' && $1 -g $(threads_flags) -fopenmp $(depends) $< -o $@ -lm; \
	else echo '$@: left out, $(firstword $1) is not gcc with OpenMP'; fi
$(BUILD)/threads/openmp_%: tests/threads/openmp/%.c $(BUILD)/flags | $(BUILD)/have/demo
	@mkdir -p $(@D)
	@$(call openmp,$(CC) -std=gnu11,c)
$(BUILD)/threads/openmp_%: tests/threads/openmp/%.cpp $(BUILD)/flags | $(BUILD)/have/demo
	@mkdir -p $(@D)
	@$(call openmp,$(CXX) -std=c++11,c++)
RUN += $(THREADED) $(OPENMP) $(BUILD)/simthreads $(BUILD)/simthreadcc
$(BUILD)/tests/test_threads: $(DEMAND)
$(BUILD)/tests/test_threads: | $(THREADED) $(OPENMP) $(BUILD)/simthreads $(BUILD)/simthreadcc

# Sweeps: the library, and the program with its models. Its kernels are never run, so it takes no BLAS along. It runs under mpirun
# where MPI is installed, and writes databases where SQLite is.
SWEEPER := $(call objects,examples/sweep,main)
MODELS  := $(SERVER) $(filter-out %/kernels.o,$(GRAPH)) $(KERNELS)
with_cc  = OMPI_CC='$(CC)' MPICH_CC='$(CC)' $$(grep -q MPI $(BUILD)/with && echo mpicc || echo $(CC))
SWEEP_LIBRARIES = -rdynamic $$(grep -q SQLITE $(BUILD)/with && echo -lsqlite3) -lz -ldl -lm -pthread

$(BUILD)/with: FORCE | $(BUILD)/have/demo
	@{ echo 'int MPI_Finalize(void); int main(void) { return MPI_Finalize(); }' \
	    | OMPI_CC='$(CC)' MPICH_CC='$(CC)' mpicc -x c - -o $@.try 2>/dev/null && echo -DSWEEP_MPI; \
	echo '#include <sqlite3.h>' | $(CC) -x c - -shared -fPIC -o $@.try -lsqlite3 2>/dev/null && echo -DSWEEP_SQLITE; } > $@.new; \
	rm -f $@.try; cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(BUILD)/examples/sweep/%.o: private compiler = $(with_cc)
$(BUILD)/examples/sweep/%.o: private local = $$(cat $(BUILD)/with) -Iexamples/server
$(SWEEPER) $(BUILD)/examples/sweep/main.o: $(BUILD)/with

$(BUILD)/sweep: $(BUILD)/examples/sweep/main.o $(SWEEPER) $(MODELS) $(KIT)
$(BUILD)/sweep: private compiler = $(with_cc)
$(BUILD)/sweep: private libraries = $(SWEEP_LIBRARIES)
linked += $(BUILD)/sweep
RUN += $(BUILD)/sweep

# A model of its own, as its second line says.
$(BUILD)/waiting.so: examples/sweep/own/waiting.c examples/sweep/sweep.h $(BUILD)/flags | $(BUILD)/have/demo
	$(say) $(CC) $(flags) -shared -fPIC -Iexamples/sweep $< -o $@ -lm

$(BUILD)/tests/test_sweep: $(patsubst %,$(BUILD)/examples/sweep/%.o,text about points machine file results deal make run sweep)
$(filter-out %/test_sweep,$(call tests_of,sweep)): $(SWEEPER) $(MODELS)
$(call tests_of,sweep): private compiler = $(with_cc)
$(call tests_of,sweep): private local = -Iexamples/sweep -Iexamples/server
$(call tests_of,sweep): private libraries = $(SWEEP_LIBRARIES)
$(BUILD)/tests/test_sweep_program: | $(BUILD)/sweep $(BUILD)/waiting.so

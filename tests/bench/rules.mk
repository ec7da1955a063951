# Programs that measure the kit: $(BUILD)/bench/NAME, each with bodies of its own, but those of sweeps and recorded programs.
BENCHES := $(patsubst tests/bench/%.c,$(BUILD)/bench/%,$(wildcard tests/bench/*.c))
SHARED  := $(BUILD)/bench/sweep $(BUILD)/bench/goal
$(foreach file,$(wildcard tests/bench/*.c),$(eval $(BUILD)/bench/$(basename $(notdir $(file))): $(file)))
$(filter-out $(SHARED),$(BENCHES)): private body =
$(SHARED): $(KIT)

$(BUILD)/bench/direct: $(BUILD)/blas
$(BUILD)/bench/direct: private local = $$(cat $(BUILD)/blas)
$(BUILD)/bench/direct: private libraries = $(GRAPH_LIBRARIES)
# The server's files and simkit.h as one program, without the promises that the kit makes to itself.
$(BUILD)/bench/server: private sources = tests/bench/server.c $(patsubst %,examples/server/%.c,server simulate work policies profile malleable particular programs)
$(BUILD)/bench/server: $(wildcard examples/server/*.[ch]) $(GRAPH)
$(BUILD)/bench/server: private local = -DNDEBUG -Iexamples/server
$(BUILD)/bench/server: private libraries = $(GRAPH_LIBRARIES)
$(BUILD)/bench/sweep: $(SWEEPER) $(MODELS)
$(BUILD)/bench/sweep: private compiler = $(with_cc)
$(BUILD)/bench/sweep: private libraries = $(SWEEP_LIBRARIES)
$(BUILD)/bench/goal: $(GOAL)

bench:
	@tests/bench/all $(if $(INSTALL),--install) $(if $(QUICK),--quick) $(ONLY)

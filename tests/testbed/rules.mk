# Programs that run on the testbed, and what predicts them; what `make validate` does, or one family of it.
$(BUILD)/calibrate: $(BUILD)/tests/testbed/calibrate.o $(GRAPH) $(KIT)
$(BUILD)/calibrate: private libraries = $(GRAPH_LIBRARIES)
$(BUILD)/contend: $(BUILD)/tests/testbed/contend.o $(BUILD)/tests/testbed/targets.o
$(BUILD)/transfers: $(BUILD)/tests/testbed/transfers.o
$(addprefix $(BUILD)/tests/testbed/,contend.o targets.o transfers.o): private body =
linked += $(BUILD)/calibrate $(BUILD)/contend $(BUILD)/transfers

testbed: $(addprefix $(BUILD)/,factor calibrate server alone simcc contend transfers)

# What is there of it is left out, or goes on where it was stopped: tests/long.
validate:
	@tests/testbed/all $(if $(QUICK),--quick) $(if $(RANDOM),--random $(RANDOM)) $(if $(SEED),--seed $(SEED)) $(ONLY)

# Programs that compare the formulas with this machine's own scheduler, caches and load average; each has bodies of its own.
$(BUILD)/live/%: private body =
$(BUILD)/live/measured: private local = $$(cat $(BUILD)/blas)
$(BUILD)/live/measured: private libraries = $(GRAPH_LIBRARIES)
$(BUILD)/live/measured: $(BUILD)/blas
$(BUILD)/live/%: tests/live/%.c $(BUILD)/flags | $(BUILD)/have/demo
	$(at_once)

live: $(patsubst tests/%.c,$(BUILD)/%,$(wildcard tests/live/*.c))
	@set -e; for program in $(sort $^); do echo "== $$program"; $$program; done

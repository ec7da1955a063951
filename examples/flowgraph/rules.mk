# What the programs of flow graphs share, and the programs. The demo measures OpenBLAS where it is installed, else kernels.c itself.
GRAPH := $(call objects,examples/flowgraph,demo factor paper flowgraph_simulated)
GRAPH_LIBRARIES = $$(sed 's/-DKERNELS_BLAS/-lopenblas/' $(BUILD)/blas) -ldl -lm -pthread

$(BUILD)/blas: FORCE | $(BUILD)/have/demo
	@if echo 'void dgetrf_(void); int main(void) { dgetrf_(); return 0; }' \
	    | $(CC) -x c - -o $@.try -lopenblas 2>/dev/null; then echo -DKERNELS_BLAS; else echo; fi > $@.new; \
	rm -f $@.try; cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(BUILD)/examples/flowgraph/kernels.o: $(BUILD)/blas
$(BUILD)/examples/flowgraph/kernels.o: private local = $$(cat $(BUILD)/blas)

# Without BLAS, for programs that never run a kernel.
KERNELS := $(BUILD)/examples/flowgraph/plain/kernels.o
$(KERNELS): examples/flowgraph/kernels.c $(BUILD)/flags | $(BUILD)/have/demo
	@mkdir -p $(@D)
	$(say) $(CC) $(flags) $(declare) $(depends) -c $< -o $@

$(BUILD)/demo: $(addprefix $(BUILD)/examples/flowgraph/,demo.o paper.o) $(GRAPH) $(KIT)
$(BUILD)/factor: $(BUILD)/examples/flowgraph/factor.o $(GRAPH) $(KIT)
$(BUILD)/demo $(BUILD)/factor: private libraries = $(GRAPH_LIBRARIES)
linked += $(BUILD)/demo $(BUILD)/factor
RUN += $(BUILD)/factor

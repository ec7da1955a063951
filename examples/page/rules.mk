# The page for teaching: its modules, for the command line and for the browser, and what they take along: no real runs, no BLAS.
PAGE  := $(call objects,examples/page,main browser)
TAKEN := $(patsubst %,$(BUILD)/examples/server/%.o,simulate server policies profile malleable particular work programs report) \
    $(patsubst %,$(BUILD)/examples/flowgraph/%.o,flowgraph flowgraph_simulated record lu points stencil farm paper) $(KERNELS)
$(BUILD)/module: $(BUILD)/examples/page/main.o $(PAGE) $(TAKEN) $(KIT)
linked += $(BUILD)/module
RUN += $(BUILD)/module
$(call tests_of,page): $(PAGE) $(TAKEN)

# The same as WebAssembly, within one HTML file. Emscripten of Debian looks for its modules of node where Debian's own node has
# them, and does not look into /usr/include.
WEB   := $(patsubst $(BUILD)/%,$(BUILD)/page/objects/%,$(BUILD)/examples/page/browser.o $(PAGE) $(subst /plain/,/,$(TAKEN)))
EMBED := examples/machines/dps.machine tests/published/dps_lu_runs.csv tests/published/dps_efficiency.csv
emcc   = NODE_PATH=/usr/share/nodejs emcc
web    = $(emcc) -std=gnu99 -O2 -I. -Iexamples/flowgraph -I$(BUILD)/page/include $(depends)

$(BUILD)/page/include/stb/stb_ds.h: | $(BUILD)/have/page
	@mkdir -p $(@D)
	@cp $$(echo '#include <stb/stb_ds.h>' | $(CC) -M -x c - | tr ' ' '\n' | grep 'stb_ds\.h$$') $@

$(BUILD)/page/objects/%.o: %.c $(BUILD)/page/include/stb/stb_ds.h $(BUILD)/flags | $(BUILD)/have/page
	@mkdir -p $(@D)
	$(say) $(web) -Wall -Wextra -Wno-gnu-variable-sized-type-not-at-end $(declare) -c $< -o $@

$(BUILD)/page/objects/kit.o: tests/kit.c $(BUILD)/page/include/stb/stb_ds.h $(BUILD)/flags | $(BUILD)/have/page
	@mkdir -p $(@D)
	$(say) $(web) -c $< -o $@

$(BUILD)/page/compiled.js: $(BUILD)/page/objects/kit.o $(WEB) $(EMBED)
	$(say) $(emcc) -O2 -sASYNCIFY -sALLOW_MEMORY_GROWTH -sMODULARIZE -sENVIRONMENT=worker -sFILESYSTEM \
	    -sEXPORTED_RUNTIME_METHODS=ccall,FS $(EMBED:%=--embed-file %) $(filter %.o,$^) -o $@

$(BUILD)/page/index.html: $(BUILD)/page/compiled.js $(wildcard $(addprefix examples/page/*.,js mjs css html))
	@node examples/page/bundle.mjs $(abspath $(BUILD))/page

page: $(BUILD)/page/index.html

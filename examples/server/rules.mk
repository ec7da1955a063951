# The cluster server: everything but its programs; the programs; policies as plugins.
SERVER := $(call objects,examples/server,main alone largest giving_back)
$(BUILD)/examples/server/%.o: private local = -Iexamples/server
$(BUILD)/examples/server/workload.o: | $(BUILD)/have/zlib

$(BUILD)/server: $(BUILD)/examples/server/main.o $(SERVER) $(GRAPH) $(KIT)
$(BUILD)/alone: $(BUILD)/examples/server/alone.o $(SERVER) $(GRAPH) $(KIT)
$(BUILD)/giving_back: $(BUILD)/examples/server/giving_back.o $(SERVER) $(GRAPH) $(KIT)
$(BUILD)/server $(BUILD)/alone $(BUILD)/giving_back: private libraries = -rdynamic -lz $(GRAPH_LIBRARIES)
linked += $(BUILD)/server $(BUILD)/alone $(BUILD)/giving_back
RUN += $(BUILD)/server $(BUILD)/alone $(BUILD)/giving_back

# A policy of its own, as its second line says; and a wrong one.
$(BUILD)/largest.so: examples/server/largest.c
$(BUILD)/incomplete.so: tests/server/incomplete.c
$(BUILD)/largest.so $(BUILD)/incomplete.so: examples/server/server.h $(BUILD)/flags | $(BUILD)/have/demo
	$(say) $(CC) $(flags) -shared -fPIC -Iexamples/server $(filter %.c,$^) -o $@

$(call tests_of,server): $(SERVER) $(GRAPH)
$(call tests_of,server): private local = -Iexamples/server
$(call tests_of,server): private libraries = -rdynamic -lz $(GRAPH_LIBRARIES)
$(BUILD)/tests/test_server: | $(BUILD)/largest.so $(BUILD)/incomplete.so
$(BUILD)/tests/test_commands: | $(BUILD)/server $(BUILD)/alone

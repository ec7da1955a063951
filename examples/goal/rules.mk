# Recorded programs: everything but the program, and the program.
GOAL := $(call objects,examples/goal,main)
$(BUILD)/goal: $(BUILD)/examples/goal/main.o $(GOAL) $(KIT)
linked += $(BUILD)/goal
RUN += $(BUILD)/goal

$(call tests_of,goal): $(GOAL)
$(BUILD)/tests/test_goal_program: | $(BUILD)/goal

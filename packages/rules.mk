# The kit as a part of other projects: what is installed, and all headers as one file.
# What is installed depends on no machine, so it goes to share: pkg-config and CMake look there too.
VERSION  = $(shell sed -n 's/^.define SIMKIT_VERSION "\(.*\)"/\1/p' simkit.h)
PLACE    = $(DESTDIR)$(PREFIX)
install:
	install -d $(PLACE)/include $(PLACE)/share/pkgconfig $(PLACE)/share/cmake/simkit
	install -m 644 $(HEADERS) $(PLACE)/include
	sed 's|@prefix@|$(PREFIX)|; s|@version@|$(VERSION)|' packages/simkit.pc.in > $(PLACE)/share/pkgconfig/simkit.pc
	sed 's|@version@|$(VERSION)|' packages/simkit-config-version.cmake.in > $(PLACE)/share/cmake/simkit/simkit-config-version.cmake
	install -m 644 packages/simkit-config.cmake $(PLACE)/share/cmake/simkit
	chmod 644 $(PLACE)/share/pkgconfig/simkit.pc $(PLACE)/share/cmake/simkit/simkit-config-version.cmake

uninstall:
	rm -f $(addprefix $(PLACE)/include/,$(notdir $(HEADERS))) $(PLACE)/share/pkgconfig/simkit.pc
	rm -f $(PLACE)/share/cmake/simkit/simkit-config.cmake $(PLACE)/share/cmake/simkit/simkit-config-version.cmake
	rmdir $(PLACE)/share/cmake/simkit

amalgam: $(BUILD)/simkit_amalgam.h
$(BUILD)/simkit_amalgam.h: packages/amalgam $(HEADERS)
	@mkdir -p $(@D)
	@packages/amalgam > $@
	@echo '$@'

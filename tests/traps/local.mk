# Known ways in which a preloaded tracer breaks its host: one file for those that share programs.
trap_tests = \
	%D%/clocks.test \
	%D%/descriptors.test \
	%D%/emulator.test \
	%D%/filtered.test \
	%D%/go.test \
	%D%/drops.test \
	%D%/handlers.test \
	%D%/held.test \
	%D%/hostile.test \
	%D%/interrupted.test \
	%D%/jumping.test \
	%D%/loader.test \
	%D%/loading.test \
	%D%/old-symbols.test \
	%D%/places.test \
	%D%/processes.test \
	%D%/reloading.test \
	%D%/samples.test \
	%D%/strangers.test \
	%D%/torture.test \
	%D%/valgrind.test

TESTS += $(trap_tests)
dist_check_SCRIPTS += $(trap_tests)

# Holds a thread in the middle of the recorder.
if BUILD_PRELOAD
check_PROGRAMS += %D%/hold
tests_traps_hold_SOURCES = %D%/hold.c
endif

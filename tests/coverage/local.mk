# What a build with --enable-coverage adds to every link; scripts/line-coverage makes and reads such a build.
if COVERAGE_BUILD
noinst_LIBRARIES += %D%/libcounters.a
BUILT_SOURCES += %D%/libcounters.a
tests_coverage_libcounters_a_SOURCES = %D%/counters.c
tests_coverage_libcounters_a_CFLAGS = -std=gnu11 $(WARNINGS) -fPIC
tests_coverage_libcounters_a_CPPFLAGS = $(AM_CPPFLAGS) -DCOUNTERS_FOLDER='"$(abs_top_builddir)/counters"'
endif
# A test of the script compiles it.
EXTRA_DIST += %D%/counters.c %D%/counters.ld

# System calls and allocations that fail, in the recorder and in the command.
fault_tests = \
	%D%/command.test \
	%D%/control.test \
	%D%/live.test \
	%D%/recorder.test

TESTS += $(fault_tests)
dist_check_SCRIPTS += $(fault_tests)
EXTRA_DIST += %D%/lib.sh %D%/verbs.sh

if BUILD_PRELOAD
check_PROGRAMS += %D%/fail-call
tests_faults_fail_call_SOURCES = %D%/fail-call.c %D%/calls.h %D%/calls.def %D%/places.h
check_LTLIBRARIES += %D%/libfail-malloc.la
tests_faults_libfail_malloc_la_SOURCES = %D%/fail-malloc.c %D%/places.h
tests_faults_libfail_malloc_la_CFLAGS = $(AM_CFLAGS) -fno-builtin -fvisibility=default
tests_faults_libfail_malloc_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere
endif

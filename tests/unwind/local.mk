# The differential test of lib/unwind, built once for each way of making frames. libgcc comes before libunwind, which
# exports an unwinder for C++ exceptions as well. Not in sanitizer builds: those make frames of their own.
if HAVE_LIBUNWIND
if BUILD_PRELOAD
unwind_tests = \
	%D%/diff-O0 \
	%D%/diff-O2 \
	%D%/diff-O3 \
	%D%/diff-fp \
	%D%/diff-lto \
	%D%/diff-protected

check_PROGRAMS += $(unwind_tests)
TESTS += $(unwind_tests)

unwind_diff_files = \
	%D%/assembly.c \
	%D%/calls.c \
	%D%/exceptions.cc \
	%D%/main.c \
	%D%/oracle.c \
	%D%/stacks.c \
	%D%/steps.c
unwind_diff_cppflags = $(AM_CPPFLAGS) $(UNWIND_CFLAGS)
unwind_diff_ldflags = $(AM_LDFLAGS) -Wl,--no-as-needed
unwind_diff_libs = liblow.la -lgcc_s $(UNWIND_LIBS) -lpthread -ldl

tests_unwind_diff_O0_SOURCES = $(unwind_diff_files)
tests_unwind_diff_O0_CPPFLAGS = $(unwind_diff_cppflags)
tests_unwind_diff_O0_LDFLAGS = $(unwind_diff_ldflags)
tests_unwind_diff_O0_LDADD = $(unwind_diff_libs)
tests_unwind_diff_O2_SOURCES = $(unwind_diff_files)
tests_unwind_diff_O2_CPPFLAGS = $(unwind_diff_cppflags)
tests_unwind_diff_O2_LDFLAGS = $(unwind_diff_ldflags)
tests_unwind_diff_O2_LDADD = $(unwind_diff_libs)
tests_unwind_diff_O3_SOURCES = $(unwind_diff_files)
tests_unwind_diff_O3_CPPFLAGS = $(unwind_diff_cppflags)
tests_unwind_diff_O3_LDFLAGS = $(unwind_diff_ldflags)
tests_unwind_diff_O3_LDADD = $(unwind_diff_libs)
tests_unwind_diff_fp_SOURCES = $(unwind_diff_files)
tests_unwind_diff_fp_CPPFLAGS = $(unwind_diff_cppflags)
tests_unwind_diff_fp_LDFLAGS = $(unwind_diff_ldflags)
tests_unwind_diff_fp_LDADD = $(unwind_diff_libs)
tests_unwind_diff_lto_SOURCES = $(unwind_diff_files)
tests_unwind_diff_lto_CPPFLAGS = $(unwind_diff_cppflags)
tests_unwind_diff_lto_LDFLAGS = $(unwind_diff_ldflags)
tests_unwind_diff_lto_LDADD = $(unwind_diff_libs)
tests_unwind_diff_protected_SOURCES = $(unwind_diff_files)
tests_unwind_diff_protected_CPPFLAGS = $(unwind_diff_cppflags)
tests_unwind_diff_protected_LDFLAGS = $(unwind_diff_ldflags)
tests_unwind_diff_protected_LDADD = $(unwind_diff_libs)

# CFLAGS come last on the command line and would win over flags of a program's own, so it is them that differ.
$(tests_unwind_diff_O0_OBJECTS): override CFLAGS = -g -O0
$(tests_unwind_diff_O0_OBJECTS): override CXXFLAGS = -g -O0
$(tests_unwind_diff_O2_OBJECTS): override CFLAGS = -g -O2 -fomit-frame-pointer
$(tests_unwind_diff_O2_OBJECTS): override CXXFLAGS = -g -O2 -fomit-frame-pointer
$(tests_unwind_diff_O3_OBJECTS): override CFLAGS = -g -O3 -fomit-frame-pointer
$(tests_unwind_diff_O3_OBJECTS): override CXXFLAGS = -g -O3 -fomit-frame-pointer
$(tests_unwind_diff_fp_OBJECTS): override CFLAGS = -g -O2 -fno-omit-frame-pointer -fno-optimize-sibling-calls
$(tests_unwind_diff_fp_OBJECTS): override CXXFLAGS = -g -O2 -fno-omit-frame-pointer -fno-optimize-sibling-calls
$(tests_unwind_diff_protected_OBJECTS): override CFLAGS = -g -O2 -fomit-frame-pointer $(protection_CFLAGS)
$(tests_unwind_diff_protected_OBJECTS): override CXXFLAGS = -g -O2 -fomit-frame-pointer $(protection_CFLAGS)
# clang's LTO needs a linker plugin that may not be there.
unwind_diff_lto_flags = -g -O2 $(if $(findstring clang,$(CC)),-Os,-flto=1)
$(tests_unwind_diff_lto_OBJECTS) %D%/diff-lto$(EXEEXT): override CFLAGS = $(unwind_diff_lto_flags)
$(tests_unwind_diff_lto_OBJECTS) %D%/diff-lto$(EXEEXT): override CXXFLAGS = $(unwind_diff_lto_flags)
endif
endif

noinst_HEADERS += %D%/oracle.h %D%/own-thread.h %D%/steps.h %D%/subjects.h

# Traces held against the kernel's own account: tests/e2e/against-kernel.test records both.
check_PROGRAMS += %D%/against-kernel
kernel_comparer = %D%/compare.c %D%/compare.h %D%/kernel_side.c %D%/trace_side.c %D%/sides.h
tests_kernel_against_kernel_SOURCES = %D%/against-kernel.c $(kernel_comparer)
tests_kernel_against_kernel_LDADD = libparser.la

if HAVE_CMOCKA
check_PROGRAMS += %D%/test-compare
TESTS += %D%/test-compare
tests_kernel_test_compare_SOURCES = %D%/test-compare.c %D%/scene.c %D%/scene.h $(kernel_comparer)
tests_kernel_test_compare_LDADD = libparser.la $(CMOCKA_LIBS)
endif

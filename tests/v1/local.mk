# v1 traces: the real ones at hand as Go 1.21 prints them, and rule by rule those made by hand.
TESTS += %D%/print.test
dist_check_SCRIPTS += %D%/print.test

if HAVE_CMOCKA
v1_programs = %D%/test-records %D%/test-order %D%/test-check
check_PROGRAMS += $(v1_programs)
TESTS += $(v1_programs)
v1_made = %D%/made.c %D%/made.h
tests_v1_test_records_SOURCES = %D%/test-records.c $(v1_made)
tests_v1_test_records_LDADD = libparser.la $(CMOCKA_LIBS)
tests_v1_test_order_SOURCES = %D%/test-order.c $(v1_made)
tests_v1_test_order_LDADD = libparser.la $(CMOCKA_LIBS)
tests_v1_test_check_SOURCES = %D%/test-check.c $(v1_made)
tests_v1_test_check_LDADD = libparser.la $(CMOCKA_LIBS)
endif

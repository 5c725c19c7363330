# v1 traces: the real ones at hand as Go's tools print them, and rule by rule those made by hand.
v1_scripts = %D%/binary.test %D%/convert.test %D%/events.test %D%/first.test %D%/fresh.test %D%/golden.test \
	%D%/print.test %D%/raw.test %D%/viewers.test %D%/write-rules.test %D%/write.test
TESTS += $(v1_scripts)
dist_check_SCRIPTS += $(v1_scripts)
EXTRA_DIST += %D%/releases.sh %D%/fresh/load/main.go %D%/fresh/load/plain.go %D%/fresh/load/tasks.go \
	%D%/fresh/restart/main.go

check_PROGRAMS += %D%/make-first
v1_first = %D%/first.c %D%/first.h
tests_v1_make_first_SOURCES = %D%/make-first.c $(v1_first)
tests_v1_make_first_LDADD = libparser.la

check_PROGRAMS += %D%/fetch %D%/round-trip
tests_v1_fetch_SOURCES = %D%/fetch.c
tests_v1_round_trip_SOURCES = %D%/round-trip.c
tests_v1_round_trip_LDADD = libparser.la

if HAVE_CMOCKA
v1_programs = %D%/test-records %D%/test-front %D%/test-order %D%/test-goes-on %D%/test-check %D%/test-memory \
	%D%/test-raw \
	%D%/test-as-v2 %D%/test-as-v2-more %D%/test-as-v2-reader \
	%D%/test-first %D%/test-from-v1 %D%/test-from-v1-more %D%/test-write
check_PROGRAMS += $(v1_programs)
TESTS += $(v1_programs)
v1_made = %D%/made.c %D%/made.h
tests_v1_test_records_SOURCES = %D%/test-records.c $(v1_made)
tests_v1_test_records_LDADD = libparser.la $(CMOCKA_LIBS)
tests_v1_test_front_SOURCES = %D%/test-front.c
tests_v1_test_front_LDADD = libparser.la $(CMOCKA_LIBS)
tests_v1_test_order_SOURCES = %D%/test-order.c $(v1_made)
tests_v1_test_order_LDADD = libparser.la $(CMOCKA_LIBS)
tests_v1_test_goes_on_SOURCES = %D%/test-goes-on.c $(v1_made)
tests_v1_test_goes_on_LDADD = libparser.la $(CMOCKA_LIBS)
tests_v1_test_check_SOURCES = %D%/test-check.c $(v1_made)
tests_v1_test_check_LDADD = libparser.la $(CMOCKA_LIBS)
tests_v1_test_raw_SOURCES = %D%/test-raw.c
tests_v1_test_raw_LDADD = libparser.la $(CMOCKA_LIBS)
tests_v1_test_memory_SOURCES = %D%/test-memory.c $(v1_made)
tests_v1_test_memory_LDADD = libparser.la $(CMOCKA_LIBS)
tests_v1_test_memory_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray,--wrap=free
tests_v1_test_write_SOURCES = %D%/test-write.c tests/parser/allowance.c tests/parser/allowance.h $(v1_made)
tests_v1_test_write_LDADD = libparser.la $(CMOCKA_LIBS)
tests_v1_test_write_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
v1_shown = %D%/as-v2.c %D%/as-v2.h $(v1_made)
tests_v1_test_as_v2_SOURCES = %D%/test-as-v2.c $(v1_shown)
tests_v1_test_as_v2_LDADD = libparser.la $(CMOCKA_LIBS)
tests_v1_test_as_v2_more_SOURCES = %D%/test-as-v2-more.c $(v1_shown)
tests_v1_test_as_v2_more_LDADD = libparser.la $(CMOCKA_LIBS)
tests_v1_test_as_v2_reader_SOURCES = %D%/test-as-v2-reader.c $(v1_shown)
tests_v1_test_as_v2_reader_LDADD = libparser.la $(CMOCKA_LIBS)
v1_converted = %D%/from-v1.c %D%/from-v1.h $(v1_shown)
tests_v1_test_from_v1_SOURCES = %D%/test-from-v1.c $(v1_converted)
tests_v1_test_from_v1_LDADD = libparser.la $(CMOCKA_LIBS)
tests_v1_test_from_v1_more_SOURCES = %D%/test-from-v1-more.c $(v1_converted)
tests_v1_test_from_v1_more_LDADD = libparser.la $(CMOCKA_LIBS)
tests_v1_test_first_SOURCES = %D%/test-first.c $(v1_first) $(v1_shown)
tests_v1_test_first_LDADD = libparser.la $(CMOCKA_LIBS)
endif

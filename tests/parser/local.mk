include %D%/raw.mk

reader_tests = %D%/print.test %D%/validate.test
TESTS += $(reader_tests)
dist_check_SCRIPTS += $(reader_tests)

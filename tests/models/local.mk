models_tests = %D%/models.test

TESTS += $(models_tests)
dist_check_SCRIPTS += $(models_tests)

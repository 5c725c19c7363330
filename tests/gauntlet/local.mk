# The tables of scripts/gauntlet, and what runs a row of one.
check_PROGRAMS += %D%/guard
tests_gauntlet_guard_SOURCES = %D%/guard.c

TESTS += %D%/gauntlet.test
dist_check_SCRIPTS += %D%/gauntlet.test
EXTRA_DIST += \
	%D%/clients.table \
	%D%/compilers.table \
	%D%/databases.table \
	%D%/desktop.table \
	%D%/languages.table \
	%D%/lib.sh \
	%D%/media.table \
	%D%/python.table \
	%D%/servers.sh \
	%D%/servers.table \
	%D%/sources.sh \
	%D%/tools.table \
	%D%/wrappers.table

# The wheels of scripts/gauntlet -i are no target of ours.
clean-local: clean-gauntlet
clean-gauntlet:
	rm -rf %D%/venv
.PHONY: clean-gauntlet

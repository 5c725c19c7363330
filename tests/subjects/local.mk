# Real programs under load: each runs as ever, its trace is valid, and its waits are those that the kernel reports.
# THRACE_SUBJECT_SECONDS is how long each load lasts.
subject_tests = \
	%D%/ffmpeg.test \
	%D%/itt.test \
	%D%/java.test \
	%D%/mariadb.test \
	%D%/memcached.test \
	%D%/nginx.test \
	%D%/nvtx.test \
	%D%/openmp.test \
	%D%/python.test \
	%D%/redis.test \
	%D%/tokio.test

TESTS += $(subject_tests)
dist_check_SCRIPTS += $(subject_tests)
EXTRA_DIST += \
	%D%/Server.java \
	%D%/itt-flow.cpp \
	%D%/kernel-waits.awk \
	%D%/lib.sh \
	%D%/nvtx-ranges.py \
	%D%/openmp-host.c \
	%D%/openmp-kinds.cpp \
	%D%/openmp.c \
	%D%/server.py \
	%D%/tokio/Cargo.lock \
	%D%/tokio/Cargo.toml \
	%D%/tokio/src/main.rs \
	%D%/trace-waits.awk \
	%D%/waits.awk

# What cargo builds there is no target of ours.
clean-local: clean-tokio
clean-tokio:
	rm -rf %D%/tokio-target
.PHONY: clean-tokio

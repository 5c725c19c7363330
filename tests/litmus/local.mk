litmus_tests = %D%/litmus.test

TESTS += $(litmus_tests)
dist_check_SCRIPTS += $(litmus_tests)
EXTRA_DIST += \
	%D%/Cargo.lock \
	%D%/Cargo.toml \
	%D%/rustfmt.toml \
	%D%/src/claim.rs \
	%D%/src/explore.rs \
	%D%/src/gate.rs \
	%D%/src/lists.rs \
	%D%/src/lock.rs \
	%D%/src/main.rs \
	%D%/src/say.rs \
	%D%/src/snapshots.rs \
	%D%/src/steal.rs \
	%D%/src/waitq.rs

include %D%/packaging/local.mk

EXTRA_DIST += \
	%D%/bare-root.sh \
	%D%/check \
	%D%/check-deps \
	%D%/check-docs \
	%D%/fresh \
	%D%/gauntlet \
	%D%/install-deps \
	%D%/line-coverage \
	%D%/long-forms \
	%D%/make-against-the-kernel \
	%D%/make-coverage \
	%D%/make-performance \
	%D%/make-pictures \
	%D%/mutate \
	%D%/release \
	%D%/try \
	%D%/try-packages \
	%D%/vm-arm64

EXTRA_DIST += \
	%D%/debian/changelog \
	%D%/debian/control \
	%D%/debian/copyright \
	%D%/debian/libgotrace-dev.examples \
	%D%/debian/libgotrace-dev.install \
	%D%/debian/libgotrace0.install \
	%D%/debian/libgotrace0.symbols \
	%D%/debian/rules \
	%D%/debian/source/format \
	%D%/debian/thrace-dev.install \
	%D%/debian/thrace.install \
	%D%/thrace.spec

# Events as a v1 trace: for thrace convert.
libparser_la_SOURCES += \
	%D%/as_v1.h \
	%D%/convert.c \
	%D%/ranges.c \
	%D%/steps.h \
	%D%/transitions.c \
	%D%/world.c

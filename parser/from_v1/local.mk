# Writes v1 traces as those of v2: only the command and the tests have it.
libparser_la_SOURCES += \
	%D%/events.h \
	%D%/from_v1.c %D%/from_v1.h \
	%D%/gos.c \
	%D%/places.c \
	%D%/ranges.c \
	%D%/tables.c \
	%D%/world.c %D%/world.h

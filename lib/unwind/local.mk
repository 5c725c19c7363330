# The stack capture of the preloaded library.
liblow_la_SOURCES += \
	%D%/bare.c \
	%D%/cfi.c %D%/cfi.h \
	%D%/expr.c %D%/expr.h \
	%D%/full.c \
	%D%/memo.c %D%/memo.h \
	%D%/modules.c \
	%D%/reader.c %D%/reader.h \
	%D%/recipe.c %D%/recipe.h \
	%D%/regs.h \
	%D%/region.h \
	%D%/unwind.h \
	%D%/walk.c %D%/walk.h

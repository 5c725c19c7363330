# The raw level and the builder.
libgotrace_core_la_SOURCES += \
	%D%/raw_buffer.c %D%/raw_buffer.h \
	%D%/raw_input.c %D%/raw_input.h \
	%D%/utf8.h \
	%D%/quote.c %D%/quote.h %D%/quote_print.h \
	%D%/raw_reader.c %D%/raw_reader.h \
	%D%/bytes_reader.c \
	%D%/text_line.c %D%/text_line.h \
	%D%/text_reader.c \
	%D%/raw_writer.c %D%/raw_writer.h \
	%D%/text_writer.c \
	%D%/builder.c %D%/builder.h \
	%D%/builder_batch.c %D%/builder_batch.h \
	%D%/builder_intern.c %D%/builder_intern.h \
	%D%/builder_tables.c

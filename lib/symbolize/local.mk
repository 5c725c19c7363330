# libsymbolize: PCs into functions and lines, objects into variables; in the command only. It allocates, uses stdio and
# starts processes.
noinst_LTLIBRARIES += libsymbolize.la
libsymbolize_la_SOURCES = \
	%D%/answer.c %D%/answer.h \
	%D%/array.h \
	%D%/cache.c %D%/cache.h \
	%D%/debug.c %D%/debug.h %D%/debug_lines.c %D%/debug_name.c \
	%D%/debug_locals.c %D%/debug_objects.c %D%/debug_split.c %D%/debug_tree.c %D%/debug_variable.c \
	%D%/dwarf.h %D%/dwarf_names.h %D%/dwarf_abbrev.c %D%/dwarf_die.c %D%/dwarf_file.c %D%/dwarf_links.c \
	%D%/dwarf_ranges.c %D%/dwarf_split.c %D%/cursor.h \
	%D%/debugfile.c %D%/debugfile.h \
	%D%/demangle.c %D%/demangle.h \
	%D%/find_function.c \
	%D%/go_table.c %D%/go_table.h \
	%D%/image.c %D%/image.h \
	%D%/job.c %D%/job.h \
	%D%/line_files.c %D%/line_program.c %D%/line_program.h \
	%D%/objects.c %D%/objects.h \
	%D%/perfmap.c %D%/perfmap.h \
	%D%/plt.c \
	%D%/pool.c %D%/pool.h \
	%D%/strings.c %D%/strings.h \
	%D%/symbolize.c %D%/symbolize.h \
	%D%/section.h %D%/types.h \
	%D%/symtab.c %D%/symtab.h \
	%D%/text.h \
	%D%/type_path.c %D%/type_path.h \
	%D%/unpack.c %D%/unpack.h
libsymbolize_la_LIBADD = $(DEMANGLE_LIBS) $(UNPACK_LIBS)

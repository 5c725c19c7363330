# libexport: the formats that `thrace export` writes, one file each.
noinst_LTLIBRARIES += libexport.la
libexport_la_SOURCES = \
	%D%/chrome.c \
	%D%/firefox.c %D%/firefox.h \
	%D%/firefox_columns.c %D%/firefox_counters.c %D%/firefox_markers.c %D%/firefox_meta.c \
	%D%/firefox_stacks.c %D%/firefox_threads.c \
	%D%/flame_svg.c %D%/flame_svg.h \
	%D%/flame_tree.c %D%/flame_tree.h \
	%D%/folded.c \
	%D%/folder.c %D%/folder.h \
	%D%/format.h \
	%D%/formats.c %D%/formats.def %D%/formats.h \
	%D%/gzip.c %D%/gzip.h \
	%D%/heap.c \
	%D%/heap_in_trace.c %D%/heap_in_trace.h \
	%D%/heap_pprof.c %D%/heap_pprof.h \
	%D%/json.c %D%/json.h %D%/json_line.h %D%/json_texts.c %D%/json_texts.h %D%/out.h \
	%D%/memory_file.c %D%/memory_file.h \
	%D%/meta.c %D%/meta.h \
	%D%/perfetto.c %D%/perfetto.h %D%/perfetto_packets.c %D%/protobuf.h \
	%D%/pprof.c \
	%D%/profile.c \
	%D%/rows.c %D%/rows.h \
	%D%/turn_batch.c %D%/turn_batch.h \
	%D%/speedscope.c \
	%D%/spill.c %D%/spill.h \
	%D%/sqlite.c \
	%D%/stack_tree.c %D%/stack_tree.h \
	%D%/svg.c \
	%D%/tables.c %D%/tables.def \
	%D%/timeline.c %D%/timeline.h
libexport_la_LIBADD = $(PPROF_LIBS) $(SQLITE_LIBS) -lm

EXTRA_DIST += %D%/profile.proto %D%/flame.js %D%/sqlite.sql
nodist_libexport_la_SOURCES = %D%/flame_js.h %D%/sqlite_sql.h
BUILT_SOURCES += %D%/flame_js.h %D%/sqlite_sql.h
CLEANFILES += %D%/flame_js.h %D%/sqlite_sql.h
%D%/flame_svg.lo: %D%/flame_js.h
%D%/sqlite.lo: %D%/sqlite_sql.h
%D%/flame_js.h: %D%/flame.js
	$(AM_V_GEN)$(MKDIR_P) %D% && cat $(srcdir)/%D%/flame.js | $(as_bytes) >$@
%D%/sqlite_sql.h: %D%/sqlite.sql
	$(AM_V_GEN)$(MKDIR_P) %D% && cat $(srcdir)/%D%/sqlite.sql | $(as_bytes) >$@

if HAVE_PPROF
nodist_libexport_la_SOURCES += %D%/profile.pb-c.c
BUILT_SOURCES += %D%/profile.pb-c.h
CLEANFILES += %D%/profile.pb-c.c %D%/profile.pb-c.h
%D%/heap_pprof.lo %D%/pprof.lo: %D%/profile.pb-c.h
%D%/profile.pb-c.h: %D%/profile.proto
	$(AM_V_GEN)$(MKDIR_P) %D% && $(PROTOC_C) --c_out=. -I$(srcdir) $(srcdir)/%D%/profile.proto
%D%/profile.pb-c.c: %D%/profile.pb-c.h
endif

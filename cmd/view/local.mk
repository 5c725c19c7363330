# libview: the page that `thrace view` writes.
noinst_LTLIBRARIES += libview.la
libview_la_SOURCES = \
	%D%/blocks.c %D%/blocks.h \
	%D%/lane.h \
	%D%/lanes.c %D%/lanes.h \
	%D%/marks.c %D%/marks.h \
	%D%/pack.c %D%/pack.h \
	%D%/page.c %D%/page.h \
	%D%/serve.c %D%/serve.h \
	%D%/tables.c %D%/tables.h
libview_la_LIBADD = $(UNPACK_LIBS)

# Parts of the page, as bytes for page.c. Those of the script are one function, in this order.
view_script = \
	%D%/page/begin.js \
	%D%/page/format.js \
	%D%/page/regions.js \
	%D%/page/trace.js \
	%D%/page/unpack.js \
	%D%/page/heap.js \
	%D%/page/sums.js \
	%D%/page/flame.js \
	%D%/page/tables.js \
	%D%/page/queue.js \
	%D%/page/painter.js \
	%D%/page/details.js \
	%D%/page/hands.js \
	%D%/page/timeline.js \
	%D%/page/split.js \
	%D%/page/main.js \
	%D%/page/end.js
EXTRA_DIST += $(view_script) %D%/page/style.css %D%/page/body.html
nodist_libview_la_SOURCES = %D%/script_js.h %D%/style_css.h %D%/body_html.h
BUILT_SOURCES += $(nodist_libview_la_SOURCES)
CLEANFILES += $(nodist_libview_la_SOURCES)
%D%/page.lo: $(nodist_libview_la_SOURCES)
%D%/script_js.h: $(view_script)
	$(AM_V_GEN)$(MKDIR_P) %D% && (cd $(srcdir) && cat $(view_script)) | $(as_bytes) >$@
%D%/style_css.h: %D%/page/style.css
	$(AM_V_GEN)$(MKDIR_P) %D% && cat $(srcdir)/%D%/page/style.css | $(as_bytes) >$@
%D%/body_html.h: %D%/page/body.html
	$(AM_V_GEN)$(MKDIR_P) %D% && cat $(srcdir)/%D%/page/body.html | $(as_bytes) >$@

dist_man_MANS += \
	%D%/man/gotrace.3 \
	%D%/man/thrace-annotate.3 \
	%D%/man/thrace-anonymise.1 \
	%D%/man/thrace-convert.1 \
	%D%/man/thrace-critical.1 \
	%D%/man/thrace-diff.1 \
	%D%/man/thrace-export.1 \
	%D%/man/thrace-finish.1 \
	%D%/man/thrace-golden.1 \
	%D%/man/thrace-merge.1 \
	%D%/man/thrace-print.1 \
	%D%/man/thrace-raw.1 \
	%D%/man/thrace-record.1 \
	%D%/man/thrace-snapshot.1 \
	%D%/man/thrace-start.1 \
	%D%/man/thrace-stat.1 \
	%D%/man/thrace-stacks.1 \
	%D%/man/thrace-status.1 \
	%D%/man/thrace-attach.1 \
	%D%/man/thrace-detach.1 \
	%D%/man/thrace-stop.1 \
	%D%/man/thrace-top.1 \
	%D%/man/thrace-trim.1 \
	%D%/man/thrace-validate.1 \
	%D%/man/thrace-view.1
# The pages lie as they do here, so that what leads from one to another does so where they are installed.
nobase_dist_doc_DATA = NEWS README.md SECURITY.md \
	%D%/README.md \
	%D%/against-the-kernel.md \
	%D%/coverage.md \
	%D%/critical-path.md \
	%D%/dependencies.md \
	%D%/diff.md \
	%D%/environment.md \
	%D%/examples/generations.c %D%/examples/journal.c %D%/examples/waits.c \
	%D%/export.md \
	%D%/fleet.md \
	%D%/gauntlet.md \
	%D%/glossary.md \
	%D%/internals.md \
	%D%/limits.md \
	%D%/long-forms.md \
	%D%/model.md \
	%D%/models/README.md \
	%D%/models/chunk.pml \
	%D%/models/claim.pml \
	%D%/models/gate.pml \
	%D%/models/memory.pml \
	%D%/models/steal.pml \
	%D%/models/stop.pml \
	%D%/models/waitq.pml \
	%D%/packages.md \
	%D%/performance.md \
	%D%/pictures/view.png \
	%D%/probes.md \
	%D%/production.md \
	%D%/reader.md \
	%D%/spool.md \
	%D%/stat-json.md \
	%D%/symbols.md \
	%D%/tutorial.md \
	%D%/unwind.md \
	%D%/v1.md \
	%D%/versions.md \
	%D%/view.md \
	%D%/wire.md
EXTRA_DIST += \
	%D%/against-the-kernel.json %D%/against-the-kernel.md.in \
	%D%/gauntlet.json %D%/gauntlet.md.in \
	%D%/long-forms.json \
	%D%/performance.json %D%/performance.md.in

# The page that says where the library is.
man_MANS += %D%/man/thrace.1
EXTRA_DIST += %D%/man/thrace.1.in
CLEANFILES += %D%/man/thrace.1
%D%/man/thrace.1: %D%/man/thrace.1.in Makefile
	$(AM_V_GEN)$(MKDIR_P) %D%/man && \
	    sed 's|@pkglibdir[@]|$(pkglibdir)|g' $(srcdir)/%D%/man/thrace.1.in >$@.$$$$ && mv $@.$$$$ $@

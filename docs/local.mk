dist_man_MANS += %D%/man/thrace.1
EXTRA_DIST += %D%/README.md %D%/glossary.md

dist_man_MANS += %D%/man/thrace.1

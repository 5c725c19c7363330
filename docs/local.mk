dist_man_MANS += %D%/man/thrace-raw.1 %D%/man/thrace-golden.1

include %D%/raw.mk

/* All of libgotrace. Since: 0.1. */
#ifndef GOTRACE_GOTRACE_H
#define GOTRACE_GOTRACE_H

#include <gotrace/base.h>
#include <gotrace/builder.h>
#include <gotrace/events.h>
#include <gotrace/raw.h>
#include <gotrace/reader.h>
#include <gotrace/validate.h>
#include <gotrace/version.h>

#endif

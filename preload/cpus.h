#ifndef THRACE_PRELOAD_CPUS_H
#define THRACE_PRELOAD_CPUS_H

#include <stdint.h>

/* How many CPUs the main thread may use. */
uint32_t cpus_of_process(void);

#endif

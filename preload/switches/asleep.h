/* Which threads wait when a recording begins in mid-run, by the kernel: the first switch of each comes only later. */
#ifndef THRACE_PRELOAD_SWITCHES_ASLEEP_H
#define THRACE_PRELOAD_SWITCHES_ASLEEP_H

/* Writes it. System calls; takes the advance lock. */
void asleep_write(void);

#endif

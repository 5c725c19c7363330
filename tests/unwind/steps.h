/* Interrupts the program after every instruction, so that stacks are taken in prologues, epilogues and stubs too. */
#ifndef THRACE_TESTS_UNWIND_STEPS_H
#define THRACE_TESTS_UNWIND_STEPS_H

#include <stdbool.h>
#include <ucontext.h>

/* False where the processor's single-step mode cannot be switched on from user space. */
bool steps_available(void);

/* Calls back at every nth instruction from here to steps_end, until it has limit times. */
void steps_begin(void (*callback)(const ucontext_t *), unsigned every, unsigned long limit);
void steps_end(void);

#endif

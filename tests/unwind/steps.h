/* Interrupts the program after every instruction, so that stacks are taken in prologues, epilogues and stubs too. */
#ifndef THRACE_TESTS_UNWIND_STEPS_H
#define THRACE_TESTS_UNWIND_STEPS_H

#include <stdbool.h>

/* False where the processor's single-step mode cannot be switched on from user space. */
bool steps_available(void);

/* Every nth instruction from here to steps_end has its stack compared, until limit of them have. */
void steps_begin(unsigned every, unsigned long limit);
void steps_end(void);

#endif

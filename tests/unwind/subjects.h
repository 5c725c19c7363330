/*
 * Code that makes stacks. Every subject calls visit many times, from many places, and gives the same stacks each time;
 * main.c has it visited, interrupted and single-stepped.
 */
#ifndef THRACE_TESTS_UNWIND_SUBJECTS_H
#define THRACE_TESTS_UNWIND_SUBJECTS_H

#ifdef __cplusplus
extern "C" {
#endif

extern void (*visit)(void);

void subject_recursion(void);
void subject_very_deep(void);
void subject_tail_calls(void);
void subject_inlining(void);
void subject_alloca(void);
void subject_realigned_stack(void);
void subject_large_frames(void);
void subject_libc_callbacks(void);
void subject_longjmp(void);
void subject_same_slots(void);
void subject_coroutines(void);
void subject_coroutines_of_unknown_bounds(void);
void subject_exceptions(void);
void subject_assembly(void);
void subject_assembly_without_cfi(void);
void subject_handlers(void);
void subject_handlers_on_their_own_stack(void);
void subject_threads(void);
void subject_system_calls(void);

#ifdef __cplusplus
}
#endif

#endif

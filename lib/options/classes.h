/* The classes of calls, and the bits that stand for them. */
#ifndef THRACE_LIB_OPTIONS_CLASSES_H
#define THRACE_LIB_OPTIONS_CLASSES_H

/* What is recorded besides the starts and ends of threads: bits of owner->recording. */
enum call_class_number {
#define THRACE_CLASS(name, text, meaning) CLASS_NUMBER_##name,
#include "lib/options/classes.def"
#undef THRACE_CLASS
    CLASS_COUNT
};
enum call_class {
    CLASS_NONE = 0,
    RECORDING_ON = 1,
#define THRACE_CLASS(name, text, meaning) CLASS_##name = 2 << CLASS_NUMBER_##name,
#include "lib/options/classes.def"
#undef THRACE_CLASS
    CLASS_EVERY = (2 << CLASS_COUNT) - 2,
    /* Calls that may take long: hooked while nothing is recorded, too, so that a start knows which threads wait. */
    CLASS_TRACKED = CLASS_SYNC | CLASS_SLEEP | CLASS_IO | CLASS_NET | CLASS_POLL | CLASS_PROC | CLASS_IPC,
};

#endif

/* What a recording lost, counted by kind of event and by reason. */
#ifndef THRACE_LIB_LOSSES_H
#define THRACE_LIB_LOSSES_H

enum lost {
#define THRACE_LOST(name, one, many) LOST_##name,
#include "lib/losses.def"
#undef THRACE_LOST
    LOST_KINDS
};

enum loss {
#define THRACE_LOSS(name, text) LOSS_##name,
#include "lib/losses.def"
#undef THRACE_LOSS
    LOSS_REASONS
};

#endif

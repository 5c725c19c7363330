/* How an annotation becomes an event: what those of all kinds have in common. */
#ifndef THRACE_PRELOAD_ANNOTATE_EVENT_H
#define THRACE_PRELOAD_ANNOTATE_EVENT_H

#include "preload/annotate/defined.h"
#include "preload/hook.h"
#include "preload/section.h"
#include "preload/wrapper.h"

/* For slow paths, as HOOK_ENTER; the stack begins with the function of the program's that annotates, or at a probe. */
#define ANNOTATION_ENTER(h, at)                                                                                        \
    ({                                                                                                                 \
        const struct unwind_regs *at_ = (at);                                                                          \
        if (unlikely(at_))                                                                                             \
            (h)->stack.regs = *at_;                                                                                    \
        else                                                                                                           \
            UNWIND_CALLER_REGS(&(h)->stack.regs);                                                                      \
        (h)->stack.leaf = 0;                                                                                           \
        hook_enter(h);                                                                                                 \
    })

/* Opens a section with room for an event with a stack, the name, and `more` bytes; a generation may begin meanwhile. */
IN_LINE bool annotation_section(struct hook *h, const struct name *n, size_t more)
{
    for (;;) {
        size_t room = name_room(n);
        if (!section_enter(h->t, STACK_RECORD_MAX + room + more, LOST_SAID))
            return false;
        if (name_room(n) <= room)
            return true;
        section_leave(h->t);
    }
}

#endif

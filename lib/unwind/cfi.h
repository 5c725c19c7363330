/* Call frame information as .eh_frame has it: from a pc to the row of rules that unwinds its frame. */
#ifndef THRACE_LIB_UNWIND_CFI_H
#define THRACE_LIB_UNWIND_CFI_H

#include "lib/unwind/reader.h"
#include "lib/unwind/unwind.h"

/* Columns that are kept; rules for others (vector registers) are skipped. */
enum { CFI_COLUMNS = UNWIND_NREGS };

enum cfi_rule {
    CFI_SAME, /* also for registers without a rule: nobody saved them */
    CFI_UNDEFINED,
    CFI_AT_CFA,    /* saved at CFA + val */
    CFI_CFA_PLUS,  /* is CFA + val */
    CFI_REGISTER,  /* is in register val */
    CFI_AT_EXPR,   /* saved at the address that the expression at cfi + val yields */
    CFI_EXPR,      /* is what the expression at cfi + val yields */
};

/* CFA: cfa_val from register cfa_reg, or, when cfa_expr, the expression at cfi + cfa_val. */
struct cfi_row {
    int32_t val[CFI_COLUMNS];
    uint8_t rule[CFI_COLUMNS];
    uint8_t cfa_reg;
    bool cfa_expr;
    int32_t cfa_val;
};

enum { LSDA_UNREADABLE = 1 };

struct cfi_fde {
    struct cfi_reader cie_program, program;
    const uint8_t *cfi; /* base of expression positions */
    uintptr_t start, end;
    uintptr_t lsda; /* where its landing pads are described, 0: it has none, or LSDA_UNREADABLE */
    uint64_t code_align;
    int64_t data_align;
    uint8_t encoding; /* of pointers in the program */
    uint8_t lsda_encoding;
    bool signal;      /* the frame is a signal trampoline's: the pc below it is exact */
};

/* Finds and parses the description of the function that holds pc. */
bool cfi_find(const struct unwind_module *, uintptr_t pc, struct cfi_fde *);

/* Parses the FDE at addr and its CIE. */
bool cfi_parse(const struct unwind_module *, const uint8_t *addr, struct cfi_fde *);

/*
 * The same for a return address that nothing calls from: no function is there, but one begins right behind it. Someone
 * made up a frame that returns to it, for a signal handler or to start a coroutine. pc is then moved into it.
 */
bool cfi_find_made_up(const struct unwind_module *, uintptr_t *pc, struct cfi_fde *);

/* Runs its programs up to pc. False when they are malformed or beyond what is kept (4 remembered states). */
bool cfi_run(const struct cfi_fde *, uintptr_t pc, struct cfi_row *);

#endif

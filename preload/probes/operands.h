/* The arguments of a probe, as its note describes them: "-4@%edi 8@-24(%rbp) 4@$12". */
#ifndef THRACE_PRELOAD_PROBES_OPERANDS_H
#define THRACE_PRELOAD_PROBES_OPERANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OPERANDS_MAX = 12, OPERAND_REGISTERS = 16, NO_REGISTER = -1 };

/* As instructions number them: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15. */
struct probe_regs {
    uint64_t r[OPERAND_REGISTERS];
};

enum { OPERAND_RSP = 4, OPERAND_RBP = 5 };

enum operand_kind { OPERAND_UNKNOWN, OPERAND_CONSTANT, OPERAND_REGISTER, OPERAND_MEMORY };

struct operand {
    uint8_t kind, size; /* enum operand_kind; bytes */
    bool is_signed;
    uint8_t shift;      /* of a register: 8 for ah and its like */
    int8_t base, index; /* registers; NO_REGISTER */
    uint8_t scale;
    int64_t offset;     /* of memory; or the constant */
};

/* Where a symbol of the module is, 0: nobody knows. */
struct operand_symbols {
    uintptr_t (*find)(const struct operand_symbols *, const char *name, size_t len);
};

/* Reads at most OPERANDS_MAX; what is not understood is OPERAND_UNKNOWN. Returns how many. */
unsigned operands_read(const char *arguments, const struct operand_symbols *, struct operand *);

/* The value in 64 bits, with its sign if it has one. False: it is not known, or lies where nothing can be read. */
bool operand_value(const struct operand *, const struct probe_regs *, uint64_t *value);

/* Copies what can be read of n bytes, up to the first page that cannot. Returns how many. */
unsigned long safe_read(uintptr_t from, void *to, unsigned long n);

#endif

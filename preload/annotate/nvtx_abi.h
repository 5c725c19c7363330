/* What a program that was built with NVTX (version 2 or 3) shares with an injected library: tables and attributes. */
#ifndef THRACE_PRELOAD_ANNOTATE_NVTX_ABI_H
#define THRACE_PRELOAD_ANNOTATE_NVTX_ABI_H

#include <stddef.h>
#include <stdint.h>

enum { NVTX_TABLE_OF_CALLBACKS = 1 };

enum nvtx_module { NVTX_CORE = 1, NVTX_CORE2 = 5 };

/* Where the program's pointer to a function is in the table of its module. */
enum {
    NVTX_MarkEx = 1,
    NVTX_MarkA = 2,
    NVTX_RangeStartEx = 4,
    NVTX_RangeStartA = 5,
    NVTX_RangeEnd = 7,
    NVTX_RangePushEx = 8,
    NVTX_RangePushA = 9,
    NVTX_RangePop = 11,
    NVTX_NameCategoryA = 12,
    NVTX_NameOsThreadA = 14,

    NVTX_DomainMarkEx = 1,
    NVTX_DomainRangeStartEx = 2,
    NVTX_DomainRangeEnd = 3,
    NVTX_DomainRangePushEx = 4,
    NVTX_DomainRangePop = 5,
    NVTX_DomainNameCategoryA = 8,
    NVTX_DomainRegisterStringA = 10,
    NVTX_DomainCreateA = 12,
};

struct nvtx_callbacks {
    size_t size;
    int (*table)(int module, void ****table, unsigned *size); /* 1: there is one */
};

typedef const void *nvtx_get_table(uint32_t id);

/* What the program gets without a library, too: nobody counts how deep it is. */
enum { NVTX_LEVEL_UNKNOWN = -2 };

enum nvtx_message_type { NVTX_TEXT = 1, NVTX_REGISTERED = 3 };

struct nvtx_attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    union {
        const char *text;
        struct name *registered; /* the handle that we gave out */
    } message;
};

#endif

#include "preload/examiner/decode.h"

#include <Zydis/Zydis.h>
#include <string.h>

static ZydisDecoder quick, whole;

bool decode_begin(void)
{
    return ZYDIS_VERSION_MAJOR(ZydisGetVersion()) == 4 &&
           ZYAN_SUCCESS(ZydisDecoderInit(&quick, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) &&
           ZYAN_SUCCESS(ZydisDecoderEnableMode(&quick, ZYDIS_DECODER_MODE_MINIMAL, ZYAN_TRUE)) &&
           ZYAN_SUCCESS(ZydisDecoderInit(&whole, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64));
}

static bool is_lea_of_pc(const ZydisDecodedInstruction *i)
{
    return i->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && i->opcode == 0x8d && i->raw.modrm.mod == 0 &&
           i->raw.modrm.rm == 5;
}

bool decode_sketch(uintptr_t at, size_t n, struct sketch *s)
{
    ZydisDecodedInstruction i;
    if (ZYAN_FAILED(ZydisDecoderDecodeInstruction(&quick, NULL, (const void *)at, n, &i)))
        return false;
    *s = (struct sketch){.len = i.length, .branches = i.raw.imm[0].is_relative, .takes_address = is_lea_of_pc(&i)};
    s->constant = i.raw.imm[0].is_relative ? 0 : (uintptr_t)i.raw.imm[0].value.u;
    s->displacement = (uintptr_t)i.raw.disp.value;
    if (s->branches)
        s->target = at + i.length + (uintptr_t)i.raw.imm[0].value.s;
    else if (s->takes_address)
        s->target = at + i.length + (uintptr_t)i.raw.disp.value;
    return true;
}

/* --- registers ---------------------------------------------------------------------------------------------------- */

enum { NO_REGISTER = -1 };

/* The number of the general register that this one is a part of. */
static int number_of(ZydisRegister r)
{
    ZydisRegister whole_one = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);
    return ZydisRegisterGetClass(whole_one) == ZYDIS_REGCLASS_GPR64 ? ZydisRegisterGetId(whole_one) : NO_REGISTER;
}

static bool is_vector(ZydisRegister r)
{
    switch (ZydisRegisterGetClass(r)) {
    case ZYDIS_REGCLASS_XMM:
    case ZYDIS_REGCLASS_YMM:
    case ZYDIS_REGCLASS_ZMM:
    case ZYDIS_REGCLASS_MASK:
        return true;
    default:
        return false;
    }
}

/* --- what may move ------------------------------------------------------------------------------------------------ */

/* Kinds of instructions that do the same wherever they stand. */
static bool is_harmless(const ZydisDecodedInstruction *i)
{
    if (i->mnemonic == ZYDIS_MNEMONIC_LEA || i->mnemonic == ZYDIS_MNEMONIC_POP ||
        i->mnemonic == ZYDIS_MNEMONIC_PUSH || i->mnemonic == ZYDIS_MNEMONIC_LEAVE)
        return true;
    switch (i->meta.category) {
    case ZYDIS_CATEGORY_AVX:
    case ZYDIS_CATEGORY_AVX2:
    case ZYDIS_CATEGORY_BINARY:
    case ZYDIS_CATEGORY_BITBYTE:
    case ZYDIS_CATEGORY_BMI1:
    case ZYDIS_CATEGORY_BMI2:
    case ZYDIS_CATEGORY_CMOV:
    case ZYDIS_CATEGORY_CONVERT:
    case ZYDIS_CATEGORY_DATAXFER:
    case ZYDIS_CATEGORY_LOGICAL:
    case ZYDIS_CATEGORY_LOGICAL_FP:
    case ZYDIS_CATEGORY_NOP:
    case ZYDIS_CATEGORY_ROTATE:
    case ZYDIS_CATEGORY_SEMAPHORE:
    case ZYDIS_CATEGORY_SETCC:
    case ZYDIS_CATEGORY_SHIFT:
    case ZYDIS_CATEGORY_SSE:
    case ZYDIS_CATEGORY_WIDENOP:
        return true;
    default:
        return false;
    }
}

/* It writes to nothing but memory, flags, general registers and vectors. */
static bool writes_plainly(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o)
{
    for (unsigned k = 0; k < i->operand_count; k++) {
        if (o[k].type == ZYDIS_OPERAND_TYPE_MEMORY && o[k].mem.base == ZYDIS_REGISTER_EIP)
            return false;
        if (o[k].type != ZYDIS_OPERAND_TYPE_REGISTER || !(o[k].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
            continue;
        ZydisRegister r = o[k].reg.value;
        if (r == ZYDIS_REGISTER_RFLAGS || r == ZYDIS_REGISTER_EFLAGS || r == ZYDIS_REGISTER_FLAGS || is_vector(r))
            continue;
        if (number_of(r) == NO_REGISTER)
            return false;
    }
    return true;
}

static bool is_relative(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o)
{
    for (unsigned k = 0; k < i->operand_count; k++)
        if (o[k].type == ZYDIS_OPERAND_TYPE_MEMORY && o[k].mem.base == ZYDIS_REGISTER_RIP)
            return true;
    return false;
}

static void make_movable(uintptr_t at, const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o,
                         struct decoded *d)
{
    struct moved_instruction *m = &d->moved;
    m->len = i->length;
    memcpy(m->bytes, (const void *)at, i->length);
    m->target = d->target;
    m->from = at;
    if (d->flow == FLOW_JUMP || d->flow == FLOW_BRANCH) {
        bool near = i->opcode_map == ZYDIS_OPCODE_MAP_0F;
        m->how = d->flow == FLOW_JUMP ? MOVED_JUMP : MOVED_BRANCH;
        m->opcode = i->opcode & 0xf;
        d->movable = !i->raw.prefix_count && (d->flow == FLOW_JUMP ? i->opcode == 0xe9 || i->opcode == 0xeb
                                                                   : (i->opcode & 0xf0) == (near ? 0x80 : 0x70));
        return;
    }
    /* Returning is the same from anywhere. */
    if (d->flow == FLOW_OTHER && i->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && i->opcode == 0xc3) {
        d->movable = i->length == 1;
        return;
    }
    d->movable = d->flow == FLOW_ON && is_harmless(i) && writes_plainly(i, o);
    if (is_relative(i, o)) {
        m->how = MOVED_RELATIVE;
        m->displacement = i->raw.disp.offset;
        m->target = at + i->length + (uintptr_t)i->raw.disp.value;
        d->movable = d->movable && i->raw.disp.size == 32;
    }
}

/* --- where it goes ------------------------------------------------------------------------------------------------ */

static void follow(uintptr_t at, const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o, struct decoded *d)
{
    bool jumps = i->meta.category == ZYDIS_CATEGORY_UNCOND_BR, branches = i->meta.category == ZYDIS_CATEGORY_COND_BR;
    if (i->raw.imm[0].is_relative)
        d->target = at + i->length + (uintptr_t)i->raw.imm[0].value.s;
    if (jumps || branches) {
        d->flow = !i->raw.imm[0].is_relative ? FLOW_INDIRECT : jumps ? FLOW_JUMP : FLOW_BRANCH;
        d->through_register = i->operand_count && o[0].type == ZYDIS_OPERAND_TYPE_REGISTER;
        d->number = d->through_register ? number_of(o[0].reg.value) : NO_REGISTER;
    } else if (i->meta.category == ZYDIS_CATEGORY_CALL || i->meta.category == ZYDIS_CATEGORY_RET ||
               i->meta.category == ZYDIS_CATEGORY_INTERRUPT || i->meta.category == ZYDIS_CATEGORY_SYSRET ||
               i->raw.imm[0].is_relative) {
        d->flow = FLOW_OTHER;
    }
}

static void note_writes(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o, struct decoded *d)
{
    unsigned n = 0;
    for (unsigned k = 0; k < 4; k++)
        d->writes[k] = NO_REGISTER;
    for (unsigned k = 0; k < i->operand_count && n < 4; k++)
        if (o[k].type == ZYDIS_OPERAND_TYPE_REGISTER && o[k].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE &&
            number_of(o[k].reg.value) != NO_REGISTER)
            d->writes[n++] = number_of(o[k].reg.value);
    if (i->operand_count < 2 || o[0].type != ZYDIS_OPERAND_TYPE_REGISTER || o[0].size != 64)
        return;
    const ZydisDecodedOperand *from = &o[1];
    if (i->mnemonic == ZYDIS_MNEMONIC_MOV && from->type == ZYDIS_OPERAND_TYPE_MEMORY) {
        d->makes = MAKES_LOADED;
    } else if (i->mnemonic == ZYDIS_MNEMONIC_MOVSXD && from->type == ZYDIS_OPERAND_TYPE_MEMORY &&
               from->mem.index != ZYDIS_REGISTER_NONE && from->mem.scale == 4) {
        d->makes = MAKES_OFFSET;
    } else if (i->mnemonic == ZYDIS_MNEMONIC_ADD && from->type == ZYDIS_OPERAND_TYPE_REGISTER) {
        d->makes = MAKES_SUM;
        d->other = number_of(from->reg.value);
    }
}

bool decode(uintptr_t at, size_t n, struct decoded *d)
{
    ZydisDecodedInstruction i;
    ZydisDecodedOperand o[ZYDIS_MAX_OPERAND_COUNT];
    if (ZYAN_FAILED(ZydisDecoderDecodeFull(&whole, (const void *)at, n, &i, o)))
        return false;
    *d = (struct decoded){.len = i.length, .flow = FLOW_ON, .number = NO_REGISTER, .other = NO_REGISTER};
    follow(at, &i, o, d);
    make_movable(at, &i, o, d);
    note_writes(&i, o, d);
    d->ends = d->flow == FLOW_JUMP || (d->flow == FLOW_OTHER && d->movable);
    d->pads = i.meta.category == ZYDIS_CATEGORY_NOP || i.meta.category == ZYDIS_CATEGORY_WIDENOP;
    return true;
}

/*
 * The interface of libdwarf 0.11. Where only that of 2021 is installed, the calls that have changed since are made of it.
 */
#ifndef THRACE_TESTS_SYMBOLIZE_LIBDWARF_H
#define THRACE_TESTS_SYMBOLIZE_LIBDWARF_H

#ifdef HAVE_LIBDWARF_LIBDWARF_H
#include <libdwarf/dwarf.h>
#include <libdwarf/libdwarf.h>
#else
#include <dwarf.h>
#include <libdwarf.h>
#endif

#ifdef HAVE_LIBDWARF_OF_2021

static inline int init_2021(int fd, unsigned group, Dwarf_Handler handler, Dwarf_Ptr argument, Dwarf_Debug *dbg,
                            Dwarf_Error *error)
{
    return dwarf_init_b(fd, DW_DLC_READ, group, handler, argument, dbg, error);
}
#define dwarf_init_b init_2021

static inline int finish_2021(Dwarf_Debug dbg)
{
    Dwarf_Error error = NULL;
    return dwarf_finish(dbg, &error);
}
#define dwarf_finish finish_2021

static inline int next_cu_header_2021(Dwarf_Debug dbg, Dwarf_Bool info, Dwarf_Die *die, Dwarf_Unsigned *length,
                                      Dwarf_Half *version, Dwarf_Off *abbrev, Dwarf_Half *address_size,
                                      Dwarf_Half *length_size, Dwarf_Half *extension, Dwarf_Sig8 *signature,
                                      Dwarf_Unsigned *type_offset, Dwarf_Unsigned *next, Dwarf_Half *type,
                                      Dwarf_Error *error)
{
    int result = dwarf_next_cu_header_d(dbg, info, length, version, abbrev, address_size, length_size, extension,
                                        signature, type_offset, next, type, error);
    if (result != DW_DLV_OK)
        return result;
    return dwarf_siblingof_b(dbg, NULL, info, die, error) == DW_DLV_OK ? DW_DLV_OK : DW_DLV_ERROR;
}
#define dwarf_next_cu_header_e next_cu_header_2021

#endif

#endif

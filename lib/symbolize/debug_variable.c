/*
 * What a variable is called. Its linkage name says all; the symbol at its address has that where the debug info has
 * none, for what is not seen outside of its file; and else the entries around its declaration are put together.
 */
#include "config.h"

#include "lib/symbolize/debug.h"

#include <string.h>

#include "lib/symbolize/demangle.h"
#include "lib/symbolize/dwarf_names.h"

enum { MAX_HOPS = 8, MAX_SCOPES = 64 };

void debug_variable_read(struct unit *u, const struct dwarf_die *first, struct variable *v)
{
    struct dwarf_unit *at = u->tree;
    struct dwarf_die d = *first;
    *v = (struct variable){.unit = NULL};
    for (int hops = 0; at && hops < MAX_HOPS; hops++) {
        uint64_t line = dwarf_number(&d, AT_DECL_LINE);
        if (!v->linkage)
            v->linkage = dwarf_string(at, &d, AT_LINKAGE_NAME);
        if (!v->name)
            v->name = dwarf_string(at, &d, AT_NAME);
        if (!v->line && line <= UINT32_MAX)
            v->line = (uint32_t)line;
        /* A definition in the file of the declaration may leave that out. */
        if (!v->file_unit && dwarf_has(&d, AT_DECL_FILE)) {
            v->file_unit = at;
            v->file = dwarf_number(&d, AT_DECL_FILE);
        }
        if (!v->type.unit)
            v->type = type_of(at, &d);
        v->unit = at;
        v->die = d;
        at = dwarf_follow_declaration(at, &d, &d);
    }
}

/* File numbers mean something only with the line table of their own unit; type units of .dwo files have none. */
uint32_t debug_variable_file(struct unit *u, const struct variable *v)
{
    struct unit other = {.search = u->search, .outer = v->file_unit, .tree = v->file_unit};
    if (v->file_unit == u->tree)
        return debug_file(u, v->file);
    if (!v->file_unit || v->file_unit->file->split || !dwarf_unit_prepare(v->file_unit, &other.die))
        return 0;
    debug_lines_open(&other);
    uint32_t file = debug_file(&other, v->file);
    debug_lines_close(&other);
    return file;
}

/* Replaces the text. A name that nobody can read is none. */
static bool set_demangled(struct unit *u, const char *mangled, size_t len, struct text *text)
{
    struct strings *strings = &u->search->answer->strings;
    const char *plain = strings_get(strings, demangle(strings, mangled, len));
    if (!strncmp(plain, mangled, len) && !plain[len])
        return false;
    /* Copies of a variable that the linker made are the variable. */
    const char *clone = strstr(plain, " [clone ");
    text->len = 0;
    text_add(text, "%.*s", (int)(clone ? clone - plain : (ptrdiff_t)strnlen(plain, sizeof text->bytes)), plain);
    return true;
}

/* A function's own name, as its linkage name tells it with all that is around it. */
static void add_function(struct unit *u, struct dwarf_unit *at, const struct dwarf_die *function, struct text *text)
{
    const char *name = NULL;
    struct dwarf_die d = *function;
    for (int hops = 0; at && hops < MAX_HOPS; hops++) {
        const char *linkage = dwarf_string(at, &d, AT_LINKAGE_NAME);
        if (linkage && set_demangled(u, linkage, strlen(linkage), text)) {
            text_add(text, "::");
            return;
        }
        if (!name)
            name = dwarf_string(at, &d, AT_NAME);
        at = dwarf_follow_declaration(at, &d, &d);
    }
    if (name)
        text_add(text, "%s()::", name);
}

static void add_scopes(struct unit *u, const struct variable *v, struct text *text)
{
    uint64_t parents[MAX_SCOPES];
    size_t n = dwarf_parents(v->unit, v->die.offset, parents, MAX_SCOPES);
    for (size_t i = 0; i < n; i++) {
        struct dwarf_die d;
        if (!dwarf_die_read(v->unit, parents[i], &d))
            return;
        const char *name = dwarf_string(v->unit, &d, AT_NAME);
        switch (d.tag) {
        case DW_TAG_subprogram:
            add_function(u, v->unit, &d, text);
            break;
        case DW_TAG_namespace:
            text_add(text, "%s::", name ? name : "(anonymous namespace)");
            break;
        case DW_TAG_structure_type:
        case DW_TAG_class_type:
        case DW_TAG_union_type:
        case DW_TAG_module:
            if (name)
                text_add(text, "%s::", name);
            break;
        default:
            break;
        }
    }
}

static bool has_scopes(const struct unit *u, const struct variable *v)
{
    struct dwarf_die own;
    if (!dwarf_die_read(v->unit, v->unit->dies, &own) || !dwarf_has(&own, AT_LANGUAGE))
        return u->names_mangled;
    return debug_language_mangles(&own);
}

void debug_variable_name(struct unit *u, struct variable *v, const struct symbol *symbol, struct text *text)
{
    text->len = 0;
    text->bytes[0] = 0;
    if (v->linkage && set_demangled(u, v->linkage, strlen(v->linkage), text))
        return;
    if (symbol && symbol->name[0] == '_' && set_demangled(u, symbol->name, symbol->name_len, text))
        return;
    if (has_scopes(u, v))
        add_scopes(u, v, text);
    text_add(text, "%s", v->name);
}

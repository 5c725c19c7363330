/* What the loader would not load the recorder into, and where a command is found. */
#include "tests/unit/folder.h"

#include <elf.h>
#include <sys/statvfs.h>

#include "cmd/target.h"

enum { SOMEBODY = 54321 };

#if defined(__x86_64__)
enum { MACHINE = EM_X86_64, OTHER_MACHINE = EM_AARCH64 };
#else
enum { MACHINE = EM_AARCH64, OTHER_MACHINE = EM_X86_64 };
#endif

/* A program of headers alone: nobody runs it. */
struct program {
    Elf64_Ehdr e;
    Elf64_Phdr ph[3]; /* PT_INTERP, PT_LOAD, PT_DYNAMIC */
    Elf64_Dyn dyn[4]; /* two libraries, the strings */
    char strings[64];
};

enum { BASE = 0x1000 };

static struct program program_of(const char *library)
{
    struct program p = {.e = {.e_machine = MACHINE, .e_phoff = offsetof(struct program, ph), .e_phnum = 3},
                        .strings = "\0libc.so.6"};
    memcpy(p.e.e_ident, ELFMAG, SELFMAG);
    p.e.e_ident[EI_CLASS] = ELFCLASS64;
    strcpy(p.strings + 16, library);
    p.ph[0] = (Elf64_Phdr){.p_type = PT_INTERP};
    p.ph[1] = (Elf64_Phdr){.p_type = PT_LOAD, .p_vaddr = BASE, .p_filesz = sizeof p};
    p.ph[2] = (Elf64_Phdr){.p_type = PT_DYNAMIC, .p_offset = offsetof(struct program, dyn), .p_filesz = sizeof p.dyn};
    p.dyn[0] = (Elf64_Dyn){.d_tag = DT_NEEDED, .d_un.d_val = 1};
    p.dyn[1] = (Elf64_Dyn){.d_tag = DT_NEEDED, .d_un.d_val = 16};
    p.dyn[2] = (Elf64_Dyn){.d_tag = DT_STRTAB, .d_un.d_ptr = BASE + offsetof(struct program, strings)};
    return p;
}

static struct target t;

static void look_at(const struct program *p, mode_t mode, const char *wanted)
{
    char *path = in_folder("program");
    write_file(path, p, sizeof *p, mode);
    target_find(&t, path);
    assert_int_equal(t.error, 0);
    assert_says(*t.problem ? t.problem : NULL, wanted);
}

static void a_plain_program_is_fine(void **state)
{
    struct program p = program_of("libm.so.6");
    look_at(&p, 0755, NULL);
    look_at(&p, 07755, NULL); /* it makes us ourselves */
}

static void what_the_loader_does_not_do_is_said(void **state)
{
    struct program p = program_of("libm.so.6");
    p.e.e_ident[EI_CLASS] = ELFCLASS32;
    look_at(&p, 0755, "32-bit");
    p = program_of("libm.so.6");
    p.e.e_machine = OTHER_MACHINE;
    look_at(&p, 0755, "another architecture");
    p = program_of("libm.so.6");
    p.ph[0].p_type = PT_NULL;
    look_at(&p, 0755, "statically linked");
}

static void a_sanitizers_program_is_known(void **state)
{
    struct program p = program_of("libasan.so.8");
    look_at(&p, 0755, "sanitizer");
    p = program_of("libtsan.so.2");
    look_at(&p, 0755, "sanitizer");
    p = program_of("libasan");
    look_at(&p, 0755, NULL);
    /* Headers that lead out of the file lead nowhere. */
    p = program_of("libasan.so.8");
    p.dyn[2].d_un.d_ptr = BASE + sizeof p;
    look_at(&p, 0755, NULL);
    p.dyn[2].d_un.d_ptr = BASE - 1;
    look_at(&p, 0755, NULL);
    p = program_of("libasan.so.8");
    p.ph[1].p_filesz = UINT64_MAX;
    p.dyn[2].d_un.d_ptr = BASE + (UINT64_C(1) << 40);
    look_at(&p, 0755, NULL);
    p = program_of("libasan.so.8");
    p.dyn[1].d_un.d_val = UINT64_C(1) << 40;
    look_at(&p, 0755, NULL);
    p = program_of("libasan.so.8");
    p.ph[2].p_filesz = UINT64_MAX;
    look_at(&p, 0755, NULL);
    p = program_of("libasan.so.8");
    p.ph[2].p_offset = sizeof p + 1;
    look_at(&p, 0755, NULL);
    p = program_of("libasan.so.8");
    p.e.e_phoff = UINT64_MAX - 8;
    look_at(&p, 0755, "statically linked");
}

/* With the rights of another user or group the loader takes no library that the environment names. */
static void a_program_that_changes_who_we_are_is_known(void **state)
{
    struct program p = program_of("libm.so.6");
    struct statvfs fs;
    if (geteuid())
        SKIP("optional: not root");
    if (!statvfs(folder, &fs) && (fs.f_flag & ST_NOSUID))
        SKIP("optional: the file system has no set-user-ID");
    char *path = in_folder("program");
    look_at(&p, 0755, NULL);
    static const struct {
        uid_t uid;
        gid_t gid;
        mode_t mode;
        const char *wanted;
    } rows[] = {
        {SOMEBODY, 0, 04755, "set-user-ID"}, {SOMEBODY, 0, 02755, NULL},         {0, SOMEBODY, 02755, "set-group-ID"},
        {0, SOMEBODY, 04755, NULL},          {SOMEBODY, SOMEBODY, 00755, NULL},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        assert_int_equal(chown(path, rows[i].uid, rows[i].gid), 0);
        assert_int_equal(chmod(path, rows[i].mode), 0);
        target_find(&t, path);
        assert_says(*t.problem ? t.problem : NULL, rows[i].wanted);
    }
}

static void interpreters_are_followed(void **state)
{
    struct program p = program_of("libm.so.6");
    char text[600];
    p.ph[0].p_type = PT_NULL;
    look_at(&p, 0755, "statically linked");
    snprintf(text, sizeof text, "#! \t%s -x\n", in_folder("program"));
    write_file(in_folder("script"), text, strlen(text), 0755);
    target_find(&t, in_folder("script"));
    assert_string_equal(t.path, in_folder("script"));
    assert_says(t.problem, in_folder("program"));
    snprintf(text, sizeof text, "#!%s\n", in_folder("itself"));
    write_file(in_folder("itself"), text, strlen(text), 0755);
    target_find(&t, in_folder("itself")); /* it comes to an end */
    assert_string_equal(t.problem, "");
}

static void assert_fails(const char *command, int status, const char *why)
{
    target_find(&t, command);
    assert_int_equal(t.error, status);
    assert_says(t.problem, why);
}

static void a_command_is_found_as_execvp_would(void **state)
{
    char path[256];
    assert_int_equal(mkdir(in_folder("a"), 0755), 0);
    assert_int_equal(mkdir(in_folder("a/tool"), 0755), 0); /* a folder is no command */
    assert_int_equal(mkdir(in_folder("b"), 0755), 0);
    write_file(in_folder("b/tool"), "x", 1, 0644); /* nor is what must not be executed */
    assert_int_equal(mkdir(in_folder("c"), 0755), 0);
    write_file(in_folder("c/tool"), "x", 1, 0755);
    snprintf(path, sizeof path, "%s/a:%s/b:%s/c", folder, folder, folder);
    setenv("PATH", path, 1);
    target_find(&t, "tool");
    assert_int_equal(t.error, 0);
    assert_string_equal(t.path, in_folder("c/tool"));
    assert_fails("no-tool", 127, "no such command");
    assert_fails(in_folder("none"), 127, "No such file");
    assert_fails(in_folder("c/tool/x"), 127, "Not a directory");
    assert_fails(in_folder("a/tool"), 126, "is a directory");
    assert_fails(in_folder("b/tool"), 126, "not executable");
    assert_int_equal(chdir(in_folder("c")), 0);
    setenv("PATH", ":/nowhere", 1); /* nothing is the folder that one is in */
    target_find(&t, "tool");
    assert_int_equal(t.error, 0);
    assert_string_equal(t.path, "tool");
    assert_int_equal(chdir("/"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(a_plain_program_is_fine),
        FOLDER_TEST(what_the_loader_does_not_do_is_said),
        FOLDER_TEST(a_sanitizers_program_is_known),
        FOLDER_TEST(a_program_that_changes_who_we_are_is_known),
        FOLDER_TEST(interpreters_are_followed),
        FOLDER_TEST(a_command_is_found_as_execvp_would),
    };
    return cmocka_run_group_tests_name("target", tests, NULL, NULL);
}

/*
 * usdt: a program with probes, and what it computes around them. It prints the same whether they are recorded or not,
 * and what a trace has when they are, with the mappings of usdt.probes.
 */
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "program.h"

#if defined(__x86_64__)

#include "usdt-sites.h"

/* --- places ------------------------------------------------------------------------------------------------------- */

static void *places(void *self)
{
    static unsigned char bytes[8] = {0, 0, 0, 0, 200};
    introduce(self);
    errno = 77;
    printf("plain %ld\n", plain(-3, 40));
    printf("before_call %ld\n", before_call(1, 2));
    printf("relative %ld\n", relative(5, 0));
    printf("relative_constant %ld\n", relative_constant(0, 0));
    printf("red_zone %ld\n", red_zone(3, 4));
    printf("flags %ld\n", flags(1, 2));
    printf("flags %ld\n", flags(2, 1));
    printf("flags %ld\n", flags(-1, 1));
    printf("direction %ld\n", direction(0, 0));
    printf("branch %ld\n", branch(0, 0));
    printf("branch %ld\n", branch(1, 0));
    printf("jump %ld\n", jump(4, 0));
    printf("stack_end %ld\n", stack_end(9, 0));
    printf("registers %lx\n", registers(100, 200));
    printf("arguments %ld\n", arguments((long)bytes, 1));
    printf("loop %ld\n", loop(3, 5));
    printf("only_call %ld\n", only_call(3, 5));
    printf("table %ld %ld\n", table(0, 5), table(1, 5));
    printf("computed %ld\n", computed(3, 5));
    printf("pointed %ld\n", pointed(0, 0));
    printf("pair %ld\n", pair(0, 0));
    printf("brief %ld\n", brief(17, 0));
    printf("other %ld\n", other(0, 0));
    CHECK(errno == 77);
    return NULL;
}

/* --- strings ------------------------------------------------------------------------------------------------------ */

/* The end of a page, behind which there is none. */
static char *edge(void)
{
    char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(p != MAP_FAILED && !munmap(p + 4096, 4096));
    return p + 4096;
}

static void *texts(void *self)
{
    static char large[3000];
    char *end = edge(), name[16] = "on the stack";
    introduce(self);
    memcpy(end - 4, "last", 4);
    text((long)name, 1);
    text_ends(0, 0);
    text((long)(end - 4), 2);
    text_ends(0, 0);
    text(0, 3);
    text(1, 4);
    text((long)end, 5);
    text(-1, 6);
    text((long)"", 7);
    memset(large, 'x', sizeof large - 1);
    text((long)large, 8);
    for (int i = 0; i < 6; i++)
        text_ends(0, 0);
    return NULL;
}

/* What longjmp leaves behind ends when the same call begins a region again. */
static NOINLINE void leaves(jmp_buf *to, long name)
{
    text_again(name, 0);
    text((long)"within", 0);
    longjmp(*to, 1);
}

static void *left(void *self)
{
    introduce(self);
    for (volatile int i = 0; i < 50; i++) {
        jmp_buf to;
        if (!setjmp(to))
            leaves(&to, (long)(i % 2 ? "odd" : "even"));
    }
    text_ends(0, 0);
    text_ends(0, 0);
    return NULL;
}

/* --- tasks, and a guarded probe ----------------------------------------------------------------------------------- */

static void *ends_jobs(void *self)
{
    introduce(self);
    job_done(7, 0);
    job_done(8, 0);
    job_done(99, 0);
    return NULL;
}

static void *jobs(void *self)
{
    static struct thread other;
    introduce(self);
    job(7, 0);
    job(8, 0);
    spawn(&other, ends_jobs);
    join(&other);
    return NULL;
}

__attribute__((section(".probes"), used)) unsigned short usdt_semaphore;

static NOINLINE void guarded_one(long value)
{
    if (__builtin_expect(*(volatile unsigned short *)&usdt_semaphore, 0))
        __asm__ volatile(PROBE("guarded", "usdt_semaphore", "-8@%0") "movl $1, %%eax" ::"r"(value) : "rax");
}

static void *guarded(void *self)
{
    introduce(self);
    guarded_one(12);
    return NULL;
}

/* --- processes and signals ---------------------------------------------------------------------------------------- */

static void on_signal(int sig) { CHECK(plain(sig, 0) == sig + 1); }

static char signal_stack[64 << 10];
static size_t frame_size;

static void on_first_signal(int sig)
{
    char here;
    frame_size = (size_t)(signal_stack + sizeof signal_stack - &here);
}

static void signal_on_stack(void (*handler)(int), size_t size)
{
    stack_t stack = {.ss_sp = signal_stack + sizeof signal_stack - size, .ss_size = size};
    struct sigaction sa = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    CHECK(!sigaltstack(&stack, NULL) && !sigaction(SIGUSR1, &sa, NULL));
    raise(SIGUSR1);
}

/*
 * A signal stack that suffices for the handler has no room for what is done at a probe. The kernel may ask for more than
 * it takes: for registers that nobody uses.
 */
static void *on_small_stack(void *self)
{
    introduce(self);
    signal_on_stack(on_first_signal, sizeof signal_stack - 8192);
    CHECK(frame_size < sizeof signal_stack / 2);
    signal_on_stack(on_signal, frame_size + 4096);
    return NULL;
}

static void children(void)
{
    int status;
    pid_t pid = fork();
    if (!pid)
        _exit(plain(1, 2) == 4 ? 5 : 6);
    CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 5);
    pid = vfork();
    if (!pid)
        _exit((int)plain(1, 2) + 3);
    CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 7);
}

/* --- many at once ------------------------------------------------------------------------------------------------- */

static void *busy(void *self)
{
    introduce(self);
    for (long i = 0; i < 5000; i++) {
        CHECK(red_zone(i, 3) == i + 3);
        CHECK(flags(i, 50) == (i < 50 ? 3 : 0));
        CHECK(relative_constant(0, 0) == 1);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static struct thread threads[6];
    static void *(*const all[])(void *) = {places, texts, left, jobs, guarded, on_small_stack};
    if (argc > 1) { /* busy */
        for (int i = 0; i < 4; i++)
            spawn(&threads[i], busy);
        for (int i = 0; i < 4; i++)
            join(&threads[i]);
        return 0;
    }
    for (int i = 0; i < 6; i++) {
        spawn(&threads[i], all[i]);
        join(&threads[i]);
    }
    children();
    puts("trace: annotations places log:usdt:plain=arg1=-3_arg2=40 log:usdt:before_call=arg1=501 "
         "log:usdt:relative=arg1=5 log:usdt:relative_constant= log:usdt:red_zone=arg1=3_arg2=4 log:usdt:flags= "
         "log:usdt:flags= log:usdt:flags= log:usdt:direction= log:usdt:branch=arg1=0 log:usdt:branch=arg1=1 "
         "log:usdt:jump=arg1=4 log:usdt:stack_end=arg1=9 log:usdt:registers=arg1=114_arg2=101_arg3=114 "
         "log:usdt:arguments=arg1=-128_arg2=255_arg3=-128_arg4=65534_arg5=-2_arg6=1_arg7=-12_arg8=16_arg9=200_"
         "arg10=?_arg11=1000_arg12=? log:usdt:table=arg1=1 log:usdt:second= log:usdt:brief=arg1=17");
    printf("trace: annotations texts region+on_the_stack region-on_the_stack region+last region-last");
    for (int i = 0; i < 5; i++)
        printf(" region+usdt:text");
    for (int i = 0; i < 2; i++) {
        printf(" region%c", i ? '-' : '+');
        for (int k = 0; k < 1024; k++)
            putchar('x');
    }
    for (int i = 0; i < 5; i++)
        printf(" region-usdt:text");
    puts("\ntrace: annotations on_small_stack");
    printf("trace: annotations left");
    for (int i = 0; i < 50; i++)
        printf(i % 2 ? " region+odd region+within region-within region-odd"
                     : " region+even region+within region-within region-even");
    puts("\ntrace: annotations jobs task+job task+job");
    puts("trace: annotations ends_jobs task-job task-job");
    puts("trace: annotations guarded log:usdt:guarded=arg1=12");
    return 0;
}

#else

int main(void) { return 0; }

#endif

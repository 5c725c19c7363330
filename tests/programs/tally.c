/*
 * tally THREADS LOG [fork]: threads that lock, wake each other and make system calls without end, and count the latter
 * in LOG (tally.h). With "fork" there are children, over and over, that do the same for a while.
 */
#include "program.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "tally.h"

enum { MAX_THREADS = 64, LOCKS = 4, CHILDREN = 4, OPS_OF_CHILD = 300 };

static struct tally *tally;
static int null;
static pthread_mutex_t locks[LOCKS];

#define OP(n)                                                                                                          \
    static NOINLINE void op_##n(void)                                                                                  \
    {                                                                                                                  \
        (void)!write(null, "", 1);                                                                                     \
        NO_TAIL_CALL();                                                                                                \
    }
OP(0)
OP(1)
OP(2)
OP(3)
OP(4)
OP(5)
OP(6)
static void (*const ops[TALLY_KINDS])(void) = {op_0, op_1, op_2, op_3, op_4, op_5, op_6};

static struct tally_slot *slot_of_caller(void)
{
    unsigned n = atomic_fetch_add(&tally->used, 1);
    CHECK(n < TALLY_SLOTS);
    struct tally_slot *s = &tally->slots[n];
    atomic_store(&s->tid, (int)syscall(SYS_gettid));
    atomic_store(&s->pid, getpid());
    return s;
}

static void operate(struct tally_slot *s)
{
    unsigned long n = atomic_fetch_add(&s->begun, 1);
    ops[n % TALLY_KINDS]();
    atomic_store(&s->done, n + 1);
    pthread_mutex_t *lock = &locks[n % 31 % LOCKS];
    pthread_mutex_lock(lock);
    for (volatile int i = 0; i < 4000; i++)
        ;
    pthread_mutex_unlock(lock);
}

static NOINLINE void *for_ever(void *self)
{
    struct tally_slot *s = slot_of_caller();
    introduce(self);
    for (;;)
        operate(s);
    return NULL;
}

static NOINLINE void *for_a_while(void *self)
{
    struct tally_slot *s = slot_of_caller();
    introduce(self);
    for (int i = 0; i < OPS_OF_CHILD; i++)
        operate(s);
    return NULL;
}

/* Nobody who could hold them lives in the child. */
static void make_locks(void)
{
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_init(&locks[i], NULL);
}

static void be_child(int n)
{
    struct thread t[2];
    make_locks();
    struct tally_slot *s = slot_of_caller();
    for (int i = 0; i < OPS_OF_CHILD / 10; i++)
        operate(s);
    for (int i = 0; i < 2; i++)
        spawn(&t[i], for_a_while);
    for (int i = 0; i < 2; i++)
        join(&t[i]);
    if (n % 2)
        _exit(0);
    exit(0);
}

int main(int argc, char **argv)
{
    struct thread t[MAX_THREADS];
    CHECK(argc >= 3);
    int threads = atoi(argv[1]), log = open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0600);
    CHECK(threads > 0 && threads <= MAX_THREADS && log >= 0 && ftruncate(log, sizeof *tally) == 0);
    tally = mmap(NULL, sizeof *tally, PROT_READ | PROT_WRITE, MAP_SHARED, log, 0);
    null = open("/dev/null", O_WRONLY);
    CHECK(tally != MAP_FAILED && null >= 0);
    make_locks();
    for (int i = 0; i < threads; i++)
        spawn(&t[i], for_ever);
    int n = 0;
    while (argc > 3) {
        pid_t child = fork();
        CHECK(child >= 0);
        if (!child)
            be_child(n);
        milliseconds(20);
        if (n++ >= CHILDREN)
            CHECK(wait(NULL) > 0);
    }
    for (;;)
        pause();
}

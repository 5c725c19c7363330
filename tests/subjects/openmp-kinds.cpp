/*
 * Each kind of region, loop, lock and task of OpenMP, with a result that shows whether it was executed as it should.
 * Also a plugin, whose runtime is loaded late and is visible to nobody else.
 */
#include <omp.h>

#include <cstdio>
#include <string>
#include <vector>

namespace {

int wrong;

void check(const char *what, long got, long wanted)
{
    if (got == wanted)
        return;
    std::printf("%s: %ld, not %ld\n", what, got, wanted);
    wrong++;
}

constexpr long N = 2000, SUM = N * (N - 1) / 2;

void loops()
{
    long sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (long i = 0; i < N; i++)
        sum += i;
    check("static loop", sum, SUM);
    sum = 0;
#pragma omp parallel for schedule(dynamic, 7) reduction(+ : sum)
    for (long i = 0; i < N; i++)
        sum += i;
    check("dynamic loop", sum, SUM);
    sum = 0;
#pragma omp parallel for schedule(guided) reduction(+ : sum)
    for (long i = 0; i < N; i++)
        sum += i;
    check("guided loop", sum, SUM);
    sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (long i = 0; i < N; i++)
        sum += i;
    check("runtime loop", sum, SUM);
    sum = 0;
#pragma omp parallel for schedule(monotonic : dynamic) reduction(+ : sum)
    for (long i = 0; i < N; i++)
        sum += i;
    check("monotonic loop", sum, SUM);
    long next = 0;
#pragma omp parallel for ordered schedule(dynamic)
    for (long i = 0; i < 100; i++)
#pragma omp ordered
        next = next * 3 % 1000003 + i;
    long wanted = 0;
    for (long i = 0; i < 100; i++)
        wanted = wanted * 3 % 1000003 + i;
    check("ordered loop", next, wanted);
}

void sections_and_nesting()
{
    int a = 0, b = 0, c = 0;
#pragma omp parallel sections
    {
#pragma omp section
        a = 1;
#pragma omp section
        b = 2;
#pragma omp section
        c = 3;
    }
    check("sections", a + b + c, 6);
    long inner = 0;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(3)
    {
#pragma omp barrier
#pragma omp atomic
        inner++;
    }
    check("nested regions", inner, 6);
    omp_set_max_active_levels(1);
    long alone = 0;
#pragma omp parallel num_threads(3)
#pragma omp parallel num_threads(3)
#pragma omp atomic
    alone++;
    check("nested regions of one thread", alone, 3);
    for (int n = 1; n < 6; n++) {
        long members = 0, others = 0;
#pragma omp parallel num_threads(n)
        {
#pragma omp critical
            members++;
#pragma omp critical(other)
            others++;
        }
        check("team of another size", members, n);
        check("team of another size, another section", others, n);
    }
}

/* Its copy constructor has to be called for each task that gets one. */
struct Text {
    std::string s;
    explicit Text(std::string from) : s(std::move(from)) {}
    Text(const Text &) = default;
};

void tasks()
{
    long sum = 0;
    struct alignas(64) Wide {
        char c[64];
    } wide{};
    wide.c[63] = 1;
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        for (long i = 0; i < 500; i++) {
            Text text(std::string(size_t(i % 40 + 1), 'x'));
#pragma omp task firstprivate(text, wide)
            {
                bool aligned = reinterpret_cast<unsigned long>(&wide) % 64 == 0;
#pragma omp atomic
                sum += long(text.s.size()) * (aligned ? wide.c[63] : 0);
            }
        }
#pragma omp taskwait
        long first = 0;
#pragma omp task depend(out : first) shared(first)
        first = 20;
#pragma omp task depend(in : first) shared(first, sum)
#pragma omp atomic
        sum += first;
#pragma omp taskgroup
        {
#pragma omp task if (0) shared(sum) firstprivate(wide)
#pragma omp atomic
            sum += wide.c[63];
#pragma omp taskloop grainsize(10) shared(sum)
            for (long i = 0; i < 100; i++)
#pragma omp atomic
                sum += 1;
        }
#pragma omp taskwait // as long as there is a first
    }
    long wanted = 20 + 1 + 100;
    for (long i = 0; i < 500; i++)
        wanted += i % 40 + 1;
    check("tasks", sum, wanted);
}

void exceptions()
{
    long caught = 0;
#pragma omp parallel num_threads(4) reduction(+ : caught)
    {
        try {
#pragma omp barrier
            throw 1;
        } catch (int) {
            caught++;
        }
    }
    check("exceptions in a region", caught, 4);
}

void locks()
{
    omp_lock_t lock;
    omp_nest_lock_t nest;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
    long n = 0, m = 0;
#pragma omp parallel num_threads(4)
    for (int i = 0; i < 1000; i++) {
        omp_set_lock(&lock);
        n++;
        omp_unset_lock(&lock);
        omp_set_nest_lock(&nest);
        omp_set_nest_lock(&nest);
        m++;
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
    }
    omp_destroy_nest_lock(&nest);
    omp_destroy_lock(&lock);
    check("locks", n, 4000);
    check("nested locks", m, 4000);
}

} // namespace

extern "C" int openmp_kinds()
{
    for (int round = 0; round < 20; round++) {
        loops();
        sections_and_nesting();
        tasks();
        exceptions();
        locks();
    }
    std::puts(wrong ? "something was wrong" : "all was right");
    return wrong != 0;
}

#ifndef PLUGIN
int main() { return openmp_kinds(); }
#endif

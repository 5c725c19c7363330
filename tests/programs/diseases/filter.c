/* A pipeline of two stages with a pipe between them: one produces pages, the other one compresses them, slowly. */
#include "work.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 60, COMPRESS_US = 3000, PRODUCE_US = 100 };

struct stage {
    int in, out;
    size_t pages;
    uint64_t hash, bytes;
};

static NOINLINE void produce(unsigned char *page, unsigned number)
{
    FOR_CPU_US(PRODUCE_US)
        for (size_t i = 0; i < PAGE; i++)
            page[i] = (unsigned char)(i / (1 + number % 16));
}

static void *producer(void *arg)
{
    struct stage *s = arg;
    unsigned char page[PAGE];
    for (unsigned i = 0; i < PAGES; i++) {
        produce(page, i);
        for (size_t j = 0; j < PAGE; j++)
            MIX(s->hash, page[j]);
        CHECK(write(s->out, page, PAGE) == PAGE);
        s->pages++;
    }
    close(s->out);
    return NULL;
}

/* Runs of equal bytes become pairs of a count and the byte. */
static NOINLINE size_t compress_page(const unsigned char *page, unsigned char *packed)
{
    size_t n = 0;
    for (size_t i = 0; i < PAGE;) {
        size_t run = 1;
        while (i + run < PAGE && run < 255 && page[i + run] == page[i])
            run++;
        packed[n++] = (unsigned char)run;
        packed[n++] = page[i];
        i += run;
    }
    return n;
}

/* The best of many ways. */
static NOINLINE size_t squeeze(const unsigned char *page)
{
    unsigned char packed[2 * PAGE];
    size_t best = sizeof packed;
    FOR_CPU_US(COMPRESS_US) {
        size_t n = compress_page(page, packed);
        best = n < best ? n : best;
    }
    return best;
}

static void *consumer(void *arg)
{
    struct stage *s = arg;
    unsigned char page[PAGE];
    for (ssize_t n; (n = read(s->in, page, PAGE)) > 0;) {
        CHECK(n == PAGE);
        for (size_t j = 0; j < PAGE; j++)
            MIX(s->hash, page[j]);
        s->bytes += squeeze(page);
        s->pages++;
    }
    close(s->in);
    return NULL;
}

int main(void)
{
    int ends[2];
    pthread_t first, second;
    CHECK(pipe(ends) == 0 && fcntl(ends[1], F_SETPIPE_SZ, PAGE) == PAGE);
    struct stage reads = {.in = ends[0], .hash = FIRST_HASH}, writes = {.out = ends[1], .hash = FIRST_HASH};
    CHECK(pthread_create(&first, NULL, producer, &writes) == 0);
    CHECK(pthread_create(&second, NULL, consumer, &reads) == 0);
    CHECK(pthread_join(first, NULL) == 0 && pthread_join(second, NULL) == 0);
    CHECK(reads.hash == writes.hash);
    printf("%zu pages, %llu bytes\n", reads.pages, (unsigned long long)reads.bytes);
    return 0;
}

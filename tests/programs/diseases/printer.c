/*
 * A printer that is shared by a lock. Five batch threads print long documents, one after the other; an operator has
 * something short and urgent now and then, and stands in line like everybody.
 */
#include "work.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

enum { BATCHES = 5, TICKETS = 16, PAGE = 2048, DOCUMENT_US = 4000, TICKET_US = 50, COMPOSE_US = 1000 };

struct printer {
    pthread_mutex_t lock;
    unsigned long documents, tickets;
    uint64_t ink;
};

static struct printer printer = {.lock = PTHREAD_MUTEX_INITIALIZER};
static atomic_bool over;
static struct line line = {.members = BATCHES};

static NOINLINE uint64_t raster(const unsigned char *page)
{
    uint64_t dots = 0;
    for (size_t i = 0; i < PAGE; i++)
        dots += page[i] & 1;
    return dots;
}

static NOINLINE void print_document(struct printer *p, const unsigned char *page)
{
    uint64_t dots = 0;
    line_stand(&line);
    pthread_mutex_lock(&p->lock);
    line_have_turn(&line);
    FOR_CPU_US(DOCUMENT_US)
        dots = raster(page);
    p->ink += dots;
    p->documents++;
    pthread_mutex_unlock(&p->lock);
    line_leave(&line);
}

static NOINLINE void print_ticket(struct printer *p, const unsigned char *page)
{
    uint64_t dots = 0;
    line_stand(&line);
    pthread_mutex_lock(&p->lock);
    line_have_turn(&line);
    FOR_CPU_US(TICKET_US)
        dots = raster(page);
    p->ink += dots;
    p->tickets++;
    pthread_mutex_unlock(&p->lock);
    line_leave(&line);
}

static NOINLINE void compose(unsigned char *page, unsigned seed)
{
    FOR_CPU_US(COMPOSE_US)
        for (size_t i = 0; i < PAGE; i++)
            page[i] = (unsigned char)(seed + i * i);
}

static void *batch(void *arg)
{
    unsigned char page[PAGE];
    for (unsigned n = 0; !atomic_load(&over); n++) {
        compose(page, n);
        print_document(arg, page);
    }
    line_add(&line.members, -1);
    return NULL;
}

static void *operator_desk(void *arg)
{
    unsigned char page[PAGE];
    for (unsigned n = 0; n < TICKETS; n++) {
        compose(page, n);
        while (line_value(&line.demand) < BATCHES - 1)
            line_wait();
        print_ticket(arg, page);
    }
    atomic_store(&over, true);
    return NULL;
}

int main(void)
{
    pthread_t batches[BATCHES], desk;
    for (int i = 0; i < BATCHES; i++)
        CHECK(pthread_create(&batches[i], NULL, batch, &printer) == 0);
    CHECK(pthread_create(&desk, NULL, operator_desk, &printer) == 0);
    CHECK(pthread_join(desk, NULL) == 0);
    for (int i = 0; i < BATCHES; i++)
        CHECK(pthread_join(batches[i], NULL) == 0);
    CHECK(printer.documents > 0);
    printf("%lu tickets\n", printer.tickets);
    return 0;
}

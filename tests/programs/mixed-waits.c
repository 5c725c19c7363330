/*
 * mixed-waits [ROUNDS]: eight threads, in pairs that play a ball to and fro by condition variable, semaphore, pipe and
 * socket in turn. Whoever has the ball also computes, sleeps, and takes a mutex that all eight share.
 */
#include "program.h"

#include <semaphore.h>
#include <sys/socket.h>

enum { PAIRS = 4, WAYS = 4, SHORT_NS = 100000, SLEEP_NS = 200000 };

struct pair {
    pthread_mutex_t lock;
    pthread_cond_t turn;
    int whose;
    sem_t sem[2];
    int pipe[2][2], socket[2];
} pairs[PAIRS];

struct player {
    pthread_t id;
    struct pair *pair;
    int side;
} players[PAIRS][2];

static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;
static long rounds = 200;

static int64_t clock_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

static NOINLINE void compute(int64_t ns)
{
    for (int64_t until = clock_ns() + ns; clock_ns() < until;)
        ;
}

static NOINLINE void give_by_cond(struct pair *p, int side)
{
    pthread_mutex_lock(&p->lock);
    p->whose = !side;
    pthread_cond_signal(&p->turn);
    pthread_mutex_unlock(&p->lock);
}

static NOINLINE void take_by_cond(struct pair *p, int side)
{
    pthread_mutex_lock(&p->lock);
    while (p->whose != side)
        pthread_cond_wait(&p->turn, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

static NOINLINE void give(struct pair *p, int side, int way)
{
    char ball = 'o';
    switch (way) {
    case 0: give_by_cond(p, side); break;
    case 1: CHECK(sem_post(&p->sem[!side]) == 0); break;
    case 2: CHECK(write(p->pipe[!side][1], &ball, 1) == 1); break;
    case 3: CHECK(send(p->socket[side], &ball, 1, 0) == 1); break;
    }
}

static NOINLINE void take(struct pair *p, int side, int way)
{
    char ball;
    switch (way) {
    case 0: take_by_cond(p, side); break;
    case 1: CHECK(sem_wait(&p->sem[side]) == 0); break;
    case 2: CHECK(read(p->pipe[side][0], &ball, 1) == 1); break;
    case 3: CHECK(recv(p->socket[side], &ball, 1, 0) == 1); break;
    }
}

static NOINLINE void hold_the_ball(unsigned turn)
{
    struct timespec nap = {0, SLEEP_NS};
    compute(SHORT_NS);
    if (turn % 3 == 0)
        CHECK(nanosleep(&nap, NULL) == 0);
    if (turn % 2 == 0) {
        pthread_mutex_lock(&shared);
        compute(SHORT_NS);
        pthread_mutex_unlock(&shared);
    }
}

static NOINLINE void *play(void *arg)
{
    struct player *self = arg;
    for (unsigned turn = 0; turn < rounds * WAYS; turn++) {
        if (self->side == 0) {
            hold_the_ball(turn);
            give(self->pair, 0, turn % WAYS);
        }
        take(self->pair, self->side, turn % WAYS);
        if (self->side == 1) {
            hold_the_ball(turn + 1);
            give(self->pair, 1, turn % WAYS);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    rounds = argc > 1 ? atol(argv[1]) : rounds;
    for (int i = 0; i < PAIRS; i++) {
        struct pair *p = &pairs[i];
        CHECK(pthread_mutex_init(&p->lock, NULL) == 0 && pthread_cond_init(&p->turn, NULL) == 0);
        CHECK(sem_init(&p->sem[0], 0, 0) == 0 && sem_init(&p->sem[1], 0, 0) == 0);
        CHECK(pipe(p->pipe[0]) == 0 && pipe(p->pipe[1]) == 0);
        CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, p->socket) == 0);
        for (int side = 0; side < 2; side++) {
            players[i][side] = (struct player){.pair = p, .side = side};
            CHECK(pthread_create(&players[i][side].id, NULL, play, &players[i][side]) == 0);
        }
    }
    for (int i = 0; i < PAIRS; i++)
        for (int side = 0; side < 2; side++)
            CHECK(pthread_join(players[i][side].id, NULL) == 0);
    return 0;
}

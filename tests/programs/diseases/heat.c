/*
 * Heat that spreads over a plate. Each thread has a band of rows, and all meet at a barrier after each step. The bands
 * are of equal height, but only the last one has the finely meshed corner.
 */
#include "work.h"

#include <pthread.h>
#include <string.h>

enum { THREADS = 4, ROWS = 64, COLUMNS = 256, STEPS = 14, COARSE_US = 1000, FINE_US = 12000 };

struct band {
    int first, rows;
    int64_t mesh_us; /* how fine it is */
    double largest;  /* change in the last step */
};

static double plate[2][ROWS][COLUMNS];
static struct band bands[THREADS];
static pthread_barrier_t step_done;
static double history[STEPS];

static double at(const double (*p)[COLUMNS], int row, int column)
{
    if (row < 0 || row >= ROWS || column < 0 || column >= COLUMNS)
        return 0;
    return p[row][column];
}

static NOINLINE double relax_row(const double (*from)[COLUMNS], double (*to)[COLUMNS], int row)
{
    double largest = 0;
    for (int c = 0; c < COLUMNS; c++) {
        double mean = (at(from, row - 1, c) + at(from, row + 1, c) + at(from, row, c - 1) + at(from, row, c + 1)) / 4;
        double change = mean > from[row][c] ? mean - from[row][c] : from[row][c] - mean;
        to[row][c] = mean;
        largest = change > largest ? change : largest;
    }
    return largest;
}

static NOINLINE void relax_band(struct band *b, int step)
{
    const double(*from)[COLUMNS] = (const double(*)[COLUMNS])plate[step % 2];
    b->largest = 0;
    FOR_CPU_US(b->mesh_us) {
        for (int r = b->first; r < b->first + b->rows; r++) {
            double change = relax_row(from, plate[1 - step % 2], r);
            b->largest = change > b->largest ? change : b->largest;
        }
    }
}

static NOINLINE void note_step(int step)
{
    double largest = 0;
    for (int i = 0; i < THREADS; i++)
        largest = bands[i].largest > largest ? bands[i].largest : largest;
    history[step] = largest;
}

static void *solver(void *arg)
{
    struct band *b = arg;
    for (int step = 0; step < STEPS; step++) {
        relax_band(b, step);
        if (pthread_barrier_wait(&step_done) == PTHREAD_BARRIER_SERIAL_THREAD)
            note_step(step);
        pthread_barrier_wait(&step_done);
    }
    return NULL;
}

static void heat_up(void)
{
    memset(plate, 0, sizeof plate);
    for (int c = COLUMNS / 4; c < COLUMNS / 2; c++)
        for (int r = ROWS / 4; r < ROWS / 2; r++)
            plate[0][r][c] = 100;
}

int main(void)
{
    pthread_t threads[THREADS];
    heat_up();
    CHECK(pthread_barrier_init(&step_done, NULL, THREADS) == 0);
    for (int i = 0; i < THREADS; i++) {
        bands[i] = (struct band){.first = i * ROWS / THREADS, .rows = ROWS / THREADS, .mesh_us = COARSE_US};
        if (i == THREADS - 1)
            bands[i].mesh_us = FINE_US;
        CHECK(pthread_create(&threads[i], NULL, solver, &bands[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(history[0] >= history[STEPS - 1]);
    printf("%d steps\n", STEPS);
    return 0;
}

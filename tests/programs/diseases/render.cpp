/* Renders a scene: the image is cut into tiles, and there are eight threads for each processor of the machine. */
#include "work.h"

#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

#include <sched.h>

namespace {

constexpr int THREADS_PER_CPU = 8, TILE = 16, WIDTH = 256, HEIGHT = 256, PER_THREAD = 6;
constexpr int64_t TILE_US = 4000;

struct Sphere {
    double x, y, z, radius, shade;
};

const Sphere spheres[] = {{0, 0, 5, 1, 0.9}, {1, 1, 6, 0.8, 0.5}, {-1, 0.5, 4, 0.4, 0.7}, {0.3, -1, 7, 2, 0.2}};

std::vector<float> image(WIDTH *HEIGHT);
std::atomic<int> next_tile{0}, drawn{0};

NOINLINE double trace_ray(double dx, double dy)
{
    double nearest = 1e9, shade = 0;
    for (const Sphere &s : spheres) {
        double length = std::sqrt(dx * dx + dy * dy + 1);
        double b = (dx * s.x + dy * s.y + s.z) / length;
        double c = s.x * s.x + s.y * s.y + s.z * s.z - s.radius * s.radius;
        double d = b * b - c;
        double t = d < 0 ? 1e9 : b - std::sqrt(d);
        if (t > 0 && t < nearest) {
            nearest = t;
            shade = s.shade;
        }
    }
    return shade;
}

NOINLINE void draw_tile(int left, int top)
{
    for (int y = top; y < top + TILE; y++)
        for (int x = left; x < left + TILE; x++)
            image[(size_t)(y * WIDTH + x)] = (float)trace_ray((x - WIDTH / 2) / 128.0, (y - HEIGHT / 2) / 128.0);
}

void renderer(int tiles)
{
    for (int tile; (tile = next_tile++) < tiles;) {
        int column = tile % (WIDTH / TILE), row = tile / (WIDTH / TILE) % (HEIGHT / TILE);
        FOR_CPU_US(TILE_US)
            draw_tile(column * TILE, row * TILE);
        drawn++;
    }
}

int processors()
{
    cpu_set_t set;
    CHECK(sched_getaffinity(0, sizeof set, &set) == 0);
    return CPU_COUNT(&set);
}

void render(int nthreads, int tiles)
{
    std::vector<std::thread> threads;
    for (int i = 0; i < nthreads; i++)
        threads.emplace_back(renderer, tiles);
    for (std::thread &t : threads)
        t.join();
}

double mean()
{
    double sum = 0;
    for (float f : image)
        sum += f;
    return sum / (WIDTH * HEIGHT);
}

} // namespace

int main()
{
    int nthreads = THREADS_PER_CPU * processors(), tiles = nthreads * PER_THREAD;
    render(nthreads, tiles);
    CHECK(drawn == tiles && mean() <= 1);
    printf("%d tiles for each thread\n", PER_THREAD);
    return 0;
}

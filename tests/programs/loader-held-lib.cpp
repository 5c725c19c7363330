// What loader-held loads.
#include <pthread.h>

extern "C" int *make_int();

static long *volatile made; // else the compiler leaves new and delete out

static void *thread(void *)
{
    made = new long(1);
    delete made;
    return nullptr;
}

__attribute__((constructor)) static void begin()
{
    pthread_t t;
    if (pthread_create(&t, nullptr, thread, nullptr) == 0)
        pthread_join(t, nullptr);
}

extern "C" int *make_int()
{
    return new int[2]{42, 43};
}

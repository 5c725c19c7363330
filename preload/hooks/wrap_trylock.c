/*
 * Locks that are tried: the answer is no wait, so nothing is recorded. They are here for what counts the locks that are
 * taken (counted_locks.c), which stands in `real` where that was asked for.
 */
#include "preload/attributes.h"
#include "preload/real.h"

EXPORT int pthread_mutex_trylock(pthread_mutex_t *m) { return real.pthread_mutex_trylock(m); }
EXPORT int mtx_trylock(mtx_t *m) { return real.mtx_trylock(m); }
EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *l) { return real.pthread_rwlock_tryrdlock(l); }
EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *l) { return real.pthread_rwlock_trywrlock(l); }
EXPORT int pthread_spin_trylock(pthread_spinlock_t *l) { return real.pthread_spin_trylock(l); }

/*
 * Included before all else in what is compiled for musl. A program of glibc's that inherits LD_PRELOAD has to start with
 * the library for musl, too: before 2.34 these were functions of libpthread and libdl, which such a program need not
 * have. Nothing calls them there.
 */
#ifndef THRACE_PRELOAD_MUSL_WEAK_H
#define THRACE_PRELOAD_MUSL_WEAK_H

#pragma weak dladdr
#pragma weak dlerror
#pragma weak dlopen
#pragma weak dlsym
#pragma weak pthread_atfork
#pragma weak pthread_attr_destroy
#pragma weak pthread_attr_getstacksize
#pragma weak pthread_attr_init
#pragma weak pthread_attr_setstacksize
#pragma weak pthread_barrierattr_getpshared
#pragma weak pthread_detach
#pragma weak pthread_getattr_default_np
#pragma weak pthread_key_create
#pragma weak pthread_mutexattr_destroy
#pragma weak pthread_mutexattr_init
#pragma weak pthread_mutexattr_setprotocol
#pragma weak pthread_mutexattr_setrobust
#pragma weak pthread_mutexattr_settype
#pragma weak pthread_self
#pragma weak pthread_setspecific
#pragma weak pthread_testcancel

#endif

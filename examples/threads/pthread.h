/* pthread.h - the system's pthread.h, and what a program may tell the virtual clock of examples/threads. No program
 * needs it: on the virtual clock, types and calls are those of the system's header. With it, objects have names in
 * the report, and work can be charged instead of done. Without the virtual clock the two macros do nothing. */
#ifndef SIMTHREADS_PTHREAD_H
#define SIMTHREADS_PTHREAD_H
#if defined(__GNUC__)
#pragma GCC system_header /* for #include_next */
#endif
#include_next <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Names a mutex, a condition or another object for the report; the name is copied, 31 characters at most. */
extern void simthreads_name(const void *object, const char *name) __attribute__((weak));
#define SIMTHREADS_NAME(object, name) (simthreads_name ? simthreads_name((object), (name)) : (void)0)

/* Charges the calling thread CPU time [s] that it has not spent. Returns 1 if it runs on the virtual clock. If it
 * returns 0, the program does the work itself. */
extern int simthreads_compute(double seconds) __attribute__((weak));
#define SIMTHREADS_COMPUTE(seconds) (simthreads_compute ? simthreads_compute(seconds) : 0)

#ifdef __cplusplus
}
#endif
#endif

/* openmp.c - calls of OpenMP, of gcc's libgomp and of clang's libomp, by which threads share work. These libraries hand out work by atomic
 * instructions, which the virtual clock does not see: a thread that computes ahead of the others would take the work that they
 * would have had. So the program's calls come here first. The time of the thread passes, those that are behind it go on, and then the
 * library is called. The end of a task, or of what a thread has of a parallel region, is no call: there the function that the
 * library calls is one of ours, which calls the program's.
 *
 * A library that is linked statically calls itself, and is not seen. */
#define _GNU_SOURCE
#include "core.h"

#include <dlfcn.h>
#include <link.h>
#include <stdarg.h>
#include <string.h>

#if defined(__x86_64__)

/* A function of the library. */
typedef struct openmp_call {
    void *real; /* NULL: not looked for */
    const char *name;
} openmp_call;

/*=============================================================================
 * MARK: - >>the library
 *===========================================================================*/

/* Libraries that dlopen() has loaded are not among those that RTLD_NEXT knows. */
static int openmp__module(struct dl_phdr_info *info, size_t bytes, void *user)
{
    openmp_call *call = user;
    void *module = *info->dlpi_name ? dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    Dl_info place, ours;
    (void)bytes;
    if (!module) return 0;
    void *found = dlsym(module, call->name);
    dlclose(module);
    /* It may be that of a library that the module needs, or the one in here. */
    if (!found || !dladdr(found, &place) || place.dli_fbase != (void *)info->dlpi_addr) return 0;
    if (dladdr((const void *)call, &ours) && place.dli_fbase == ours.dli_fbase) return 0;
    call->real = found;
    return 1;
}

static void *openmp__real(openmp_call *call)
{
    if (call->real) return call->real;
    threads_thread *t = threads_enter(call->name);
    call->real = dlsym(RTLD_NEXT, call->name);
    if (!call->real) dl_iterate_phdr(openmp__module, call);
    if (!call->real) threads_die("%s() was called, and no library of OpenMP that is loaded has it", call->name);
    threads_leave(t);
    return call->real;
}

/* The time of the thread passes, if there are others that may notice. */
static void openmp__pass(const char *name)
{
    if (threads_turn.alive < 2 || !threads_turn_mine()) return;
    threads_thread *t = threads_enter(name);
    t->pending -= threads_set.call_cost; /* the library's function itself is measured */
    threads_leave(threads_pass(t));
}

/*=============================================================================
 * MARK: - >>calls that are passed on
 *===========================================================================*/

__attribute__((used)) static void *openmp__passing(openmp_call *call)
{
    openmp__pass(call->name);
    return openmp__real(call);
}

/* A function that jumps to that of the library, in r11, with all of its arguments. */
#define PASSING_BY(call, jump)                                                                                         \
    __asm__(".pushsection .text\n.globl " call "\n.type " call ", @function\n" call ":\n.cfi_startproc\n"              \
            "push %rax\n.cfi_adjust_cfa_offset 8\npush %rdi\n.cfi_adjust_cfa_offset 8\n"                               \
            "push %rsi\n.cfi_adjust_cfa_offset 8\npush %rdx\n.cfi_adjust_cfa_offset 8\n"                               \
            "push %rcx\n.cfi_adjust_cfa_offset 8\npush %r8\n.cfi_adjust_cfa_offset 8\n"                                \
            "push %r9\n.cfi_adjust_cfa_offset 8\nlea 1f(%rip), %rdi\ncall openmp__passing\nmov %rax, %r11\n"           \
            "pop %r9\n.cfi_adjust_cfa_offset -8\npop %r8\n.cfi_adjust_cfa_offset -8\n"                                 \
            "pop %rcx\n.cfi_adjust_cfa_offset -8\npop %rdx\n.cfi_adjust_cfa_offset -8\n"                               \
            "pop %rsi\n.cfi_adjust_cfa_offset -8\npop %rdi\n.cfi_adjust_cfa_offset -8\n"                               \
            "pop %rax\n.cfi_adjust_cfa_offset -8\n" jump "\n.cfi_endproc\n.size " call ", . - " call "\n"              \
            ".popsection\n.pushsection .data.rel, \"aw\"\n.balign 8\n1: .quad 0, 2f\n.popsection\n"                    \
            ".pushsection .rodata\n2: .string \"" call "\"\n.popsection\n")
#define PASSING(call) PASSING_BY(call, "jmp *%r11")

/* In calls that wait for tasks, a thread of libomp looks for tasks to do until all are done, without pauses or yields: what it computes
 * there, but not in a task, is no work. */
static bool openmp__look(bool looks)
{
    threads_thread *t = threads_self();
    if (!t) return false;
    const bool before = t->looks;
    t->looks = looks;
    return before;
}

/* Recursive programs wait for tasks after each part of their work, whether they have made some or not: 16 million times in a board of
 * queens that makes 64 000 tasks. Without tasks, it costs no more than two jumps. */
__attribute__((used)) static __thread bool openmp__tasks
    __attribute__((tls_model("initial-exec"))); /* this thread made some */

typedef int (*openmp_wait)(void *a, long b, long c, void *d, long e, void *f);

__attribute__((used)) static int openmp__wait(void *a, long b, long c, void *d, long e, void *f, openmp_call *call)
{
    openmp_wait real;
    openmp__tasks = false;
    *(void **)(void *)&real = openmp__passing(call);
    const bool before = openmp__look(true);
    const int result = real(a, b, c, d, e, f);
    openmp__look(before);
    return result;
}

/* The function has up to six arguments, in registers. */
#define WAITING(call)                                                                                                  \
    __asm__(".pushsection .text\n.globl " call "\n.type " call ", @function\n" call ":\n.cfi_startproc\n"              \
            "mov openmp__tasks@gottpoff(%rip), %rax\nmov 1f(%rip), %r11\ntest %r11, %r11\nje 3f\n"                     \
            "cmpb $0, %fs:(%rax)\njne 3f\njmp *%r11\n"                                                                 \
            "3: lea 1f(%rip), %r11\npush %r11\n.cfi_adjust_cfa_offset 8\ncall openmp__wait\n"                          \
            "add $8, %rsp\n.cfi_adjust_cfa_offset -8\nret\n.cfi_endproc\n.size " call ", . - " call "\n"               \
            ".popsection\n.pushsection .data.rel, \"aw\"\n.balign 8\n1: .quad 0, 2f\n.popsection\n"                    \
            ".pushsection .rodata\n2: .string \"" call "\"\n.popsection\n")

WAITING("GOMP_taskwait");
WAITING("GOMP_taskwait_depend");
WAITING("GOMP_taskgroup_end");
WAITING("__kmpc_omp_taskwait");
WAITING("__kmpc_omp_wait_deps");
WAITING("__kmpc_end_taskgroup");

/* looks: the task ran within a call that waits for tasks. */
static void openmp__task_ended(bool looks)
{
    openmp__tasks = true; /* the thread has gone on in another one, which perhaps has made some */
    openmp__pass("the end of a task");
    openmp__look(looks);
}

#define PASSING_LOOP(kind)                                                                                             \
    PASSING("GOMP_loop_" kind "_start");                                                                               \
    PASSING("GOMP_loop_" kind "_next");                                                                                \
    PASSING("GOMP_loop_ull_" kind "_start");                                                                           \
    PASSING("GOMP_loop_ull_" kind "_next")

PASSING_LOOP("dynamic");
PASSING_LOOP("guided");
PASSING_LOOP("runtime");
PASSING_LOOP("nonmonotonic_dynamic");
PASSING_LOOP("nonmonotonic_guided");
PASSING_LOOP("nonmonotonic_runtime");
PASSING_LOOP("maybe_nonmonotonic_runtime");
PASSING_LOOP("ordered_static");
PASSING_LOOP("ordered_dynamic");
PASSING_LOOP("ordered_guided");
PASSING_LOOP("ordered_runtime");
PASSING("GOMP_loop_start");
PASSING("GOMP_loop_ull_start");
PASSING("GOMP_loop_ordered_start");
PASSING("GOMP_loop_ull_ordered_start");
PASSING("GOMP_loop_end");
PASSING("GOMP_loop_end_cancel");
PASSING("GOMP_doacross_post");
PASSING("GOMP_doacross_wait");
PASSING("GOMP_doacross_ull_post");
PASSING("GOMP_doacross_ull_wait");
PASSING("GOMP_ordered_start");
PASSING("GOMP_ordered_end");
PASSING("GOMP_sections_start");
PASSING("GOMP_sections2_start");
PASSING("GOMP_sections_next");
PASSING("GOMP_sections_end");
PASSING("GOMP_sections_end_cancel");
PASSING("GOMP_single_start");
PASSING("GOMP_single_copy_start");
PASSING("GOMP_single_copy_end");
PASSING("GOMP_barrier");
PASSING("GOMP_barrier_cancel");
PASSING("GOMP_critical_start");
PASSING("GOMP_critical_end");
PASSING("GOMP_critical_name_start");
PASSING("GOMP_critical_name_end");
PASSING("GOMP_atomic_start");
PASSING("GOMP_atomic_end");
PASSING("GOMP_taskyield");

PASSING("__kmpc_dispatch_next_4");
PASSING("__kmpc_dispatch_next_4u");
PASSING("__kmpc_dispatch_next_8");
PASSING("__kmpc_dispatch_next_8u");
PASSING("__kmpc_for_static_fini");
PASSING("__kmpc_doacross_post");
PASSING("__kmpc_doacross_wait");
PASSING("__kmpc_ordered");
PASSING("__kmpc_end_ordered");
PASSING("__kmpc_single");
PASSING("__kmpc_copyprivate");
PASSING("__kmpc_barrier");
PASSING("__kmpc_cancel_barrier");
PASSING("__kmpc_reduce");
PASSING("__kmpc_reduce_nowait");
PASSING("__kmpc_end_reduce");
PASSING("__kmpc_end_reduce_nowait");
PASSING("__kmpc_critical");
PASSING("__kmpc_critical_with_hint");
PASSING("__kmpc_end_critical");
PASSING("__kmpc_omp_task");
PASSING("__kmpc_omp_task_with_deps");
PASSING("__kmpc_omp_taskyield");
PASSING("__kmpc_taskloop");
PASSING("__kmpc_taskloop_5");

PASSING("omp_set_lock");
PASSING("omp_unset_lock");
PASSING("omp_test_lock");
PASSING("omp_set_nest_lock");
PASSING("omp_unset_nest_lock");
PASSING("omp_test_nest_lock");
PASSING("omp_set_lock_");
PASSING("omp_unset_lock_");
PASSING("omp_test_lock_");
PASSING("omp_set_nest_lock_");
PASSING("omp_unset_nest_lock_");
PASSING("omp_test_nest_lock_");

/*=============================================================================
 * MARK: - >>libgomp
 *===========================================================================*/

typedef void (*openmp_body)(void *data);
typedef void (*openmp_copy)(void *to, void *from);

/* The end of what a thread does in a parallel region. */
typedef struct openmp_region {
    openmp_body body;
    void *data;
} openmp_region;

static void openmp__region(void *user)
{
    const openmp_region *region = user;
    region->body(region->data);
    openmp__pass("the end of a parallel region");
}

/* Calls with up to eight arguments, as they are. */
#define REGION(call)                                                                                                   \
    THREADS_PUBLIC void call(openmp_body body, void *data, long c, long d, long e, long f, long g, long h);            \
    void call(openmp_body body, void *data, long c, long d, long e, long f, long g, long h)                            \
    {                                                                                                                  \
        static openmp_call own = { NULL, #call };                                                                      \
        void (*real)(openmp_body, void *, long, long, long, long, long, long);                                         \
        openmp_region region = { body, data };                                                                         \
        *(void **)(void *)&real = openmp__passing(&own);                                                               \
        real(openmp__region, &region, c, d, e, f, g, h);                                                               \
    }                                                                                                                  \
    _Static_assert(1, "")

REGION(GOMP_parallel);
REGION(GOMP_parallel_loop_static);
REGION(GOMP_parallel_loop_dynamic);
REGION(GOMP_parallel_loop_guided);
REGION(GOMP_parallel_loop_runtime);
REGION(GOMP_parallel_loop_nonmonotonic_dynamic);
REGION(GOMP_parallel_loop_nonmonotonic_guided);
REGION(GOMP_parallel_loop_nonmonotonic_runtime);
REGION(GOMP_parallel_loop_maybe_nonmonotonic_runtime);
REGION(GOMP_parallel_sections);

enum { DETACHED = 1 << 13 }; /* a flag of a task: the library writes into its data */

/* A task, before a copy of the program's data. */
typedef struct openmp_task {
    uintptr_t words
        [3]; /* as in the data: a loop of tasks has its bounds there, which the library writes, and its reductions */
    openmp_body body;
    openmp_copy copy;
    void *data;
    size_t offset, bytes; /* of the data */
} openmp_task;

/* The words of a task that may be those of a loop [B]. */
static size_t openmp__bounds(const openmp_task *task)
{
    const size_t most = 2 * sizeof *task->words;
    return task->bytes < most ? task->bytes : most;
}

static void openmp__task_copy(void *to, void *from)
{
    const openmp_task *wanted = from;
    openmp_task *task = to;
    char *data = (char *)to + wanted->offset;
    *task = *wanted;
    if (wanted->copy)
        wanted->copy(data, wanted->data);
    else
        memcpy(data, wanted->data, wanted->bytes);
    memcpy(task->words, data, openmp__bounds(task));
}

static void openmp__task(void *user)
{
    openmp_task *task = user;
    char *data = (char *)user + task->offset;
    const bool looks = openmp__look(false);
    memcpy(data, task->words, openmp__bounds(task));
    task->body(data);
    openmp__task_ended(looks);
}

static openmp_task openmp__task_of(openmp_body body, void *data, openmp_copy copy, long bytes, long *align)
{
    openmp_task task = { { 0 }, body, copy, data, 0, (size_t)bytes };
    if (*align < (long)sizeof(long double)) *align = sizeof(long double);
    task.offset = (sizeof task + (size_t)*align - 1) / (size_t)*align * (size_t)*align;
    memcpy(task.words, data, task.bytes < sizeof task.words ? task.bytes : sizeof task.words);
    return task;
}

THREADS_PUBLIC void GOMP_task(openmp_body body, void *data, openmp_copy copy, long bytes, long align, bool deferred,
                              unsigned flags, void **depend, int priority, void *detach);
void GOMP_task(openmp_body body, void *data, openmp_copy copy, long bytes, long align, bool deferred, unsigned flags,
               void **depend, int priority, void *detach)
{
    static openmp_call own = { NULL, "GOMP_task" };
    void (*real)(openmp_body, void *, openmp_copy, long, long, bool, unsigned, void **, int, void *);
    *(void **)(void *)&real = openmp__passing(&own);
    if (threads_turn.alive < 2 || flags & DETACHED) {
        real(body, data, copy, bytes, align, deferred, flags, depend, priority, detach);
        return;
    }
    openmp_task task = openmp__task_of(body, data, copy, bytes, &align);
    openmp__tasks = true;
    real(openmp__task, &task, openmp__task_copy, (long)task.offset + bytes, align, deferred, flags, depend, priority,
         detach);
}

#define TASKLOOP(call)                                                                                                 \
    THREADS_PUBLIC void call(openmp_body body, void *data, openmp_copy copy, long bytes, long align, unsigned flags,   \
                             unsigned long tasks, int priority, long start, long end, long step);                      \
    void call(openmp_body body, void *data, openmp_copy copy, long bytes, long align, unsigned flags,                  \
              unsigned long tasks, int priority, long start, long end, long step)                                      \
    {                                                                                                                  \
        static openmp_call own = { NULL, #call };                                                                      \
        void (*real)(openmp_body, void *, openmp_copy, long, long, unsigned, unsigned long, int, long, long, long);    \
        *(void **)(void *)&real = openmp__passing(&own);                                                               \
        openmp_task task = openmp__task_of(body, data, copy, bytes, &align);                                           \
        openmp__tasks = true;                                                                                          \
        real(openmp__task, &task, openmp__task_copy, (long)task.offset + bytes, align, flags, tasks, priority, start,  \
             end, step);                                                                                               \
    }                                                                                                                  \
    _Static_assert(1, "")

TASKLOOP(GOMP_taskloop);
TASKLOOP(GOMP_taskloop_ull);

/*=============================================================================
 * MARK: - >>libomp
 *===========================================================================*/

enum { PRIORITY = 1 << 5 }; /* a flag of a task: `second` has it */

typedef int (*openmp_routine)(int thread, void *task);

/* The beginning of a task, as compilers make it. */
typedef struct openmp_clang_task {
    void *shared;
    openmp_routine routine;
    int part;
    void *first;           /* its destructors */
    openmp_routine second; /* here, the program's routine */
} openmp_clang_task;

static int openmp__clang_task(int thread, void *user)
{
    const openmp_clang_task *task = user;
    const bool looks = openmp__look(false);
    const int result = task->second(thread, user);
    openmp__task_ended(looks);
    return result;
}

THREADS_PUBLIC void *__kmpc_omp_task_alloc(void *place, int thread, int flags, size_t bytes, size_t shared,
                                           openmp_routine routine);
void *__kmpc_omp_task_alloc(void *place, int thread, int flags, size_t bytes, size_t shared, openmp_routine routine)
{
    static openmp_call own = { NULL, "__kmpc_omp_task_alloc" };
    void *(*real)(void *, int, int, size_t, size_t, openmp_routine);
    *(void **)(void *)&real = openmp__real(&own);
    openmp_clang_task *task = real(place, thread, flags, bytes, shared, routine);
    openmp__tasks = true;
    if (threads_turn.alive > 1 && bytes >= sizeof *task && !(flags & PRIORITY)) {
        task->second = routine;
        task->routine = openmp__clang_task;
    }
    return task;
}

enum { ARGUMENTS = 15 };
typedef void (*openmp_micro)(int *thread, int *bound, ...);

typedef struct openmp_clang_region {
    openmp_micro body;
    void *arguments[ARGUMENTS];
} openmp_clang_region;

static void openmp__clang_region(int *thread, int *bound, const openmp_clang_region *region)
{
    void *const *a = region->arguments;
    region->body(thread, bound, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13],
                 a[14]);
    openmp__pass("the end of a parallel region");
}

__attribute__((used)) static void openmp__fork(void *place, int count, openmp_micro body, ...)
{
    static openmp_call own = { NULL, "__kmpc_fork_call" };
    void (*real)(void *, int, void (*)(int *, int *, const openmp_clang_region *), ...);
    openmp_clang_region region = { body, { NULL } };
    va_list arguments;
    va_start(arguments, body);
    for (int i = 0; i < count; ++i) region.arguments[i] = va_arg(arguments, void *);
    va_end(arguments);
    *(void **)(void *)&real = openmp__real(&own);
    real(place, 1, openmp__clang_region, &region);
}

/* The second argument is how many the region has; one with more than ARGUMENTS goes to the library as it is. */
PASSING_BY("__kmpc_fork_call", "cmp $15, %esi\njle openmp__fork\njmp *%r11");
#endif

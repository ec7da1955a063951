/* trap.c - system calls by instructions, where no function of the C library is called: those of the program and of its
 * libraries, such as libgomp, the OpenMP of gcc. The kernel turns them into signals, and the signal's handler does what
 * they ask for, as syscall() does (threads_above.call).
 *
 * Where the kernel has Syscall User Dispatch, each call from outside of the C library becomes a signal, from whatever
 * code it comes. It is switched on where a loaded module has such an instruction, or when the program calls dlopen(),
 * because each call to the kernel takes longer then: a futex call of the C library 140 ns and not 128 ns, and a call
 * by an instruction 1.9 us and not 0.14 us (28 November 2026, two Xeon cores, Linux 6.18). Elsewhere a filter of seccomp
 * does the same to the calls that have a meaning on the virtual clock, from modules that were loaded at the beginning. */
#define _GNU_SOURCE
#include "core.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__x86_64__) && defined(SYS_seccomp)

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_ON 1
#endif
#define FILTERED 0x5317                  /* si_errno of calls that our filter has caught */
enum { BY_FILTER = 1, BY_DISPATCH = 2 }; /* si_code: SYS_SECCOMP, SYS_USER_DISPATCH */
enum { MOST_RANGES = 64, MOST_CALLS = 128, LAST_CALL = 600 };

/*=============================================================================
 * MARK: - >>modules
 *===========================================================================*/

typedef struct trap_range {
    uintptr_t from, to;
} trap_range;

static trap_range library;             /* the code of the C library */
static trap_range ranges[MOST_RANGES]; /* code that has system calls */
static int range_count;
static const char *first_name = ""; /* of the first module that has them; empty: the program */

/* True if the bytes 0f 05 are an instruction. Most others are in a displacement of 32 bits: after a byte that can be
 * that of its operand, or of a call or a jump, and before a last byte of 0 or -1. A wrong yes costs time only. In 18
 * libraries and programs of Debian 12, the rule is right for 731 of 733 instructions, and takes 11 of 143 other places for
 * one; each library that has instructions is found. */
static bool trap__instruction(const unsigned char *at)
{
    const bool operand = at[-1] != 0 && (at[-1] < 0xc0 || at[-1] == 0xe8 || at[-1] == 0xe9);
    return at[2] != 0 && !(operand && (at[3] == 0 || at[3] == 0xff));
}

static bool trap__calls(trap_range code)
{
    static const unsigned char instruction[] = { 0x0f, 0x05 };
    const unsigned char *at = (const unsigned char *)code.from + 1, *end = (const unsigned char *)code.to - 2;
    while (at < end && (at = memmem(at, (size_t)(end - at), instruction, sizeof instruction))) {
        if (trap__instruction(at)) return true;
        ++at;
    }
    return false;
}

static bool trap__within(trap_range code, uintptr_t place)
{
    return place >= code.from && place < code.to;
}

static int trap__module(struct dl_phdr_info *info, size_t bytes, void *user)
{
    (void)bytes, (void)user;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        const uintptr_t from = info->dlpi_addr + part->p_vaddr;
        const trap_range code = { from, from + part->p_memsz };
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        if (trap__within(code, (uintptr_t)threads_real.syscall)) library = code;
        if (threads_watch_untouched(from) || trap__within(code, (uintptr_t)threads_trap)) continue;
        if (range_count == MOST_RANGES || !(part->p_flags & PF_R) || !trap__calls(code)) continue;
        if (range_count == 0) first_name = info->dlpi_name;
        ranges[range_count++] = code;
    }
    return 0;
}

/*=============================================================================
 * MARK: - >>what it takes
 *===========================================================================*/

static bool dispatched; /* the calls of all threads are trapped, but for the thread that watches */
static double overhead; /* CPU time that a trapped call takes more than one of the C library [s] */
static unsigned trapped;

/* A call that does nothing, trapped and by the C library [s]. */
static double trap__sample(void)
{
    long result = SYS_gettid;
    const double begin = direct_clock(CLOCK_MONOTONIC);
    __asm__ volatile("syscall" : "+a"(result) : : "rcx", "r11", "memory");
    const double middle = direct_clock(CLOCK_MONOTONIC);
    threads_real.syscall(SYS_gettid);
    return 2 * middle - begin - direct_clock(CLOCK_MONOTONIC);
}

/* Within a call. The median of three, because a sample may be interrupted. */
static double trap__takes(void)
{
    const double a = trap__sample(), b = trap__sample(), c = trap__sample();
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* Not charged to the thread, which makes a trapped call. Measured again and again, because processors change their speed: on a virtual machine
 * it was 1.1 us in one minute and 1.7 us in the next. */
static void trap__uncharged(threads_thread *t)
{
    enum { SAMPLES = 64, WEIGHT = 8 };
    if (!dispatched || threads_set.fixed) return;
    if (trapped++ % SAMPLES == 0) {
        threads_enter("a trapped call");
        const double takes = trap__takes();
        overhead = overhead > 0 ? overhead + (takes - overhead) / WEIGHT : takes;
        threads_leave(t);
    }
    t->pending -= overhead;
}

/*=============================================================================
 * MARK: - >>the signal
 *===========================================================================*/

/* The kernel's frame of a signal, from which the handler returns, has a set of signals and a stack for signals that
 * the call may have changed. */
static void trap__keep(long number, ucontext_t *frame)
{
    if (number == SYS_rt_sigprocmask)
        threads_real.syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &frame->uc_sigmask, sizeof(uint64_t));
    if (number == SYS_sigaltstack) sigaltstack(NULL, &frame->uc_stack);
}

/* A handler of signals returns by an instruction of the program's: it does so by that of the C library, with the same
 * stack. */
static void trap__return(greg_t *registers)
{
    struct {
        void *handler;
        unsigned long flags;
        void *restorer;
        uint64_t mask;
    } ours;
    threads_real.syscall(SYS_rt_sigaction, SIGSYS, NULL, &ours, sizeof ours.mask);
    registers[REG_RIP] = (greg_t)(uintptr_t)ours.restorer;
}

/* A signal of the same number that has another cause. */
static void trap__other(int number, siginfo_t *info, void *context)
{
    const struct sigaction *wanted = &threads_sigsys;
    if (wanted->sa_flags & SA_SIGINFO)
        wanted->sa_sigaction(number, info, context);
    else if (wanted->sa_handler == SIG_DFL)
        threads_die("signal SIGSYS, \"Bad system call\", came from outside of the program");
    else if (wanted->sa_handler != SIG_IGN)
        wanted->sa_handler(number);
}

static void trap__called(int number, siginfo_t *info, void *context)
{
    ucontext_t *frame = context;
    greg_t *registers = frame->uc_mcontext.gregs;
    const long call = info->si_syscall;
    const long a[6] = { (long)registers[REG_RDI], (long)registers[REG_RSI], (long)registers[REG_RDX],
                        (long)registers[REG_R10], (long)registers[REG_R8],  (long)registers[REG_R9] };
    const int error = errno;
    if (threads_turn_mine()) trap__uncharged(threads_self());
    if (info->si_code != BY_DISPATCH && !(info->si_code == BY_FILTER && info->si_errno == FILTERED)) {
        trap__other(number, info, context);
        return;
    }
    if (info->si_arch != AUDIT_ARCH_X86_64)
        threads_die("system call %ld of 32-bit code: expected 64-bit code, other is not supported", call);
    if (call == SYS_rt_sigreturn) {
        trap__return(registers);
        return;
    }
    const bool below = threads_watch_untouched((uintptr_t)info->si_call_addr); /* the loader, or the vDSO */
    const long result =
        below ? threads_real.syscall(call, a[0], a[1], a[2], a[3], a[4], a[5]) : threads_above.call(call, a);
    registers[REG_RAX] = result == -1 ? -errno : result;
    trap__keep(call, frame);
    errno = error;
}

static void trap__handle(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = trap__called;
    action.sa_flags = SA_SIGINFO | SA_NODEFER; /* other signals are blocked as if there were no handler */
    threads_real.sigaction(SIGSYS, &action, &threads_sigsys);
    threads_turn.trapping = true;
}

/*=============================================================================
 * MARK: - >>dispatch
 *===========================================================================*/

static bool trap__dispatch(void)
{
    return prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, library.from, library.to - library.from, NULL) == 0;
}

/* The kernel ends a process whose call is trapped while its signal is blocked. */
void threads_trap(threads_thread *t)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGSYS);
    threads_real.mask(SIG_UNBLOCK, &signals, NULL);
    t->trapped = true;
    if (dispatched && !trap__dispatch())
        threads_die("the system calls of a thread cannot be trapped: %s", strerror(errno));
}

static bool trap__all(void)
{
    if (dispatched) return true;
    if (!library.from || !trap__dispatch()) return false;
    dispatched = true;
    trap__handle();
    threads_trap(threads_self());
    return true;
}

/* A library may make system calls from its first instruction on. So all are trapped before it is loaded. */
__attribute__((used)) static void *trap__opening(const char *call)
{
    if (threads_turn.prepared && threads_self() && !threads_off && !threads_turn.trapping) trap__all();
    return dlsym(RTLD_NEXT, call);
}

/* dlopen() and dlmopen() of the C library are jumped to, because they look for a library where the module says to which
 * they return. */
#define OPENING(call)                                                                                                  \
    __asm__(".pushsection .text\n.globl " call "\n.type " call ", @function\n" call ":\n.cfi_startproc\n"              \
            "push %rdi\n.cfi_adjust_cfa_offset 8\npush %rsi\n.cfi_adjust_cfa_offset 8\n"                               \
            "push %rdx\n.cfi_adjust_cfa_offset 8\nlea 1f(%rip), %rdi\ncall trap__opening\n"                            \
            "pop %rdx\n.cfi_adjust_cfa_offset -8\npop %rsi\n.cfi_adjust_cfa_offset -8\n"                               \
            "pop %rdi\n.cfi_adjust_cfa_offset -8\njmp *%rax\n.cfi_endproc\n.size " call ", . - " call "\n"             \
            ".popsection\n.pushsection .rodata\n1: .string \"" call "\"\n.popsection\n")

OPENING("dlopen");
OPENING("dlmopen");

/*=============================================================================
 * MARK: - >>a filter
 *===========================================================================*/

static struct sock_filter program[8 + 12 * MOST_RANGES + 2 * MOST_CALLS];
static unsigned short program_length;

static void trap__add(unsigned short code, uint32_t value, unsigned char yes, unsigned char no)
{
    program[program_length++] = (struct sock_filter){ code, yes, no, value };
}

/* Goes on at `calls`, which is not yet known, for addresses of this code, all with the same upper half. */
static void trap__add_range(trap_range code)
{
    const uint32_t place = offsetof(struct seccomp_data, instruction_pointer);
    trap__add(BPF_LD | BPF_W | BPF_ABS, place + 4, 0, 0);
    trap__add(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(code.from >> 32), 0, 4);
    trap__add(BPF_LD | BPF_W | BPF_ABS, place, 0, 0);
    trap__add(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)code.from, 0, 2);
    trap__add(BPF_JMP | BPF_JGT | BPF_K, (uint32_t)(code.to - 1), 1, 0);
    trap__add(BPF_JMP | BPF_JA, 0, 0, 0);
}

static bool trap__filter(void)
{
    program_length = 0;
    trap__add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch), 0, 0);
    trap__add(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
    trap__add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    for (int i = 0; i < range_count; ++i) {
        const uintptr_t middle = ranges[i].to >> 32 << 32;
        const bool crosses = ranges[i].from < middle && middle < ranges[i].to;
        trap__add_range((trap_range){ ranges[i].from, crosses ? middle : ranges[i].to });
        if (crosses) trap__add_range((trap_range){ middle, ranges[i].to });
    }
    trap__add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    for (unsigned short i = 0; i < program_length; ++i)
        if (program[i].code == (BPF_JMP | BPF_JA)) program[i].k = (uint32_t)(program_length - i - 1);
    trap__add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
    for (long call = 0; call < LAST_CALL; ++call) {
        if (!threads_above.called(call)) continue;
        trap__add(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1);
        trap__add(BPF_RET | BPF_K, SECCOMP_RET_TRAP | FILTERED, 0, 0);
    }
    trap__add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    const struct sock_fprog filter = { program_length, program };
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           threads_real.syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0;
}

/*=============================================================================
 * MARK: - >>the beginning
 *===========================================================================*/

void threads_trap_look(void)
{
    if (!threads_sanitized()) dl_iterate_phdr(trap__module, NULL); /* sanitizers make system calls of their own */
}

void threads_trap_prepare(void)
{
    if (range_count == 0 || trap__all()) return;
    trap__handle();
    threads_trap(threads_self());
    if (trap__filter()) return;
    const char *name = strrchr(first_name, '/');
    threads_say("%s has system calls of its own, and the kernel does not let them be intercepted: %s",
                name          ? name + 1
                : *first_name ? first_name
                              : "the program",
                strerror(errno));
}

#else

void threads_trap_look(void)
{
}

void threads_trap_prepare(void)
{
}

void threads_trap(threads_thread *t)
{
    (void)t;
}

#endif

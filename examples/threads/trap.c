/* trap.c - futexes by system calls that no function makes: libgomp, the OpenMP of gcc, has them in its own code.
 * Where it is loaded, the kernel is asked to turn these calls into signals (seccomp), and the signal's handler does
 * what they ask for. */
#define _GNU_SOURCE
#include "core.h"

#include <errno.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__x86_64__) && defined(SYS_seccomp)

static uintptr_t code_from, code_to; /* of libgomp */

static int trap__library(struct dl_phdr_info *info, size_t bytes, void *user)
{
    const char *name = strrchr(info->dlpi_name, '/');
    (void)bytes, (void)user;
    if (!name || strncmp(name, "/libgomp.so", 11) != 0) return 0;
    for (int i = 0; i < info->dlpi_phnum; ++i)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
            code_from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            code_to = code_from + info->dlpi_phdr[i].p_memsz;
        }
    return 0;
}

static void trap__called(int number, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    const long arguments[6] = { (long)registers[REG_RDI], (long)registers[REG_RSI], (long)registers[REG_RDX],
                                (long)registers[REG_R10], (long)registers[REG_R8],  (long)registers[REG_R9] };
    const int error = errno;
    (void)number, (void)info;
    const long result = threads_futex(arguments);
    registers[REG_RAX] = result < 0 ? -errno : result;
    errno = error;
}

/* Nothing is trapped if the code crosses a multiple of 4 GiB. */
void threads_trap_prepare(void)
{
    dl_iterate_phdr(trap__library, NULL);
    if (!code_from || code_from >> 32 != code_to >> 32) return;
    const struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 0, 6),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(code_from >> 32), 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)code_from, 0, 2),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)code_to, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = { sizeof filter / sizeof *filter, (struct sock_filter *)(uintptr_t)filter };
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = trap__called;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSYS, &action, NULL);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        threads_real.syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
        threads_say("libgomp waits by system calls of its own, and the kernel does not let them be intercepted: %s",
                    strerror(errno));
}

#else

void threads_trap_prepare(void)
{
}

#endif

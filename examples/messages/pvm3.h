/* pvm3.h - PVM programs on the virtual clock: the calls of PVM 3 that C programs use.
 *
 * A program that includes this file instead of the usual one runs unchanged. Each task is a process of its own, but
 * only one runs at a time, and the clock shows the time that it would be on the machines of a file. Start the master
 * directly; programs that it spawns are found in its directory, then in PATH:
 *
 *     build/simcc -O2 master.c -o master && build/simcc -O2 slave.c -o slave
 *     SIMKIT_MACHINES=examples/machines/sun.machine ./master
 *
 * gettimeofday() and sleep() use the virtual clock in files that include this one. Not implemented: message handlers,
 * host synchronisation, and tasks that replace parts of PVM itself. A program that calls such a function does not link,
 * and the linker names it. See docs/messages.md. */
#ifndef SIMKIT_PVM3_H
#define SIMKIT_PVM3_H

#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

#define SIMKIT_PVM 1 /* distinguishes this implementation from others */
#define PVM_VER "3.4.6"
#define PVM_MAJOR_VERSION 3
#define PVM_MINOR_VERSION 4
#define PVM_PATCH_VERSION 6

/* encodings of data */
#define PvmDataDefault 0
#define PvmDataRaw 1
#define PvmDataInPlace 2
#define PvmDataFoo PvmDataDefault

/* placement of tasks */
#define PvmTaskDefault 0
#define PvmTaskHost 1
#define PvmTaskArch 2
#define PvmTaskDebug 4
#define PvmTaskTrace 8
#define PvmMppFront 16
#define PvmHostCompl 32
#define PvmNoSpawnParent 64

/* kinds of notifications */
#define PvmTaskExit 1
#define PvmHostDelete 2
#define PvmHostAdd 3
#define PvmRouteAdd 4
#define PvmRouteDelete 5
#define PvmNotifyCancel 256

/* options */
#define PvmRoute 1
#define PvmDontRoute 1
#define PvmAllowDirect 2
#define PvmRouteDirect 3
#define PvmDebugMask 2
#define PvmAutoErr 3
#define PvmOutputTid 4
#define PvmOutputCode 5
#define PvmTraceTid 6
#define PvmTraceCode 7
#define PvmTraceBuffer 8
#define PvmTraceOptions 9
#define PvmFragSize 10
#define PvmResvTids 11
#define PvmSelfOutputTid 12
#define PvmSelfOutputCode 13
#define PvmSelfTraceTid 14
#define PvmSelfTraceCode 15
#define PvmShowTids 18
#define PvmPollType 19
#define PvmPollConstant 1
#define PvmPollSleep 2
#define PvmPollTime 20
#define PvmOutputContext 21
#define PvmTraceContext 22
#define PvmSelfOutputContext 23
#define PvmSelfTraceContext 24
#define PvmNoReset 25

#define PvmBaseContext 0

/* the mailbox of named messages */
#define PvmMboxDefault 0
#define PvmMboxPersistent 1
#define PvmMboxMultiInstance 2
#define PvmMboxOverWritable 4
#define PvmMboxFirstAvail 8
#define PvmMboxReadAndDelete 16
#define PvmMboxWaitForInfo 32
#define PvmMboxMaxFlag 512
#define PvmMboxDirectIndexShift 10
#define PvmMboxMaxDirectIndex (1u << (31 - PvmMboxDirectIndexShift))
#define PvmMboxDirectIndex(index) ((int)((unsigned)(index) % PvmMboxMaxDirectIndex << PvmMboxDirectIndexShift))
#define PvmMboxDirectIndexOf(flags) ((int)((unsigned)(flags) >> PvmMboxDirectIndexShift) % (int)PvmMboxMaxDirectIndex)
#define PVMNORESETCLASS "###_PVM_NO_RESET_###"

/* errors */
#define PvmOk 0
#define PvmBadParam (-2)
#define PvmMismatch (-3)
#define PvmOverflow (-4)
#define PvmNoData (-5)
#define PvmNoHost (-6)
#define PvmNoFile (-7)
#define PvmDenied (-8)
#define PvmNoMem (-10)
#define PvmBadMsg (-12)
#define PvmSysErr (-14)
#define PvmNoBuf (-15)
#define PvmNoSuchBuf (-16)
#define PvmNullGroup (-17)
#define PvmDupGroup (-18)
#define PvmNoGroup (-19)
#define PvmNotInGroup (-20)
#define PvmNoInst (-21)
#define PvmHostFail (-22)
#define PvmNoParent (-23)
#define PvmNotImpl (-24)
#define PvmDSysErr (-25)
#define PvmBadVersion (-26)
#define PvmOutOfRes (-27)
#define PvmDupHost (-28)
#define PvmCantStart (-29)
#define PvmAlready (-30)
#define PvmNoTask (-31)
#define PvmNotFound (-32)
#define PvmExists (-33)
#define PvmHostrNMstr (-34)
#define PvmParentNotSet (-35)
#define PvmNoEntry PvmNotFound
#define PvmDupEntry PvmDenied

/* types of data */
#define PVM_STR 0
#define PVM_BYTE 1
#define PVM_SHORT 2
#define PVM_INT 3
#define PVM_FLOAT 4
#define PVM_CPLX 5
#define PVM_DOUBLE 6
#define PVM_DCPLX 7
#define PVM_LONG 8
#define PVM_USHORT 9
#define PVM_UINT 10
#define PVM_ULONG 11

struct pvmhostinfo {
    int hi_tid;
    char *hi_name, *hi_arch;
    int hi_speed, hi_dsig;
};

struct pvmtaskinfo {
    int ti_tid, ti_ptid, ti_host, ti_flag;
    char *ti_a_out;
    int ti_pid;
};

struct pvmminfo {
    int len, ctx, tag, wid, enc, crc, src, dst;
};

struct pvmmboxinfo {
    char *mi_name;
    int mi_nentries, *mi_indices, *mi_owners, *mi_flags;
};

#ifdef __cplusplus
extern "C" {
#endif

extern int pvm_errno, pvmdebmask;

/* -- tasks -- */
int pvm_mytid(void);
int pvm_parent(void);
int pvm_siblings(int **tids);
int pvm_spawn(char *program, char **argv, int flags, char *where, int count, int *tids);
int pvm_exit(void);
int pvm_kill(int tid);
int pvm_tasks(int where, int *count, struct pvmtaskinfo **tasks);
int pvm_pstat(int tid);
int pvm_notify(int what, int tag, int count, int *tids);
int pvm_catchout(FILE *file);

/* -- hosts -- */
int pvm_config(int *hosts, int *architectures, struct pvmhostinfo **list);
int pvm_addhosts(char **names, int count, int *infos);
int pvm_delhosts(char **names, int count, int *infos);
int pvm_mstat(char *host);
int pvm_tidtohost(int tid);
int pvm_archcode(char *name);
int pvm_halt(void);
int pvm_start_pvmd(int argc, char **argv, int block);

/* -- options, errors -- */
int pvm_setopt(int what, int value);
int pvm_getopt(int what);
int pvm_advise(int route);
int pvm_serror(int how);
int pvm_perror(char *text);
char *pvm_strerror(void);
char *pvm_version(void);
int pvm_export(char *name);
int pvm_unexport(char *name);

/* -- contexts -- */
int pvm_getcontext(void);
int pvm_setcontext(int context);
int pvm_newcontext(void);
int pvm_freecontext(int context);

/* -- buffers -- */
int pvm_initsend(int encoding);
int pvm_mkbuf(int encoding);
int pvm_freebuf(int buffer);
int pvm_getsbuf(void);
int pvm_setsbuf(int buffer);
int pvm_getrbuf(void);
int pvm_setrbuf(int buffer);
int pvm_bufinfo(int buffer, int *bytes, int *tag, int *tid);
int pvm_getminfo(int buffer, struct pvmminfo *info);
int pvm_setminfo(int buffer, struct pvmminfo *info);

int pvm_pkbyte(char *data, int count, int stride);
int pvm_pkcplx(float *data, int count, int stride);
int pvm_pkdcplx(double *data, int count, int stride);
int pvm_pkdouble(double *data, int count, int stride);
int pvm_pkfloat(float *data, int count, int stride);
int pvm_pkint(int *data, int count, int stride);
int pvm_pklong(long *data, int count, int stride);
int pvm_pkshort(short *data, int count, int stride);
int pvm_pkuint(unsigned *data, int count, int stride);
int pvm_pkulong(unsigned long *data, int count, int stride);
int pvm_pkushort(unsigned short *data, int count, int stride);
int pvm_pkstr(char *text);
int pvm_pkmesg(int buffer);
int pvm_pkmesgbody(int buffer);
int pvm_packf(const char *format, ...);
int pvm_upkbyte(char *data, int count, int stride);
int pvm_upkcplx(float *data, int count, int stride);
int pvm_upkdcplx(double *data, int count, int stride);
int pvm_upkdouble(double *data, int count, int stride);
int pvm_upkfloat(float *data, int count, int stride);
int pvm_upkint(int *data, int count, int stride);
int pvm_upklong(long *data, int count, int stride);
int pvm_upkshort(short *data, int count, int stride);
int pvm_upkuint(unsigned *data, int count, int stride);
int pvm_upkulong(unsigned long *data, int count, int stride);
int pvm_upkushort(unsigned short *data, int count, int stride);
int pvm_upkstr(char *text);
int pvm_upkmesg(void);
int pvm_unpackf(const char *format, ...);

/* -- messages -- */
int pvm_send(int tid, int tag);
int pvm_mcast(int *tids, int count, int tag);
int pvm_psend(int tid, int tag, void *data, int count, int type);
int pvm_recv(int tid, int tag);
int pvm_nrecv(int tid, int tag);
int pvm_trecv(int tid, int tag, struct timeval *most);
int pvm_probe(int tid, int tag);
int pvm_precv(int tid, int tag, void *data, int count, int type, int *from, int *found_tag, int *found_count);

/* -- named messages -- */
int pvm_putinfo(char *name, int buffer, int flags);
int pvm_recvinfo(char *name, int index, int flags);
int pvm_delinfo(char *name, int index, int flags);
int pvm_getmboxinfo(char *pattern, int *count, struct pvmmboxinfo **list);
int pvm_insert(char *name, int index, int data);
int pvm_lookup(char *name, int index, int *data);
int pvm_delete(char *name, int index);

/* -- groups -- */
int pvm_joingroup(char *group);
int pvm_lvgroup(char *group);
int pvm_gsize(char *group);
int pvm_gettid(char *group, int instance);
int pvm_getinst(char *group, int tid);
int pvm_barrier(char *group, int count);
int pvm_freezegroup(char *group, int size);
int pvm_bcast(char *group, int tag);
int pvm_gather(void *result, void *data, int count, int type, int tag, char *group, int root);
int pvm_scatter(void *result, void *data, int count, int type, int tag, char *group, int root);
int pvm_reduce(void (*function)(int *type, void *mine, void *others, int *count, int *info), void *data, int count,
               int type, int tag, char *group, int root);
void PvmMax(int *type, void *mine, void *others, int *count, int *info);
void PvmMin(int *type, void *mine, void *others, int *count, int *info);
void PvmSum(int *type, void *mine, void *others, int *count, int *info);
void PvmProduct(int *type, void *mine, void *others, int *count, int *info);

/* -- internal functions of libpvm that programs use -- */
int pvmgetclock(struct timeval *time);
void pvmsleep(int seconds);

int simkit_gettimeofday(struct timeval *time, void *zone);
unsigned simkit_sleep(unsigned seconds);
int simkit_usleep(unsigned microseconds);
#ifndef SIMKIT_PVM_BODY
#define gettimeofday(time, zone) simkit_gettimeofday(time, zone)
#define sleep(seconds) simkit_sleep(seconds)
#define usleep(microseconds) simkit_usleep(microseconds)
#endif

#ifdef __cplusplus
}
#endif
#endif

/* Tasks of PVM that end in uncommon ways: one word for each, and what the master prints then is looked at by
 * test_messages_programs. */
#include "pvm3.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double now(void)
{
    struct timeval t;
    gettimeofday(&t, NULL);
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

static void worker(const char *what)
{
    struct timeval most = { 10, 0 };
    int parent = pvm_parent();
    if (strcmp(what, "waits") == 0) pvm_trecv(-1, -1, &most);
    if (strcmp(what, "leaves") == 0) {
        pvm_initsend(PvmDataRaw);
        pvm_send(parent, 1);
        pvm_exit();
        return;
    }
    if (strcmp(what, "outlives") == 0) { /* PVM knows it until its process ends */
        pvm_initsend(PvmDataRaw);
        pvm_send(parent, 1);
        pvm_exit();
        sleep(4);
        return;
    }
    if (strcmp(what, "sends") == 0) {
        static char large[1 << 20];
        pvm_psend(parent, 2, large, sizeof large, PVM_BYTE);
        pvm_exit();
        return;
    }
    sleep(1);
    pvm_exit();
}

/* Whether PVM knows the task. */
static void known(int tid)
{
    int count = -1;
    struct pvmtaskinfo *infos;
    pvm_tasks(tid, &count, &infos);
    printf("status %d, %d tasks\n", pvm_pstat(tid), count);
}

int main(int argc, char **argv)
{
    char *const what = argc > 1 ? argv[1] : "", *arguments[] = { what, NULL };
    int tid = 0;
    if (pvm_parent() >= 0) {
        worker(what);
        return 0;
    }
    double begun = now();
    if (strcmp(what, "type") == 0) {
        int ok = pvm_spawn(argv[0], arguments, PvmTaskArch, "fast", 1, &tid), hosts, types;
        struct pvmhostinfo *list;
        pvm_config(&hosts, &types, &list);
        for (int i = 0; i < hosts && ok == 1; ++i)
            if (list[i].hi_tid == pvm_tidtohost(tid)) printf("on %s\n", list[i].hi_name);
        pvm_exit();
        return 0;
    }
    pvm_spawn(argv[0], arguments, PvmTaskDefault, "", 1, &tid);
    if (strcmp(what, "waits") == 0) {
        sleep(1);
        printf("kill %d\n", pvm_kill(tid));
        sleep(20);
    } else if (strcmp(what, "leaves") == 0) {
        pvm_recv(tid, 1);
        printf("kill %d\n", pvm_kill(tid));
    } else if (strcmp(what, "outlives") == 0) {
        struct timeval most = { 10, 0 };
        pvm_recv(tid, 1);
        sleep(1);
        known(tid);
        pvm_notify(PvmTaskExit, 3, 1, &tid);
        printf("notice %s\n", pvm_trecv(-1, 3, &most) > 0 ? "came" : "is missing");
        known(tid);
    } else if (strcmp(what, "sends") == 0) {
        int bytes;
        sleep(3);
        pvm_bufinfo(pvm_recv(tid, 2), &bytes, NULL, NULL);
        printf("bytes %d\n", bytes);
    }
    printf("after %.0f s\n", now() - begun);
    pvm_exit();
    return 0;
}

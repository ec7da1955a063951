/* foreign_console.c - starts programs of PVM as its console would, shows what they print, and waits for their end:
 *
 *     foreign_console 4 spmd                                  four of it
 *     foreign_console 1 task0 service + 1 task1 service       the second one a second later
 *     foreign_console 1 mbox pers , 1 mbox info               the second one when the first has ended
 *
 * The same file is compiled for the real PVM and for the one on the virtual clock. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pvm3.h"

enum { MOST = 64, ENDED = 1 };

static void wait_for(int *running)
{
    for (; *running > 0; --*running) pvm_recv(-1, ENDED);
}

int main(int argc, char **argv)
{
    int running = 0;

    if (pvm_mytid() < 0) return 1;
    pvm_catchout(stdout);
    for (int i = 1; i + 1 < argc;) {
        int end = i, tids[MOST];
        const int count = atoi(argv[i]);
        while (end < argc && strcmp(argv[end], "+") != 0 && strcmp(argv[end], ",") != 0) ++end;
        const int then = end < argc ? argv[end][0] : ',';
        argv[end] = NULL;
        if (count < 1 || count > MOST ||
            pvm_spawn(argv[i + 1], argv + i + 2, PvmTaskDefault, "", count, tids) != count) {
            fprintf(stderr, "foreign_console: cannot start %s %s\n", argv[i], argv[i + 1]);
            return 1;
        }
        pvm_notify(PvmTaskExit, ENDED, count, tids);
        running += count;
        if (then == '+')
            sleep(1);
        else
            wait_for(&running);
        i = end + 1;
    }
    pvm_exit();
    return 0;
}

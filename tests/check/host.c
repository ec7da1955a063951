/* A host that keeps its own arrays with stb_ds, in one program or one file with simkit.
 * SIMKIT_FIRST: simkit.h is included before stb_ds.h. ONLY_STB: the file with the host's stb_ds bodies, if alone. */
#ifdef ONLY_STB
#define NO_HOST
#endif

#if defined(SIMKIT_FIRST) && !defined(NO_HOST)
#include "simkit.h"
#endif

#if __has_include("stb_ds.h")
#include "stb_ds.h"
#else
#include <stb/stb_ds.h>
#endif

#if !defined(SIMKIT_FIRST) && !defined(NO_HOST)
#include "simkit.h"
#endif

#ifndef NO_HOST
#include <stdio.h>
#include <string.h>

struct by_number {
    int key, value;
};
struct by_name {
    char *key;
    int value;
};

static int host(void)
{
    int *squares = NULL, i, sum = 0;
    struct by_number *numbers = NULL;
    struct by_name *names = NULL;
    char a[] = "a", b[] = "b";
    for (i = 0; i < 100; ++i) {
        stbds_arrput(squares, i * i);
        stbds_hmput(numbers, i, squares[i]);
    }
    stbds_shput(names, a, 1);
    stbds_shput(names, b, 2);
#ifndef STBDS_NO_SHORT_NAMES /* i is 100: a key must be a variable where the compiler lacks typeof */
    arrput(squares, 7);
    hmput(numbers, i, 7);
    shput(names, a, 7);
    if (arrlen(squares) != 101 || hmget(numbers, i) != 7 || shget(names, a) != 7) return 1;
#endif
    for (i = 0; i < 100; ++i) sum += stbds_hmget(numbers, i) - squares[i];
    if (stbds_shget(names, b) != 2) return 1;
    stbds_arrfree(squares);
    stbds_hmfree(numbers);
    stbds_shfree(names);
    return sum;
}

int main(void)
{
    static simkit_world_desc zero;
    simkit_world *world = NULL;
    if (simkit_world_open(&zero, &world) != SIMKIT_OK) return 1;
    simkit_world_close(world);
    return host();
}
#endif

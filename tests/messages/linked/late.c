/* A program that loads the library sum by dlopen(). With -DITSELF the program calls MPI as well. */
#include <dlfcn.h>
#include <stdio.h>

typedef int init_function(int *, char ***);
typedef int function(void);

#ifdef ITSELF
init_function MPI_Init;
function MPI_Finalize;
#endif

int main(int argc, char **argv)
{
    void *library = dlopen("./libsum.so", RTLD_NOW | RTLD_GLOBAL);
    init_function *init;
    function *sum, *finalize;
    if (!library) {
        puts(dlerror());
        return 1;
    }
    *(void **)&init = dlsym(library, "MPI_Init");
    *(void **)&sum = dlsym(library, "sum_of_ranks");
    *(void **)&finalize = dlsym(library, "MPI_Finalize");
#ifdef ITSELF
    init = MPI_Init;
    finalize = MPI_Finalize;
#endif
    init(&argc, &argv);
    printf("sum %d\n", sum());
    return finalize();
}

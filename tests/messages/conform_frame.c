/* conform_frame.c - runs cases, collects what the ranks say, prints it. */
#include "conform.h"

#include <stdarg.h>

#define TEXT_MOST 4096

int me, np;

static char text[TEXT_MOST];
static bool complained;

static void say_list(const char *format, va_list list)
{
    const size_t used = strlen(text), space = used > 0;

    if (used + space + 1 >= sizeof text) return;
    if (space) strcpy(text + used, " ");
    vsnprintf(text + used + space, sizeof text - used - space, format, list);
}

void say(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    say_list(format, list);
    va_end(list);
}

void expect(bool fine, const char *format, ...)
{
    va_list list;

    if (fine || complained) return;
    complained = true;
    va_start(list, format);
    say_list(format, list);
    va_end(list);
}

void say_count(const char *what, int value)
{
    if (value == MPI_UNDEFINED)
        say("%s undefined", what);
    else
        say("%s %d", what, value);
}

void say_rank(const char *what, int rank)
{
    if (rank == MPI_ANY_SOURCE)
        say("%s any", what);
    else if (rank == MPI_PROC_NULL)
        say("%s null", what);
    else
        say_count(what, rank);
}

void say_status(const MPI_Status *status, MPI_Datatype type)
{
    int count;

    say_rank("source", status->MPI_SOURCE);
    if (status->MPI_TAG == MPI_ANY_TAG)
        say("tag any");
    else
        say("tag %d", status->MPI_TAG);
    MPI_Get_count(status, type, &count);
    say_count("count", count);
}

void say_class(const char *what, int code)
{
    static const struct {
        int value;
        const char *name;
    } names[] = { { MPI_SUCCESS, "SUCCESS" },
                  { MPI_ERR_BUFFER, "BUFFER" },
                  { MPI_ERR_COUNT, "COUNT" },
                  { MPI_ERR_TYPE, "TYPE" },
                  { MPI_ERR_TAG, "TAG" },
                  { MPI_ERR_COMM, "COMM" },
                  { MPI_ERR_RANK, "RANK" },
                  { MPI_ERR_REQUEST, "REQUEST" },
                  { MPI_ERR_ROOT, "ROOT" },
                  { MPI_ERR_GROUP, "GROUP" },
                  { MPI_ERR_OP, "OP" },
                  { MPI_ERR_TOPOLOGY, "TOPOLOGY" },
                  { MPI_ERR_DIMS, "DIMS" },
                  { MPI_ERR_ARG, "ARG" },
                  { MPI_ERR_UNKNOWN, "UNKNOWN" },
                  { MPI_ERR_TRUNCATE, "TRUNCATE" },
                  { MPI_ERR_OTHER, "OTHER" },
                  { MPI_ERR_INTERN, "INTERN" },
                  { MPI_ERR_PENDING, "PENDING" },
                  { MPI_ERR_IN_STATUS, "IN_STATUS" },
                  { MPI_ERR_KEYVAL, "KEYVAL" },
                  { MPI_ERR_NO_MEM, "NO_MEM" },
                  { MPI_ERR_INFO, "INFO" },
                  { MPI_ERR_INFO_KEY, "INFO_KEY" },
                  { MPI_ERR_INFO_VALUE, "INFO_VALUE" },
                  { MPI_ERR_INFO_NOKEY, "INFO_NOKEY" },
                  { MPI_ERR_PORT, "PORT" },
                  { MPI_ERR_SERVICE, "SERVICE" },
                  { MPI_ERR_NAME, "NAME" },
                  { MPI_ERR_BASE, "BASE" },
                  { MPI_ERR_SIZE, "SIZE" },
                  { MPI_ERR_DISP, "DISP" },
                  { MPI_ERR_ASSERT, "ASSERT" },
                  { MPI_ERR_LOCKTYPE, "LOCKTYPE" },
                  { MPI_ERR_WIN, "WIN" },
                  { MPI_ERR_RMA_CONFLICT, "RMA_CONFLICT" },
                  { MPI_ERR_RMA_SYNC, "RMA_SYNC" },
                  { MPI_ERR_RMA_RANGE, "RMA_RANGE" },
                  { MPI_ERR_RMA_ATTACH, "RMA_ATTACH" },
                  { MPI_ERR_RMA_SHARED, "RMA_SHARED" },
                  { MPI_ERR_RMA_FLAVOR, "RMA_FLAVOR" } };
    int class = MPI_SUCCESS;

    if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
    for (int i = 0; i < COUNT_OF(names); ++i)
        if (names[i].value == class) {
            say("%s %s", what, names[i].name);
            return;
        }
    say("%s another class", what);
}

const char *compared(int result)
{
    return result == MPI_IDENT       ? "IDENT"
           : result == MPI_CONGRUENT ? "CONGRUENT"
           : result == MPI_SIMILAR   ? "SIMILAR"
           : result == MPI_UNEQUAL   ? "UNEQUAL"
                                     : "another result";
}

void fill(int *a, int count, int seed)
{
    for (int i = 0; i < count; ++i) a[i] = seed * 1000 + i;
}

void expect_filled(const int *a, int count, int seed)
{
    for (int i = 0; i < count; ++i) expect(a[i] == seed * 1000 + i, "[%d] %d for %d", i, a[i], seed * 1000 + i);
}

void say_ints(const char *what, const int *a, int count)
{
    if (*what) say("%s", what);
    for (int i = 0; i < count; ++i) say("%d", a[i]);
}

void *room(size_t bytes)
{
    void *memory = calloc(bytes ? bytes : 1, 1);

    if (!memory) {
        fprintf(stderr, "conform: no memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

void *ints(int count)
{
    return room((size_t)count * sizeof(int));
}

static void print_ranks(const char *name, const char *texts)
{
    printf("%s:", name);
    for (int first = 0, next; first < np; first = next) {
        const char *said = texts + (size_t)first * TEXT_MOST;
        for (next = first + 1; next < np; ++next)
            if (strcmp(said, texts + (size_t)next * TEXT_MOST) != 0) break;
        printf(first > 0 ? " | " : " ");
        if (next > first + 1)
            printf("%d-%d: ", first, next - 1);
        else
            printf("%d: ", first);
        printf("%s", *said ? said : "ok");
    }
    printf("\n");
    fflush(stdout);
}

static void run(const conform_case *it, MPI_Comm comm, char *texts)
{
    if (np < it->ranks) {
        if (me == 0) printf("%s: skipped\n", it->name);
        return;
    }
    text[0] = '\0';
    complained = false;
    it->run();
    if (me == 0) {
        memcpy(texts, text, sizeof text);
        for (int i = 1; i < np; ++i)
            MPI_Recv(texts + (size_t)i * TEXT_MOST, TEXT_MOST, MPI_CHAR, i, 0, comm, MPI_STATUS_IGNORE);
        print_ranks(it->name, texts);
    } else {
        MPI_Send(text, (int)strlen(text) + 1, MPI_CHAR, 0, 0, comm);
    }
    MPI_Barrier(comm);
}

static bool named(const char *name, const char *topic, int argc, char **argv)
{
    for (int i = 1; i < argc; ++i)
        if (strcmp(argv[i], name) == 0 || strcmp(argv[i], topic) == 0) return true;
    return argc == 1;
}

void run_topics(const conform_topic *topics, int count, int argc, char **argv)
{
    MPI_Comm comm;
    char *texts;

    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &np);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    texts = (char *)room(me == 0 ? (size_t)np * TEXT_MOST : 1);
    for (int t = 0; t < count; ++t)
        for (const conform_case *it = topics[t].cases; it->name != NULL; ++it)
            if (named(it->name, topics[t].name, argc, argv)) run(it, comm, texts);
    free(texts);
    MPI_Comm_free(&comm);
}

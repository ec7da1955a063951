/* Shared by the parts of the MPI layer. All of it belongs to one rank; core.h has the data that ranks share.
 *
 * The files, the lowest first. A file calls only those on lines before its own, except through mpi_leaving:
 *   mpi_base.c
 *   mpi_attribute.c mpi_error.c mpi_info.c mpi_op.c mpi_topology.c
 *   mpi_group.c mpi_type.c
 *   mpi_p2p.c
 *   mpi_coll.c
 *   mpi_comm.c
 *   mpi.c mpi_port.c mpi_win.c
 * mpi_external.c, mpi_file.c and fortran.c stand on these, and mpi_tool.c stands alone. The macros of this header
 * call only mpi_base.c, which therefore uses none of them. */
#ifndef MESSAGES_MPI_CORE_H
#define MESSAGES_MPI_CORE_H

#include "core.h"
#include "mpi.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

/* Calls are defined by their PMPI_ names; the MPI_ names are weak, so that a program may define its own. */
#define MPI_FIRST(name) __typeof__(PMPI_##name) MPI_##name __attribute__((weak, alias("PMPI_" #name)));

#define MPI_MOST_TAG 0x3fffffff

/* -- attributes -- */
typedef enum mpi_owner { MPI_OF_COMM, MPI_OF_TYPE, MPI_OF_WIN } mpi_owner;

/* Who has set an attribute: C, an address; Fortran, a number of the size of an address; a call of MPI 1 in Fortran, an integer.
 * C sees the address of such a number. */
typedef enum mpi_setter { MPI_SET_BY_C, MPI_SET_BY_FORTRAN, MPI_SET_BY_OLD_FORTRAN } mpi_setter;

typedef struct mpi_attribute {
    int key;
    mpi_setter by;
    bool leaving; /* its delete function runs */
    MPI_Fint small;
    MPI_Aint number;
    void *value;
    struct mpi_attribute *next;
} mpi_attribute;

int mpi_attributes_copy(mpi_owner owner, void *from, mpi_attribute *list, mpi_attribute **copies);
int mpi_attributes_free(mpi_owner owner, void *from, mpi_attribute **list);
mpi_attribute *mpi_attribute_of(mpi_owner owner, void *of, int key);         /* NULL: it is not set */
void mpi_attribute_number(mpi_attribute *a, mpi_setter by, MPI_Aint number); /* what Fortran sets */
/* The language of the functions of a key: those of Fortran take and give attributes as numbers. */
void mpi_keyval_language(int key, mpi_setter functions);

/* Around each call of a function of the program: it may make calls itself, whose names and states are not those of the call
 * that it was called from. */
typedef struct mpi_interlude {
    bool inside;
    int called_depth;
    const char *mpi_call, *called;
    char call[sizeof((messages_task *)0)->call];
} mpi_interlude;
mpi_interlude mpi_interlude_begin(void);
void mpi_interlude_end(const mpi_interlude *i);

struct mpi_errhandler {
    int references; /* 0: predefined */
    MPI_Comm_errhandler_function *function;
    MPI_Win_errhandler_function *of_windows;
    MPI_File_errhandler_function *of_files;
    int number; /* for Fortran */
};

/* Handles by their numbers in Fortran, from 1; 0: a null handle. */
typedef struct mpi_numbered {
    void **handles; /* handles[count] */
    int count;
    const messages_task *owner; /* that has made this table; ranks together begin with a common one */
} mpi_numbered;

int mpi_number_of(mpi_numbered *all, void *handle, int *number);
void *mpi_handle_of(const mpi_numbered *all, int number);

/* -- groups and communicators -- */
struct mpi_group {
    int references;
    int size, rank; /* rank of this process, or MPI_UNDEFINED */
    int32_t *tasks; /* tasks[size] */
    bool common;    /* they are in the arena, because all ranks need the same */
    int number;
};

/* Neighbors in one direction. */
typedef struct mpi_edges {
    int count;
    int *ranks, *weights; /* ranks[count]; weights: NULL for an unweighted graph */
} mpi_edges;

typedef struct mpi_topology {
    int kind; /* MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH */
    int dimensions, nodes, edges;
    int *sizes, *periods, *coordinates; /* of a grid */
    int *index, *neighbors;             /* of a graph */
    mpi_edges sources, targets;         /* of a distributed graph: neighbors of this rank */
    bool weighted;
} mpi_topology;

mpi_topology *mpi_topology_cart(int dimensions, const int *sizes, const int *periods, int rank);
mpi_topology *mpi_topology_graph(int nodes, const int *index, int edges, const int *neighbors);
mpi_topology *mpi_topology_copy(const mpi_topology *from);
void mpi_topology_free(mpi_topology *t);
mpi_edges mpi_edges_copy(int count, const int *ranks, const int *weights);
int mpi_cart_check(MPI_Comm comm); /* whether it is a grid */
/* The neighbors of this rank, in the order of its blocks; NULL ranks without a topology. The caller frees the ranks. */
mpi_edges mpi_neighbors(MPI_Comm comm, bool sources);

struct mpi_comm {
    int references;
    int32_t context;  /* of point-to-point messages; collectives use the next */
    MPI_Group group;  /* the local one */
    MPI_Group remote; /* of an intercommunicator, else NULL */
    MPI_Comm local;   /* of an intercommunicator: its own side, for agreement among its ranks */
    MPI_Errhandler errhandler;
    mpi_attribute *attributes;
    mpi_topology *topology;
    MPI_Info info; /* hints, which have no effect */
    char name[MPI_MAX_OBJECT_NAME];
    int number;                  /* for Fortran */
    bool always;                 /* predefined: never freed */
    uint64_t collectives;        /* number of calls on it */
    uint64_t started;            /* number of nonblocking ones */
    int made;                    /* see mpi_made() */
    const messages_task *caller; /* the thread that made the last collective call on it, */
    uint64_t entered;            /* which was its call of this number */
    messages_side *side;         /* its description for error messages; NULL: predefined */
};

MPI_Group mpi_group_new(int size);
MPI_Group mpi_group_range(int32_t first, int32_t count); /* so many tasks, from this one on */
MPI_Group mpi_group_hold(MPI_Group group);
void mpi_group_drop(MPI_Group group);
MPI_Group mpi_group_done(MPI_Group group);              /* its tasks are known: sets its rank */
void mpi_group_give(MPI_Group group, MPI_Group *fresh); /* to the program */
int mpi_group_find(MPI_Group group, int32_t task);      /* a rank; MPI_UNDEFINED: it is not in the group */
int mpi_group_compare(MPI_Group one, MPI_Group other);
MPI_Comm mpi_comm_new(MPI_Group group, int32_t context, MPI_Comm like);
MPI_Comm mpi_inter_new(MPI_Group mine, MPI_Group theirs, int32_t context, MPI_Comm local);
void mpi_comm_enroll(MPI_Comm comm); /* describes it to the engine, for error messages, once it has a context */
void mpi_comm_drop(MPI_Comm comm);

/* -- types -- */
typedef struct mpi_block { /* of equal, contiguous elements */
    ptrdiff_t place;       /* from the beginning [B] */
    size_t count;
    MPI_Datatype type;
} mpi_block;

struct mpi_type {
    int references;   /* 0: predefined */
    int basic;        /* number of a basic type, from 1; 0: a derived type */
    size_t alignment; /* of a basic type [B] */
    bool freed;
    int made;         /* see mpi_made() */
    unsigned char of; /* of a derived type: the basic type of all its elements; MPI_MIXED: of several; 0: of none */
    bool committed, dense; /* dense: contiguous in memory as in messages, from 0 */
    size_t size;           /* of its packed form [B] */
    size_t elements;       /* number of basic elements */
    ptrdiff_t lb, ub, true_lb, true_ub;
    bool set_lb, set_ub; /* by a marker or by resizing */
    /* blocks[count], all of it `times` times, `stride` bytes apart */
    size_t count, times;
    ptrdiff_t stride;
    mpi_block *blocks;
    /* how it was constructed */
    int combiner;
    int integer_count, address_count, type_count;
    int *integers;
    MPI_Aint *addresses;
    MPI_Datatype *types;
    mpi_attribute *attributes;
    char name[MPI_MAX_OBJECT_NAME];
    int number;
};

/* Fortran's numbers of 16 bytes. */
__extension__ typedef __int128 mpi_integer16;
#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 mpi_real16;
typedef _Complex float __attribute__((mode(TC))) mpi_complex32;
#else
typedef long double mpi_real16;
typedef long double _Complex mpi_complex32;
#endif

/* The basic types, (name, name in MPI, type in C), and the pairs of a value and its place; each has a number. */
/* clang-format off */
#define BASICS(of) \
    of(char, "CHAR", char) of(signed_char, "SIGNED_CHAR", signed char) \
    of(unsigned_char, "UNSIGNED_CHAR", unsigned char) of(byte, "BYTE", unsigned char) of(wchar, "WCHAR", wchar_t) \
    of(short, "SHORT", short) of(unsigned_short, "UNSIGNED_SHORT", unsigned short) of(int, "INT", int) \
    of(unsigned, "UNSIGNED", unsigned) of(long, "LONG", long) of(unsigned_long, "UNSIGNED_LONG", unsigned long) \
    of(long_long_int, "LONG_LONG_INT", long long) of(unsigned_long_long, "UNSIGNED_LONG_LONG", unsigned long long) \
    of(float, "FLOAT", float) of(double, "DOUBLE", double) of(long_double, "LONG_DOUBLE", long double) \
    of(packed, "PACKED", char) of(int8_t, "INT8_T", int8_t) of(int16_t, "INT16_T", int16_t) \
    of(int32_t, "INT32_T", int32_t) of(int64_t, "INT64_T", int64_t) of(uint8_t, "UINT8_T", uint8_t) \
    of(uint16_t, "UINT16_T", uint16_t) of(uint32_t, "UINT32_T", uint32_t) of(uint64_t, "UINT64_T", uint64_t) \
    of(c_bool, "C_BOOL", _Bool) of(c_float_complex, "C_COMPLEX", float _Complex) \
    of(c_double_complex, "C_DOUBLE_COMPLEX", double _Complex) \
    of(c_long_double_complex, "C_LONG_DOUBLE_COMPLEX", long double _Complex) of(aint, "AINT", MPI_Aint) \
    of(offset, "OFFSET", MPI_Offset) of(integer, "INTEGER", int) of(real, "REAL", float) \
    of(double_precision, "DOUBLE_PRECISION", double) of(character, "CHARACTER", char) of(logical, "LOGICAL", int) \
    of(complex, "COMPLEX", float _Complex) of(double_complex, "DOUBLE_COMPLEX", double _Complex) \
    of(count, "COUNT", MPI_Count) of(integer1, "INTEGER1", int8_t) of(integer2, "INTEGER2", int16_t) \
    of(integer4, "INTEGER4", int32_t) of(integer8, "INTEGER8", int64_t) of(integer16, "INTEGER16", mpi_integer16) \
    of(real4, "REAL4", float) of(real8, "REAL8", double) of(real16, "REAL16", mpi_real16) \
    of(complex8, "COMPLEX8", float _Complex) of(complex16, "COMPLEX16", double _Complex) \
    of(complex32, "COMPLEX32", mpi_complex32) of(logical1, "LOGICAL1", int8_t) of(logical2, "LOGICAL2", int16_t) \
    of(logical4, "LOGICAL4", int32_t) of(logical8, "LOGICAL8", int64_t) of(cxx_bool, "CXX_BOOL", _Bool) \
    of(cxx_float_complex, "CXX_FLOAT_COMPLEX", float _Complex) \
    of(cxx_double_complex, "CXX_DOUBLE_COMPLEX", double _Complex) \
    of(cxx_long_double_complex, "CXX_LONG_DOUBLE_COMPLEX", long double _Complex)
/* clang-format on */

#define NUMBER(which, text, type) NUMBER_##which,
/* clang-format off */
#define PAIRS(of) \
    of(float_int, "FLOAT_INT", float, int) of(double_int, "DOUBLE_INT", double, int) \
    of(long_int, "LONG_INT", long, int) \
    of(2int, "2INT", int, int) of(short_int, "SHORT_INT", short, int) \
    of(long_double_int, "LONG_DOUBLE_INT", long double, int) of(2real, "2REAL", float, float) \
    of(2double_precision, "2DOUBLE_PRECISION", double, double) of(2integer, "2INTEGER", int, int)
/* clang-format on */
#define PAIR_NUMBER(which, text, value, index) NUMBER_##which,
enum { BASICS(NUMBER) PAIRS(PAIR_NUMBER) NUMBERS };

#define MPI_MIXED 255 /* elements of several basic types */

bool mpi_type_is(MPI_Datatype type);
uint32_t mpi_elements_of(MPI_Datatype type); /* a basic type, from 1; MPI_MIXED; 0: none */
const char *mpi_basic_name(int basic);
size_t mpi_basic_size(int basic);                                                                 /* 0: a pair */
size_t mpi_pack(void *packed, const void *data, size_t count, MPI_Datatype type);                 /* bytes written */
size_t mpi_unpack(void *data, const void *packed, size_t bytes, size_t count, MPI_Datatype type); /* bytes read */
size_t mpi_elements(size_t bytes, MPI_Datatype type); /* number of basic elements; SIZE_MAX: not whole */
typedef void mpi_visit(void *user, uintptr_t place, size_t bytes);
void mpi_type_pieces(MPI_Datatype type, mpi_visit *visit, void *user); /* the contiguous pieces of one element at 0 */
MPI_Datatype mpi_type_element(MPI_Datatype type); /* the basic type that it consists of; NULL: none, or several */
MPI_Datatype mpi_basic_type(int basic);
/* Before a change: the predefined types are steady data. */
static inline void mpi_type_changes(MPI_Datatype type)
{
    if (type->basic) messages_together_changes();
}
void mpi_type_hold(MPI_Datatype type);
void mpi_type_drop(MPI_Datatype type);
/* Memory for a number of elements of a type, and the address of the first. */
void *mpi_new(size_t count, size_t size); /* zeroed; ends the run without memory */
void mpi_retire(void *block);             /* frees it only after many others, so that a use after free is detected */
/* Counts the handles that the program has, by kind and by the call that made them, to tell at MPI_Finalize which were never
 * freed. mpi_made() returns what the handle keeps for mpi_unmade(). */
typedef enum mpi_kind { MPI_COMMUNICATORS, MPI_GROUPS, MPI_TYPES, MPI_OPERATIONS, MPI_WINDOWS, MPI_KINDS } mpi_kind;
int mpi_made(mpi_kind kind, const char *call); /* the name must live on */
void mpi_unmade(int *made);                    /* and sets it to 0 */
void mpi_made_note(void);                      /* notes those that the program has never freed */
void *mpi_room(size_t count, MPI_Datatype type, void **block);
void mpi_copy(const void *from, size_t from_count, MPI_Datatype from_type, void *to, size_t to_count,
              MPI_Datatype to_type);

/* -- operations -- */
struct mpi_op {
    int references;
    int which;
    bool commutes;
    MPI_User_function *function; /* NULL: predefined */
    int number;
    int made; /* see mpi_made() */
};

/* inout = in op inout; MPI_ERR_OP if the operation does not take the type */
int mpi_reduce(const void *in, void *inout, int count, MPI_Datatype type, MPI_Op op);
int mpi_op_check(MPI_Op op, MPI_Datatype type);
int mpi_op_number(MPI_Op op); /* the same for all ranks */
const char *mpi_op_name(int number);
void mpi_op_hold(MPI_Op op);
void mpi_op_drop(MPI_Op op);

MPI_Op mpi_op_of(int number); /* a predefined one */

/* -- windows -- */
typedef struct mpi_target mpi_target;
typedef struct mpi_pending mpi_pending;

typedef enum mpi_epoch { MPI_NO_EPOCH, MPI_FENCED, MPI_STARTED, MPI_LOCKED, MPI_LOCKED_ALL } mpi_epoch;

struct mpi_win {
    bool alive;
    MPI_Comm comm;           /* its own */
    messages_window *shared; /* what all ranks know of it */
    int rank, size;
    void *base;
    MPI_Aint bytes;
    int unit, flavor, model;
    bool anywhere;       /* its memory is in the arena */
    mpi_epoch epoch;     /* of accesses by this rank */
    bool used;           /* in this epoch */
    int locks;           /* number of targets that it has locked */
    MPI_Group started;   /* whose windows it may access; NULL: none */
    MPI_Group posted;    /* that may access its window; NULL: none */
    uint64_t finishes;   /* of others, that it will have waited for */
    uint64_t parcels;    /* that fences have waited for */
    mpi_target *targets; /* targets[size] */
    mpi_pending *pending;
    size_t pending_bytes; /* of their results */
    MPI_Errhandler errhandler;
    mpi_attribute *attributes;
    MPI_Info info;
    char name[MPI_MAX_OBJECT_NAME];
    int number; /* for Fortran */
};

static inline int mpi_win_check(MPI_Win win)
{
    return win && win->alive ? MPI_SUCCESS : MPI_ERR_WIN;
}
/* As mpi_end() and mpi_fail(): with the error handler of a window; NULL: that of MPI_COMM_WORLD. */
int mpi_win_end(MPI_Win win, int code);
#define mpi_win_fail(win, code) mpi_win_fail_in(__func__, win, code)
int mpi_win_fail_in(const char *function, MPI_Win win, int code);

/* -- calls -- */
void mpi_begin(const char *call);     /* CPU time since the last call */
int mpi_end(MPI_Comm comm, int code); /* returns to the program, after the error handler if there was an error */
enum { MPI_TOO_LONG = 224 };

/* The call in which the thread is that has the turn. */
typedef struct mpi_calling {
    const char *call;               /* the current or last one */
    const char *outer;              /* the outermost of nested calls; NULL: none */
    int depth;                      /* of these */
    int explained;                  /* the code to which this belongs: */
    char explanation[MPI_TOO_LONG]; /* see mpi_explain() */
} mpi_calling;
extern mpi_calling mpi_now;
void mpi_requests_note(void); /* notes those that are not complete, at MPI_Finalize */
void mpi_leave(void);         /* as mpi_end(), but without an error handler */
/* The end of each call runs it; NULL: nothing. The files above attach it: mpi_p2p.c, while there are requests that the
 * program freed before they were complete. */
extern void (*mpi_leaving)(void);
/* For use outside of begin and end; the call is named after the enclosing function. */
#define mpi_fail(comm, code) mpi_fail_in(__func__, comm, code)
int mpi_fail_in(const char *function, MPI_Comm comm, int code);
int mpi_file_fail(const char *call); /* says once that files are not modelled; returns an error code */
/* A call that is implemented by another one: errors name the call that the program made. */
#define MPI_AS(work) (mpi_called(__func__), mpi_returned(work))
void mpi_called(const char *function);
int mpi_returned(int code);
bool mpi_errors_return(MPI_Comm comm); /* whether errors are returned instead of ending the run */
/* Calls the error handler of a communicator, NULL: of MPI_COMM_WORLD, or of a window; it may end the run. */
void mpi_raise(const char *call, MPI_Comm comm, int code);
void mpi_raise_win(const char *call, MPI_Win win, int code);
__attribute__((noreturn)) void mpi_end_by(const char *call, int code); /* ends the run, after an error */
/* The name of the call that the program made; `function` is the name of that which implements it. */
const char *mpi_call_of(const char *function);

/* MPI_Init and MPI_Finalize set it. */
typedef struct mpi_state {
    bool initialized, finalized;
    int threads;     /* the level that was provided */
    uint32_t thread; /* the one that has called MPI_Init */
} mpi_state;
extern mpi_state mpi_layer;
bool mpi_running(void);

void mpi_too_long(const messages_request *received, size_t room); /* adds this message to MPI_ERR_TRUNCATE's text */
char *mpi_too_long_text(void); /* what it added, in up to MPI_TOO_LONG bytes; for a call that reports it later */
/* Codes and classes that the program added, from MPI_ERR_LASTCODE + 1. */
typedef struct mpi_added {
    int which; /* the class */
    char text[MPI_MAX_ERROR_STRING];
} mpi_added;
int mpi_error_add(int which);         /* returns a new code of this class; 0: a new class */
mpi_added *mpi_error_added(int code); /* NULL: not by the program */
int mpi_error_last(void);             /* the highest code */
bool mpi_error_is(int code);          /* whether there is such a code */
void mpi_error_text(int code, char *text, size_t room);
/* Sets the explanation that is printed if this code ends the run, instead of the code's own text. Returns the code. */
__attribute__((format(printf, 2, 3))) int mpi_explain(int code, const char *format, ...);

/* -- messages: on a context of a communicator, packed -- */
int32_t mpi_task_of(MPI_Comm comm, int rank); /* of the remote group, if there is one */
messages_chunk *mpi_chunk(const void *data, size_t count, MPI_Datatype type);
/* As mpi_chunk(), for data that is only sent: memory without content is not copied. */
messages_chunk *mpi_chunk_sent(const void *data, size_t count, MPI_Datatype type);
void mpi_send_chunk(MPI_Comm comm, bool collective, int to, int tag, messages_chunk *chunk, size_t bytes);
messages_request *mpi_post(MPI_Comm comm, bool collective, int from, int tag);
/* As mpi_post(), into this memory, which is only looked at. */
messages_request *mpi_post_into(MPI_Comm comm, bool collective, int from, int tag, const void *data, size_t count,
                                MPI_Datatype type);
/* A request that is complete when a message has been received, or at once if that is NULL; `finish` then takes it. */
MPI_Request mpi_request_of(MPI_Comm comm, messages_request *received,
                           void (*finish)(void *user, const messages_request *received), void *user);
/* Its error code when it has completed, read before it is finished. */
void mpi_request_code(MPI_Request request, const int *code);
int mpi_comm_check(MPI_Comm comm);
int mpi_data_check(const void *data, int count, MPI_Datatype type);
int mpi_type_check(MPI_Datatype type);                              /* for data: it must be committed */
int mpi_count_wrong(int count);                                     /* MPI_ERR_COUNT */
int mpi_rank_wrong(int code, const char *what, int rank, int size); /* MPI_ERR_RANK or MPI_ERR_ROOT: `rank`, `root` */

/* A collective of bytes among the ranks of a communicator's own side, for internal agreement. */
void mpi_share(MPI_Comm comm, const void *mine, size_t bytes, void *all);
void mpi_tell(MPI_Comm comm, int root, void *data, size_t bytes);
void mpi_meet(MPI_Comm comm); /* counts and compares a collective call as these do, without waiting for other ranks */
int32_t mpi_context_new(MPI_Comm comm);
int32_t mpi_context_take(int32_t count);
/* The two sides of an intercommunicator that is being made: what the leader of one sends to that of the other, with a context
 * for both; and the end, in which the leader tells its side what it received, or an error code. Context 0: the one received. */
messages_chunk *mpi_side_chunk(MPI_Comm local, int32_t context, size_t *bytes);
int mpi_side_join(MPI_Comm local, int leader, int code, int32_t context, messages_request *received, MPI_Comm *fresh);
void mpi_comm_open(void);
/* Functions that MPI attaches to the engine, see messages_layer in core.h. */
void messages_meeting_text(const messages_meeting *meeting, char *text, size_t room);
void messages_sent_text(uint32_t sent, size_t bytes, char *text, size_t room);
bool messages_types_match(uint32_t one, uint32_t other);
void messages_algorithms_read(void); /* of collectives: SIMKIT_ALGORITHMS */

#endif

/* mpi.c - MPI: start and end, threads, time and memory. It stands on the other files of the MPI layer. */
#include "mpi_core.h"

#include <stdio.h>
#include <stdlib.h>

static const char *mpi__left_out(void)
{
    return mpi_running() ? " without MPI_Finalize" : "";
}

enum { A_THREAD_KEEPS_ALL_OF_IT = 1 / (sizeof(mpi_calling) <= MESSAGES_CALL_DATA) };

/* The level that is provided: several threads in calls at once need a turn each. */
static int mpi__threads_of(int required)
{
    const int most = messages_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED;
    return required > most ? most : required;
}

int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    (void)argc;
    (void)argv;
    messages_enter("MPI_Init");
    if (mpi_layer.initialized)
        messages_end(1, "%s called MPI_Init twice%s", messages_self->name, messages_where(messages_self));
    mpi_layer.initialized = messages_self->family.mpi = true;
    mpi_now.call = "MPI_Init";
    messages_alone(mpi_now.call);
    messages_call_kept = (messages_call_data){ &mpi_now, sizeof mpi_now };
    mpi_layer.threads = mpi__threads_of(required);
    mpi_layer.thread = messages_self->thread;
    if (provided) *provided = mpi_layer.threads;
    if (mpi_layer.threads == MPI_THREAD_MULTIPLE) messages_several_threads();
    if (required > mpi_layer.threads)
        messages_note_once(MESSAGES_ABOUT_MULTIPLE, NULL,
                           "%s asked for MPI_THREAD_MULTIPLE" MESSAGES_HERE
                           " and got MPI_THREAD_SERIALIZED: the threads of this program are not on the virtual clock",
                           messages_self->name);
    mpi_comm_open();
    messages_before_exit(mpi__left_out);
    messages_leave();
    return MPI_SUCCESS;
}

int PMPI_Init(int *argc, char ***argv)
{
    return PMPI_Init_thread(argc, argv, MPI_THREAD_SINGLE, NULL);
}

int PMPI_Finalize(void)
{
    mpi_begin("MPI_Finalize");
    mpi_attributes_free(MPI_OF_COMM, MPI_COMM_SELF, &MPI_COMM_SELF->attributes);
    mpi_requests_note();
    mpi_share(MPI_COMM_WORLD, NULL, 0, NULL); /* all tasks have called MPI_Finalize */
    if (messages->notes.wanted == MESSAGES_ALL_WARNINGS) mpi_made_note();
    mpi_layer.finalized = messages_self->family.finalized = true;
    messages_leave();
    return MPI_SUCCESS;
}

int PMPI_Initialized(int *flag)
{
    if (!flag) return mpi_fail(NULL, MPI_ERR_ARG);
    *flag = mpi_layer.initialized;
    return MPI_SUCCESS;
}

int PMPI_Finalized(int *flag)
{
    if (!flag) return mpi_fail(NULL, MPI_ERR_ARG);
    *flag = mpi_layer.finalized;
    return MPI_SUCCESS;
}

int PMPI_Query_thread(int *provided)
{
    if (!provided) return mpi_fail(NULL, MPI_ERR_ARG);
    *provided = mpi_layer.threads;
    return MPI_SUCCESS;
}

int PMPI_Is_thread_main(int *flag)
{
    if (!flag) return mpi_fail(NULL, MPI_ERR_ARG);
    *flag = messages_first_thread();
    return MPI_SUCCESS;
}

int PMPI_Abort(MPI_Comm comm, int code)
{
    (void)comm;
    mpi_begin("MPI_Abort");
    messages_flush(); /* earlier ones first */
    messages_note_add(-1, 1, NULL, "%s called MPI_Abort" MESSAGES_HERE " with %d at %.9g s: the run ends there",
                      messages_self->name, code, messages_now());
    messages_abort((code & 255) != 0 ? code & 255 : 1);
}

int PMPI_Get_version(int *version, int *subversion)
{
    if (!version || !subversion) return mpi_fail(NULL, MPI_ERR_ARG);
    *version = MPI_VERSION;
    *subversion = MPI_SUBVERSION;
    return MPI_SUCCESS;
}

int PMPI_Get_library_version(char *text, int *length)
{
    if (!text || !length) return mpi_fail(NULL, MPI_ERR_ARG);
    *length = snprintf(text, MPI_MAX_LIBRARY_VERSION_STRING, "simkit %s", SIMKIT_VERSION);
    return MPI_SUCCESS;
}

int PMPI_Get_processor_name(char *name, int *length)
{
    if (!name || !length) return mpi_fail(NULL, MPI_ERR_ARG);
    *length = snprintf(name, MPI_MAX_PROCESSOR_NAME, "%s", messages->cluster.hosts[messages_self->host].name);
    return MPI_SUCCESS;
}

double PMPI_Wtime(void)
{
    mpi_begin("MPI_Wtime");
    const double now = messages_clock_read(__builtin_return_address(0));
    messages_leave();
    return now;
}

double PMPI_Wtick(void)
{
    return 1e-9;
}

int PMPI_Pcontrol(const int level, ...)
{
    (void)level;
    return MPI_SUCCESS;
}

int PMPI_Alloc_mem(MPI_Aint bytes, MPI_Info info, void *place)
{
    (void)info;
    if (!place) return mpi_fail(NULL, MPI_ERR_ARG);
    void *block = bytes < 0 ? NULL : malloc(bytes ? (size_t)bytes : 1);
    if (!block) return mpi_fail(NULL, bytes < 0 ? MPI_ERR_ARG : MPI_ERR_NO_MEM);
    *(void **)place = block;
    return MPI_SUCCESS;
}

int PMPI_Free_mem(void *block)
{
    free(block);
    return MPI_SUCCESS;
}

/* clang-format off */
MPI_FIRST(Init_thread) MPI_FIRST(Init) MPI_FIRST(Finalize) MPI_FIRST(Initialized) MPI_FIRST(Finalized)
MPI_FIRST(Query_thread) MPI_FIRST(Is_thread_main) MPI_FIRST(Abort) MPI_FIRST(Get_version) MPI_FIRST(Get_library_version)
MPI_FIRST(Get_processor_name) MPI_FIRST(Wtime) MPI_FIRST(Wtick) MPI_FIRST(Pcontrol) MPI_FIRST(Alloc_mem)
MPI_FIRST(Free_mem)
    /* clang-format on */

    /*=============================================================================
 * MARK: - >>what the engine asks of MPI
 *===========================================================================*/
    __attribute__((constructor(999))) static void mpi__attach(void) /* before begin.c */
{
    messages_attached = (messages_layer){ .meeting_text = messages_meeting_text,
                                          .sent_text = messages_sent_text,
                                          .types_match = messages_types_match,
                                          .read_settings = messages_algorithms_read };
}

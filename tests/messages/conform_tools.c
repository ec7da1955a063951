/* conform_tools.c - the tool interface, MPI_T, as far as it does not depend on the variables that there are. */
#include "conform.h"

static const char *code_of(int code)
{
    return code == MPI_SUCCESS                 ? "SUCCESS"
           : code == MPI_T_ERR_NOT_INITIALIZED ? "NOT_INITIALIZED"
           : code == MPI_T_ERR_INVALID         ? "INVALID"
           : code == MPI_T_ERR_INVALID_NAME    ? "INVALID_NAME"
           : code == MPI_T_ERR_INVALID_HANDLE  ? "INVALID_HANDLE"
                                               : "another code";
}

static void tools_begin_and_end(void)
{
    int number = -1, provided = -1;

    say("%s", code_of(MPI_T_cvar_get_num(&number)));
    say("%s", code_of(MPI_T_finalize()));
    say("%s", code_of(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided)));
    say("%d", provided == MPI_THREAD_SINGLE);
    say("%s", code_of(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided)));
    say("%s", code_of(MPI_T_finalize()));
    say("%s", code_of(MPI_T_cvar_get_num(&number)));
    say("%d", number >= 0);
    say("%s", code_of(MPI_T_cvar_get_num(NULL)));
    say("%s", code_of(MPI_T_finalize()));
    say("%s", code_of(MPI_T_finalize()));
    say("%s", code_of(MPI_T_pvar_get_num(&number)));
}

static void tools_find_no_such_names(void)
{
    int provided, number = -1;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    say("%s", code_of(MPI_T_cvar_get_index("no such variable", &number)));
    say("%s", code_of(MPI_T_pvar_get_index("no such variable", MPI_T_PVAR_CLASS_STATE, &number)));
    say("%s", code_of(MPI_T_category_get_index("no such category", &number)));
    say("%s", code_of(MPI_T_category_changed(&number)));
    MPI_T_finalize();
}

static void sessions_of_tools(void)
{
    int provided;
    MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    say("%s", code_of(MPI_T_pvar_session_create(&session)));
    say("%d", session != MPI_T_PVAR_SESSION_NULL);
    say("%s", code_of(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES)));
    say("%s", code_of(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES)));
    say("%s", code_of(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES)));
    say("%s", code_of(MPI_T_pvar_handle_free(session, &handle)));
    say("%s", code_of(MPI_T_pvar_session_free(&session)));
    say("%d", session == MPI_T_PVAR_SESSION_NULL);
    MPI_T_finalize();
}

const conform_case conform_tools[] = {
    CASE(tools_begin_and_end, 1),
    CASE(tools_find_no_such_names, 1),
    CASE(sessions_of_tools, 1),
    NO_MORE_CASES,
};

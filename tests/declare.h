/* tests/declare.h   For -include: no header has a body in this file, whatever it defines. All bodies are in tests/kit.c. */
#define SIMKIT_IMPLEMENTED
#define NETMODEL_FIT_IMPLEMENTED
#define SIMKIT_STATISTICS_IMPLEMENTED
#define SIMKIT_FILES_IMPLEMENTED
#define SIMKIT_USERS_IMPLEMENTED
#define SIMKIT_TRACE_IMPLEMENTED
#define SIMKIT_WHY_IMPLEMENTED
#define NETMODEL_IMPLEMENTED
#define CONTENTION_IMPLEMENTED

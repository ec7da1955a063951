/* What icecream's configure would have found out. */
#define VERSION "1.4"
#define RUNDIR "/nonexistent"

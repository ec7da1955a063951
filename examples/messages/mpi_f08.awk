# mpi_f08.awk - makes the module mpi_f08: awk -f mpi_f08.awk mpif.h mpi_f08.list >mpi_f08.f90
# Its calls are those of fortran.c: a handle is a type with nothing but its number, and a status one of integers. So only
# declarations are needed, and no code has to be linked. The list has a call in each line, with the names of its arguments in the
# standard, and a letter for the type of each; `*` behind it: an array. The error code is left out there.

BEGIN {
    split("Comm Datatype Errhandler File Group Info Message Op Request Win", kinds, " ")
    type["C"] = "type(MPI_Comm)"; type["D"] = "type(MPI_Datatype)"; type["E"] = "type(MPI_Errhandler)"
    type["G"] = "type(MPI_Group)"; type["I"] = "type(MPI_Info)"; type["M"] = "type(MPI_Message)"
    type["O"] = "type(MPI_Op)"; type["R"] = "type(MPI_Request)"; type["S"] = "type(MPI_Status)"
    type["F"] = "type(MPI_File)"; type["W"] = "type(MPI_Win)"
    type["i"] = "integer"; type["l"] = "logical"; type["t"] = type["u"] = "character(len=*)"
    type["a"] = "integer(kind=MPI_ADDRESS_KIND)"; type["n"] = "integer(kind=MPI_COUNT_KIND)"
    type["o"] = "integer(kind=MPI_OFFSET_KIND)"; type["p"] = "type(c_ptr)"
    print "! Made by mpi_f08.awk from mpif.h and mpi_f08.list."
    print "module mpi_f08\n  use, intrinsic :: iso_c_binding, only: c_ptr\n  implicit none"
    for (i = 1; i in kinds; ++i)
        print "  type, bind(c) :: MPI_" kinds[i] "\n    integer :: MPI_VAL\n  end type"
    print "  type, bind(c) :: MPI_Status\n    integer :: MPI_SOURCE, MPI_TAG, MPI_ERROR\n    integer, private :: rest(3)\n  end type"
    print "  logical, parameter :: MPI_SUBARRAYS_SUPPORTED = .false., MPI_ASYNC_PROTECTS_NONBLOCKING = .false."
}

# The type of a handle of mpif.h, by its name.
function kind_of(name) {
    if (name ~ /^MPI_(COMM|GROUP|REQUEST|INFO|MESSAGE|WIN|FILE)_/) {
        sub(/^MPI_/, "", name); sub(/_.*/, "", name)
        return substr(name, 1, 1) tolower(substr(name, 2))
    }
    if (name ~ /^MPI_ERR/) return "Errhandler"
    if (name ~ /^MPI_(OP_NULL|MAX|MIN|SUM|PROD|LAND|BAND|LOR|BOR|LXOR|BXOR|MAXLOC|MINLOC|REPLACE|NO_OP)$/) return "Op"
    return "Datatype"
}

FNR == 1 { ++file }
file == 1 && /^!/ { section = $2; next }
file == 1 && section == "Handles" {
    if ($1 != "parameter") next
    name = $2; sub(/^\(/, "", name)
    number = $4; sub(/\)$/, "", number)
    printf "  type(MPI_%s), parameter :: %s = MPI_%s(%d)\n", kind_of(name), name, kind_of(name), number
    next
}
file == 1 && /integer MPI_STATUS(ES)?_IGNORE/ {
    print /STATUSES/ ? "  type(MPI_Status) :: MPI_STATUSES_IGNORE(1)" : "  type(MPI_Status) :: MPI_STATUS_IGNORE"
    next
}
file == 1 { print; next }

function begin_calls(i, k, operator) {
    begun = 1
    for (i = 1; i in kinds; ++i)
        for (k = 0; k < 2; ++k) {
            operator = k ? "differ" : "same"
            print "  interface operator(" (k ? "/=" : "==") ")"
            print "    pure function simkit_mpi_" operator "_" tolower(kinds[i]) "(one, other) result(is)\n      import"
            print "      type(MPI_" kinds[i] "), intent(in) :: one, other\n      logical :: is\n    end function\n  end interface"
        }
}

/^#/ || NF == 0 { next }
!begun { begin_calls() }
{
    abstract = $1 == "abstract"
    first = abstract ? 2 : 1
    line = "    subroutine MPI_" $first "("
    body = ""
    for (i = first + 1; i <= NF + 1; ++i) {
        split(i <= NF ? $i : "ierror:e", part, ":")
        if (i > NF && abstract) break
        array = sub(/\*$/, "", part[2]) ? "(*)" : part[2] == "u" ? "(count, *)" : ""
        line = line (i > first + 1 ? ", " : "")
        if (length(line) > 100) { text = text line "&\n"; line = "        " }
        line = line part[1]
        if (part[2] == "b")
            body = body "      !GCC$ ATTRIBUTES NO_ARG_CHECK :: " part[1] "\n      type(*), dimension(*) :: " part[1] "\n"
        else if (part[2] == "f")
            body = body "      external :: " part[1] "\n"
        else if (part[2] == "v")
            body = body "      type(c_ptr), value :: " part[1] "\n"
        else if (part[2] == "e")
            body = body "      integer, optional :: ierror\n"
        else
            body = body "      " type[part[2]] " :: " part[1] array "\n"
    }
    print (abstract ? "  abstract interface\n" : "  interface\n") text line ")\n      import\n" body "    end subroutine\n  end interface"
    text = ""
}

END {
    print "  interface\n    subroutine MPI_Sizeof(x, size, ierror) bind(c, name='simkit_mpi_sizeof')"
    print "      type(*), dimension(..) :: x\n      integer :: size\n      integer, optional :: ierror\n    end subroutine\n  end interface"
    print "end module mpi_f08"
}

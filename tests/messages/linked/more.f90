! Calls of MPI 2 and 3 in the module mpi, on four ranks; prints what Open MPI prints: more.txt.
module generalized
  use mpi
  implicit none
  integer :: freed = 0, cancelled = 0
contains
  subroutine query(extra, status, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra
    integer :: status(MPI_STATUS_SIZE), ierror
    call MPI_STATUS_SET_ELEMENTS(status, MPI_INTEGER, int(extra), ierror)
    call MPI_STATUS_SET_CANCELLED(status, .false., ierror)
    status(MPI_SOURCE) = 3
    status(MPI_TAG) = 4
    ierror = MPI_SUCCESS
  end subroutine
  subroutine release(extra, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra
    integer :: ierror
    freed = freed + int(extra)
    ierror = MPI_SUCCESS
  end subroutine
  subroutine cancel(extra, complete, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra
    logical :: complete
    integer :: ierror
    if (.not. complete) cancelled = cancelled + int(extra)
    ierror = MPI_SUCCESS
  end subroutine
end module

program more
  use mpi
  use generalized
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: rank, size, ierror, number, other, third, info, copy, request, message, group, part, comm
  integer :: status(MPI_STATUS_SIZE), type, parent, children, i, a(8), b(8), codes(3)
  integer(kind=MPI_COUNT_KIND) :: long, longer, longest
  integer(kind=MPI_ADDRESS_KIND) :: extra, at(2), lower, room, place
  double precision :: x(4), y(4)
  logical :: flag
  character(len=40) :: text, program_name
  character(len=20) :: arguments(3), values(1, 3)
  character(len=MPI_MAX_PORT_NAME) :: port, found
  character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: version
  type(c_ptr) :: memory
  integer, pointer :: block(:)

  call MPI_INIT(ierror)
  call MPI_COMM_GET_PARENT(parent, ierror)
  if (parent /= MPI_COMM_NULL) call spawned()
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, size, ierror)
  call MPI_GET_LIBRARY_VERSION(version, number, ierror)
  call report('version', (/ merge(1, 0, number > 0), 0, 0, 0 /))

  ! hints
  call MPI_INFO_CREATE(info, ierror)
  call MPI_INFO_SET(info, 'colour', ' red ', ierror)
  call MPI_INFO_SET(info, 'size  ', '12', ierror)
  text = 'none'
  call MPI_INFO_GET(info, 'colour', 40, text, flag, ierror)
  call report('info', (/ merge(1, 0, flag), merge(1, 0, text == 'red'), 0, 0 /))
  call MPI_INFO_GET(info, 'weight', 40, text, flag, ierror)
  call MPI_INFO_GET_NKEYS(info, number, ierror)
  call MPI_INFO_GET_NTHKEY(info, 1, text, ierror)
  call report('keys', (/ merge(1, 0, flag), number, merge(1, 0, text == 'size'), 0 /))
  call MPI_INFO_GET_VALUELEN(info, 'size', other, flag, ierror)
  call MPI_INFO_DUP(info, copy, ierror)
  call MPI_INFO_DELETE(copy, 'size', ierror)
  call MPI_INFO_GET_NKEYS(copy, third, ierror)
  call MPI_INFO_FREE(copy, ierror)
  call report('copy', (/ other, merge(1, 0, flag), third, merge(1, 0, copy == MPI_INFO_NULL) /))
  call MPI_INFO_FREE(info, ierror)

  ! requests of the program
  extra = 7
  call MPI_GREQUEST_START(query, release, cancel, extra, request, ierror)
  call MPI_TEST(request, flag, status, ierror)
  call MPI_CANCEL(request, ierror)
  call MPI_GREQUEST_COMPLETE(request, ierror)
  call MPI_WAIT(request, status, ierror)
  call MPI_GET_COUNT(status, MPI_INTEGER, number, ierror)
  call report('grequest', (/ merge(1, 0, flag), number, freed, cancelled /))
  call report('status', (/ status(MPI_SOURCE), status(MPI_TAG), merge(1, 0, request == MPI_REQUEST_NULL), 0 /))

  ! matched probes
  a = (/ (10 * rank + i, i = 1, 8) /)
  b = 0
  if (mod(rank, 2) == 0) then
    call MPI_SEND(a, 3, MPI_INTEGER, rank + 1, 5, MPI_COMM_WORLD, ierror)
    call MPI_SEND(a, 4, MPI_INTEGER, rank + 1, 5, MPI_COMM_WORLD, ierror)
    call report('mprobe', (/ 0, 0, 0, 0 /))
  else
    call MPI_MPROBE(rank - 1, 5, MPI_COMM_WORLD, message, status, ierror)
    call MPI_GET_COUNT(status, MPI_INTEGER, number, ierror)
    call MPI_MRECV(b, number, MPI_INTEGER, message, status, ierror)
    flag = .false.
    do while (.not. flag)
      call MPI_IMPROBE(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, flag, message, status, ierror)
    end do
    call MPI_IMRECV(b(4), 4, MPI_INTEGER, message, request, ierror)
    call MPI_WAIT(request, status, ierror)
    call report('mprobe', (/ number, b(3), b(7), merge(1, 0, message == MPI_MESSAGE_NULL) /))
  end if
  call MPI_MPROBE(MPI_PROC_NULL, 0, MPI_COMM_WORLD, message, status, ierror)
  call report('no process', (/ merge(1, 0, message == MPI_MESSAGE_NO_PROC), 0, 0, 0 /))
  call MPI_MRECV(b, 8, MPI_INTEGER, message, status, ierror)

  ! communicators
  call MPI_COMM_IDUP(MPI_COMM_WORLD, comm, request, ierror)
  call MPI_WAIT(request, MPI_STATUS_IGNORE, ierror)
  call MPI_COMM_COMPARE(comm, MPI_COMM_WORLD, number, ierror)
  call MPI_COMM_SPLIT_TYPE(comm, MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, part, ierror)
  call MPI_COMM_FREE(part, ierror)
  call MPI_COMM_GROUP(comm, group, ierror)
  call MPI_GROUP_RANGE_INCL(group, 1, reshape((/ 3, 1, -1 /), (/ 3, 1 /)), other, ierror)
  part = MPI_COMM_NULL
  if (rank > 0) call MPI_COMM_CREATE_GROUP(comm, other, 3, part, ierror)
  third = -1
  if (rank > 0) call MPI_COMM_RANK(part, third, ierror)
  if (rank > 0) call MPI_COMM_DISCONNECT(part, ierror)
  call report('comms', (/ number - MPI_CONGRUENT, third, merge(1, 0, part == MPI_COMM_NULL), 0 /))
  call MPI_COMM_GET_INFO(comm, info, ierror)
  call MPI_COMM_SET_INFO(comm, info, ierror)
  call MPI_COMM_DUP_WITH_INFO(comm, info, part, ierror)
  call MPI_INFO_FREE(info, ierror)
  call MPI_COMM_FREE(part, ierror)
  call MPI_GROUP_FREE(other, ierror)

  ! types
  call MPI_TYPE_CREATE_HINDEXED_BLOCK(2, 1, (/ 16_MPI_ADDRESS_KIND, 0_MPI_ADDRESS_KIND /), MPI_DOUBLE_PRECISION, type, &
      ierror)
  call MPI_TYPE_COMMIT(type, ierror)
  x = (/ (rank + 0.25d0 * i, i = 1, 4) /)
  y = 0
  call MPI_SENDRECV(x, 1, type, rank, 0, y, 2, MPI_DOUBLE_PRECISION, rank, 0, comm, status, ierror)
  call MPI_GET_ELEMENTS_X(status, MPI_DOUBLE_PRECISION, long, ierror)
  call report('blocks', (/ int(100 * y(1)), int(100 * y(2)), int(long), 0 /))
  call MPI_TYPE_SIZE_X(type, long, ierror)
  call MPI_TYPE_GET_EXTENT_X(type, longer, longest, ierror)
  call report('sizes', (/ int(long), int(longer), int(longest), 0 /))
  call MPI_TYPE_FREE(type, ierror)
  call MPI_TYPE_MATCH_SIZE(MPI_TYPECLASS_REAL, 8, type, ierror)
  call MPI_TYPE_SIZE(type, number, ierror)
  call MPI_TYPE_CREATE_F90_INTEGER(15, type, ierror)
  call MPI_TYPE_SIZE(type, other, ierror)
  call MPI_TYPE_CREATE_F90_REAL(6, MPI_UNDEFINED, type, ierror)
  call MPI_TYPE_SIZE(type, third, ierror)
  call report('match', (/ number, other, third, 0 /))
  call MPI_SIZEOF(x, number, ierror)
  call MPI_SIZEOF(rank, other, ierror)
  call MPI_SIZEOF(flag, third, ierror)
  call report('sizeof', (/ number, other, third, 0 /))
  call MPI_GET_ADDRESS(x(1), at(1), ierror)
  call MPI_GET_ADDRESS(x(3), at(2), ierror)
  lower = MPI_AINT_DIFF(at(2), at(1))
  call report('aint', (/ int(lower), merge(1, 0, MPI_AINT_ADD(at(1), lower) == at(2)), 0, 0 /))
  call MPI_PACK_EXTERNAL_SIZE('external32', 4, MPI_DOUBLE_PRECISION, room, ierror)
  text = ''
  place = 0
  call MPI_PACK_EXTERNAL('external32', (/ 258 /), 1, MPI_INTEGER, text, 40_MPI_ADDRESS_KIND, place, ierror)
  call report('external', (/ int(room), int(place), ichar(text(3:3)), ichar(text(4:4)) /))
  place = 0
  call MPI_UNPACK_EXTERNAL('external32', text, 40_MPI_ADDRESS_KIND, place, a, 1, MPI_INTEGER, ierror)
  call report('unpacked', (/ a(1), 0, 0, 0 /))
  call MPI_OP_COMMUTATIVE(MPI_SUM, flag, ierror)
  b = rank + 1
  call MPI_REDUCE_SCATTER_BLOCK(b, a, 2, MPI_INTEGER, MPI_SUM, comm, ierror)
  call report('reduce', (/ merge(1, 0, flag), a(1), a(2), 0 /))
  call MPI_ALLOC_MEM(400_MPI_ADDRESS_KIND, MPI_INFO_NULL, memory, ierror)
  call c_f_pointer(memory, block, (/ 100 /))
  block = rank
  call report('memory', (/ sum(block), 0, 0, 0 /))
  call MPI_FREE_MEM(block, ierror)

  ! ports and names
  if (rank == 0) then
    call MPI_OPEN_PORT(MPI_INFO_NULL, port, ierror)
    call MPI_PUBLISH_NAME('more of Fortran', MPI_INFO_NULL, port, ierror)
  end if
  call MPI_BARRIER(comm, ierror)
  found = ' '
  call MPI_LOOKUP_NAME('more of Fortran', MPI_INFO_NULL, found, ierror)
  call MPI_COMM_SPLIT(comm, rank / 2, 0, part, ierror)
  if (rank < 2) call MPI_COMM_ACCEPT(port, MPI_INFO_NULL, 0, part, children, ierror)
  if (rank >= 2) call MPI_COMM_CONNECT(found, MPI_INFO_NULL, 0, part, children, ierror)
  call MPI_ALLREDUCE(rank, number, 1, MPI_INTEGER, MPI_SUM, children, ierror)
  call MPI_COMM_DISCONNECT(children, ierror)
  call MPI_BARRIER(comm, ierror)
  if (rank == 0) call MPI_UNPUBLISH_NAME('more of Fortran', MPI_INFO_NULL, port, ierror)
  if (rank == 0) call MPI_CLOSE_PORT(port, ierror)
  call report('ports', (/ number, 0, 0, 0 /))

  ! spawning
  call get_command_argument(0, program_name)
  arguments = (/ character(len=20) :: 'one', ' a b', '' /)
  call MPI_COMM_SPAWN(program_name, arguments, 2, MPI_INFO_NULL, 1, comm, children, codes, ierror)
  call MPI_ALLREDUCE(rank, number, 1, MPI_INTEGER, MPI_SUM, children, ierror)
  call MPI_COMM_DISCONNECT(children, ierror)
  call report('spawn', (/ number, codes(1), codes(2), 0 /))
  call MPI_COMM_SPAWN(program_name, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, comm, children, MPI_ERRCODES_IGNORE, ierror)
  call MPI_ALLREDUCE(rank, number, 1, MPI_INTEGER, MPI_SUM, children, ierror)
  call MPI_COMM_DISCONNECT(children, ierror)
  call report('no words', (/ number, 0, 0, 0 /))
  values(1, :) = arguments
  call MPI_COMM_SPAWN_MULTIPLE(1, (/ program_name /), values, (/ 3 /), (/ MPI_INFO_NULL /), 0, comm, children, codes, ierror)
  call MPI_ALLREDUCE(rank, number, 1, MPI_INTEGER, MPI_SUM, children, ierror)
  call MPI_COMM_DISCONNECT(children, ierror)
  call report('multiple', (/ number, 0, 0, 0 /))
  call MPI_COMM_FREE(comm, ierror)
  call MPI_FINALIZE(ierror)

contains

  ! A child sends 100 for each argument, and its length.
  subroutine spawned()
    integer :: sum, i
    character(len=20) :: word
    number = 0
    do i = 1, command_argument_count()
      call get_command_argument(i, word, sum)
      number = number + 100 + sum
    end do
    call MPI_ALLREDUCE(number, sum, 1, MPI_INTEGER, MPI_SUM, parent, ierror)
    if (sum /= 6) print *, 'the parents sent', sum
    call MPI_COMM_DISCONNECT(parent, ierror)
    call MPI_FINALIZE(ierror)
    stop
  end subroutine

  ! Prints four numbers of each rank.
  subroutine report(what, numbers)
    character(len=*), intent(in) :: what
    integer, intent(in) :: numbers(4)
    integer :: all(4, 4), error
    call MPI_GATHER(numbers, 4, MPI_INTEGER, all, 4, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    if (rank == 0) write (*, '(a, t14, 16i6)') what, all
  end subroutine
end program

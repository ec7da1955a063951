! One-sided communication in Fortran, on four ranks.
program windows
  use mpi
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: rank, right, ierror, win, group, peers, request, length, one
  integer, volatile :: number, old, got(4), memory(8), numbers(4) ! changed after the calls that name them
  integer :: status(MPI_STATUS_SIZE)
  integer(kind=MPI_ADDRESS_KIND) :: bytes, place, value
  logical :: flag
  character(len=MPI_MAX_OBJECT_NAME) :: name
  type(c_ptr) :: base
  integer, pointer :: own(:)

  call MPI_INIT(ierror)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
  right = mod(rank + 1, 4)
  memory = -1
  bytes = 32
  call MPI_WIN_CREATE(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
  call MPI_WIN_GET_ATTR(win, MPI_WIN_SIZE, value, flag, ierror)
  call MPI_WIN_GET_ATTR(win, MPI_WIN_DISP_UNIT, place, flag, ierror)
  call report('attributes', (/ int(value), int(place), merge(1, 0, flag), 0 /))
  call MPI_WIN_SET_NAME(win, 'window', ierror)
  call MPI_WIN_GET_NAME(win, name, length, ierror)
  call report(name(1:length), (/ length, 0, 0, 0 /))

  place = 2
  call MPI_WIN_FENCE(0, win, ierror)
  call MPI_PUT((/ 10 * rank, 10 * rank + 1 /), 2, MPI_INTEGER, right, place, 2, MPI_INTEGER, win, ierror)
  call MPI_WIN_FENCE(MPI_MODE_NOSUCCEED, win, ierror)
  call report('fence', memory(2:5))

  call MPI_COMM_GROUP(MPI_COMM_WORLD, group, ierror)
  call MPI_GROUP_INCL(group, 1, (/ mod(rank + 3, 4) /), peers, ierror)
  call MPI_WIN_POST(peers, 0, win, ierror)
  call MPI_GROUP_FREE(peers, ierror)
  call MPI_GROUP_INCL(group, 1, (/ right /), peers, ierror)
  call MPI_WIN_START(peers, 0, win, ierror)
  call MPI_GET(got, 4, MPI_INTEGER, right, place, 4, MPI_INTEGER, win, ierror)
  call MPI_WIN_COMPLETE(win, ierror)
  call MPI_WIN_WAIT(win, ierror)
  call report('start', got)

  memory = 0
  place = 0
  one = 1
  call MPI_BARRIER(MPI_COMM_WORLD, ierror)
  call MPI_WIN_LOCK(MPI_LOCK_EXCLUSIVE, right, 0, win, ierror)
  call MPI_ACCUMULATE(one, 1, MPI_INTEGER, right, place, 1, MPI_INTEGER, MPI_SUM, win, ierror)
  call MPI_FETCH_AND_OP(rank, old, MPI_INTEGER, right, place, MPI_REPLACE, win, ierror)
  call MPI_WIN_FLUSH(right, win, ierror)
  call MPI_COMPARE_AND_SWAP(100, rank, number, MPI_INTEGER, right, place, win, ierror)
  call MPI_WIN_UNLOCK(right, win, ierror)
  call MPI_BARRIER(MPI_COMM_WORLD, ierror)
  call report('atomic', (/ old, number, memory(1), 0 /))

  call MPI_WIN_LOCK_ALL(0, win, ierror)
  call MPI_RGET(number, 1, MPI_INTEGER, right, place, 1, MPI_INTEGER, win, request, ierror)
  call MPI_WAIT(request, status, ierror)
  call MPI_WIN_UNLOCK_ALL(win, ierror)
  call report('request', (/ number, merge(1, 0, request == MPI_REQUEST_NULL), 0, 0 /))

  call MPI_WIN_SET_ERRHANDLER(win, MPI_ERRORS_RETURN, ierror)
  call MPI_PUT(one, 1, MPI_INTEGER, 99, place, 1, MPI_INTEGER, win, ierror)
  call MPI_ERROR_CLASS(ierror, one, length)
  call report('error', (/ merge(1, 0, one == MPI_ERR_RANK), 0, 0, 0 /))
  call MPI_WIN_FREE(win, ierror)

  call MPI_WIN_ALLOCATE(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win, ierror)
  call c_f_pointer(base, own, (/ 8 /))
  own = rank
  call MPI_WIN_FENCE(0, win, ierror)
  call MPI_GET(numbers, 4, MPI_INTEGER, right, place, 4, MPI_INTEGER, win, ierror)
  call MPI_WIN_FENCE(0, win, ierror)
  call report('allocated', numbers)
  call MPI_WIN_FREE(win, ierror)
  call report('free', (/ merge(1, 0, win == MPI_WIN_NULL), 0, 0, 0 /))
  call MPI_FINALIZE(ierror)

contains

  ! Prints four numbers of each rank.
  subroutine report(what, numbers)
    character(len=*), intent(in) :: what
    integer, intent(in) :: numbers(4)
    integer :: all(4, 4), error
    call MPI_GATHER(numbers, 4, MPI_INTEGER, all, 4, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    if (rank == 0) write (*, '(a, t14, 16i6)') what, all
  end subroutine
end program

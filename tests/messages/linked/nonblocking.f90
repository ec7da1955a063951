! Nonblocking collectives, distributed graphs and neighbors from Fortran. nonblocking.txt is what Open MPI printed.
program nonblocking
  use mpi
  implicit none
  integer :: rank, size, error, request(4), status(MPI_STATUS_SIZE), i
  integer :: mine(8), got(8), counts(8), places(8), types(8), graph, sources, targets, from(2), to(2), grid
  integer(kind=MPI_ADDRESS_KIND) :: far(8)
  logical :: weighted, flag
  real :: part, total

  call MPI_INIT(error)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, size, error)

  ! several at once
  part = rank + 0.5
  mine = [(10 * rank + i, i = 1, 8)]
  got = 0
  call MPI_IALLREDUCE(part, total, 1, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, request(1), error)
  call MPI_IBCAST(mine(8), 1, MPI_INTEGER, size - 1, MPI_COMM_WORLD, request(2), error)
  call MPI_IALLGATHER(mine, 1, MPI_INTEGER, got, 1, MPI_INTEGER, MPI_COMM_WORLD, request(3), error)
  call MPI_IBARRIER(MPI_COMM_WORLD, request(4), error)
  call MPI_WAITALL(4, request, MPI_STATUSES_IGNORE, error)
  call tell('sum', [nint(2 * total), mine(8), got(1:size)])
  if (any(request /= MPI_REQUEST_NULL)) print *, 'a request is left'

  ! in place, and with types of its own for each block
  got = rank
  call MPI_ISCAN(MPI_IN_PLACE, got, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request(1), error)
  flag = .false.
  do while (.not. flag)
    call MPI_TEST(request(1), flag, status, error)
  end do
  call tell('scan', got(1:2))
  counts = 1
  places = [(4 * (i - 1), i = 1, 8)]
  types = MPI_INTEGER
  got = 0
  call MPI_IALLTOALLW(mine, counts, places, types, got, counts, places, types, MPI_COMM_WORLD, request(1), error)
  call MPI_WAIT(request(1), status, error)
  call tell('alltoallw', got(1:size))
  call MPI_REDUCE_SCATTER_BLOCK(mine, got, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call tell('block', got(1:1))

  ! a ring as a distributed graph
  from(1) = mod(rank + size - 1, size)
  to(1) = mod(rank + 1, size)
  call MPI_DIST_GRAPH_CREATE_ADJACENT(MPI_COMM_WORLD, 1, from, MPI_UNWEIGHTED, 1, to, MPI_UNWEIGHTED, MPI_INFO_NULL, &
      .false., graph, error)
  call MPI_DIST_GRAPH_NEIGHBORS_COUNT(graph, sources, targets, weighted, error)
  from = -1
  to = -1
  call MPI_DIST_GRAPH_NEIGHBORS(graph, 1, from, MPI_UNWEIGHTED, 1, to, MPI_UNWEIGHTED, error)
  call tell('graph', [sources, targets, merge(1, 0, weighted), from(1), to(1)])
  got = 0
  call MPI_NEIGHBOR_ALLGATHER(mine, 2, MPI_INTEGER, got, 2, MPI_INTEGER, graph, error)
  call tell('neighbor', got(1:2))
  far = 4
  got = 0
  call MPI_INEIGHBOR_ALLTOALLW(mine, counts, far, types, got, counts, far, types, graph, request(1), error)
  call MPI_WAIT(request(1), MPI_STATUS_IGNORE, error)
  call tell('from it', got(1:2))
  call MPI_COMM_FREE(graph, error)
  from(1) = rank
  counts(1) = 1
  to(1) = 0
  counts(2) = 7
  call MPI_DIST_GRAPH_CREATE(MPI_COMM_WORLD, 1, from, counts, to, counts(2:2), MPI_INFO_NULL, .false., graph, error)
  call MPI_DIST_GRAPH_NEIGHBORS_COUNT(graph, sources, targets, weighted, error)
  call tell('star', [sources, targets, merge(1, 0, weighted)])
  call MPI_COMM_FREE(graph, error)

  ! a line
  call MPI_CART_CREATE(MPI_COMM_WORLD, 1, [size], [.false.], .false., grid, error)
  got = -1
  call MPI_NEIGHBOR_ALLTOALL(mine, 1, MPI_INTEGER, got, 1, MPI_INTEGER, grid, error)
  call tell('line', got(1:2))
  call MPI_COMM_FREE(grid, error)
  call MPI_FINALIZE(error)

contains

  ! One rank after the other.
  subroutine tell(what, numbers)
    character(*), intent(in) :: what
    integer, intent(in) :: numbers(:)
    integer :: all(8), n, who
    n = ubound(numbers, 1)
    all(1:n) = numbers
    if (rank > 0) then
      call MPI_SEND(all, n, MPI_INTEGER, 0, 99, MPI_COMM_WORLD, error)
    else
      do who = 0, size - 1
        if (who > 0) call MPI_RECV(all, n, MPI_INTEGER, who, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        print '(a, a, i0, a, 8(1x, i0))', what, ' of ', who, ':', all(1:n)
      end do
    end if
  end subroutine
end program

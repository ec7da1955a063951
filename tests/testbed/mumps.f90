! A run of the sparse solver MUMPS: seven-point Laplacian on a cube of N x N x N points, factorized and solved, symmetric
! or not. Prints the time of both, "time SECONDS". tests/testbed/outside builds it with the unchanged sources of MUMPS.
! usage: mumps --n N [--symmetric 1]
program sparse
    use mpi
    implicit none
    include 'dmumps_struc.h'
    type(dmumps_struc) :: solver
    character(len=32) :: word
    integer :: n = 10, symmetric = 0, rank, ierror, i
    double precision :: begun, passed

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    do i = 1, command_argument_count() - 1, 2
        call get_command_argument(i, word)
        if (word == '--n') n = number_at(i + 1)
        if (word == '--symmetric') symmetric = number_at(i + 1)
    end do
    solver%comm = MPI_COMM_WORLD
    solver%sym = symmetric
    solver%par = 1
    call job(-1)
    solver%icntl(1:3) = -1  ! nothing printed
    solver%icntl(4) = 0
    solver%icntl(7) = 4     ! ordering: PORD, which comes with it
    solver%icntl(13) = 1    ! the root of the tree without ScaLAPACK
    solver%icntl(28) = 1    ! analysis by one rank
    if (rank == 0) call laplacian()
    call job(1)
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    begun = MPI_Wtime()
    call job(2)
    call job(3)
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    passed = MPI_Wtime() - begun
    if (rank == 0) then
        if (maxval(abs(solver%rhs - 1)) < 1d-8) then
            print '(a, f12.6)', 'time', passed
        else
            print *, 'mumps: the result is wrong'
        end if
    end if
    call job(-2)
    call MPI_Finalize(ierror)

contains

    integer function number_at(position)
        integer, intent(in) :: position
        character(len=32) :: digits
        call get_command_argument(position, digits)
        read (digits, *) number_at
    end function

    subroutine job(which)
        integer, intent(in) :: which
        solver%job = which
        call dmumps(solver)
        if (solver%infog(1) >= 0) return
        if (rank == 0) print *, 'mumps: job', which, 'ends with', solver%infog(1), solver%infog(2)
        call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
    end subroutine

    ! The right-hand side is that of a solution of ones.
    subroutine laplacian()
        integer :: x, y, z, axis, here, step
        integer, dimension(3) :: at, stride
        stride = (/ 1, n, n * n /)
        solver%n = n**3
        solver%nnz = int(n**3, 8) + int(merge(3, 6, symmetric /= 0), 8) * int(n - 1, 8) * n * n
        allocate (solver%irn(solver%nnz), solver%jcn(solver%nnz), solver%a(solver%nnz), solver%rhs(solver%n))
        solver%nnz = 0
        do z = 1, n
            do y = 1, n
                do x = 1, n
                    here = x + n * (y - 1 + n * (z - 1))
                    at = (/ x, y, z /)
                    solver%rhs(here) = 7
                    call entry_at(here, here, 7d0)
                    do axis = 1, 3
                        do step = -1, 1, 2
                            if (at(axis) + step < 1 .or. at(axis) + step > n) cycle
                            solver%rhs(here) = solver%rhs(here) - 1
                            if (symmetric == 0 .or. step < 0) call entry_at(here, here + step * stride(axis), -1d0)
                        end do
                    end do
                end do
            end do
        end do
    end subroutine

    subroutine entry_at(row, column, amount)
        integer, intent(in) :: row, column
        double precision, intent(in) :: amount
        solver%nnz = solver%nnz + 1
        solver%irn(solver%nnz) = row
        solver%jcn(solver%nnz) = column
        solver%a(solver%nnz) = amount
    end subroutine
end program

! MUMPS names these of ScaLAPACK and calls none of them without it.
subroutine no_scalapack()
    use mpi
    integer :: ierror
    print *, 'mumps: ScaLAPACK is called'
    call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
end subroutine
subroutine blacs_gridinit(); call no_scalapack(); end subroutine
subroutine blacs_gridinfo(); call no_scalapack(); end subroutine
subroutine blacs_gridexit(); call no_scalapack(); end subroutine
subroutine descinit(); call no_scalapack(); end subroutine
integer function numroc(); numroc = 0; call no_scalapack(); end function
subroutine pdgetrf(); call no_scalapack(); end subroutine
subroutine pdgetrs(); call no_scalapack(); end subroutine
subroutine pdpotrf(); call no_scalapack(); end subroutine
subroutine pdpotrs(); call no_scalapack(); end subroutine

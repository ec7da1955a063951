! languages.f90 - clocks and waits as gfortran's library makes them. Prints the name of each, the seconds that it should show, and those that
! it does: of one second of sleeping, which takes no CPU time.
program languages
#ifdef RANKS
    use mpi
#endif
    implicit none
    integer(8) :: before, after, rate
    integer :: values(8), again(8)
    real :: cpu, cpu_after
#ifdef RANKS
    integer :: ierror
    double precision :: wall
    call MPI_Init(ierror)
    wall = MPI_Wtime()
#endif
    call system_clock(before, rate)
    call date_and_time(values=values)
    call cpu_time(cpu)
    call sleep(1)
    call cpu_time(cpu_after)
    call date_and_time(values=again)
    call system_clock(after)
    call show('system_clock', 1, real(after - before) / real(rate))
    call show('date_and_time', 1, modulo(real(again(7) - values(7)) + 1e-3 * real(again(8) - values(8)), 60.0))
    call show('cpu_time', 0, cpu_after - cpu)
#ifdef RANKS
    call show('MPI_Wtime', 1, real(MPI_Wtime() - wall))
    call MPI_Finalize(ierror)
#endif
contains
    subroutine show(name, expected, found)
        character(*), intent(in) :: name
        integer, intent(in) :: expected
        real, intent(in) :: found
        print '(a, a, i0, a, f0.6)', name, char(9), expected, char(9), found
    end subroutine
end program

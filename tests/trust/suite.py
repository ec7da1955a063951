"""The test programs and lessons of this project, built for measurements: the bodies are compiled once, into one object
that nearly all programs share. So a change of a header costs one compilation, and coverage is counted in one place.

Tests in tests/inside look at private functions, or set options of the headers: they have a body of their own.
"""
import glob
import os
import re
import subprocess
import threading

HEADERS = ('simkit.h', 'netmodel.h', 'contention.h', 'util/netmodel_fit.h', 'util/simkit_statistics.h', 'util/simkit_files.h',
           'util/simkit_users.h', 'util/simkit_trace.h', 'util/simkit_why.h')
with open('tests/kit.c', encoding='utf-8') as bodies:
    BODY = bodies.read()  # it includes <simkit.h>, not "simkit.h", which is looked for here, before any -I
ELSEWHERE = ['-include', 'tests/declare.h']
# Not part of it: overflows are not tried where tools have handlers of their own; load_index runs for a minute, and runs nothing that
# the tests do not. Nor the tests of systems: they run programs with a library of their own, or are linked with their files, and
# add nothing about the headers.
LEFT_OUT = {'test_simkit_overflows_inside', 'load_index'}
ELSEWHERE_LINKED = ('tests/messages/', 'tests/threads/', 'tests/server/', 'tests/sweep/', 'tests/page/', 'tests/goal/')


class Failed(Exception):
    """A command that had to succeed did not; the text says which, and what it printed."""


def call(command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace', **options)
    if done.returncode != 0:
        raise Failed('%s\n%s' % (' '.join(command), done.stdout))
    return done.stdout


class Program:
    def __init__(self, source):
        self.source = source
        self.name = os.path.basename(source)[:-2]
        self.lesson = source.startswith('examples/')
        self.own_body = source.startswith('tests/inside/')


def programs():
    places = ('tests/test_*.c', 'tests/paper_*.c', 'tests/*/test_*.c', 'tests/*/paper_*.c', 'examples/*.c', 'examples/studies/*.c',
              'examples/tools/*.c')
    sources = sorted(source for place in places for source in glob.glob(place))
    if not sources:
        raise Failed('no tests here: run this from the top of the project')
    return [p for p in map(Program, sources) if p.name not in LEFT_OUT and not p.source.startswith(ELSEWHERE_LINKED)]


class Suite:
    """Programs built by one compiler with one set of flags, below one folder."""

    def __init__(self, folder, cc, flags, link_flags=()):
        self.folder, self.cc, self.flags, self.link_flags = folder, cc, flags, link_flags
        self.programs = programs()
        os.makedirs(folder, exist_ok=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def bodies(self, headers='.', output='bodies.o', optimize=()):
        """Compiles the bodies of the headers in a folder."""
        return call([self.cc, *self.flags, *optimize, '-I' + headers, '-x', 'c', '-', '-c', '-o', self.path(output)], input=BODY)

    def compile(self, program):
        """A program as an object, if it shares the bodies. One that does not compile without a body needs its own."""
        if program.own_body:
            return
        try:
            self.compile_without_body(program)
        except Failed:
            program.own_body = True

    def compile_without_body(self, program):
        call([self.cc, *self.flags, *ELSEWHERE, '-I.', '-Itests', '-Iexamples/flowgraph', '-c', program.source, '-o',
              self.path(program.name + '.o')])

    def link(self, program, bodies='bodies.o', headers='.', output=None):
        """The program, from its object and the bodies, or from its source where it has a body of its own."""
        output = self.path(output or program.name)
        if program.own_body:
            call([self.cc, *self.flags, '-I' + headers, '-I.', '-Itests', '-Iexamples/flowgraph', program.source, '-o', output,
                  *self.link_flags, '-lcmocka', '-lm', '-pthread'])
        else:
            call([self.cc, *self.flags, self.path(program.name + '.o'), self.path(bodies), '-o', output, *self.link_flags, '-lcmocka',
                  '-lm', '-pthread'])
        return output

    def run(self, program, executable, limit, environment=None, before=None, scratch=None):
        """None if it passes, else what is wrong, in a few words. `before` is called in the child; `scratch` is its folder."""
        scratch = scratch or executable + '.dir'
        os.makedirs(scratch, exist_ok=True)
        settings = dict(os.environ, BUILD=self.folder, CMOCKA_MESSAGE_OUTPUT='tap', TMPDIR=scratch, **(environment or {}))
        child = subprocess.Popen([os.path.abspath(executable)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, env=settings, process_group=0, preexec_fn=before)
        expired = []

        def end():
            expired.append(True)
            try:
                os.killpg(child.pid, 9)  # what it started ends with it
            except ProcessLookupError:
                pass

        timer = threading.Timer(limit, end)
        timer.start()
        output = child.communicate()[0].decode(errors='replace')
        timer.cancel()
        try:
            os.killpg(child.pid, 9)
        except ProcessLookupError:
            pass
        subprocess.run(['rm', '-rf', scratch], check=False)
        if expired:
            return 'still running after %g s' % limit
        if child.returncode != 0:
            said = re.findall(r'^not ok \d+ - (\w+)', output, re.M)
            return said[0] if said else 'exit status %d' % child.returncode
        if program.lesson:
            with open('tests/expected/%s.txt' % program.name, encoding='utf-8') as file:
                expected = file.read()
                if steady(expected, expected) != steady(output, expected):
                    return 'prints something else'
        elif not re.search(r'^ok \d+ - ', output, re.M):
            return 'no test was run'
        return None


def steady(text, expected):
    """The lines of a lesson that do not depend on the machine: a line ~REGEX of what is expected stands for those that do."""
    live = [re.compile(line[1:]) for line in expected.splitlines() if line.startswith('~')]
    return [line for line in text.splitlines() if not line.startswith('~') and not any(l.search(line) for l in live)]

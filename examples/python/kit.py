"""kit.py   The headers from Python, through ctypes: every public function, struct and constant under its own name.

    import kit
    k = kit.load()                                   # compiles the headers once, with cc
    world = k.simkit_world_open(k.simkit_world_desc(latency=60e-6))
    node = k.simkit_node_add(world, k.simkit_node_desc(up_bandwidth=12.5e6))

The names are read from the headers, so none is missing here and none is wrong. A call whose result is not OK raises kit.Error
with the world's sentence. Arguments at the end that a call only writes to are left out and come back as its value. Texts may be
str, arrays may be lists, callbacks any callable; an exception in one stops the run, which raises it. docs/python.md has the rest.
"""
import ctypes
import inspect
import os
import re
import subprocess
import tempfile

HEADERS = ("netmodel.h", "contention.h", "simkit.h", "util/netmodel_fit.h", "util/simkit_statistics.h", "util/simkit_files.h",
           "util/simkit_users.h", "util/simkit_trace.h", "util/simkit_why.h")
BASIC = {
    "void": None, "bool": ctypes.c_bool, "char": ctypes.c_char, "int": ctypes.c_int, "unsigned": ctypes.c_uint,
    "long": ctypes.c_long, "double": ctypes.c_double, "float": ctypes.c_float, "size_t": ctypes.c_size_t,
    "int32_t": ctypes.c_int32, "uint32_t": ctypes.c_uint32, "int64_t": ctypes.c_int64, "uint64_t": ctypes.c_uint64,
    "FILE": None,  # of the C library: a pointer to something unknown
    "va_list": ctypes.c_void_p,  # likewise; Python has none to give
}
_texts = {}  # str: bytes, encoded once


class Error(Exception):
    """A call that failed: `result` is its code, `name` the name of that."""

    def __init__(self, result, name, text):
        super().__init__(text)
        self.result, self.name = result, name


def _text(value):
    return _texts.setdefault(value, value.encode()) if isinstance(value, str) else value


class _Struct(ctypes.Structure):
    """Takes str for texts and callables for callbacks; `user` may be a number."""

    def __init__(self, **fields):
        super().__init__()
        for name, value in fields.items():
            setattr(self, name, value)

    def __setattr__(self, name, value):
        kind = self._kit._types.get((type(self).__name__, name))
        if kind is None:
            raise AttributeError(f"{type(self).__name__} has no member '{name}'")
        super().__setattr__(name, self._kit._argument(kind, value))


class _Out:
    """The type of a parameter that a call writes to."""

    def __init__(self, kind):
        self.kind = kind


class Kit:
    """What the headers declare, as attributes."""

    def __init__(self, library, declarations, constants):
        self._library, self._callbacks, self._failure, self._types = library, {}, None, {}
        self._known, self._calls = dict(BASIC), {}
        for name, value in constants:
            setattr(self, name, value)
        for text in declarations:
            self._declare(text)

    # Declarations of C, as far as the headers use them.
    def _declare(self, text):
        enum = re.fullmatch(r"(?:typedef )?enum (\w*) ?\{(.*)\} ?(\w*)", text)
        struct = re.fullmatch(r"typedef struct (\w+) \{(.*)\} (\w+)", text)
        opaque = re.fullmatch(r"(?:typedef )?struct (\w+)(?: \w+)?", text)
        function = re.fullmatch(r"(typedef |extern )?(.*?\W)(\w+) ?\((.*)\)", text)
        if enum:
            self._known[enum[1]] = ctypes.c_int
            self._enumerate(enum[2], enum[1])
        elif struct:
            kind = self._known.get(struct[1])
            if not (isinstance(kind, type) and issubclass(kind, _Struct)):
                kind = self._known[struct[1]] = type(struct[1], (_Struct,), {"_kit": self})
            fields = [field for member in struct[2].split(";") if member.strip() for field in self._members(member)]
            for name, member in fields:
                self._types[struct[1], name] = member
            kind._fields_ = fields
            setattr(self, struct[1], kind)
        elif opaque:
            self._known.setdefault(opaque[1], type(opaque[1], (_Struct,), {"_kit": self}))
        elif function and function[1] == "typedef " and "(" not in function[2]:
            self._known[function[3]] = self._signature(function[2], function[4])
        elif function:
            self._function(function[3], function[2], function[4])
        elif text.startswith("typedef "):
            base, name = text[8:].rsplit(" ", 1)
            self._known[name] = self._type(base)

    def _enumerate(self, body, kind):
        value, names = -1, {}
        for item in body.split(","):
            name, _, given = item.partition("=")
            if name.strip():
                value = eval(given, {}, vars(self)) if given.strip() else value + 1
                names[value] = name.strip()
                setattr(self, name.strip(), value)
        if kind.endswith("_result"):
            self._calls[kind] = names

    def _members(self, text):
        pointer = re.fullmatch(r"(.*)\( ?\* ?(\w+) ?\) ?\((.*)\)", text.strip())
        if pointer:
            return [(pointer[2], self._signature(pointer[1], pointer[3]))]
        first, *others = text.strip().split(",")
        base, name = re.fullmatch(r"(.*?)(\w+ ?(?:\[.*\])?)", first).groups()
        found = []
        for declared in [name, *others]:
            stars, name, sizes = re.fullmatch(r"([* ]*)(\w+) ?(.*)", declared.strip()).groups()
            kind = self._type(base + stars)
            for size in reversed(re.findall(r"\[(.*?)\]", sizes)):
                kind = kind * eval(size, {}, vars(self))
            found.append((name, kind))
        return found

    def _type(self, text):
        words = [word for word in re.findall(r"\w+|\*", text) if word not in ("const", "struct", "extern", "enum")]
        kind, stars = self._known[words[0]], words.count("*")
        if kind is None or kind is ctypes.c_char:
            if stars:
                kind, stars = (ctypes.c_void_p if kind is None else ctypes.c_char_p), stars - 1
        elif isinstance(kind, type) and issubclass(kind, ctypes._CFuncPtr):
            stars -= 1
        for _ in range(stars):
            kind = ctypes.POINTER(kind)
        return kind

    def _parameters(self, text):
        kinds = []
        for parameter in re.split(r",(?![^(]*\))", text):
            parameter = parameter.strip()
            inner = re.fullmatch(r"(.*)\( ?\* ?\w+ ?\) ?\((.*)\)", parameter)
            if parameter in ("void", "..."):
                continue
            if inner:
                kinds.append(self._signature(inner[1], inner[2]))
                continue
            array = "[" in parameter
            base = re.sub(r"\w+ ?(\[.*\])?$", "", parameter) + ("*" if array else "")
            kind = self._type(base)
            out = "*" in base and "const" not in base and not array and kind not in (ctypes.c_char_p, ctypes.c_void_p)
            kinds.append(_Out(kind) if out and hasattr(kind, "contents") else kind)
        return kinds

    def _signature(self, result, parameters):
        plain = [kind.kind if isinstance(kind, _Out) else kind for kind in self._parameters(parameters)]
        return ctypes.CFUNCTYPE(self._type(result), *plain)

    def _function(self, name, result, parameters):
        kinds, function = self._parameters(parameters), getattr(self._library, name, None)
        if function is None:
            return
        function.restype = self._type(result)
        function.argtypes = [kind.kind if isinstance(kind, _Out) else kind for kind in kinds]
        if "..." in parameters:
            function.argtypes = None
        failing = self._calls.get(result.strip()) and result.strip()
        in_world = parameters.strip().startswith("simkit_world *")

        def call(*given):
            if len(given) > len(kinds) and "..." not in parameters:
                raise TypeError(f"{name}() takes {len(kinds)} arguments, not {len(given)}")
            made = []
            for kind in kinds[len(given):]:
                if not isinstance(kind, _Out):
                    raise TypeError(f"{name}() takes more than {len(given)} arguments")
                made.append(kind.kind._type_())
            passed = [self._argument(kind, value) for kind, value in zip(kinds, given)] + list(given[len(kinds):])
            answer = function(*passed, *(ctypes.byref(out) for out in made))
            if self._failure:
                failure, self._failure = self._failure, None
                raise failure
            if failing and answer != 0:
                names, text = self._calls[failing], getattr(self, failing + "_text")(answer)
                why = self.simkit_world_why(given[0]) if in_world and given[0] else ""
                raise Error(answer, names.get(answer, "?"), why or text)
            outs = [out.value if hasattr(out, "value") else out for out in made]
            values = outs if failing else ([answer] if function.restype else []) + outs
            values = [value.decode() if isinstance(value, bytes) else value for value in values]
            return values[0] if len(values) == 1 else tuple(values) or None

        call.__name__ = name
        setattr(self, name, call)

    # Values on their way to C.
    def _argument(self, kind, value):
        if isinstance(kind, _Out):
            kind = kind.kind
        if isinstance(kind, type) and issubclass(kind, ctypes._CFuncPtr):
            if value is None:
                return kind()
            return value if isinstance(value, ctypes._CFuncPtr) else self._callback(kind, value)
        if isinstance(value, (list, tuple)) and hasattr(kind, "_type_"):
            kind = kind if hasattr(kind, "_length_") else kind._type_ * len(value)
            return kind(*(_text(item) for item in value))
        if isinstance(value, ctypes.Structure) and hasattr(kind, "contents"):
            return ctypes.pointer(value)
        return _text(value)

    def _callback(self, kind, function):
        """C's pointer to a callable; kept, because a world may call it at any time."""
        key = kind, function
        if key not in self._callbacks:
            def guarded(*arguments):
                try:
                    return function(*arguments)
                except BaseException as failure:  # to the caller of the run, not into C
                    self._failure = self._failure or failure
                    if arguments and type(arguments[0]).__name__ == "LP_simkit_world":
                        self._library.simkit_world_stop(arguments[0])
                    return 0 if kind._restype_ else None
            self._callbacks[key] = kind(guarded)
        return self._callbacks[key]


class Process:
    """A process on the virtual clock whose body is a generator: it yields what it waits for, and gets its value.

        def player(p, to, answers):
            yield p.send(to, 1e6)
            message = yield p.receive(answers)

    It stands on callbacks, not on a stack of its own: the interpreter of Python cannot change stacks."""

    def __init__(self, k, world, body, *arguments, node=0, name=""):
        self.k, self.world, self.node, self.name, self.on = k, world, node, name or body.__name__, "its start"
        self._body = body(self, *arguments)
        if not inspect.isgenerator(self._body):
            raise TypeError(f"{self.name} is no generator: the body of a process yields what it waits for")
        _living.setdefault(ctypes.cast(world, ctypes.c_void_p).value, {})[self] = None
        self.wait(0)[1](self._resume)

    def _resume(self, value=None):
        go_on = self._body.send
        try:
            while True:
                self.on, begin = go_on(value)
                try:
                    return begin(self._resume)
                except Error as failure:  # of the wait that could not begin: it is raised in the body
                    go_on, value = self._body.throw, failure
        except BaseException as ended:
            _living[ctypes.cast(self.world, ctypes.c_void_p).value].pop(self, None)
            if not isinstance(ended, StopIteration):
                raise

    # What it can wait for: a text, and a function that starts it and is given what to call at its end.
    def _once(self, call_type, start):
        """A callback that is called once, and then let go."""
        def begin(resume):
            def once(world, user, *value):
                del _pending[number]
                resume(*value)
            number = next(_numbers)
            _pending[number] = once
            try:
                start(self.k._callback(call_type, _dispatch), number)
            except BaseException:
                del _pending[number]
                raise
        return begin

    def wait(self, seconds):
        """Virtual time to pass [s]."""
        k = self.k
        return f"{seconds} s", self._once(k._known["simkit_call"], lambda call, user: k.simkit_step_after(self.world, seconds, 0, call, user))

    def compute(self, seconds, name="", node=0):
        """CPU time [s] on its node, or on another."""
        k = self.k
        return f"computation '{name}'", self._once(k._known["simkit_call"], lambda call, user: k.simkit_computation_start(
            self.world, k.simkit_computation_desc(node=node or self.node, seconds=seconds, name=name, lane=self.name, done=call, user=user)))

    def send(self, mailbox, size, name="", data=None):
        """A message of so many bytes to arrive; `data` is a number for its receiver."""
        k = self.k
        return f"message '{name}'", self._once(k._known["simkit_call"], lambda call, user: k.simkit_mailbox_post(
            self.world, k.simkit_post_desc(**{"from": self.node, "to": mailbox, "bytes": size, "name": name, "data": data,
                                              "done": call, "user": user})))

    def receive(self, mailbox):
        """The next message: a simkit_message; None if the mailbox is closed meanwhile."""
        k = self.k

        def begin(resume):
            def copied(message=None):
                resume(type(message.contents).from_buffer_copy(message.contents) if message else None)
            self._once(k._known["simkit_message_call"], lambda call, user: k.simkit_mailbox_take(self.world, mailbox, call, user))(copied)
        return f"mailbox {mailbox}", begin

    def until(self, begin, on="an event"):
        """Whatever calls what `begin` is given, with a value or without, in a callback of this world."""
        return on, begin


_living, _pending = {}, {}


def _count():
    number = 0
    while True:
        number += 1
        yield number


_numbers = _count()


def _dispatch(world, user, *value):
    _pending[user](world, user, *value)


def run(k, world):
    """simkit_world_run(); then no Process may be left waiting."""
    k.simkit_world_run(world)
    waiting = _living.pop(ctypes.cast(world, ctypes.c_void_p).value, {})
    if waiting:
        names = ", ".join(f"'{process.name}' for {process.on}" for process in waiting)
        raise Error(k.SIMKIT_DEADLOCK, "SIMKIT_DEADLOCK", f"at {k.simkit_clock_now(world)} s nothing happens any more, but processes wait: {names}")


def load(folder=None, library=None, cc="cc"):
    """The kit whose headers lie in `folder`, by default two above this file. Compiles it where that is needed, into the folder
    `build` there if there is one, unless `library` is one that was compiled before."""
    folder = folder or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    # Installed headers all lie in one folder.
    names = [os.path.basename(header) for header in HEADERS]
    paths = [os.path.abspath(next(path for path in (os.path.join(folder, header), os.path.join(folder, name)) if os.path.exists(path)))
             for header, name in zip(HEADERS, names)]
    included = [word for path in paths for word in ("-include", path)]
    if not library:
        place = os.path.join(folder, "build")
        library = os.path.join(place if os.path.isdir(place) else tempfile.mkdtemp(), "libsimkit.so")
        newest = max(os.path.getmtime(path) for path in paths)
        if not os.path.exists(library) or os.path.getmtime(library) < newest:
            new = f"{library}.{os.getpid()}"  # renamed when it is complete: another program may read it now
            subprocess.run([cc, "-shared", "-fPIC", "-O2", "-I", folder, "-DSIMKIT_IMPLEMENTATION", *included, "-x", "c", os.devnull,
                            "-o", new, "-lm"], check=True)
            os.replace(new, library)
    preprocess = [cc, "-E", "-I", folder, *included, "-x", "c", os.devnull]
    text, ours = [], False
    for line in subprocess.run(preprocess, check=True, stdout=subprocess.PIPE).stdout.decode().splitlines():
        marker = re.match(r'# \d+ "(.*)"', line)
        if marker:
            ours = os.path.basename(marker[1]) in names
        elif ours:
            text.append(line)
    text = re.sub(r"\s+", " ", " ".join(text)).replace("_Bool", "bool")
    text = re.sub(r"__attribute__ ?\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)", "", text)
    text = re.sub(r"\[\[.*?\]\]", "", text)
    declarations, depth, last = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter == "{") - (letter == "}")
        if letter == ";" and depth == 0:
            declarations.append(re.sub(r"\s+", " ", text[last:at]).strip())
            last = at + 1
    constants = []
    for line in subprocess.run([*preprocess, "-dM"], check=True, stdout=subprocess.PIPE).stdout.decode().splitlines():
        number = re.match(r"#define ((?:SIMKIT|NETMODEL|CONTENTION)_[A-Z_]+) (-?[\d.e+-]+|\".*\")$", line)
        if number:
            constants.append((number[1], eval(number[2])))
    # PyDLL: callbacks come while a call is under way, on the same thread, so Python's lock stays where it is.
    return Kit(ctypes.PyDLL(library), declarations, constants)

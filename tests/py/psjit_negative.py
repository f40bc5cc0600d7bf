"""Programs outside the strict language of PSJit, one or more for each row of its tables: `ROWS`. In a program's text, « stands before the
construct that level STRICT refuses. The error must point there."""
import sys
from collections import namedtuple

Row = namedtuple("Row", "name text what instead since at_all_levels")
ROWS = []
PRELUDE = '''import os
import numpy as np
import msjit as ms
from msjit import Parameter, Tensor, nn, ops
from msjit.ops import operations as P


def x23():
    return Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))


'''


def row(name, text, what, instead, since=(3, 7), at_all_levels=False):
    assert text.count("«") == 1, name
    ROWS.append(Row(name, PRELUDE + text, what, instead, since, at_all_levels))


def body(lines):
    """f(x) with these lines."""
    return "def f(x):\n" + "".join("    %s\n" % line for line in lines.split("\n"))


def statement(name, lines, what, instead, **more):
    row(name, body(lines), "level STRICT of PSJit, got " + what, "expected " + instead, **more)


# -- statements -----------------------------------------------------------------------------------------------------------

CHECK = "a check before the call"
statement("try", "«try:\n    x = x + 1\nexcept ValueError:\n    x = x * 2\nreturn x", "a try statement", CHECK)
statement("try, finally", "y = x\n«try:\n    y = x + 1\nfinally:\n    y = y * 2\nreturn y", "a try statement", CHECK)
statement("try, except*", "«try:\n    x = x + 1\nexcept* ValueError:\n    pass\nreturn x", "a try statement", CHECK,
          since=(3, 11))
statement("del", "y = x + 1\nz = y\n«del y\nreturn z", "del", "the variable left as it is")
statement("del of an item", "y = [x + 1, x]\n«del y[0]\nreturn y", "del", "the variable left as it is")
statement("match", "«match x.ndim:\n    case 2:\n        x = x + 1\nreturn x", "a match statement", "if and elif",
          since=(3, 10))
statement("import", "«import math\nreturn x + math.pi", "import", "an import at the top of the module")
statement("from import", "«from math import pi\nreturn x + pi", "from ... import", "an import at the top of the module")
statement("nonlocal", "n = 1\ndef g():\n    «nonlocal n\n    n = 2\ng()\nreturn x + n", "nonlocal", "a result")
statement("walrus", "if («n := x.ndim) == 2:\n    x = x + n\nreturn x", "an assignment expression", "an assignment before it",
          since=(3, 8))
statement("class", "«class A:\n    v = 1\nreturn x + A.v", "a class definition", "a class at the top")
statement("set", "return x + len(«{1, 2})", "a set", "a tuple or list")
statement("set comprehension", "return x + len(«{i for i in (1, 2)})", "a set comprehension", "a list comprehension")
statement("complex", "return x, «2j", "a complex number", "two tensors")
statement("for, else", "«for i in range(2):\n    x = x + i\nelse:\n    x = x * 2\nreturn x", "else of a for loop", "a flag")
statement("while, else", "n = 0\n«while n < 2:\n    n += 1\nelse:\n    x = x * 2\nreturn x + n", "else of a while loop", "a flag")
statement("comprehension of two levels", "return «[x + i * j for i in (1, 2) for j in (3, 4)]",
          "a comprehension with several for", "one comprehension for each")
statement("dict comprehension of two levels", "return «{(i, j): x for i in (1, 2) for j in (3, 4)}",
          "a comprehension with several for", "one comprehension for each")
statement("generator expression of two levels", "return x + sum«(i * j for i in (1, 2) for j in (3, 4))",
          "a generator expression with several for", "one comprehension for each")
statement("is", "y = x\nreturn x + 1, «y is x", "`is` with other operands", "== or !=")
statement("is not", "return x + 1, «x.ndim is not x", "`is` with other operands", "== or !=")
statement("raise with a dict", "if x.ndim == 3:\n    «raise ValueError({1: 2})\nreturn x + 1", "an exception made of a dict",
          "an exception made of text")
row("class method", "class Net(nn.Cell):\n    @classmethod\n    def k(cls):\n        return 2\n\n"
    "    def construct(self, x):\n        return x * «self.k()\n\n\nf = Net\n", "class method k at level STRICT", "plain methods")
GENERATOR = "a list that is returned"
row("yield", body("«yield x + 1"), "yield", GENERATOR, at_all_levels=True)
row("yield from", body("«yield from [x + 1]"), "yield", GENERATOR, at_all_levels=True)
row("async def", "«async def f(x):\n    return x + 1\n", "an async function", "a plain function", at_all_levels=True)
row("await", "async def g(x):\n    return x\n\n\n«async def f(x):\n    return await g(x)\n", "an async function",
    "a plain function", at_all_levels=True)
row("async for", "«async def f(x):\n    async for i in x:\n        pass\n", "an async function", "a plain function",
    at_all_levels=True)
row("async with", "«async def f(x):\n    async with x:\n        pass\n", "an async function", "a plain function",
    at_all_levels=True)
statement("yield in a function inside", "def g():\n    «yield 1\nreturn x + list(g())[0]", "yield", GENERATOR)
statement("inlined function", "return g(x)\n\n\ndef g(x):\n    «del x\n    return 1", "del", "the variable left as it is")
ROWS[-1] = ROWS[-1]._replace(text=PRELUDE + "def g(x):\n    y = x\n    «del y\n    return x + 1\n\n\n"
                             "def f(x):\n    return g(x) * 2\n")

# -- builtin functions ----------------------------------------------------------------------------------------------------

CALLS = ("bytearray(b'a') bytes(2) compile('1','a','eval').co_filename delattr(Box(),'v') len(dir(x))>0 eval('1+1') exec('1+1') "
         "frozenset((1,)) globals()is(None) id(x)==id(x) next(iter_of()) len(locals())>0 "
         "memoryview(b'a').nbytes object()==1 open(os.devnull).close() property(len)==1 set((1,)) setattr(Box(),'v',1) vars(Box()) "
         "__import__('os').sep list(iter([1])) staticmethod(len)==1 classmethod(len)==1").split()
BOX = "class Box:\n    def __init__(self):\n        self.v = 1\n\n\ndef iter_of():\n    return iter([1])\n\n\n"
for call in CALLS:
    name = call.replace("len(", "").replace("list(", "").split("(")[0]
    before, after = call[:call.index(name + "(")], call[call.index(name + "("):]
    row("call of " + name, BOX + body("return x + 1, %s«%s" % (before, after)), r"level STRICT of PSJit, got a call of %s\(\)" % name,
        "expected another builtin or level LAX")
row("call of input", BOX + body("if x.ndim == 5:\n    «input()\nreturn x + 1"), r"got a call of input\(\)", "expected another builtin")
statement("type with three arguments", "return x + len(«type('A', (), {}).__name__)", r"type\(\) with several arguments",
          "a class at the top of the module")

# -- objects --------------------------------------------------------------------------------------------------------------

STORE = "store only to Parameters made in __init__"
NET = "class Net(nn.Cell):\n    def __init__(self):\n        super().__init__()\n        self.n = 1\n" \
      "        self.w = Parameter(Tensor(np.ones((2, 3), np.float32)), name='w')\n\n"
row("attribute store", NET + "    def construct(self, x):\n        «self.n = 2\n        return x + self.n\n\n\nf = Net\n",
    "store to n of an existing Net at level STRICT", STORE)
row("attribute store, new", NET + "    def construct(self, x):\n        «self.new = x + 1\n        return x\n\n\nf = Net\n",
    "store to new of an existing Net at level STRICT", STORE)
row("attribute store, augmented", NET + "    def construct(self, x):\n        «self.n += 2\n        return x + self.n\n\n\nf = Net\n",
    "store to n of an existing Net at level STRICT", STORE)
row("attribute store, jit_class", "@ms.jit_class\nclass Box:\n    v = 1\n\n\nbox = Box()\n\n\n" +
    body("«box.v = 3\nreturn x + box.v"), "store to v of an existing Box at level STRICT", STORE)
FOREIGN = "use msjit's own functions and Tensor"
row("third-party function of C", body("return x + 1, «os.getpid()"), "got posix.getpid, which is of another package", FOREIGN)
row("third-party function of Python", body("return x + 1, «os.path.join('a', 'b')"),
    "got posixpath.join, which is of another package", FOREIGN)
row("third-party class", "from fractions import Fraction\n\n\n" + body("return x + 1, «Fraction(1, 2)"),
    "got fractions.Fraction, which is of another package", FOREIGN)
row("NumPy function", body("a = «np.sum([1, 2])\nreturn x + int(a)"), "of another package", FOREIGN)
row("NumPy array", "a = np.ones(3, np.float32)\n\n\n" + body("return x + Tensor(«a.shape[0])"),
    "got numpy.ndarray, which is of another package", FOREIGN)
row("Primitive's attribute", "add = P.Add()\n\n\n" + body("return add(x, x), «add.name"), "attribute name of a Primitive",
    "keep that value in a variable")
row("Primitive's method", "add = P.Add()\n\n\n" + body("return «add.set_device('CPU')(x, x)"),
    "attribute set_device of a Primitive", "keep that value in a variable")

# -- what is Python's, but no graph ---------------------------------------------------------------------------------------

row("asnumpy", body("y = x + 1\na = «y.asnumpy()\nreturn a"), r"asnumpy\(\) needs the value of a tensor", "keep the value in a tensor")
row("number of a tensor, as a number", body("n = int(x.sum())\nreturn [x + i for i in «range(n)]"),
    r"needs the value of a tensor", "keep the value in a tensor")
row("branch of different shapes", body("y = x\nif «x.sum() > 3:\n    y = x[0]\nreturn y"), "branch on the value of a tensor",
    "assign tensors of the same dtype and shape")
row("list index by a tensor, different shapes", "def args():\n    return x23(), Tensor(1, ms.int32)\n\n\n"
    "def f(x, i):\n    return «[x, x[0]][i]\n", "branch on the value of a tensor", "same dtype and shape")
row("a tensor picks numbers", "def args():\n    return x23(), Tensor(1, ms.int32)\n\n\n"
    "def f(x, i):\n    n = [1, 2][i]\n    return x + 1, «n + 1\n",
    "a use, other than a call, of an object that a tensor index picks is not captured", "rewrite")

# -- values ---------------------------------------------------------------------------------------------------------------

ARMS = r"let both arms assign tensors of the same dtype and shape \(Tensor\(1\), not 1\)"
BRANCH = "branch on the value of a tensor: "
VALUE = "keep the value in a tensor"
row("constant, chosen by a tensor", body("n = 2\nif x.sum() > 3:\n    n = 3\nreturn «x * n"),
    "the int that a branch gives needs the value of a tensor", VALUE)
row("constant, counted in a loop on a tensor", body("n = 0\nwhile «x.sum() < 100:\n    x = x * 2\n    n += 1\nreturn x, n"),
    BRANCH + "the loop changes n.* the int 0", ARMS)
row("variable, its value in a text", "def args():\n    return x23(), Tensor(3, ms.int32)\n\n\n"
    "def f(x, i):\n    return x + 1, «str(i)\n", r"str\(\) needs the value of a tensor", VALUE)
row("number of a tensor, computed", body("return x + 1, «int(x.sum()) + 1"), r"int\(\) needs the value of a tensor", VALUE)
row("str, of a tensor", body("y = x.sum()\nreturn y, «str(y)"), r"str\(\) needs the value of a tensor", VALUE)
row("tuple, index by a tensor, different shapes", "def args():\n    return x23(), Tensor(1, ms.int32)\n\n\n"
    "def f(x, i):\n    items = (x, x[0])\n    return «items[i]\n", BRANCH, "same dtype and shape")
row("dict, a tensor as a key", body("y = x + 1\nd = {}\n«d[y] = 2\nreturn y + d[y]"), "change of an item of dict cannot be captured", "build a new object")
row("None, or a tensor", body("y = None\nif «x.sum() > 3:\n    y = x + 1\nreturn y"),
    BRANCH + "y is tensor in one arm, None in the other", ARMS)
row("annotation comment", body("y = «x.asnumpy() + 1  # @jit.typing: () -> tensor_type[int32]\nreturn y"), "asnumpy", VALUE)
row("Tensor of a NumPy array", "a = np.ones(3, np.float32)\n\n\n" + body("return x + «Tensor(a)"),
    "a Tensor made of numpy.ndarray object cannot be captured", "make the Tensor outside and pass it")
row("item store to an argument", body("«x[0] = 5\nreturn x + 1"), r"x\[...\] = value changes a tensor in place",
    r"change a tensor that the function has made")

# -- statements, once more ------------------------------------------------------------------------------------------------

row("return of different types", body("if «x.sum() > 3:\n    return x\nreturn 1"), BRANCH, ARMS)
row("conditional expression of different shapes", body("return x if «x.sum() > 3 else x[0]"), BRANCH, ARMS)
row("while, another shape", body("x = x[0]\nwhile «x.sum() < 9:\n    x = ops.concat((x, x))\nreturn x"),
    BRANCH + "the loop changes x.*float32.3.", ARMS)
row("while, another dtype", body("while «x.sum() < 40:\n    x = (x * 2).astype(ms.int32)\nreturn x"), BRANCH, ARMS)
statement("lambda", "g = lambda v: len(«{v})\nreturn x + g(1)", "a set", "a tuple or list")
statement("async function inside", "«async def g():\n    pass\nreturn x + 1", "an async function", "a plain function")
row("partial of another package's function", "import functools\n\n\n" +
    body("g = functools.partial(os.path.join, 'a')\nreturn x + 1, «g('b')"), "got posixpath.join", FOREIGN)
row("list comprehension, a break in it", body("return x + 1, [«os.getpid() for i in range(2)]"), "got posix.getpid", FOREIGN)
row("dict comprehension, a break in it", body("return x + 1, {i: «os.getpid() for i in range(2)}"), "got posix.getpid", FOREIGN)
row("generator expression, a break in it", body("return x + sum(«os.getpid() for i in range(2))"), "got posix.getpid", FOREIGN)
SIGNATURES = "class Net(nn.Cell):\n    def __init__(self):\n        super().__init__()\n" \
             "        self.layers = (nn.ReLU(), nn.Flatten(), nn.Dense(3, 2))\n\n"
row("switch layer of different signatures", SIGNATURES + "    def construct(self, x, i):\n"
    "        return «self.layers[i](x)\n\n\ndef args():\n    return x23(), Tensor(1, ms.int32)\n\n\nf = Net\n",
    BRANCH, ARMS)
row("attribute store, third party", "import types\n\nspace = types.SimpleNamespace(v=1)\n\n\n" +
    body("«space.v = 3\nreturn x + 1"), "got types.SimpleNamespace, which is of another package", FOREIGN)
row("in, of a set", body("return x + (1 if 1 in «{1, 2} else 2)"), "got a set", "a tuple or list")

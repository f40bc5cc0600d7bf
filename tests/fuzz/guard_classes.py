"""Classes and their instances as features of the guard fuzzer. See guard_features.py: name, set-up, what is read, what changes."""
FEATURES = [
    ("instance", """
class C#:
    attr = $n
    lst = [1, 2]
    ten = $t
    def __init__(self):
        self.a = $n
        self.t = $t
    def meth(self, x):
        return x * self.a
    @property
    def prop(self):
        return self.a
    @staticmethod
    def stat(x):
        return x + 1
    @classmethod
    def klass(cls, x):
        return x * cls.attr
    def __call__(self, x):
        return x + self.attr
    def __len__(self):
        return 3
class D#(C#):
    def meth(self, x):
        return super().meth(x) + 1
I# = D#()
""",
     ["I#.a", "I#.t", "I#.attr", "I#.meth(x)", "I#.prop", "I#.stat(x)", "I#.klass(x)", "I#(x)", "len(I#)", "C#.attr",
      "I#.lst[0]", "I#.ten", "isinstance(I#, C#)", "hasattr(I#, 'b')", "getattr(I#, 'a')", "D#.klass(x)", "C#.meth(I#, x)",
      "type(I#).attr", "getattr(I#, 'zz', 3)"],
     ["I#.a = $v", "del I#.a", "I#.t = $t", "I#.attr = $n", "C#.attr = $v", "D#.attr = $n", "del D#.attr", "I#.meth = $f",
      "D#.meth = lambda self, x: x + 5", "C#.meth = lambda self, x: x + 6", "del D#.meth", "C#.prop = 5",
      "C#.prop = property(lambda s: 8)", "I#.__dict__['prop'] = 4", "C#.stat = staticmethod($f)",
      "C#.klass = classmethod(lambda cls, x: x)", "I#.__class__ = C#", "I#.__class__ = Other", "I# = C#()", "I# = D#()",
      "I# = Other()", "C#.__call__ = lambda self, x: x", "C#.lst[0] = $n", "C#.lst = (5,)", "C#.lst.append(1)",
      "C#.ten = $t", "I#.__dict__ = {'a': 3, 't': 2}", "I#.b = 1", "C#.__len__ = lambda s: 4",
      "C#.__getattr__ = lambda self, n: 11", "C#.__getattribute__ = lambda self, n: 12", "del C#.attr",
      "I#.__dict__.clear()", "D#.__bases__ = (Other, C#)", "D#.__bases__ = (C#,)", "C#.a = property(lambda s: 21)",
      "I#.stat = $f", "I#.__len__ = lambda: 9", "C#.meth.__code__ = (lambda self, x: x - 4).__code__",
      "C#.meth.__defaults__ = (2,)", "C#.zz = $n", "D#.lst = I#.lst", "vars(C#)['stat'].__init__($f)",
      "vars(C#)['klass'].__init__(lambda cls, x: x * 3)"]),
    ("metaclass", """
class MA#(type):
    k = $n
class MB#(type):
    k = $n
    def __call__(cls, *a):
        return 4
    def __instancecheck__(cls, o):
        return True
class X#(metaclass=MA#):
    v = $n
""",
     ["X#.k", "X#.v", "(2 if isinstance(x, X#) else 3)", "(2 if type(X#) is MA# else 5)", "(3 if X#() == 4 else 1)",
      "(2 if hasattr(X#, 'w') else 3)", "(2 if isinstance(X#, MB#) else 3)"],
     ["X#.__class__ = MB#", "X#.__class__ = MA#", "MA#.k = $v", "MB#.k = $n", "X#.v = $v", "X#.k = $n", "del X#.k",
      "MA#.__call__ = lambda cls, *a: 4", "del MB#.__call__", "MA#.v = property(lambda cls: 3)", "MB#.w = $n",
      "MA#.__instancecheck__ = lambda cls, o: o is not cls", "del MB#.__instancecheck__",
      "MA#.__getattr__ = lambda cls, n: 6"]),
    ("descriptor", """
def setting#(o):
    o.b = 3
    return o.b
def dropping#(o):
    o.a = 2
    del o.a
    return o.a
class DN#(types.ModuleType):
    pass
class DA#:
    v = $n
    def __get__(self, o, t):
        return self.v
class DB#:
    v = $n
    def __set__(self, o, v):
        self.v = v
class DM#(type):
    up = DB#()
class DC#(metaclass=DM#):
    a = DA#()
    b = DB#()
    m = types.ModuleType('m')
class DD#(DC#):
    @property
    def above(self):
        return super().a
DI# = DD#()
""",
     ["DI#.a", "DI#.b", "DC#.a", "DD#.b", "DI#.above", "DI#.a", "DC#.up", "(2 if hasattr(DI#, 'a') else 3)", "setting#(DI#)",
      "dropping#(DI#)", "vars(DI#).get('a', 4)", "getattr(DI#, 'b')", "(2 if type(DI#.m) is types.ModuleType else 5)"],
     ["DA#.__set__ = lambda s, o, v: None", "del DA#.__set__", "DA#.__delete__ = lambda s, o: None", "del DA#.__delete__",
      "DA#.__get__ = lambda s, o, t: 6", "del DA#.__get__", "DB#.__get__ = lambda s, o, t: 7", "del DB#.__get__",
      "del DB#.__set__", "DB#.__set__ = lambda s, o, v: vars(o).update(b=v)", "DA#.__set__ = None", "DB#.__get__ = None",
      "vars(DI#).update(a=$n)", "vars(DI#).update(b=$n)", "vars(DI#).clear()", "vars(DC#)['a'].__class__ = DB#",
      "vars(DC#)['a'].__class__ = DA#", "vars(DC#)['b'].__class__ = DA#", "vars(DC#)['b'].v = $n", "DC#.a = DB#()",
      "DC#.b = DA#()", "DD#.a = DA#()", "del DD#.a", "vars(DC#)['m'].__class__ = DN#", "DN#.__get__ = lambda s, o, t: 9",
      "DM#.a = DA#()", "DM#.up = $n", "del DM#.a", "DA#.v = $n"]),
    ("hooks", """
def wrote#(o):
    o.p = 4
    o.w = 5
    return o.p + o.w
def gone#(o):
    del o.p
    return o.a
def made#():
    h = HB#()
    h.n = 3
    return h.s + h.a + h.n
def slot#(o):
    o.s = o.s + 1
    return o.s
class HA#:
    log = 0
    def __init__(self):
        self.a = 1
    def __setattr__(self, n, v):
        object.__setattr__(self, n, v)
    def __getattr__(self, n):
        return 3
    @property
    def p(self):
        return self.a
    @p.setter
    def p(self, v):
        self.a = v
    @p.deleter
    def p(self):
        self.a = 0
    def __class_getitem__(cls, i):
        return 4
    def __eq__(self, o):
        return self is o
    __hash__ = None
class HB#(HA#):
    __slots__ = ('s',)
    def __init__(self):
        super().__init__()
        self.s = 2
    def up(self):
        return super().p + __class__.log
ha#, hb# = HA#(), HB#()
""",
     ["ha#.a", "ha#.p", "ha#.zz", "wrote#(ha#)", "wrote#(hb#)", "gone#(ha#)", "made#()", "hb#.s", "hb#.up()", "HA#[0]",
      "(2 if ha# == hb# else 3)", "hasattr(ha#, 'q')", "getattr(hb#, 's', 5)", "slot#(hb#)",
      "(2 if isinstance(hb#, HA#) else 3)", "HB#().a", "vars(ha#).get('a', 8)", "len(vars(ha#))"],
     ["HA#.__setattr__ = lambda s, n, v: None", "del HA#.__setattr__", "HA#.__getattr__ = lambda s, n: 5",
      "del HA#.__getattr__", "HA#.p = property(lambda s: 6)", "HA#.p = $n", "del HA#.p",
      "HA#.__delattr__ = lambda s, n: None", "ha#.a = $n", "hb#.s = $n", "del hb#.s", "HB#.s = $n",
      "HA#.__class_getitem__ = classmethod(lambda c, i: 8)", "HB#.__eq__ = lambda s, o: True", "HA#.log = $n",
      "HB#.up.__closure__[0].cell_contents = HA#", "HB#.__init__ = lambda s: None", "HA#.__getattribute__ = lambda s, n: 7",
      "del HA#.__getattribute__", "HB#.__setattr__ = object.__setattr__", "hb#.__class__ = HA#", "vars(ha#).update(p=9)",
      "vars(ha#).clear()", "HA#.__init__ = lambda s: vars(s).update(a=5)", "HB#.p = 4", "HA#.a = property(lambda s: 3)",
      "HA#.a = HA#.p"]),
    ("special", """
def held#(v):
    with v as w:
        return w + 1
    return 9
def fresh#(x):
    v = V#(2)
    v.w = v.v + 1
    return v * x + v.w
class V#:
    def __init__(self, v):
        self.v = v
    def __add__(self, o):
        return self.v + o
    def __mul__(self, o):
        return o * self.v
    def __bool__(self):
        return bool(self.v)
    def __eq__(self, o):
        return self.v == o
    def __getitem__(self, i):
        return self.v + i
    def __contains__(self, i):
        return i == self.v
    def __iter__(self):
        return iter([1, self.v])
    def __enter__(self):
        return self.v
    def __exit__(self, *a):
        return False
    def __setattr__(self, n, v):
        object.__setattr__(self, n, v)
V_# = V#($n)
W_# = V#($n)
""",
     ["(V_# + 1)", "(V_# * x)", "(2 if V_# else 3)", "(2 if V_# == 2 else 3)", "V_#[1]", "(1 in V_#)", "sum(V_#)",
      "(2 if not V_# else 5)", "held#(V_#)", "fresh#(x)", "(2 if V_# == W_# else 4)"],
     ["V_#.v = $v", "V_# = V#($n)", "V#.__add__ = lambda s, o: 4", "V#.__bool__ = lambda s: True", "del V#.__bool__",
      "V#.__eq__ = lambda s, o: True", "V#.__getitem__ = lambda s, i: 6", "del V#.__contains__", "del V#.__mul__",
      "V#.__iter__ = lambda s: iter([3])", "V#.__exit__ = lambda s, *a: True", "V_#.__class__ = Other",
      "V#.__radd__ = lambda s, o: 7", "V#.__init__ = lambda s, v: s.__dict__.update(v=9)", "V_# = W_#", "W_# = V_#",
      "V#.__new__ = lambda c, *a: object.__new__(c)", "V#.__setattr__ = lambda s, n, v: None", "V_#.__dict__['v'] = $n",
      "V_#.__add__ = lambda o: 1"]),
    ("slots", """
class S#:
    __slots__ = ('a', 'b')
    k = $n
O# = S#()
O#.a = $n
""",
     ["O#.a", "O#.k"],
     ["O#.a = $v", "del O#.a", "O# = S#()", "S#.k = $n", "O# = Other()"]),
    ("named", """
import collections as co#
Y# = co#.namedtuple('Y#', 'a b')
Z# = Y#($n, $t)
""",
     ["Z#.a", "Z#[0]", "Z#.b", "len(Z#)", "(Z#.a if isinstance(Z#, tuple) else 2)"],
     ["Z# = Y#($n, $t)", "Z# = ($n, $n)", "Z# = Y#($v, $v)", "Y#.c = $n", "Y#.a = property(lambda s: 3)"]),
    ("net", """
class Net#(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(np.float32([2, 3, 4])), name='w')
        self.scale = $n
        self.act = nn.ReLU()
    def construct(self, x):
        y = self.act(x * self.w) * self.scale
        if self.training:
            y = y + 1
        return y
class Wrap#(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = Net#()
        self.cells_ = nn.SequentialCell([Net#(), nn.ReLU()])
    def construct(self, x):
        return self.cells_(self.inner(x))
N# = Wrap#()
""",
     ["N#(x)", "N#.inner(x)", "N#.inner.w", "N#.training"],
     ["N#.set_train(True)", "N#.set_train(False)", "N#.inner = Net#()", "N#.inner.w.set_data($t)",
      "N#.inner.w = Parameter($t, name='w')", "N#.inner.scale = $v", "N#.inner.act = nn.Tanh()",
      "N#.inner.act = lambda x: x", "Net#.construct = lambda self, x: x", "N#.inner.training = True",
      "N#.inner.w.requires_grad = False", "N# = Wrap#()", "del N#.inner", "N#.inner.__class__ = Wrap#",
      "N#.cells_[0].scale = $n", "N#.cells_.append(nn.ReLU())", "N#.inner.construct = lambda x: x * 3",
      "N#.inner.w.requires_grad = True", "N#.inner.w.data[0] = 9",
      "N#.inner.w.__class__ = type('Heavy', (Parameter,), {'__rmul__': lambda s, x: x * 8})",
      "N#.inner.w.__class__ = type('Light', (Tensor,), {'__rmul__': lambda s, x: x - 1})",
      "N#.inner.w.__class__ = Parameter"]),
]

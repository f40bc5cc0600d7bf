"""Statements of the differential fuzzer's programs, over the expressions of diff_gen."""

from diff_gen import KEYS, OUTSIDE, PRELUDE, Program

KINDS = ["T", "T", "T", "i", "f", "s", "b", "l", "l", "d", "t", "o", "c", "st"]


class Statements(Program):
    def build(self):
        self.lines = []
        for _ in range(self.r.randint(3, 9)):
            self.statement(2)
        kinds = [self.kind() for _ in range(self.r.randint(1, 3))]
        self.line("return " + ", ".join(self.var(k) or self.expr(k, 1) for k in kinds))
        head = "\n\ndef main(x, y, n, s, xs, d, o):\n"
        if any("global TOTAL" in text for text in self.lines):
            self.lines = [text for text in self.lines if text.strip() != "global TOTAL"]
            head += "    global TOTAL\n"
        return PRELUDE + ("\n\njit_class(Box)" if self.strict else "") + head + "\n".join(self.lines) + "\n"

    def scope_now(self):
        return {k: list(names) for k, names in self.scope.items()}

    def kind(self):
        return self.pick(*(KINDS[:-1] if self.strict else KINDS))

    def block(self, depth, least=1):
        self.level += 1
        scope = self.scope_now()
        for _ in range(self.r.randint(least, 3)):
            self.statement(depth - 1)
        if self.chance(0.9):  # names bound only here; now and then they are used behind the block all the same
            self.scope = scope
        self.level -= 1

    def assign(self, kind=None):
        kind = kind or self.kind()
        value = self.expr(kind, 3)
        names = [v for v in self.scope[kind] if v not in self.fixed]
        name = self.r.choice(names) if names and self.chance(0.4) else self.fresh(kind)
        self.line("%s = %s" % (name, value))
        if name not in self.scope[kind]:
            self.scope[kind].append(name)
        return name

    def statement(self, depth):
        simple = [self.assign, self.assign, self.assign, self.augmented, self.mutate_list, self.mutate_list,
                  self.mutate_dict, self.mutate_object, self.show, self.unpack, self.store_global, self.mutate_other,
                  self.delete, self.leave, self.alias, self.demand, self.write_tensor, self.write_tensor]
        compound = [self.branch, self.branch, self.loop, self.loop, self.attempt, self.manager, self.closure,
                    self.local_class, self.while_loop]
        if self.strict:
            simple = [self.assign, self.assign, self.augmented, self.show, self.unpack, self.leave, self.alias, self.demand,
                      self.mutate_list, self.mutate_dict, self.write_tensor]
            compound = [self.branch, self.branch, self.loop, self.while_loop]
        chosen, count = compound if depth > 0 and self.chance(0.4) else simple, len(self.lines)
        scope = self.scope_now()
        self.r.choice(chosen)()
        if self.strict and any(OUTSIDE.search(text) for text in self.lines[count:]):
            del self.lines[count:]
            self.scope = scope
            self.assign("T")

    # --- simple ---
    def augmented(self):
        kind = self.pick("T", "i", "f", "s", "l")
        names = [v for v in self.scope[kind] if v not in self.fixed]
        if not names:
            return self.assign(kind)
        sign = self.pick("+=", "-=", "*=") if kind in "Tif" else "+="
        other = self.expr(self.pick("T", "i", "f") if kind == "T" else kind, 2)
        self.line("%s %s %s" % (self.r.choice(names), sign, other))

    def mutate_list(self):
        target, e = self.expr("l", 0), self.expr
        kind = self.pick("i", "T", "s", "l")
        self.line(self.r.choice([
            lambda: "%s.append(%s)" % (target, e(kind, 2)),
            lambda: "%s.extend(%s)" % (target, e(self.pick("l", "t"), 1)),
            lambda: "%s.insert(%s, %s)" % (target, e("i", 1), e(kind, 2)),
            lambda: "%s.pop(%s)" % (target, self.rarely("7", self.pick("", "0", "-1"))),
            lambda: "%s[%s] = %s" % (target, self.pick("0", "-1", "n"), e(kind, 2)),
            lambda: "%s[%s:%s] = %s" % (target, self.pick("", "1"), self.pick("", "2"), e("l", 1)),
            lambda: "del %s[%s]" % (target, self.pick("0", "-1", ":1", "::2")),
            lambda: "%s.reverse()" % target,
            lambda: self.rarely("%s.remove(%s)" % (target, e("i", 1)), "%s[:] = [1]; %s.remove(1)" % (target, target)),
            lambda: "%s.clear()" % target,
            lambda: "%s.sort(key=%s)" % (target, self.pick("str", "id and (lambda v: 0)", "lambda v: str(type(v))")),
            lambda: "%s[0] += %s" % (target, e("i", 1)),
        ])())

    def mutate_dict(self):
        target, e, key = self.expr("d", 0), self.expr, self.r.choice(KEYS)
        kind = self.pick("i", "T", "s", "l", "d")
        self.line(self.r.choice([
            lambda: "%s[%s] = %s" % (target, key, e(kind, 2)),
            lambda: "%s.update(%s)" % (target, e("d", 1)),
            lambda: "%s.update(k=%s)" % (target, e(kind, 1)),
            lambda: "%s.setdefault(%s, %s)" % (target, key, e(kind, 1)),
            lambda: "%s.pop(%s, None)" % (target, key),
            lambda: self.rarely("%s.pop(%s)", "%s.pop(%s, 0)") % (target, key),
            lambda: self.rarely("", "%s[%s] = 0; " % (target, key)) + "del %s[%s]" % (target, key),
            lambda: self.rarely("", "%s[%s] = 0; " % (target, key)) + "%s[%s] += %s" % (target, key, e("i", 1)),
            lambda: "%s.setdefault('l', []).append(%s)" % (target, e(kind, 1)),
            lambda: "%s.clear()" % target,
            lambda: "%s and %s.popitem()" % (target, target),
        ])())

    def mutate_object(self):
        e, target = self.expr, self.expr("o", 0)
        self.line(self.r.choice([
            lambda: "%s.value = %s" % (target, e("T", 2)),
            lambda: "%s.items = %s" % (target, e("l", 2)),
            lambda: "%s.count += %s" % (target, e("i", 2)),
            lambda: "%s.extra = %s" % (target, e(self.pick("i", "T", "d"), 2)),
            lambda: "setattr(%s, 'count', %s)" % (target, e("i", 1)),
            lambda: "%s.bump()" % target,
            lambda: "%s.rate %s %s" % (target, self.pick("=", "*=", "-="), e("f", 2)),
            lambda: self.rarely("del %s.count" % target, "%s.tag = 1; del %s.tag" % (target, target)),
            lambda: "%s.items.append(%s)" % (target, e("i", 1)),
            lambda: "%s.scale = %s" % (target, e("i", 1)),
            lambda: self.rarely("%s.size = 4", "%s.tag = 4") % target,
        ])())

    def mutate_other(self):
        e = self.expr
        self.line(self.r.choice([
            lambda: "SHARED.append(%s)" % e("i", 1),
            lambda: "TABLE[%s] = %s" % (self.r.choice(KEYS), e("i", 1)),
            lambda: "x[0] = %s" % e("f", 1),
            lambda: "set(%s).add(%s)" % (e("st", 0), e("i", 1)),
            lambda: "bump_table(%s, %s)" % (self.r.choice(KEYS), e("i", 1)),
            lambda: "grow(%s, %s)" % (e("l", 0), e("T", 1)),
        ])())

    def store_global(self):
        self.line("global TOTAL")
        self.line("TOTAL = %s" % self.expr(self.pick("T", "i", "l", "d"), 2))

    def show(self):
        kinds = [self.pick("i", "s", "b", "f", "l") for _ in range(self.r.randint(0, 3))]
        self.line("print(%s)" % ", ".join([self.expr(k, 1) if k != "l" else "len(%s)" % self.expr(k, 1)
                                           for k in kinds] + self.pick([], ["sep='/'"], ["end=''"])))

    def unpack(self):
        a, b = self.fresh("T"), self.fresh("i")
        self.line(self.r.choice([
            "%s, %s = %s, %s" % (a, b, self.expr("T", 2), self.expr("i", 2)),
            "(%s, *rest), %s = (%s, 1, 2), %s" % (a, b, self.expr("T", 2), self.expr("i", 2)),
            "%s = %s2 = %s; %s = 1" % (a, a, self.expr("T", 2), b),
            "%s, %s = Pair(%s, %s)" % (a, b, self.expr("T", 2), self.expr("i", 1)),
            "[%s, %s] = [%s, %s]" % (a, b, self.expr("T", 2), self.expr("i", 1)),
        ]))
        self.scope["T"].append(a)
        self.scope["i"].append(b)

    def alias(self):
        kind = self.pick("l", "d", "o", "T")
        name, value = self.fresh(kind), self.var(kind)
        self.line("%s = %s" % (name, value))
        self.scope[kind].append(name)

    def delete(self):
        if self.chance(0.8):
            return self.assign("T")
        kind = self.pick("T", "i", "l")
        if len(self.scope[kind]) > 1:
            name = self.scope[kind][-1]
            if name not in self.fixed:
                self.line("del " + name)
                if self.chance(0.8):
                    self.scope[kind].remove(name)

    def leave(self):
        if self.chance(0.6):
            return self.assign("T")
        condition = self.expr("b", 1)
        self.line("if %s:" % condition)
        self.line("    " + self.pick("return %s" % self.expr(self.kind(), 1),
                                     "raise ValueError(%s)" % self.expr("s", 1),
                                     "assert %s, %s" % (self.expr("b", 1), self.expr("s", 0)),
                                     "must(%s, 'no')" % self.expr("b", 1),
                                     "break" if self.loops else "pass", "continue" if self.loops else "pass"))

    def demand(self):
        """An assert or raise that depends on a tensor. A region assumes that it does not raise, and must give way where it does."""
        condition, text = self.condition(2), self.expr("s", 0)
        self.line(self.r.choice([
            lambda: "assert %s" % condition,
            lambda: "assert %s, %s" % (condition, text),
            lambda: "assert not %s, (%s, %s)" % (condition, text, self.expr("i", 1)),
            lambda: "if %s: raise ValueError(%s)" % (condition, text),
            lambda: "if not %s: raise IndexError(%s, %s)" % (condition, self.expr("i", 0), text),
            lambda: "must(%s, %s)" % (condition, text),
            lambda: "must(bool(%s), %s)" % (condition, text),
        ])())

    def write_tensor(self):
        """Writes to a tensor, between views of it."""
        target, held = self.var("T"), []
        view = lambda: self.pick("%s[0:1]", "%s.reshape(-1)", "%s[...]", "%s[None]", "%s.view(-1)", "%s") % target
        if self.chance(0.4):
            held.append(self.fresh("T"))
            self.line("%s = %s" % (held[-1], view()))
        value = self.expr("T", 1)
        self.line(self.r.choice([
            lambda: "ops.assign(%s, %s)" % (target, value),
            lambda: "ops.%s(%s, %s)" % (self.pick("assign_add", "assign_sub"), target, value),
            lambda: "%s.set_data(%s)" % (target, self.rarely(value, "%s * %s" % (target, self.expr("f", 1)))),
            lambda: "%s.assign_value(%s)" % (target, self.rarely(value, "%s + %s" % (target, self.expr("f", 1)))),
            lambda: "if %s: ops.assign(%s, %s)" % (self.condition(1), target, value),
        ])())
        if self.chance(0.4):
            held.append(self.fresh("T"))
            self.line("%s = %s" % (held[-1], view()))
        self.scope["T"] += held

    # --- compound ---
    def branch(self):
        self.line("if %s:" % self.expr("b", 2))
        self.block(1)
        if self.chance(0.3):
            self.line("elif %s:" % self.expr("b", 1))
            self.block(1)
        if self.chance(0.5):
            self.line("else:")
            self.block(1)

    def loop(self):
        i, v = self.fresh("i"), self.fresh("v")
        head, bound = self.r.choice([
            ("for %s in range(%s):" % (i, self.pick("3", "2", "n", "1, 4")), [("i", i)]),
            ("for %s in (%s, %s):" % (v, self.expr("T", 1), self.expr("T", 1)), [("T", v)]),
            ("for %s, %s in enumerate([%s, %s]):" % (i, v, self.expr("T", 1), self.expr("T", 1)),
             [("i", i), ("T", v)]),
            ("for %s, %s in zip([1, 2, 3], %s):" % (i, v, self.expr("l", 1)), [("i", i)]),
            ("for %s in %s:" % (v, self.expr("l", 1) + "[:3]"), []),
            ("for %s, %s in %s.items():" % (v, v + "v", self.pick("TABLE", "dict(d)", "d")), [("s", v)]),
            ("for %s in %s:" % (v, self.pick("'ab'", "s")), [("s", v)]),
            ("for %s in reversed(range(%s)):" % (i, self.pick("2", "n")), [("i", i)]),
            ("for %s in sorted({%s, 1}):" % (i, self.expr("i", 1)), [("i", i)]),
            ("for %s in filter(None, map(float, xs[:1] * 3)):" % v, [("f", v)]),
            ("for %s, %s in itertools.product([1, 2], [%s]):" % (i, v, self.expr("T", 1)), [("i", i), ("T", v)]),
        ])
        self.line(head)
        scope = self.scope_now()
        for kind, name in bound:
            self.scope[kind].append(name)
        self.loops += 1
        self.block(1)
        self.loops -= 1
        self.scope = scope
        if self.chance(0.2) and not self.strict:
            self.line("else:")
            self.block(1)

    def while_loop(self):
        i = self.fresh("i")
        self.line("%s = %s" % (i, self.pick("0", "n", "1")))
        self.fixed.add(i)
        self.line("while %s < %s:" % (i, self.pick("3", "4")))
        self.line("    %s += 1" % i)
        self.scope["i"].append(i)
        self.loops += 1
        self.block(1)
        self.loops -= 1

    def attempt(self):
        self.line("try:")
        self.block(1, least=2)
        if self.chance(0.85):
            self.line("except %s as error:" % self.pick("ValueError", "(TypeError, AttributeError)", "Exception",
                                                        "IndexError", "LookupError"))
            self.level += 1
            self.line("print(type(error).__name__)")
            if self.chance(0.15):
                self.line("raise" + self.pick("", " KeyError(1)", " RuntimeError('x') from error"))
            self.level -= 1
            if self.chance(0.3):
                self.line("else:")
                self.block(1)
        else:
            self.line("except ZeroDivisionError:")
            self.line("    raise")
        if self.chance(0.4):
            self.line("finally:")
            self.block(1)

    def manager(self):
        self.line("with Guarded(%s)%s:" % (self.pick("False", "True"), self.pick(" as g", "", ", Guarded(False)")))
        self.block(1)

    def closure(self):
        name, kind = self.fresh("c"), self.pick("i", "l", "T")
        held = self.assign(kind)
        if not held:
            return
        self.line("def %s(v%s):" % (name, self.pick("", ", k=%s" % self.expr("i", 1), ", *more", ", **more")))
        change = {"i": "%s += 1", "l": "%s = %s + [v]", "T": "%s = %s * 2"}[kind]
        if self.chance(0.5):
            self.line("    nonlocal " + held)
            self.line("    " + (change % ((held,) * change.count("%s"))))
        elif kind == "l":
            self.line("    %s.append(v)" % held)
        self.line("    return v + %s" % (held if kind != "l" else "len(%s)" % held))
        if held in ("x", "y", "n", "s", "xs", "d", "o"):
            self.lines = [text for text in self.lines]
        self.scope["c"].append(name)

    def local_class(self):
        name = self.fresh("K")
        self.line("class %s(%s):" % (name, self.pick("Box", "Child", "object")))
        self.line("    tag = %s" % self.expr("i", 1))
        self.line("    def more(self, v):")
        self.line("        return v + self.tag")
        value = self.fresh("T")
        self.line("%s = %s.more(%s.__new__(%s), %s)" % (value, name, name, name, self.expr("T", 1)))
        self.scope["T"].append(value)


def program(seed):
    """The source of program number `seed`; the next one where this one does not compile."""
    while True:
        source = Statements(seed).build()
        try:
            compile(source, "program", "exec")
            return source
        except SyntaxError:
            seed += 1000000007

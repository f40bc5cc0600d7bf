"""Variations of one call, written from its text: by position, other dtypes, no elements, arguments that are wrong.

Their names end in " ~", except those by position: of calls that MindSpore refuses there it is not asked that msjit refuses
them as well.
"""
import ast
import re

from samples import case

FLOATS = ("f16", "bf16", "f64", "i32", "i64", "u8", "i8", "i16", "b", "c64")
INTS = ("i64", "i32", "u8", "f32")


def parts(call):
    """(what comes before the arguments, (start, end) of each) of an expression that ends with a call."""
    stack, commas, quote, opened = [], {}, None, 0
    for at, letter in enumerate(call):
        if quote or letter in "'\"":
            quote = None if letter == quote else quote or letter
        elif letter in "([{":
            stack.append(at)
            commas[at] = []
        elif letter in ")]}":
            opened = stack.pop()
        elif letter == "," and stack:
            commas[stack[-1]].append(at)
    bounds = [opened] + commas[opened] + [len(call) - 1]
    return call[:opened], [(start + 1, end) for start, end in zip(bounds, bounds[1:])]


def arguments(call):
    """(start, end, text) of the values of the arguments."""
    found = []
    for start, end in parts(call)[1]:
        keyword = re.match(r" *(\w+=(?!=))? *", call[start:end])
        if call[start + keyword.end():end]:
            found.append((start + keyword.end(), end, call[start + keyword.end():end]))
    return found


def by_position(call):
    """The call with all its keywords left out."""
    return "%s(%s)" % (parts(call)[0], ", ".join(text for _, _, text in arguments(call)))


def others(text):
    """What may stand for a literal and is wrong, unusual, or another way to write it."""
    try:
        value = ast.literal_eval(text)
    except ValueError:
        return ["'x'"] if text.startswith("ms.") else []
    if isinstance(value, bool) or value is None:
        return ["'x'"]
    if isinstance(value, int):
        return ["-1", "-2", "99", "-99", "%r.5" % value, "'x'", "None", "(%r,)" % value]
    if isinstance(value, float):
        return ["1", "-1.5", "'x'", "None"]
    if isinstance(value, str):
        return ["'bogus'", "1"]
    if isinstance(value, tuple):
        return [repr(list(value)), "'x'", "1.5"] + (["%r" % value[:1] if len(value) > 1 else repr(value[0])] if value else [])
    return [repr(tuple(value)), "'x'"] if isinstance(value, list) else []


def retyped(specs, olds, new):
    """The texts of arguments with the tensors of some dtypes in another one."""
    kinds = [spec.split("[")[0] for spec in specs]
    return tuple(new + spec[len(kind):] if kind in olds else spec for spec, kind in zip(specs, kinds))


def without_elements(specs):
    """The texts with 0 for the first size of the first argument, wherever another one begins with that size."""
    head = specs[0][:specs[0].find("[") + 1]
    size = specs[0][len(head):].split(",")[0].rstrip("]+up")
    if "[" not in specs[0] or not size.isdigit():
        return specs
    begun = [(spec, spec.find("[") + 1) for spec in specs]
    return tuple(spec[:at] + "0" + spec[at + len(size):] if spec[at:].split(",")[0].split("]")[0] == size else spec for spec, at in begun)


def vary(call, *variants, **options):
    """Declares a call for all variants, and for the first of them its variations.

    dtypes=False leaves out other dtypes, empty=False tensors without elements, wrong=False wrong and unusual arguments.
    """
    variants = [(v,) if isinstance(v, str) else tuple(v) for v in variants or ((),)]
    gradient, first = options.get("gradient", True), variants[0]
    case(call, *variants, gradient=gradient)
    case(by_position(call), first, gradient=False)
    if options.get("dtypes", True):
        for new in FLOATS:
            case(call, retyped(first, ("f32",), new), gradient=False, unusual=True)
        for new in INTS:
            case(call, retyped(first, ("i32", "i64"), new), gradient=False, unusual=True)
        if sum(spec.startswith("f32") for spec in first) > 1:
            at = next(i for i, spec in enumerate(first) if spec.startswith("f32"))
            for new in ("f16", "f64", "i32"):
                case(call, first[:at] + retyped(first[at:at + 1], ("f32",), new) + first[at + 1:], gradient=False, unusual=True)
    if first and options.get("empty", True):
        case(call, without_elements(first), gradient=False, unusual=True)
    if options.get("wrong", True):
        for start, end, text in arguments(call):
            wrong = ["'x'", "None", "2.0"] if text in "abcdefgh" else others(text)
            for new in wrong:
                case(call[:start] + new + call[end:], first, gradient=False, unusual=True)


def several(pattern, names, *variants, **options):
    """vary() for several names: several("mint.%s(input=a)", "sin cos", "f32[2]")."""
    for name in names.split():
        vary(pattern.replace("%s", name), *variants, **options)

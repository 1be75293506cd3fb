# What a program finds of JavaScript. Its objects that Python then holds end the interpreter.
from pyodide.ffi import to_js, create_proxy, JsProxy
array = to_js([1, 2, 3])
mapped = array.map(lambda value, *rest: value * 2)
seen = [list(mapped.to_py()), array.length, array.toString(), to_js(b"ab").length, to_js([[1], "b", 2.5, None]).at(0).length]
seen.append([hasattr(array.constructor.prototype, name) for name in ("left", "map", "then")])
seen.append([hasattr(getattr(array.constructor.prototype, "__proto__"), name) for name in ("left", "toString")])
seen.append([hasattr(create_proxy(one), "left") for one in (print, {}, [], iter([1]), b"a", object(), (lambda: (yield))())])
for _ in range(20):
    seen.append(type(to_js([1]).constructor).__name__)
    seen.append(str(to_js(b"a").constructor.name))
__result__ = seen

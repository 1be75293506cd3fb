/* A module of Python: native.triple(n). What native.so.base64 was made of:
   clang --target=wasm32-unknown-emscripten -fPIC -Oz -c native.c -o native.o
   wasm-ld -shared --experimental-pic --export=PyInit_native --strip-all native.o -o native.so */
typedef struct _object PyObject;
typedef PyObject *(*PyCFunction)(PyObject *, PyObject *);
typedef struct { const char *name; PyCFunction call; int flags; const char *doc; } PyMethodDef;
typedef struct {
  struct { int refs; void *type; void *init; int index; void *copy; } base;
  const char *name; const char *doc; int size; PyMethodDef *methods; void *slots; void *traverse; void *clear; void *free;
} PyModuleDef;
extern PyObject *PyModule_Create2(PyModuleDef *, int);
extern long PyLong_AsLong(PyObject *);
extern PyObject *PyLong_FromLong(long);
static PyObject *triple(PyObject *self, PyObject *n) { return PyLong_FromLong(3 * PyLong_AsLong(n)); }
static PyMethodDef methods[] = {{"triple", triple, 8, "Three times n."}, {0, 0, 0, 0}};
static PyModuleDef module = {{1, 0, 0, 0, 0}, "native", "Made for a test.", -1, methods, 0, 0, 0, 0};
__attribute__((visibility("default"))) PyObject *PyInit_native(void) { return PyModule_Create2(&module, 1013); }

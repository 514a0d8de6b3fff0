"""F(n) and its digits by a library for Python: rival.py LIBRARY N OUT.

Prints the seconds of both functions; with N = 0 only whether the library is there.
"""
import sys
import time

library, n, out = sys.argv[1], int(sys.argv[2]), sys.argv[3]
if library == "gmpy2":
    import gmpy2

    number, digits = gmpy2.fib, lambda value: value.digits()
elif library == "flint":
    import flint

    number, digits = flint.fmpz.fib_ui, lambda value: value.str()
else:
    sys.exit(64)
if n == 0:
    sys.exit(0)
if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)
begin = time.monotonic()
value = number(n)
middle = time.monotonic()
text = digits(value)
end = time.monotonic()
with open(out, "w") as file:
    file.write(text + "\n")
print(f"{middle - begin:.9f} {end - middle:.9f}")

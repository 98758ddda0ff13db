// stage: labels
void abort(void) __attribute__((noreturn));
void __VERIFIER_assume(int);
int f(int x) {
  __VERIFIER_assume(x > 0);
  if (x > 5)
    abort();
  for (;;)
    x++;
}

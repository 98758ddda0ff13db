/* Fourteen decisions that do not depend on each other: 16384 paths, evenly spread. */
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
  unsigned sum = 0, taken = 0;
  for (int i = 0; i < 14; i++) {
    unsigned x = __VERIFIER_nondet_uint();
    if (x > 1000u + i) {
      sum += 3;
      taken++;
    }
  }
  if (sum > 14 * 3) { reach_error(); }
  return 0;
}

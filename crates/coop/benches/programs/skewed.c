/* The first decision leaves almost all paths on one side, whatever a splitter believes: 95 of 100 are behind a condition that looks like
   the small one. */
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
unsigned sum, taken;
void round_of(unsigned limit) {
  unsigned x = __VERIFIER_nondet_uint();
  if (x > 1000u + limit) {
    sum += 3;
    taken++;
  }
}
int main(void) {
  unsigned rounds = 13;
  if (__VERIFIER_nondet_uint() > 7) { rounds = 8; }
  for (unsigned i = 0; i < rounds; i++) { round_of(i); }
  if (sum > 13 * 3) { reach_error(); }
  return 0;
}

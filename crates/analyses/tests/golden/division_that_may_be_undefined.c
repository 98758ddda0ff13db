// default: UNKNOWN
// bmc: UNKNOWN
// symbolic: UNKNOWN
// value: UNKNOWN
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { int by = __VERIFIER_nondet_int(); int part = 10 / by; if (by == 0) reach_error(); return part; }

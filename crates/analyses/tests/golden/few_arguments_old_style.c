// default: UNKNOWN
// bmc: UNKNOWN
// symbolic: UNKNOWN
// value: UNKNOWN
// interval: UNKNOWN
// predicate: UNKNOWN
// k-induction: UNKNOWN
extern void reach_error(void);
int half(whole, rest) int whole; int rest; { return whole / 2 + rest; }
int main(void) { int (*call)() = half; int sum = half(8); if (sum == 4 || call(1) == 0) reach_error(); return 0; }

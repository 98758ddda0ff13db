// default: UNKNOWN
// bmc: UNKNOWN
// symbolic: UNKNOWN
// value: UNKNOWN
// predicate: UNKNOWN
extern void reach_error(void);
static void both(int first, int second) { if (first == 5) reach_error(); }
int main(void) { void (*call)() = both; call(5); return 0; }

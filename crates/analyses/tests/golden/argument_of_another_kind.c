// default: UNKNOWN
// bmc: UNKNOWN
// symbolic: UNKNOWN
// value: UNKNOWN
extern void reach_error(void);
struct Pair { int first, second; };
static int number(int value) { return value; }
int main(void) { int (*call)() = (int (*)())number; struct Pair pair = { 1, 2 }; call(pair); reach_error(); return 0; }

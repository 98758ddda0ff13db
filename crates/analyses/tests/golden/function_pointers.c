// value: TRUE
// bmc: TRUE
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
static int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }
static int (*table[2])(int, int) = {add, subtract};
struct operation { int (*apply)(int, int); };
int main(void) {
    struct operation o = {subtract};
    int (*f)(int, int) = __VERIFIER_nondet_int() ? add : subtract;
    int r = f(7, 0);
    if (table[0](2, 3) != 5 || o.apply(2, 3) != -1 || r != 7) reach_error();
    return 0;
}

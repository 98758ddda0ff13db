// default: FALSE
// bmc: FALSE
// symbolic: FALSE
extern void reach_error(void);
int fesetround(int);
double __VERIFIER_nondet_double(void);
static double third(double x) { return x / 3; }
int main(void) {
    double x = __VERIFIER_nondet_double(), nearest = third(x);
    fesetround(0xc00);
    if (x > 1 && x < 1000 && third(x) < nearest) reach_error();
    return 0;
}

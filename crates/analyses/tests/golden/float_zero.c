// value: FALSE
// bmc: FALSE
extern void reach_error(void);
extern double __VERIFIER_nondet_double(void);
int main(void) {
    double d = __VERIFIER_nondet_double();
    if (d == 0.0 && 1.0 / d < 0) reach_error();
    return 0;
}

// default: FALSE
// bmc: FALSE
// symbolic: FALSE
extern void reach_error(void);
float fmaf(float, float, float);
float __VERIFIER_nondet_float(void);
int main(void) {
    float x = __VERIFIER_nondet_float();
    if (x >= 1 && x <= 2 && fmaf(x, x, -(x * x)) > 0) reach_error();
    return 0;
}

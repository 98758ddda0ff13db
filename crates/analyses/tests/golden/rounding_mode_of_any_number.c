// default: TRUE
// bmc: TRUE
// symbolic: TRUE
extern void reach_error(void);
int fesetround(int);
int __VERIFIER_nondet_int(void);
float one = 1, tiny = 1e-10f;
int main(void) {
    int mode = __VERIFIER_nondet_int(), failed = fesetround(mode);
    if (one + tiny != 1 && (failed || mode != 0x800)) reach_error();
    return 0;
}

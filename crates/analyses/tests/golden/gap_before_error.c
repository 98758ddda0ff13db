// k-induction: UNKNOWN
// predicate: UNKNOWN
// bmc: UNKNOWN
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int state;
int main(void) {
    while (__VERIFIER_nondet_int()) {
        // What is not modelled stands in another round than the error.
        if (state == 0) __asm__("incl %0" : "=m"(state));
        if (state == 3) reach_error();
    }
    return 0;
}

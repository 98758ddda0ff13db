// bmc: FALSE
// predicate: FALSE
// symbolic: FALSE
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned size = __VERIFIER_nondet_uint();
    if (size < 4) return 0;
    int all[size];
    unsigned at = __VERIFIER_nondet_uint() % size;
    all[size / 2] = 3;
    if (all[at] == 1234) reach_error();
    return 0;
}

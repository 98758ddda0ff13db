// default: UNKNOWN
// bmc: UNKNOWN
// symbolic: UNKNOWN
// k-induction: UNKNOWN
// value: UNKNOWN
// predicate: UNKNOWN
// interval: UNKNOWN
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int row[3], at = __VERIFIER_nondet_int();
    if (at < 0 && at > 0) reach_error();
    row[at] = 1;
    return 0;
}

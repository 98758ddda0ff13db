// bmc: TRUE
// symbolic: TRUE
// value: TRUE
// k-induction: TRUE
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int x = __VERIFIER_nondet_int();
    // The paths that pass by the error meet right behind it.
    if (x == 1)
        if (x == 2) reach_error();
    return 0;
}

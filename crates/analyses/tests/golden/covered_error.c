// value: FALSE
// bmc: FALSE
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int i = 0;
    while (__VERIFIER_nondet_int()) {
        i++;
        if (__VERIFIER_nondet_int() == 12) reach_error();
    }
    return 0;
}

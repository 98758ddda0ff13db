// value: UNKNOWN
// bmc: TRUE
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int x = __VERIFIER_nondet_int(), y = x;
    if (x != y) reach_error();
    return 0;
}

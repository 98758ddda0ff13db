// value: FALSE
// bmc: FALSE
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int a[4] = {0, 0, 0, 0};
    int b[2] = {5, 6};
    int i = __VERIFIER_nondet_int();
    if (i < 0 || i >= 4) return 0;
    a[i] = 1;
    if (b[0] != 5 || b[1] != 6) return 0;
    if (a[2] == 1) reach_error();
    return 0;
}

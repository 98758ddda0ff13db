// value: FALSE
// bmc: FALSE
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int a[4] = {1, 2, 3, 4};
    int *p = a + 1;
    int i = __VERIFIER_nondet_int();
    if (i == 3) {
        p[1] = 10;
        if (a[2] == 10 && a[i] == 4) reach_error();
    }
    return 0;
}

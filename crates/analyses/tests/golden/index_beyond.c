// value: UNKNOWN
// bmc: UNKNOWN
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int a[4] = {0, 0, 0, 0};
    int b[2] = {5, 6};
    int *p = a;
    p += __VERIFIER_nondet_int();
    *p = 1;
    if (b[0] != 5 || b[1] != 6) reach_error();
    return 0;
}

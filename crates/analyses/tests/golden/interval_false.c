// interval: UNKNOWN
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int i = 0, n = __VERIFIER_nondet_int();
    while (i < n) i++;
    if (i == 77) reach_error();
    return 0;
}

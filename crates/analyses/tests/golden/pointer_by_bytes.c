// bmc: FALSE
// symbolic: FALSE
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int a = 1, b = 2;
    int *p = __VERIFIER_nondet_int() ? &a : &b;
    int *q;
    char *from = (char *)&p, *to = (char *)&q;
    for (unsigned i = 0; i < sizeof p; i++) to[i] = from[i];
    *q = 3;
    if (a == 3) reach_error();
    return 0;
}

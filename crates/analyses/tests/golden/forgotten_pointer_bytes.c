// value: FALSE
// bmc: FALSE
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int x = 1;
int main(void) {
    int *p = &x, *q = 0;
    unsigned char *from = (unsigned char *)&p, *to = (unsigned char *)&q;
    unsigned i;
    for (i = 0; i < sizeof p; i++) to[i] = from[i];
    *q = __VERIFIER_nondet_int();
    if (x == 2) reach_error();
    return 0;
}

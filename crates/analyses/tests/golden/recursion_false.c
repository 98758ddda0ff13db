// value: FALSE
// bmc: FALSE
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int sum(int n) {
    if (n <= 0) return 0;
    return n + sum(n - 1);
}
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n == 5 && sum(n) == 15) reach_error();
    return 0;
}

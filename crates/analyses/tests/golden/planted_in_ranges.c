// value: FALSE
// symbolic: FALSE
// bmc: FALSE
// default: FALSE
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
// Two counters that go together, but for the third round.
int main(void) {
    int x = __VERIFIER_nondet_int();
    int a = 0, b = 0;
    if (x >= 0) {
        while (a < x) {
            a++;
            b++;
            if (a == 3) b++;
        }
    } else {
        a = 10;
        b = 10;
    }
    if (a != b) reach_error();
    return 0;
}

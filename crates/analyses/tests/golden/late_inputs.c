// predicate: FALSE
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int hits = 0;
    int never_written;
    for (int i = 0; i < 5; i++) {
        int k = __VERIFIER_nondet_int();
        if (k == i + 3) hits++;
        if (never_written == 7 && i == 2) hits++;
    }
    if (hits == 6) reach_error();
    return 0;
}

// value: TRUE
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int lock = 0;
    unsigned counter = 0;
    while (__VERIFIER_nondet_int()) {
        if (lock != 0) reach_error();
        lock = 1;
        counter = counter + 3;
        if (__VERIFIER_nondet_int() == 4) counter = counter * 5;
        lock = 0;
    }
    return 0;
}

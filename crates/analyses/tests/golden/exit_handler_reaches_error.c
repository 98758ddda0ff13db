// default: FALSE
// bmc: FALSE
// symbolic: FALSE
extern void reach_error(void);
int atexit(void (*)(void));
int __VERIFIER_nondet_int(void);
int state;
static void check(void) { if (state == 3) reach_error(); }
int main(void) {
    atexit(check);
    state = __VERIFIER_nondet_int();
    return 0;
}

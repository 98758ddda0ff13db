// default: TRUE
// bmc: TRUE
// symbolic: TRUE
extern void reach_error(void);
int atexit(void (*)(void));
void exit(int);
int __VERIFIER_nondet_int(void);
int state;
static void last(void) { if (state != 2) reach_error(); }
static void first(void) { if (state != 1) reach_error(); state = 2; }
int main(void) {
    atexit(last);
    atexit(first);
    state = 1;
    if (__VERIFIER_nondet_int()) exit(1);
    return 0;
}

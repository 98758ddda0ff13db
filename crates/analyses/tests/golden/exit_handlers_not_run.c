// default: TRUE
// bmc: TRUE
// symbolic: TRUE
extern void reach_error(void);
int atexit(void (*)(void));
void _exit(int);
void abort(void);
int __VERIFIER_nondet_int(void);
static void handler(void) { reach_error(); }
int main(void) {
    atexit(handler);
    if (__VERIFIER_nondet_int()) abort();
    _exit(0);
}

// k-induction: TRUE
// bmc: TRUE
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
struct lock { int held; int count; };
struct lock lock;
int main(void) {
    int rounds = 0;
    while (rounds < 10) {
        if (__VERIFIER_nondet_int()) lock.held = 1;
        rounds++;
        if (lock.held != 0 && lock.held != 1) reach_error();
    }
    return 0;
}

// k-induction: FALSE
// predicate: FALSE
// bmc: FALSE
// value: FALSE
// symbolic: FALSE
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
struct lock { int held; int count; };
struct lock lock;
int table[3];
int main(void) {
    int rounds = 0;
    while (rounds < 6) {
        int take = __VERIFIER_nondet_int();
        // Only one side touches the objects: on the other they keep what they held.
        if (take) {
            lock.held = 1;
            table[1] = 7;
        }
        rounds++;
        if (lock.held == 0 && table[1] == 0 && rounds == 4) reach_error();
    }
    return 0;
}

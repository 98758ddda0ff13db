// value: FALSE
// predicate: FALSE
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int state = 1, rounds = 0;
int react(int input) {
    if (input == 1 && state == 1) { state = 2; return 5; }
    if (input == 2 && state == 2) { state = 3; return 5; }
    if (state == 3 && input == 1) reach_error();
    return -1;
}
int main(void) {
    while (1) {
        int input = __VERIFIER_nondet_int();
        rounds = rounds + 1;
        if (input != 1 && input != 2) return -2;
        react(input);
    }
}

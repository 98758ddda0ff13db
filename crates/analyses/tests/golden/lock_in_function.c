// predicate: TRUE
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int locked;
void take(void) {
    if (locked) reach_error();
    locked = 1;
}
void give(void) {
    if (!locked) reach_error();
    locked = 0;
}
int main(void) {
    int again = __VERIFIER_nondet_int();
    int old;
    int new = 0;
    do {
        take();
        old = new;
        if (again) {
            give();
            new++;
        }
    } while (new != old);
    give();
    return 0;
}

// predicate: TRUE
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int x = 1;
    int y = 0;
    while (y < 1024) {
        x = 0;
        y++;
    }
    if (x != 0) reach_error();
    return 0;
}

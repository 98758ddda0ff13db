// interval: UNKNOWN
extern void *malloc(unsigned long);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
// Two objects of one call: what is true of the first is not true of the second.
int main(void) {
    int *first = 0, *second = 0;
    for (int i = 0; i < 2; i++) {
        int *made = malloc(sizeof(int));
        *made = i;
        first = second;
        second = made;
    }
    if (*second == 1) reach_error();
    return 0;
}

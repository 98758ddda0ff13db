// symbolic: TRUE
// bmc: TRUE
/* The generic forms take pointers to their operands. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int start = __VERIFIER_nondet_int(), object = start, given = 5, got = 1;
    __atomic_exchange(&object, &given, &got, 5);
    if (object != 5 || got != start) reach_error();
    given = 8;
    __atomic_store(&object, &given, 5);
    __atomic_load(&object, &got, 5);
    if (object != 8 || got != 8) reach_error();
    int expected = 7, wanted = 9;
    if (__atomic_compare_exchange(&object, &expected, &wanted, 0, 5, 5)) reach_error();
    if (object != 8 || expected != 8) reach_error();
    if (!__atomic_compare_exchange(&object, &expected, &wanted, 0, 5, 5)) reach_error();
    if (object != 9 || expected != 8) reach_error();
    int first = 1, second = 2, *pointer = &first, *other = &second, *old;
    __atomic_exchange(&pointer, &other, &old, 5);
    if (pointer != &second || old != &first) reach_error();
    return 0;
}

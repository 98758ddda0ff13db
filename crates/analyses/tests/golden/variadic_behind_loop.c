// predicate: UNKNOWN
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int second(int count, ...) {
    __builtin_va_list list;
    int i = 0;
    while (i < __VERIFIER_nondet_int()) i++;
    __builtin_va_start(list, count);
    int first = __builtin_va_arg(list, int);
    __builtin_va_end(list);
    return first;
}
int main(void) {
    if (second(1, 42) != 7) reach_error();
    return 0;
}

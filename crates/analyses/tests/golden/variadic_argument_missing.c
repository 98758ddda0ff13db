// default: UNKNOWN
// bmc: UNKNOWN
// symbolic: UNKNOWN
extern void reach_error(void);
static int last(int count, ...) {
    __builtin_va_list list;
    int value = 0;
    __builtin_va_start(list, count);
    while (count-- > 0) value = __builtin_va_arg(list, int);
    __builtin_va_end(list);
    return value;
}
int main(void) { if (last(3, 1, 2) != 9) reach_error(); return 0; }

// bmc: UNKNOWN
// symbolic: UNKNOWN
// k-induction: UNKNOWN
// predicate: UNKNOWN
// value: UNKNOWN
extern void reach_error(void);
extern int table[];
int main(void) {
    int *p = table;
    if (*p == 4) reach_error();
    if (table[1] == 4) reach_error();
    return 0;
}

// symbolic: UNKNOWN
// bmc: UNKNOWN
/* A nested function is not modelled, also where a jump passes its definition and where a global one has its name. */
extern void reach_error(void);
int inner(int x) { return x; }
int main(void) {
    int start = 3;
    if (start == 3) goto behind;
    int inner(int x) { return x + start; }
behind:
    if (inner(1) == 4) reach_error();
    return 0;
}

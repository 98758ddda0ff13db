// interval: TRUE
extern void reach_error(void);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
int total = 0;
void require(int holds) { if (!holds) abort(); }
int clamp(int value) {
    if (value < 0) return 0;
    return value > 9 ? 9 : value;
}
void store(int *to, int value) { *to = value; }
int main(void) {
    int size = __VERIFIER_nondet_int(), seen = 0, values[16];
    require(size >= 0);
    require(size <= 16);
    for (int i = 0; i < size; i++) {
        values[i] = i;
        store(&seen, clamp(__VERIFIER_nondet_int()));
        if (seen < 0 || seen > 9) reach_error();
        if (total < 100) total += seen;
    }
    if (size > 16 || total > 108 || total < 0) reach_error();
    return 0;
}

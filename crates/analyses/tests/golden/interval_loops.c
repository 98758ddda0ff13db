// interval: TRUE
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void) {
    int count = 0, last = 0;
    while (count < 1000) count++;
    if (count != 1000) reach_error();
    for (int row = 0; row < 10; row++) {
        for (int column = 20; column > 0; column -= 2) {
            if (row < 0 || row > 9 || column < 2 || column > 20) reach_error();
            last = column;
        }
    }
    if (last < 0 || last > 20) reach_error();
    unsigned limit = __VERIFIER_nondet_uchar(), sum = 0;
    for (unsigned char at = 0; at < limit && sum < 5000; at++) sum += 7;
    if (sum > 5006 || sum % 7 != 0) reach_error();
    return 0;
}

// default: TRUE
// bmc: TRUE
// symbolic: TRUE
extern void reach_error(void);
int number;
int main(void) {
    unsigned long place = (unsigned long)&number;
    if (place == 0 || place % 4 != 0 || place >= (unsigned long)-4095) reach_error();
    int *again = (int *)place;
    *again = 7;
    if (number != 7) reach_error();
    return 0;
}

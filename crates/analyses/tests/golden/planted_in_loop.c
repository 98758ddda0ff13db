// value: FALSE
// symbolic: FALSE
// bmc: FALSE
// default: FALSE
extern void reach_error(void);
// The loop of two counters with a mistake: x is zero only after the first round.
int main(void) {
    int x = 1;
    int y = 0;
    while (y < 1024) {
        x = 0;
        y++;
        if (y == 5) x = 2;
        if (y > 4) break;
    }
    if (x == 0) {
    } else {
        reach_error();
    }
    return 0;
}

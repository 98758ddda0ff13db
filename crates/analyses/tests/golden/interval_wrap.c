// interval: UNKNOWN
extern void reach_error(void);
// Wraps around: the loop leaves the range that the comparison alone would give.
int main(void) {
    unsigned char at = 250;
    while (at != 5) at = at + 3;
    if (at == 5) reach_error();
    return 0;
}

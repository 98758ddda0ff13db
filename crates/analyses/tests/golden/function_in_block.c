// symbolic: FALSE
// bmc: FALSE
// value: FALSE
/* Functions that are declared in a block: defined behind it, defined before it, with and without `extern`. */
extern void reach_error(void);
int before(int x) { return x + 1; }
static int through(void) {
    extern int behind(int);
    return behind(3);
}
int main(void) {
    int behind(int), before(int);
    extern int value;
    if (behind(4) == 9 && before(4) == 5 && through() == 8 && value == 7) reach_error();
    return 0;
}
int behind(int x) { return x + 5; }
int value = 7;

// default: FALSE
// bmc: FALSE
// symbolic: FALSE
// random: FALSE
extern void reach_error(void);
int *__errno_location(void);
int printf(const char *, ...);
int main(void) {
    printf("text");
    *__errno_location() = 0;
    if (*__errno_location() == 0) reach_error();
    return 0;
}

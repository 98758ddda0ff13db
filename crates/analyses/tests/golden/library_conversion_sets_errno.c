// default: TRUE
// bmc: TRUE
// symbolic: TRUE
// model: LP64
extern void reach_error(void);
int *__errno_location(void);
long strtol(const char *, char **, int);
int main(void) {
    *__errno_location() = 0;
    if (strtol("12", (char **)0, 10) != 12 || *__errno_location() != 0) reach_error();
    strtol("99999999999999999999", (char **)0, 10);
    if (*__errno_location() != 34) reach_error();
    return 0;
}

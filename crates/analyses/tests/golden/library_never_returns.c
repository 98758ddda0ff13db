// default: TRUE
// bmc: TRUE
// symbolic: TRUE
extern void reach_error(void);
void errx(int, const char *, ...);
int main(void) { errx(1, "over"); reach_error(); return 0; }

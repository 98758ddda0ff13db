// default: UNKNOWN
// bmc: UNKNOWN
// symbolic: UNKNOWN
extern void reach_error(void);
int printf(const char *, ...);
int main(void) { int count = 0; printf("four%n", &count); if (count == 4) reach_error(); return 0; }

// default: TRUE
// bmc: TRUE
// symbolic: TRUE
extern void reach_error(void);
int main(void) { const char *a = "tandem", *b = "bicycle"; if (a == b || a + 1 == a) reach_error(); return 0; }

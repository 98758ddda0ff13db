// bmc: UNKNOWN
// symbolic: UNKNOWN
extern void reach_error(void);
int main(void) { const char *a = "tandem", *b = "tandem"; if (a != b) reach_error(); return 0; }

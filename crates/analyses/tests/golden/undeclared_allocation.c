// default: FALSE
// bmc: FALSE
// symbolic: FALSE
extern void reach_error(void);
int main(void) { int *p = malloc(8); if (!p) return 0; p[1] = 3; if (p[1] == 3) reach_error(); return 0; }

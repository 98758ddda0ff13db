// default: UNKNOWN
// bmc: UNKNOWN
// symbolic: UNKNOWN
extern void reach_error(void);
void *malloc(__SIZE_TYPE__);
void free(void *);
int main(void) { int *p = malloc(4), *q = p; free(p); free(q); reach_error(); return 0; }

// default: UNKNOWN
// bmc: UNKNOWN
// symbolic: UNKNOWN
// random: UNKNOWN
extern void reach_error(void);
void *malloc(__SIZE_TYPE__);
void free(void *);
int main(void) { char *old = malloc(8); free(old); char *young = malloc(8); if (young == old) reach_error(); return 0; }

// default: UNKNOWN
// bmc: UNKNOWN
// symbolic: UNKNOWN
extern void reach_error(void);
void free(void *);
int table[4];
int main(void) { free(table + 1); reach_error(); return 0; }

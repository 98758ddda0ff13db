// default: UNKNOWN
// bmc: UNKNOWN
// symbolic: UNKNOWN
extern void reach_error(void);
int at_quick_exit(void (*)(void));
void quick_exit(int);
static void late(void) { reach_error(); }
int main(void) { at_quick_exit(late); quick_exit(0); }

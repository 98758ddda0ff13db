// bmc: UNKNOWN
// symbolic: UNKNOWN
extern void reach_error(void);
int atexit(void (*)(void));
int count;
static void handler(void) { count++; if (count == 40) reach_error(); }
int main(void) {
    for (int i = 0; i < 40; i++) atexit(handler);
    return 0;
}

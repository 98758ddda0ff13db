// symbolic: TRUE
// bmc: TRUE
/* Flags are one byte, whatever the pointer points to. */
extern void reach_error(void);
int main(void) {
    int word = 0x01020300;
    if (__atomic_test_and_set(&word, 5)) reach_error();
    if (word != 0x01020301) reach_error();
    __atomic_clear(&word, 5);
    if (word != 0x01020300) reach_error();
    return 0;
}

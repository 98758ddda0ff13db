// model: LP64
// value: TRUE
// bmc: TRUE
extern void reach_error(void);
int main(void) {
    unsigned long l = 0xffffffffUL;
    l++;
    if (l != 0x100000000UL || sizeof(void *) != 8) reach_error();
    return 0;
}

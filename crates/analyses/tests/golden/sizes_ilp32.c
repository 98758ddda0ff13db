// model: ILP32
// value: TRUE
// bmc: TRUE
extern void reach_error(void);
int main(void) {
    unsigned long l = 0xffffffffUL;
    l++;
    if (l != 0 || sizeof(void *) != 4) reach_error();
    return 0;
}

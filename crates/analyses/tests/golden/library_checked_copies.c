// default: TRUE
// bmc: TRUE
// symbolic: TRUE
extern void reach_error(void);
int main(void) {
    char text[8];
    __builtin___strcpy_chk(text, "abc", 8);
    if (text[2] != 'c') reach_error();
    return 0;
}

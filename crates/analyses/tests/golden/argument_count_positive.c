// symbolic: TRUE
// bmc: TRUE
/* There is at least one argument, and no bound above. */
extern void reach_error(void);
int main(int argc, char *argv[]) {
    if (argc < 1) reach_error();
    return 0;
}

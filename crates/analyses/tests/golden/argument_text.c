// symbolic: FALSE
/* The arguments are strings with any content, and the list ends with a null pointer. */
extern void reach_error(void);
int main(int argc, const char **argv) {
    if (argc == 3 && argv[1][0] == 'x' && argv[2][1] == 'y' && argv[3] == 0) reach_error();
    return 0;
}

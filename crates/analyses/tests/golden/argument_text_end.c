// symbolic: UNKNOWN
/* A byte behind what is modelled is not known to be anything: no proof, and no alarm either. */
extern void reach_error(void);
int main(int argc, char **argv) {
    if (argc > 20 && argv[15][40] == 'x') reach_error();
    return 0;
}

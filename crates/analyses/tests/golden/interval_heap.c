// interval: TRUE
extern void *malloc(unsigned long);
extern void free(void *);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
struct node { int value; struct node *next; };
int main(void) {
    struct node *list = 0;
    int length = 0;
    while (__VERIFIER_nondet_int() && length < 5) {
        struct node *node = malloc(sizeof *node);
        node->value = length;
        node->next = list;
        list = node;
        length++;
    }
    if (length > 5) reach_error();
    int *cell = malloc(sizeof *cell);
    *cell = 7;
    if (*cell != 7) reach_error();
    free(cell);
    return 0;
}

// value: TRUE
// bmc: TRUE
extern void reach_error(void);
void *malloc(__SIZE_TYPE__);
void *calloc(__SIZE_TYPE__, __SIZE_TYPE__);
void free(void *);
struct node { int value; struct node *next; };
int main(void) {
    struct node *list = 0;
    int i, sum = 0;
    int *zeros = calloc(3, sizeof(int));
    for (i = 1; i <= 4; i++) {
        struct node *n = malloc(sizeof *n);
        n->value = i;
        n->next = list;
        list = n;
    }
    while (list) {
        struct node *next = list->next;
        sum = sum * 10 + list->value;
        free(list);
        list = next;
    }
    if (sum != 4321 || zeros[2] != 0) reach_error();
    return 0;
}

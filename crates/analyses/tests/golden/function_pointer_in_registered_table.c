// predicate: TRUE
// k-induction: TRUE
/* A driver registers a table of functions, and the kernel calls one of them if the table has it. What is in the table is a function of the program
   or null, whatever the index: no call goes elsewhere. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
struct operations {
    int (*open)(int);
    int (*close)(int);
};
struct device {
    struct operations *operations;
    char name[20];
    short is_open;
};
static int opened;
static int do_open(int number) { opened = 1; return number; }
static struct operations table = { do_open, 0 };
static struct device devices[300];
static int registered;
static void add(struct operations *operations) {
    if (registered < 300) {
        devices[registered].operations = operations;
        registered++;
    }
}
int main(void) {
    while (__VERIFIER_nondet_int()) add(&table);
    while (__VERIFIER_nondet_int()) {
        int index = __VERIFIER_nondet_int();
        if (index < 0 || index >= registered) continue;
        if (devices[index].operations->close) devices[index].operations->close(index);
    }
    if (opened) reach_error();
    return 0;
}

// k-induction: UNKNOWN
// predicate: UNKNOWN
extern void reach_error(void);
extern void *malloc(unsigned long);
extern int __VERIFIER_nondet_int(void);
// With the largest count, more memory is asked for than can be: what the machine does with the pointer it gets is another
// question than whether the pointer can be null.
static int body(int count, char **words) {
    if (words == 0) reach_error();
    return 0;
}
int main(void) {
    int count = __VERIFIER_nondet_int();
    if (count < 0) return 0;
    char **words = malloc((count + 1) * sizeof(char *));
    words[count] = 0;
    for (int i = 0; i < count; i++) words[i] = malloc(10);
    return body(count, words);
}

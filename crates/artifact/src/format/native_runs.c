/* Runs a program natively again and again, each time in a process of its own with other inputs, and says whether a run reached the error.

   Everything begins in a constructor: the first process stays in it, starts one process after the other, and each of these goes on to `main`.
   What they took is in memory that all share. System calls are made directly: the program may have functions called `write` or `wait` of its
   own. TANDEM_MILLISECONDS says how long; TANDEM_RUN chooses a single run, whose messages are let through. */
#include <sys/syscall.h>

enum { ERROR = 107, SANITIZER = 109, MOST_INPUTS = 20000, MOST_RUNS = 1000000, RUN_MICROSECONDS = 300000 };
enum { INTEGER, TRUTH, SINGLE, DOUBLE, EXTENDED, POINTER };

extern long syscall(long number, ...);
extern int __fork(void);

static struct {
    unsigned reached, count;
    struct {
        unsigned short function;
        unsigned char size;
        unsigned char bytes[16];
    } taken[MOST_INPUTS];
} *shared;

static unsigned long long run, state, last;
static unsigned style, width;

static void print(const char *text)
{
    unsigned long length = 0;
    while (text[length])
        length++;
    syscall(SYS_write, 1, text, length);
}

static void print_number(unsigned long long number)
{
    char text[24], *at = text + sizeof text;
    *--at = 0;
    do
        *--at = '0' + number % 10;
    while (number /= 10);
    print(at);
}

/* The stubs end a run by this. */
static void tandem_stop(const char *text, int status)
{
    if (shared && status == ERROR)
        shared->reached = 1;
    (void)text;
    syscall(SYS_exit_group, status);
    for (;;)
        ;
}

static unsigned long long random_bits(void)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1dULL;
}

static long long word(void)
{
    unsigned count = sizeof tandem_words / sizeof *tandem_words;
    return tandem_words[random_bits() % count] + (long long)(random_bits() % 3) - 1;
}

/* A value that stands at the border of a type with so many bits. */
static long long border(unsigned bits)
{
    unsigned long long top = 1ULL << (bits - 1);
    switch (random_bits() % 10) {
    case 0: return 0;
    case 1: return 1;
    case 2: return -1;
    case 3: return 2;
    case 4: return (long long)(top - 1);
    case 5: return (long long)top;
    case 6: return (long long)(top - 2);
    case 7: return (long long)(top + 1);
    case 8: return 1LL << random_bits() % bits;
    default: return (1LL << random_bits() % bits) - 1;
    }
}

static long long chosen(unsigned how, unsigned bits)
{
    switch (how) {
    case 0: return (long long)(random_bits() % 21) - 5;
    case 1: return border(bits);
    case 2: return word();
    case 3: return (long long)random_bits();
    case 4: return (long long)(random_bits() % 2);
    case 5: return (long long)(1 + random_bits() % width);
    case 6: return (long long)(last + random_bits() % 3 - 1);
    default: return chosen((unsigned)(random_bits() % 7), bits);
    }
}

/* The first runs are those of the tests that were given, then there is one for each border, then random ones. */
static long long integer(unsigned bits)
{
    unsigned long long top = 1ULL << (bits - 1);
    switch (style) {
    case 100: return 0;
    case 101: return 1;
    case 102: return -1;
    case 103: return (long long)(top - 1);
    case 104: return (long long)top;
    default: return chosen(style, bits);
    }
}

static double real(void)
{
    union {
        unsigned long long bits;
        double value;
    } any;
    if (style >= 100)
        return style == 103 ? 1e308 : style == 104 ? -1e308 : (double)integer(32);
    switch (random_bits() % 6) {
    case 0: return (double)chosen(style, 32);
    case 1: return (double)chosen(style, 32) / 8;
    case 2:
        any.bits = random_bits();
        return any.value;
    case 3: return (double)(random_bits() % 2000001) / 1000000 - 1;
    case 4: any.bits = random_bits() & 0x800fffffffffffffULL | (random_bits() % 3 ? 0x3ff0000000000000ULL : 0); return any.value;
    default:
        any.bits = random_bits() % 2 ? 0x7ff0000000000000ULL : 0x8000000000000000ULL;
        return random_bits() % 2 ? any.value : -any.value;
    }
}

static void copy(unsigned char *to, const void *from, unsigned size)
{
    while (size--)
        to[size] = ((const unsigned char *)from)[size];
}

/* The next input, of so many bytes. */
static void tandem_input(unsigned char *to, unsigned size, int kind, unsigned function)
{
    unsigned long long bits[2] = {0, 0};
    unsigned index = shared->count;
    double value;
    float single;
    long double extended;
    if (index >= MOST_INPUTS)
        tandem_stop("", 0);
    if (style == 200) {
        /* A test that was given; zeros when it has no more values. */
        unsigned long at = tandem_tests[run] + index;
        if (at < tandem_tests[run + 1]) {
            bits[0] = tandem_values[at].low;
            bits[1] = tandem_values[at].high;
        }
        value = tandem_values[at < tandem_tests[run + 1] ? at : tandem_tests[run]].real;
        if (at >= tandem_tests[run + 1])
            value = 0;
    } else {
        bits[0] = (unsigned long long)integer(kind == INTEGER && size < 8 ? 8 * size : 64);
        bits[1] = (long long)bits[0] < 0 ? ~0ULL : 0;
        value = kind >= SINGLE && kind <= EXTENDED ? real() : 0;
        last = bits[0];
    }
    single = (float)value;
    extended = value;
    switch (kind) {
    case TRUTH:
        bits[0] &= 1;
        copy(to, bits, size);
        break;
    case SINGLE: copy(to, &single, size); break;
    case DOUBLE: copy(to, &value, size); break;
    case EXTENDED: copy(to, &extended, size < sizeof extended ? size : sizeof extended); break;
    case POINTER:
        /* There is nothing of the program at these addresses. */
        bits[0] = bits[0] % 4 ? 0 : 16 * (bits[0] % 200);
        bits[1] = 0;
        copy(to, bits, size);
        break;
    default: copy(to, bits, size);
    }
    shared->taken[index].function = (unsigned short)function;
    shared->taken[index].size = (unsigned char)size;
    copy(shared->taken[index].bytes, to, size);
    shared->count = index + 1;
}

static void choose_style(void)
{
    unsigned tests = sizeof tandem_tests / sizeof *tandem_tests - 1;
    state = (run + 1) * 0x9e3779b97f4a7c15ULL | 1;
    random_bits();
    random_bits();
    last = 0;
    width = 2 + random_bits() % 7;
    if (run < tests)
        style = 200;
    else if (run < tests + 5)
        style = 100 + (unsigned)(run - tests);
    else
        style = (unsigned)(random_bits() % 9);
}

static void report_inputs(void)
{
    static const char digits[] = "0123456789abcdef";
    unsigned index, at;
    for (index = 0; index < shared->count; index++) {
        char text[40], *end = text;
        print("input ");
        print_number(shared->taken[index].function);
        *end++ = ' ';
        for (at = shared->taken[index].size; at--;) {
            *end++ = digits[shared->taken[index].bytes[at] >> 4];
            *end++ = digits[shared->taken[index].bytes[at] & 15];
        }
        *end++ = '\n';
        *end = 0;
        print(text);
    }
}

static long long milliseconds(void)
{
    long now[2] = {0, 0};
    syscall(SYS_clock_gettime, 1, now);
    return now[0] * 1000LL + now[1] / 1000000;
}

/* The number behind a name in the environment, or -1. */
static long long setting(char **environment, const char *name)
{
    for (; *environment; environment++) {
        const char *at = *environment, *wanted = name;
        long long number = 0;
        while (*wanted && *at == *wanted)
            at++, wanted++;
        if (*wanted || *at++ != '=')
            continue;
        for (; *at >= '0' && *at <= '9'; at++)
            number = number * 10 + (*at - '0');
        return number;
    }
    return -1;
}

/* The part of a process that runs the program: silent, and not for long. */
static void begin(int is_single)
{
    long timer[4] = {0, 0, 0, RUN_MICROSECONDS};
    long null = syscall(SYS_openat, -100, "/dev/null", 1);
    syscall(SYS_dup2, null, 1);
    if (!is_single)
        syscall(SYS_dup2, null, 2);
    syscall(SYS_setitimer, 0, timer, 0);
    choose_style();
}

/* What became of a run: whether this was all. */
static int judge(int status, unsigned long long *crashes, unsigned long long *found)
{
    if (shared->reached) {
        print("error ");
        print_number(run);
        print("\n");
        report_inputs();
        return 1;
    }
    if (status == SANITIZER << 8) {
        if (!(*found)++) {
            print("sanitizer ");
            print_number(run);
            print("\n");
        }
    } else if (status & 127)
        ++*crashes;
    return 0;
}

__attribute__((constructor(101))) static void tandem_runs(int count, char **arguments, char **environment)
{
    long long limit = setting(environment, "TANDEM_MILLISECONDS"), single = setting(environment, "TANDEM_RUN");
    long long end = milliseconds() + (limit < 0 ? 1000 : limit);
    unsigned long long crashes = 0, found = 0, done = 0;
    long region;
#ifdef SYS_mmap2
    region = syscall(SYS_mmap2, 0, sizeof *shared, 3, 33, -1, 0);
#else
    region = syscall(SYS_mmap, 0, sizeof *shared, 3, 33, -1, 0L);
#endif
    if (region == -1)
        tandem_stop("", 2);
    shared = (void *)region;
    for (run = single < 0 ? 0 : (unsigned long long)single; run < MOST_RUNS; run++) {
        int status = 0;
        long child;
        shared->reached = shared->count = 0;
        child = __fork();
        if (!child) {
            begin(single >= 0);
            return;
        }
        if (child < 0)
            break;
        while (syscall(SYS_wait4, child, &status, 0, 0) < 0)
            ;
        done++;
        if (judge(status, &crashes, &found) || single >= 0 || milliseconds() >= end)
            break;
    }
    print("runs ");
    print_number(done);
    print("\ncrashes ");
    print_number(crashes);
    print("\nfindings ");
    print_number(found);
    print("\n");
    syscall(SYS_exit_group, 0);
}

extern void *__real_malloc(__SIZE_TYPE__), *__real_calloc(__SIZE_TYPE__, __SIZE_TYPE__);
extern void *__real_realloc(void *, __SIZE_TYPE__);

/* That there is no memory left is a limit of these runs, and not what is asked about. */
static void *allocated(void *block, __SIZE_TYPE__ size)
{
    if (!block && size)
        tandem_stop("", 0);
    return block;
}

void *__wrap_malloc(__SIZE_TYPE__ size)
{
    return allocated(__real_malloc(size), size);
}

void *__wrap_calloc(__SIZE_TYPE__ count, __SIZE_TYPE__ size)
{
    return allocated(__real_calloc(count, size), count && size);
}

void *__wrap_realloc(void *block, __SIZE_TYPE__ size)
{
    return allocated(__real_realloc(block, size), size);
}

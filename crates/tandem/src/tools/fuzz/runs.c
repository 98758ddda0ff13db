/* Runs of a program inside one process, for fuzzers: each run begins with the objects as they were at the start, takes its inputs from the
   bytes it is given (zeros when there are no more), and is left when its path ends, when it does what is not defined, when it asks for too many
   zeros or takes too long. Calling an error function ends the process, which is what fuzzers look for. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>

enum { MEMORY = 1 << 26, MICROSECONDS = 100000, HEAD = 16, STACK = 1 << 16, ZEROS = 64 };

/* The program's own objects: the compiler puts them into sections of these names. */
extern char __start_tandem_data[] __attribute__((weak)), __stop_tandem_data[] __attribute__((weak));
extern char __start_tandem_bss[] __attribute__((weak)), __stop_tandem_bss[] __attribute__((weak));

extern int tandem_main();

static const uint8_t *bytes;
static size_t left;
static unsigned zeros;
static char *memory, *next_block, *initial;
static sigjmp_buf start;
static volatile sig_atomic_t running;

_Noreturn void tandem_leave(void);

void tandem_take(void *to, unsigned long size)
{
    unsigned long there = size < left ? size : left;
    /* A program that never ends by itself would take all the time with inputs that nobody chose. */
    if (!there && ++zeros > ZEROS)
        tandem_leave();
    memset(to, 0, size);
    if (there)
        memcpy(to, bytes, there);
    bytes += there;
    left -= there;
}

_Noreturn void tandem_leave(void)
{
    siglongjmp(start, 1);
}

_Noreturn void tandem_error(void)
{
    running = 0;
    abort();
}

void *tandem_malloc(size_t size)
{
    char *block = next_block;
    if (size > (size_t)(memory + MEMORY - next_block) / 2)
        tandem_leave();
    *(size_t *)block = size;
    next_block += HEAD + (size + HEAD - 1) / HEAD * HEAD;
    return block + HEAD;
}

void *tandem_calloc(size_t count, size_t size)
{
    if (size && count > MEMORY / size)
        tandem_leave();
    return memset(tandem_malloc(count * size), 0, count * size);
}

void *tandem_realloc(void *old, size_t size)
{
    void *moved = tandem_malloc(size);
    if (old) {
        size_t before = *(size_t *)((char *)old - HEAD);
        memcpy(moved, old, before < size ? before : size);
    }
    return moved;
}

void tandem_free(void *block)
{
}

int tandem_print()
{
    return 0;
}

static void stop(int number)
{
    if (running)
        siglongjmp(start, 1);
    if (number != SIGVTALRM) {
        signal(number, SIG_DFL);
        raise(number);
    }
}

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    static char stack[STACK];
    static const int caught[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGVTALRM};
    stack_t other = {.ss_sp = stack, .ss_size = STACK};
    struct sigaction action = {.sa_handler = stop, .sa_flags = SA_ONSTACK | SA_NODEFER};
    size_t size = __stop_tandem_data - __start_tandem_data;
    unsigned i;
    sigaltstack(&other, 0);
    for (i = 0; i < sizeof caught / sizeof *caught; i++)
        sigaction(caught[i], &action, 0);
    memory = mmap(0, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    initial = malloc(size + 1);
    if (memory == MAP_FAILED || !initial)
        _Exit(1);
    memcpy(initial, __start_tandem_data, size);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    struct itimerval limit = {{0, 0}, {0, MICROSECONDS}}, none = {{0, 0}, {0, 0}};
    memcpy(__start_tandem_data, initial, __stop_tandem_data - __start_tandem_data);
    memset(__start_tandem_bss, 0, __stop_tandem_bss - __start_tandem_bss);
    bytes = input;
    left = size;
    zeros = 0;
    next_block = memory;
    if (!sigsetjmp(start, 1)) {
        setitimer(ITIMER_VIRTUAL, &limit, 0);
        running = 1;
        tandem_main();
    }
    running = 0;
    setitimer(ITIMER_VIRTUAL, &none, 0);
    return 0;
}

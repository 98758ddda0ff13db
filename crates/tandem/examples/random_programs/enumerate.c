/* Runs a program on all values of its inputs, one process for each. Exit status: 0 no run reaches the error, 1 some run does, 2 a run
   did something undefined, took too long, or there are too many runs. */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_CHOICES = 64, MOST_RUNS = 2000, REACHED = 107 };

static struct {
    int count, reached;
    long chosen[MOST_CHOICES], of[MOST_CHOICES];
} *shared;

/* The next input: a value of an interval. */
long choose(long low, long count)
{
    int index = shared->count++;
    if (index >= MOST_CHOICES)
        _exit(2);
    shared->of[index] = count;
    return low + shared->chosen[index];
}

void reach_error(void)
{
    shared->reached = 1;
    _exit(REACHED);
}

__attribute__((constructor)) static void enumerate(void)
{
    int runs, reached = 0;
    alarm(60);
    shared = mmap(0, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (runs = 0; runs < MOST_RUNS; runs++) {
        int status, last;
        pid_t child;
        shared->count = shared->reached = 0;
        child = fork();
        if (!child) {
            alarm(2);
            return;
        }
        if (child < 0 || waitpid(child, &status, 0) != child)
            _exit(2);
        if (shared->reached)
            reached = 1;
        else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            _exit(2);
        /* The last choice that has another value is taken next; those behind it begin again. */
        for (last = shared->count - 1; last >= 0 && shared->chosen[last] + 1 >= shared->of[last]; last--)
            shared->chosen[last] = 0;
        if (last < 0)
            _exit(reached);
        shared->chosen[last]++;
    }
    _exit(2);
}

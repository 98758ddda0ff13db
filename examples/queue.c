// A bounded queue of three places. Inputs say what to do: an even number takes an element out, an odd one puts it in.
// The queue must never hold more elements than it has places; a place is missing in the test for that.

extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

#define PLACES 3

struct queue {
    int elements[PLACES + 1];
    int count;
};

static int put(struct queue *queue, int element) {
    if (queue->count > PLACES) // should be >=
        return 0;
    queue->elements[queue->count++] = element;
    return 1;
}

static int take(struct queue *queue) {
    if (queue->count == 0)
        return -1;
    int first = queue->elements[0];
    for (int i = 1; i < queue->count; i++)
        queue->elements[i - 1] = queue->elements[i];
    queue->count--;
    return first;
}

int main(void) {
    struct queue queue = {.count = 0};
    for (int step = 0; step < 5; step++) {
        int input = __VERIFIER_nondet_int();
        if (input % 2 != 0)
            put(&queue, input);
        else
            take(&queue);
        if (queue.count > PLACES)
            reach_error();
    }
    return 0;
}

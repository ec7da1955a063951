/* Requests arrive at a server at random: how long does one take, the time in the queue included?
 * cc -O2 -DSIMKIT_STATIC -I. examples/mailbox.c -o mailbox -lm && ./mailbox
 *
 * A mailbox keeps messages until they are taken, first come, first served. Here without processes, by callbacks alone.
 * For Poisson arrivals and exponential service times, M/M/1, theory says: mean time in the system S / (1 - rho), mean
 * number of requests in the queue rho^2 / (1 - rho), where S is the mean service time and rho the load of the server. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include <math.h>

enum { REQUESTS = 300000 };

static const double service = 0.01; /* mean CPU time of a request [s] */

typedef struct queue {
    simkit_node server, clients;
    simkit_mailbox requests;
    simkit_random when, what; /* random streams: arrivals, service times */
    double load;              /* of the server [1] */
    double took, found;       /* time in the system [s], requests found in the queue, summed */
    double sent;              /* when the request in service was posted [s] */
    unsigned posted, served, closed;
} queue;

static bool failed(simkit_world *world, simkit_result result)
{
    if (result == SIMKIT_OK) return false;
    fprintf(stderr, "%s\n", simkit_world_why(world));
    simkit_world_stop(world);
    return true;
}

static void receive(simkit_world *world, void *user, const simkit_message *message);

static void serve(simkit_world *world, void *user) /* a request is done: takes the next */
{
    queue *q = (queue *)user;

    q->took += simkit_clock_now(world) - q->sent;
    if (++q->served == REQUESTS)
        failed(world, simkit_mailbox_close(world, q->requests));
    else
        failed(world, simkit_mailbox_take(world, q->requests, receive, q, NULL));
}

static void receive(simkit_world *world, void *user, const simkit_message *message)
{
    queue *q = (queue *)user;

    const simkit_computation_desc work = {
        .node = q->server, .seconds = simkit_random_exponential(&q->what, service), .done = serve, .user = q
    };
    q->sent = message->sent;
    failed(world, simkit_computation_start(world, &work, NULL));
}

static void arrive(simkit_world *world, void *user)
{
    queue *q = (queue *)user;

    q->found += (double)simkit_mailbox_messages(world, q->requests);
    const simkit_post_desc request = { .from = q->clients, .to = q->requests };
    if (failed(world, simkit_mailbox_post(world, &request, NULL))) return;
    if (++q->posted == REQUESTS) return;
    failed(world, simkit_step_after(world, simkit_random_exponential(&q->when, service / q->load), 0, arrive, q, NULL));
}

static bool run(queue *q, double load)
{
    simkit_world *world;

    if (simkit_world_open(NULL, &world) != SIMKIT_OK) return fputs("no memory for a world\n", stderr), false;
    *q = (queue){ .load = load };
    q->when = simkit_random_stream(world, 1);
    q->what = simkit_random_stream(world, 2);
    bool fine = !failed(world, simkit_node_add(world, &(simkit_node_desc){ .name = "server" }, &q->server)) &&
                !failed(world, simkit_node_add(world, &(simkit_node_desc){ .name = "clients" }, &q->clients)) &&
                !failed(world, simkit_mailbox_open(world, q->server, "requests", &q->requests)) &&
                !failed(world, simkit_mailbox_take(world, q->requests, receive, q, NULL)) &&
                !failed(world, simkit_step_after(world, 0, 0, arrive, q, NULL)) &&
                !failed(world, simkit_world_run(world));
    if (fine) /* it is closed now */
        q->closed = simkit_mailbox_post(world, &(simkit_post_desc){ .from = q->clients, .to = q->requests }, NULL) ==
                    SIMKIT_MAILBOX_CLOSED;
    simkit_world_close(world);
    return fine;
}

int main(void)
{
    bool near = true;

    printf("load   time in the system   S / (1 - rho)   in the queue   rho^2 / (1 - rho)\n");
    for (int percent = 20; percent <= 80; percent += 20) {
        const double rho = percent / 100., time = service / (1 - rho), waiting = rho * rho / (1 - rho);
        queue q;
        if (!run(&q, rho)) return 1;
        printf("%3d %%   %15.2f ms   %10.2f ms   %12.3f   %17.3f  %.*s\n", percent, q.took / REQUESTS * 1e3, time * 1e3,
               q.found / REQUESTS, waiting, (int)(8 * q.found / REQUESTS + 0.5), "##############################");
        near = near && fabs(q.took / REQUESTS / time - 1) < 0.05 && fabs(q.found / REQUESTS / waiting - 1) < 0.05 &&
               q.closed;
    }
    printf("\n%s\n", near ? "simulation and theory agree within 5 %" : "SIMULATION AND THEORY DIFFER BY MORE THAN 5 %");
    return !near;
}

/* flowgraph_simulated.c - instead of flowgraph_net.c: flow graphs that are only simulated
 *
 * For programs that never run a graph for real, and for systems without sockets, threads or processes, such as a browser.
 * Real mode is refused at flowgraph_start(), so none of the other functions is called. */
#include "flowgraph_core.h"

flowgraph_result flowgraph__net_open(flowgraph *g)
{
    return flowgraph__fail(g, FLOWGRAPH_WORLD,
                           "this program was built without real mode: it takes flowgraph_net.c instead of "
                           "flowgraph_simulated.c");
}

bool flowgraph__net_close(flowgraph *g)
{
    (void)g;
    return true;
}

flowgraph_result flowgraph__executor_open(flowgraph__executor *executor)
{
    (void)executor;
    return FLOWGRAPH_WORLD;
}

flowgraph_result flowgraph__net_wait(flowgraph *g)
{
    (void)g;
    return FLOWGRAPH_WORLD;
}

void flowgraph__net_begin(flowgraph *g)
{
    (void)g;
}

void flowgraph__net_send(flowgraph *g, flowgraph__message *message)
{
    (void)g;
    (void)message;
}

void flowgraph__net_failed(flowgraph *g)
{
    (void)g;
}

void flowgraph__net_finished(flowgraph *g)
{
    (void)g;
}

void flowgraph__net_idle(flowgraph *g)
{
    (void)g;
}

void flowgraph__net_deliver(flowgraph *g, flowgraph__message *message)
{
    (void)g;
    (void)message;
}

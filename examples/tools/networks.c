/* What networks are there, what do they consist of, how far is it from host to host, and what do they look like?
 * cc -O2 -I. examples/tools/networks.c -o networks -lm && ./networks        (--svg FILE draws them)
 *
 * Without a network it shows one of each kind. `networks fat-tree "4,4;1,2;1,2" --route 1 14 --svg tree.svg` shows one: its
 * numbers as SimGrid's manual writes them, the route from one host to another, and a picture. All links are equal here; the
 * bisection bandwidth is given in such links. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"

#include "../svg.h"

#include <stdlib.h>

enum { GROUPS = 4, PANEL_WIDTH = 400, PANEL_HEIGHT = 390, MOST_DRAWN = 5000, SENDERS = 200 };
static const double pi = 3.14159265358979323846;

typedef struct network {
    const char *kind, *numbers, *title;
    size_t from, to; /* of the route that is shown */
    netmodel_topology topology;
} network;

static network all[] = {
    { "star", "8", "Star", 0, 3, { 0 } },
    { "clusters", "6,4,6,4", "Clusters with a backbone", 0, 12, { 0 } },
    { "fat-tree", "4,4;1,2;1,2", "Fat tree", 1, 14, { 0 } },
    { "torus", "6,4", "Torus", 7, 23, { 0 } },
    { "mesh", "4,3,3", "Mesh", 0, 35, { 0 } },
    { "dragonfly", "4,1;2,1;4,1;2", "Dragonfly", 14, 61, { 0 } },
};
enum { NETWORKS = sizeof all / sizeof *all };

static const char usage[] = "networks [--svg FILE]         one of each kind\n"
                            "networks KIND NUMBERS [--route FROM TO] [--svg FILE]\n";

static const struct form {
    const char *kind, *numbers, *note;
} forms[] = {
    /* of the numbers */
    { "star", "HOSTS", "" },
    { "clusters", "HOSTS,HOSTS,..", "joined by a backbone; or by links, after a semicolon: \"4,4,4;0-1,1-2\"" },
    { "fat-tree", "DOWN,..;UP,..;CABLES,..", "" },
    { "torus", "SIZE,..", "" },
    { "mesh", "SIZE,..", "" },
    { "dragonfly", "GROUPS,BLUE;CHASSIS,BLACK;BLADES,GREEN;NODES", "" },
};

static int tell_usage(FILE *file)
{
    fputs(usage, file);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
        const char *gap = *forms[i].note ? "     " : "";
        fprintf(file, "  %s %s%s%s\n", forms[i].kind, forms[i].numbers, gap, forms[i].note);
    }
    return file == stderr;
}

/* How the numbers of a kind are written; NULL: there is no such kind. */
static const char *form_of(const char *kind)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i)
        if (strcmp(forms[i].kind, kind) == 0) return forms[i].numbers;
    return NULL;
}

/* Groups of numbers with `;` between groups, `,` or `-` between numbers; false if there is anything else. */
static bool numbers_of(const char *text, size_t number[GROUPS][2 * NETMODEL_JOINTS], size_t count[GROUPS])
{
    size_t group = 0;
    memset(count, 0, GROUPS * sizeof *count);
    for (;;) {
        char *end;
        if (*text < '0' || *text > '9' || count[group] == 2 * NETMODEL_JOINTS) return false;
        number[group][count[group]++] = (size_t)strtoull(text, &end, 10);
        if (*end == '\0') return true;
        if (*end == ';' && ++group == GROUPS) return false;
        if (*end != ';' && *end != ',' && *end != '-') return false;
        text = end + 1;
    }
}

/* The topology of a kind with these numbers; false if they are not of its form. */
static bool describe(network *n)
{
    const netmodel_cable cable = { 1.25e9, 1e-6, 0 };
    size_t number[GROUPS][2 * NETMODEL_JOINTS] = { { 0 } }, count[GROUPS];
    netmodel_topology *t = &n->topology;

    memset(t, 0, sizeof *t);
    if (!numbers_of(n->numbers, number, count)) return false;
    if (strcmp(n->kind, "star") == 0) {
        t->kind = NETMODEL_TOPOLOGY_STAR;
        t->star.hosts = number[0][0];
        t->star.cable = cable;
        return count[0] == 1 && count[1] == 0;
    }
    if (strcmp(n->kind, "clusters") == 0) {
        t->kind = NETMODEL_TOPOLOGY_CLUSTERS;
        t->clusters.count = count[0];
        t->clusters.joints = count[1] / 2;
        for (size_t i = 0; i < count[0] && i < NETMODEL_JOINED_CLUSTERS; ++i)
            t->clusters.cluster[i].hosts = number[0][i];
        t->clusters.cluster[0].cable = t->clusters.cluster[0].up = t->clusters.joint[0].cable = cable;
        for (size_t j = 0; j < count[1] / 2; ++j) {
            t->clusters.joint[j].from = number[1][2 * j];
            t->clusters.joint[j].to = number[1][2 * j + 1];
        }
        return count[1] % 2 == 0 && count[2] == 0;
    }
    if (strcmp(n->kind, "fat-tree") == 0) {
        t->kind = NETMODEL_TOPOLOGY_FAT_TREE;
        t->tree.levels = count[0];
        for (size_t i = 0; i < count[0] && i < NETMODEL_TREE_LEVELS; ++i) {
            t->tree.down[i] = number[0][i];
            t->tree.up[i] = number[1][i];
            t->tree.count[i] = number[2][i];
        }
        t->tree.cable[0] = cable;
        return count[1] == count[0] && count[2] == count[0] && count[3] == 0;
    }
    if (strcmp(n->kind, "torus") == 0 || strcmp(n->kind, "mesh") == 0) {
        t->kind = n->kind[0] == 't' ? NETMODEL_TOPOLOGY_TORUS : NETMODEL_TOPOLOGY_MESH;
        t->grid.dimensions = count[0];
        for (size_t j = 0; j < count[0] && j < NETMODEL_GRID_DIMENSIONS; ++j) t->grid.size[j] = number[0][j];
        t->grid.cable[0] = cable;
        return count[1] == 0;
    }
    t->kind = NETMODEL_TOPOLOGY_DRAGONFLY;
    t->dragonfly.groups = number[0][0];
    t->dragonfly.blue = number[0][1];
    t->dragonfly.chassis = number[1][0];
    t->dragonfly.black = number[1][1];
    t->dragonfly.blades = number[2][0];
    t->dragonfly.green = number[2][1];
    t->dragonfly.nodes = number[3][0];
    t->dragonfly.host_cable = cable;
    return count[0] == 2 && count[1] == 2 && count[2] == 2 && count[3] == 1;
}

//! [count]
static void print_network(const network *n)
{
    const netmodel_topology *t = &n->topology;
    const size_t hosts = netmodel_topology_hosts(t);
    const double bisection = netmodel_topology_bisection(t) / netmodel_topology_link(t, 0).bandwidth;
    size_t switches = 0, level = 1;
    double hops = 0, senders = 0;

    for (; netmodel_topology_places(t, level) > 0; ++level) switches += netmodel_topology_places(t, level);
    const size_t step = (hosts + SENDERS - 1) / SENDERS; /* of many hosts, some send: evenly spaced ones */
    for (size_t from = 0; from < hosts; from += step, ++senders)
        for (size_t to = 0; to < hosts; ++to) hops += (double)netmodel_topology_hops(t, from, to);
    if (hosts > 1) hops /= senders * (double)(hosts - 1);

    printf("%-10s %-16s %6lu %9lu %6lu %8lu %6.2f", n->kind, n->numbers, (unsigned long)hosts, (unsigned long)switches,
           (unsigned long)netmodel_topology_links(t), (unsigned long)netmodel_topology_hops_max(t), hops);
    if (isnan(bisection))
        printf("         -\n");
    else
        printf(" %9.4g\n", bisection);
}
//! [count]

static void print_place(netmodel_place place)
{
    if (place.level == 0)
        printf("host %lu", (unsigned long)place.number);
    else
        printf("switch %lu.%lu", (unsigned long)place.level, (unsigned long)place.number);
}

static void print_route(const network *n, const size_t *channel, size_t count)
{
    printf("\nfrom host %lu to host %lu:\n", (unsigned long)n->from, (unsigned long)n->to);
    for (size_t i = 0; i < count; ++i) {
        netmodel_place end[2];
        netmodel_topology_link_ends(&n->topology, channel[i] / 2, end);
        printf("  link %-6lu ", (unsigned long)(channel[i] / 2));
        print_place(end[channel[i] % 2]);
        printf(" to ");
        print_place(end[1 - channel[i] % 2]);
        printf("\n");
    }
}

/* -- where everything stands, in any unit; y grows upwards -- */

typedef struct point {
    double x, y;
} point;

static point on_circle(point centre, double radius, double part)
{
    const double angle = pi / 2 - 2 * pi * part;
    const point at = { centre.x + radius * cos(angle), centre.y + radius * sin(angle) };
    return at;
}

/* Hosts in a half circle that opens away from the origin; all around it if the switch is there. */
static point fan(point hub, double radius, size_t index, size_t count)
{
    const double away = atan2(hub.y, hub.x), wide = fabs(hub.x) + fabs(hub.y) > 0 ? 1.2 * pi : 2 * pi;
    const double slots = wide < 2 * pi && count > 1 ? (double)count - 1 : (double)count;
    const double angle = wide < 2 * pi ? (count > 1 ? away + wide / 2 - wide * (double)index / slots : away)
                                       : pi / 2 - wide * (double)index / slots;
    const point at = { hub.x + radius * cos(angle), hub.y + radius * sin(angle) };
    return at;
}

static point place_in_clusters(const netmodel_clusters_shape *x, netmodel_place place)
{
    const point centre = { 0, 0 };
    size_t cluster = 0, host = place.number;
    if (place.level == 2) return centre;
    if (place.level == 1)
        cluster = host;
    else
        while (host >= x->cluster[cluster].hosts) host -= x->cluster[cluster++].hosts;
    const double part = ((double)cluster + (x->count % 2 == 0 ? 0.5 : 0)) / (double)x->count;
    const point hub = on_circle(centre, 1, part);
    return place.level == 1 ? hub : fan(hub, 0.55, host, x->cluster[cluster].hosts);
}

/* A tree of a given width; each level is spread over all of it. */
static point place_in_tree(const netmodel_topology *t, netmodel_place place)
{
    const double count = (double)netmodel_topology_places(t, place.level);
    const point at = { 1.25 * (double)t->tree.levels * ((double)place.number + 0.5) / count, (double)place.level };
    return at;
}

/* The first two dimensions are a grid, the third goes back, the fourth and the fifth repeat all that. */
static point place_in_grid(const netmodel_topology *t, netmodel_place place)
{
    const netmodel_grid_shape *g = &t->grid;
    const double wide = (double)g->size[0] + 1.5, high = (g->dimensions > 1 ? (double)g->size[1] : 1) + 1.5;
    const double deep = g->dimensions > 2 ? (double)g->size[2] - 1 : 0;
    const point step[NETMODEL_GRID_DIMENSIONS] = {
        { 1, 0 }, { 0, -1 }, { 0.37, 0.29 }, { wide + 0.37 * deep, 0 }, { 0, -high - 0.29 * deep }
    };
    point at = { 0, 0 };
    size_t rest = place.number;
    if (g->dimensions == 1 && t->kind == NETMODEL_TOPOLOGY_TORUS) {
        const double radius = (double)g->size[0] / (2 * pi);
        at = on_circle(at, radius + (place.level == 0 && g->host.bandwidth > 0 ? 0.5 : 0),
                       (double)rest / (double)g->size[0]);
        return at;
    }
    for (size_t j = 0; j < g->dimensions; rest /= g->size[j++]) {
        at.x += (double)(rest % g->size[j]) * step[j].x;
        at.y += (double)(rest % g->size[j]) * step[j].y;
    }
    return at;
}

/* Groups in a circle; in each, a row of blades for each chassis, and the hosts of a blade below it. */
static point place_in_dragonfly(const netmodel_dragonfly_shape *x, netmodel_place place)
{
    const size_t router = place.level == 0 ? place.number / x->nodes : place.number, size = x->chassis * x->blades;
    const size_t group = router / size, chassis = router % size / x->blades;
    const double wide = (double)x->blades + (double)x->nodes * 0.1, high = 1.5 * (double)x->chassis;
    const double radius = x->groups == 1 ? 0 : 0.62 * fmax(wide, high) / sin(pi / fmax((double)x->groups, 2.6));
    const double part = ((double)group + (x->groups % 2 == 0 ? 0.5 : 0)) / (double)x->groups;
    const point origin = { 0, 0 };
    point at = on_circle(origin, radius, part);
    at.x += (double)(router % x->blades) - ((double)x->blades - 1) / 2;
    at.y -= 1.5 * ((double)chassis - ((double)x->chassis - 1) / 2);
    if (place.level == 0) {
        at.x += 0.42 * ((double)(place.number % x->nodes) - ((double)x->nodes - 1) / 2);
        at.y -= 0.5;
    }
    return at;
}

static point place_of(const netmodel_topology *t, netmodel_place place)
{
    const point centre = { 0, 0 };
    switch (t->kind) {
    case NETMODEL_TOPOLOGY_STAR: return place.level == 1 ? centre : fan(centre, 1, place.number, t->star.hosts);
    case NETMODEL_TOPOLOGY_CLUSTERS: return place_in_clusters(&t->clusters, place);
    case NETMODEL_TOPOLOGY_FAT_TREE: return place_in_tree(t, place);
    case NETMODEL_TOPOLOGY_TORUS:
    case NETMODEL_TOPOLOGY_MESH: return place_in_grid(t, place);
    case NETMODEL_TOPOLOGY_DRAGONFLY: return place_in_dragonfly(&t->dragonfly, place);
    }
    return centre;
}

/* -- the picture -- */

typedef struct view {
    svg *picture;
    const netmodel_topology *t;
    double left, top, scale, low_x, high_y; /* of the drawing in the picture [px] */
    double cell;                            /* distance of neighbours, at least [px] */
} view;

static point to_pixels(const view *v, point p)
{
    const point at = { v->left + (p.x - v->low_x) * v->scale, v->top + (v->high_y - p.y) * v->scale };
    return at;
}

/* Fits all places into a box. */
static view view_of(svg *picture, const netmodel_topology *t, double left, double top, double width, double height)
{
    view v = { picture, t, left, top, 1, HUGE_VAL, -HUGE_VAL, 0 };
    double high_x = -HUGE_VAL, low_y = HUGE_VAL, nearest = HUGE_VAL;
    netmodel_place place = { 0, 0 };
    for (; netmodel_topology_places(t, place.level) > 0; ++place.level, place.number = 0)
        for (; place.number < netmodel_topology_places(t, place.level); ++place.number) {
            const point p = place_of(t, place);
            v.low_x = fmin(v.low_x, p.x), high_x = fmax(high_x, p.x);
            v.high_y = fmax(v.high_y, p.y), low_y = fmin(low_y, p.y);
            for (netmodel_place other = { 0, 0 }; place.level == 0 && other.number < place.number; ++other.number) {
                const point q = place_of(t, other);
                nearest = fmin(nearest, hypot(p.x - q.x, p.y - q.y));
            }
        }
    const double wide = fmax(high_x - v.low_x, 1e-9), high = fmax(v.high_y - low_y, 1e-9);
    v.scale = fmin(width / wide, height / high);
    v.left += (width - v.scale * wide) / 2;
    v.top += (height - v.scale * high) / 2;
    v.cell = fmin(nearest * v.scale, 80);
    return v;
}

static const char *colour_of(const netmodel_topology *t, const netmodel_place end[2])
{
    static const char *const levels[] = { "#8899aa", "#4477aa", "#228833", "#aa3377", "#ccbb44" };
    if (t->kind == NETMODEL_TOPOLOGY_DRAGONFLY && end[0].level == 1) {
        const size_t blades = t->dragonfly.blades, group = t->dragonfly.chassis * blades;
        if (end[0].number / group != end[1].number / group) return "#4477aa";
        return end[0].number / blades == end[1].number / blades ? "#228833" : "#222222";
    }
    if (t->kind == NETMODEL_TOPOLOGY_TORUS || t->kind == NETMODEL_TOPOLOGY_MESH) {
        size_t apart = end[1].number > end[0].number ? end[1].number - end[0].number : end[0].number - end[1].number,
               j = 0;
        if (end[0].level != end[1].level) return levels[0];
        for (; apart >= t->grid.size[j]; ++j) apart /= t->grid.size[j];
        return levels[(j + 1) % 5];
    }
    return levels[end[0].level % 5];
}

/* How far a link bends off the straight line, as a part of its length: so that it does not run over the places between its
 * ends, and parallel cables are seen. */
static double bend_of(const view *v, size_t link, const netmodel_place end[2])
{
    const netmodel_topology *t = v->t;
    const point a = to_pixels(v, place_of(t, end[0])), b = to_pixels(v, place_of(t, end[1]));
    const double length = fmax(hypot(b.x - a.x, b.y - a.y), 1);
    if (t->kind == NETMODEL_TOPOLOGY_FAT_TREE && t->tree.count[end[0].level] > 1) {
        const size_t up = t->tree.up[end[0].level], count = t->tree.count[end[0].level];
        netmodel_place other[2];
        size_t before = 0; /* cables with the same ends are `up` numbers apart */
        while (before + 1 < count && link >= (before + 1) * up &&
               netmodel_topology_link_ends(t, link - (before + 1) * up, other) && other[0].level == end[0].level &&
               other[0].number == end[0].number && other[1].number == end[1].number)
            ++before;
        return 9 * ((double)before - ((double)count - 1) / 2) / length;
    }
    if (t->kind == NETMODEL_TOPOLOGY_TORUS && t->grid.dimensions > 1 && end[0].level == end[1].level &&
        end[1].number < end[0].number)
        return 0.4 * v->scale / length;
    if (t->kind == NETMODEL_TOPOLOGY_DRAGONFLY && end[0].level == 1) {
        const point from = place_of(t, end[0]), to = place_of(t, end[1]);
        const size_t group = t->dragonfly.chassis * t->dragonfly.blades;
        if (end[0].number / group != end[1].number / group) { /* towards the middle of the picture */
            const double side = (from.x + to.x) * (to.y - from.y) - (from.y + to.y) * (to.x - from.x);
            return (side > 0 ? -0.12 : side < 0 ? 0.12 : 0) * fmin(1, fabs(side) / 4);
        }
        if (length > 1.9 * v->scale) return (fabs(a.y - b.y) < 1 ? -0.28 : 0.3) * fmin(1, 2.4 * v->scale / length);
    }
    return 0;
}

static void draw_link(const view *v, size_t link, const char *colour, double width, double opacity)
{
    netmodel_place end[2];
    netmodel_topology_link_ends(v->t, link, end);
    const point a = to_pixels(v, place_of(v->t, end[0])), b = to_pixels(v, place_of(v->t, end[1]));
    const double bend = 2 * bend_of(v, link, end);
    fprintf(v->picture->file,
            "<path d=\"M%.1f %.1f Q%.1f %.1f %.1f %.1f\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.2g\" "
            "opacity=\"%.2g\" "
            "stroke-linecap=\"round\"/>\n",
            a.x, a.y, (a.x + b.x) / 2 - bend * (b.y - a.y), (a.y + b.y) / 2 + bend * (b.x - a.x), b.x, b.y,
            colour ? colour : colour_of(v->t, end), width, opacity);
}

static void draw_place(const view *v, netmodel_place place, bool chosen)
{
    const point at = to_pixels(v, place_of(v->t, place));
    const bool small = v->cell < 17;
    const double radius = fmax(fmin(0.3 * v->cell, 11), 2);
    FILE *file = v->picture->file;
    if (place.level == 0)
        fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\" stroke=\"#556677\"/>\n", at.x, at.y,
                radius, chosen ? "#ee7733" : "#e8eef4");
    else {
        const double half = fmax(fmin(0.26 * v->cell * (v->t->kind == NETMODEL_TOPOLOGY_DRAGONFLY ? 1 : 1.5), 12), 3);
        fprintf(file, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"3\" fill=\"#334455\"/>\n",
                at.x - half, at.y - half, 2 * half, 2 * half);
    }
    if (place.level == 0 && !small) {
        fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"%.1f\" fill=\"%s\">%lu</text>\n",
                at.x, at.y + 0.36 * fmin(radius * 1.1, 11), fmin(radius * 1.1, 11), chosen ? "white" : "#223344",
                (unsigned long)place.number);
    }
}

/* One network in a box of PANEL_WIDTH by PANEL_HEIGHT. */
static void draw(svg *picture, const network *n, double left, double top, const size_t *channel, size_t count)
{
    const netmodel_topology *t = &n->topology;
    const double bisection = netmodel_topology_bisection(t) / netmodel_topology_link(t, 0).bandwidth;
    const double arcs = t->kind == NETMODEL_TOPOLOGY_DRAGONFLY || t->kind == NETMODEL_TOPOLOGY_TORUS ? 16 : 0;
    const view v = view_of(picture, t, left + 34, top + 74 + arcs, PANEL_WIDTH - 68, PANEL_HEIGHT - 108 - arcs);
    char text[160], half[40] = "";
    netmodel_place place = { 0, 0 };

    fprintf(picture->file, "<g font-size=\"15\" font-weight=\"bold\">\n");
    snprintf(text, sizeof text, "%s: %s", n->title, n->numbers);
    svg_text(picture, left + 0.5 * PANEL_WIDTH, top + 22, "middle", text);
    fprintf(picture->file, "</g>\n<g font-size=\"12\" fill=\"#556677\">\n");
    if (!isnan(bisection)) snprintf(half, sizeof half, ", bisection %.4g link%s", bisection, bisection > 1 ? "s" : "");
    snprintf(text, sizeof text, "%lu hosts, %lu links, at most %lu hops%s", (unsigned long)netmodel_topology_hosts(t),
             (unsigned long)netmodel_topology_links(t), (unsigned long)netmodel_topology_hops_max(t), half);
    svg_text(picture, left + 0.5 * PANEL_WIDTH, top + 41, "middle", text);
    fprintf(picture->file, "</g>\n");

    for (size_t i = 0; i < count; ++i) draw_link(&v, channel[i] / 2, "#ee7733", 6, 0.75);
    for (size_t link = 0; link < netmodel_topology_links(t); ++link)
        draw_link(&v, link, NULL, v.cell < 12 ? 0.7 : 1.4, 0.9);
    for (; netmodel_topology_places(t, place.level) > 0; ++place.level, place.number = 0)
        for (; place.number < netmodel_topology_places(t, place.level); ++place.number)
            draw_place(&v, place, count > 0 && place.level == 0 && (place.number == n->from || place.number == n->to));
}

/* The route of a network into `channel`, which has room for the longest. */
static size_t route_of(const network *n, size_t *channel)
{
    return n->from == n->to ? 0
                            : netmodel_topology_route(&n->topology, n->from, n->to, channel,
                                                      netmodel_topology_hops_max(&n->topology));
}

static bool complain(const char *what, const char *why)
{
    return fprintf(stderr, "networks: %s: %s\n", what, why), false;
}

/* Prints, and draws if there is a path. */
static bool show(network *list, int count, const char *path)
{
    const int columns = count < 3 ? count : 3, rows = (count + columns - 1) / columns;
    svg picture = { 0 };

    for (int i = 0; i < count; ++i) {
        size_t where;
        const char *form = form_of(list[i].kind);
        if (!form)
            return complain(list[i].kind,
                            "no such kind; there are star, clusters, fat-tree, torus, mesh and dragonfly");
        if (!describe(&list[i]))
            return fprintf(stderr, "networks: %s %s: expected %s\n", list[i].kind, list[i].numbers, form), false;
        const netmodel_result result = netmodel_topology_check(&list[i].topology, &where);
        if (result != NETMODEL_OK) return complain(list[i].numbers, netmodel_result_text(result));
        if (list[i].from != list[i].to &&
            netmodel_topology_hops(&list[i].topology, list[i].from, list[i].to) == NETMODEL_NO_ROUTE)
            return complain("--route", "there is no such host");
        if (path && netmodel_topology_links(&list[i].topology) > MOST_DRAWN)
            return complain(list[i].numbers, "too many links for a picture");
    }
    if (path) svg_open(&picture, path, "", 20 + columns * PANEL_WIDTH, 20 + rows * PANEL_HEIGHT);
    printf("network    numbers           hosts  switches  links  longest   mean bisection\n");
    for (int i = 0; i < count; ++i) print_network(&list[i]);
    for (int i = 0; i < count; ++i) {
        size_t *channel = (size_t *)malloc((netmodel_topology_hops_max(&list[i].topology) + 1) * sizeof *channel);
        if (!channel) return complain(list[i].numbers, "out of memory");
        const size_t hops = route_of(&list[i], channel);
        const int row = i / columns;
        if (count == 1 && hops > 0) print_route(&list[i], channel, hops);
        if (picture.file)
            draw(&picture, &list[i], 10 + i % columns * PANEL_WIDTH, 10 + row * PANEL_HEIGHT, channel, hops);
        free(channel);
    }
    return svg_close(&picture);
}

static bool number_of(const char *text, size_t *number)
{
    char *end = NULL;
    if (text && *text >= '0' && *text <= '9') *number = (size_t)strtoull(text, &end, 10);
    return end && *end == '\0';
}

int main(int argc, char **argv)
{
    network own = { 0 };
    const char *path = NULL;
    int first = 1;

    if (argc > 2 && argv[1][0] != '-') {
        own.kind = strcmp(argv[1], "fat_tree") == 0 ? "fat-tree" : argv[1]; /* as in machine files */
        own.numbers = argv[2];
        own.title = own.kind;
        for (int i = 0; i < NETWORKS; ++i)
            if (strcmp(all[i].kind, own.kind) == 0) own.title = all[i].title;
        if (strcmp(own.kind, "clusters") == 0) own.title = "Clusters";
        first = 3;
    }
    for (int i = first; i < argc; ++i) {
        if (strcmp(argv[i], "--svg") == 0 && i + 1 < argc)
            path = argv[++i];
        else if (strcmp(argv[i], "--route") == 0 && i + 2 < argc && own.kind && number_of(argv[i + 1], &own.from) &&
                 number_of(argv[i + 2], &own.to))
            i += 2;
        else
            return tell_usage(strcmp(argv[i], "--help") == 0 ? stdout : stderr);
    }
    return !(own.kind ? show(&own, 1, path) : show(all, NETWORKS, path));
}
